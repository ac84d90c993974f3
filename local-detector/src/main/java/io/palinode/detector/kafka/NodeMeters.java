package io.palinode.detector.kafka;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.palinode.detector.LocalDetector;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.wire.RefusedRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The meters of one node. Each has the node as a tag. Close removes them from the registry. */
public final class NodeMeters implements AutoCloseable {
  private final MeterRegistry registry;
  private final Tags node;
  private final List<Meter> meters = new ArrayList<>();

  public NodeMeters(MeterRegistry registry, int node) {
    this.registry = registry;
    this.node = Tags.of("node", Integer.toString(node));
  }

  void add(LocalDetector detector) {
    count("palinode.detector.opened", "Intervals opened", detector, LocalDetector::openedCount);
    count("palinode.detector.closed", "Intervals closed", detector, LocalDetector::closedCount);
    count(
        "palinode.detector.values.refused",
        "Values that are no text, or no decimal where one is compared",
        detector,
        LocalDetector::valuesRefused);
    count(
        "palinode.detector.failures",
        "Bugs kept from the store",
        detector,
        LocalDetector::failures);
    gauge(
        "palinode.detector.matches.given.up",
        "Texts that active terms would take too long to match",
        detector,
        LocalDetector::matchesGivenUp);
    gauge("palinode.detector.predicates", "Active predicates", detector, LocalDetector::predicates);
    gauge(
        "palinode.detector.open.intervals",
        "Intervals that are open",
        detector,
        LocalDetector::openIntervals);
  }

  void add(CandidateRing ring) {
    count(
        "palinode.detector.emitted", "Emissions taken from the ring", ring, CandidateRing::emitted);
    count("palinode.detector.dropped", "Candidates dropped", ring, CandidateRing::dropped);
    count("palinode.detector.gaps", "Gaps sent", ring, CandidateRing::gaps);
    gauge("palinode.detector.ring.fill", "Emissions in the ring", ring, CandidateRing::size);
  }

  void add(CandidateWriter writer) {
    count("palinode.detector.progress", "Progress written", writer, CandidateWriter::progress);
    count(
        "palinode.detector.refused",
        "Candidate records refused by Kafka",
        writer,
        CandidateWriter::refused);
  }

  void add(PredicateTail predicates) {
    count(
        "palinode.detector.predicates.refused",
        "Versions of predicates whose text cannot be read",
        predicates,
        PredicateTail::refused);
    count(
        "palinode.detector.predicates.failures",
        "Changes of predicates that failed, and are retried",
        predicates,
        PredicateTail::failures);
  }

  /** Counts the records of these topics that the node passed over, by reason. */
  public void add(RefusedRecords refused, List<String> topics) {
    for (String topic : topics) {
      for (RefusedRecords.Reason reason : RefusedRecords.Reason.values()) {
        meters.add(
            FunctionCounter.builder(
                    "palinode.detector.records.refused", refused, r -> r.count(topic, reason))
                .tags(node.and("topic", topic, "reason", reason.label()))
                .description("Records that the node passed over")
                .register(registry));
      }
    }
  }

  public <T> void count(String name, String what, T of, ToDoubleFunction<T> value) {
    meters.add(
        FunctionCounter.builder(name, of, value).tags(node).description(what).register(registry));
  }

  public <T> void gauge(String name, String what, T of, ToDoubleFunction<T> value) {
    meters.add(Gauge.builder(name, of, value).tags(node).description(what).register(registry));
  }

  /** A node that starts again in this process must find the names free. */
  @Override
  public void close() {
    meters.forEach(registry::remove);
  }
}
