package io.palinode.demo.watch;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.trace.TraceDetector;
import io.palinode.examples.graph.Rule;
import io.palinode.examples.graph.truth.Truth;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Uncertainty;
import io.palinode.orchestrator.violations.Grades;
import io.palinode.predicate.Clause;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.ReplicaRule;
import io.palinode.predicate.form.Predicates;
import io.palinode.terminal.Refusal;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.LogTail;
import io.palinode.wire.Topics;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Closed;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The candidates of a run of the application, and what happened in it: can be judged with any ε.
 * Its clocks must be recorded with ε = ∞, so that they hold what messages carried and nothing else.
 * Not thread-safe.
 */
public final class RecordedRun {
  private static final Duration READ_MAX = Duration.ofSeconds(60);

  private final int nodes;
  private final long sinceMicros;
  private final Truth truth;
  private final Map<Position, Recorded> intervals = new LinkedHashMap<>();

  private record Position(int partition, int node, long incarnation, long sequence) {}

  private record Recorded(Opened opened, CandidateId id, Hvc start, @Nullable Hvc end) {}

  /** The intervals of one predicate with one binding. */
  private record Instance(String predicate, String binding) {}

  /**
   * @param sinceMicros earlier intervals do not count: the truth has not seen them
   */
  RecordedRun(int nodes, long sinceMicros, Truth truth) {
    this.nodes = nodes;
    this.sinceMicros = sinceMicros;
    this.truth = truth;
  }

  /** All candidates that were published until now. */
  public static RecordedRun read(KafkaSettings kafka, int nodes, long sinceMicros, Truth truth)
      throws InterruptedException {
    RecordedRun run = new RecordedRun(nodes, sinceMicros, truth);
    LogTail.Source candidates =
        LogTail.Source.all(Topics.DEFAULT.candidates(), LogTail.From.BEGINNING);
    try (LogTail tail = new LogTail("demo-recording", kafka, candidates, run::add)) {
      tail.start();
      if (!tail.awaitCaughtUp(READ_MAX)) {
        throw new Refusal("the candidates in Kafka could not be read: " + tail.failure());
      }
    }
    return run;
  }

  private void add(ConsumerRecord<byte[], byte[]> record) {
    try {
      add(record.partition(), CandidateRecord.parseFrom(record.value()));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a candidate in Kafka cannot be read", e);
    }
  }

  void add(int partition, CandidateRecord record) {
    int node = record.getNode();
    long incarnation = record.getIncarnation();
    if (record.hasOpened()) {
      Opened opened = record.getOpened();
      Hvc start = CandidateRecords.decode(opened.getStart());
      if (opened.getValuesCount() > 0 && Hlc.micros(start.own()) >= sinceMicros) {
        CandidateId id = new CandidateId(node, incarnation, record.getSequence());
        intervals.put(
            new Position(partition, node, incarnation, record.getSequence()),
            new Recorded(opened, id, start, null));
      }
    } else if (record.hasClosed()) {
      Closed closed = record.getClosed();
      intervals.computeIfPresent(
          new Position(partition, node, incarnation, closed.getOpenedSequence()),
          (position, open) ->
              new Recorded(
                  open.opened, open.id, open.start, CandidateRecords.decode(closed.getEnd())));
    }
  }

  /** How many violations surely happened. */
  public long happened() {
    return Reports.happened(truth);
  }

  /** How many intervals there are. */
  public int intervals() {
    return intervals.size();
  }

  /** What is reported, by {@code replicas: first}, if clocks differ by at most {@code epsilon}. */
  public RuleResult judge(Epsilon epsilon) {
    List<Violation> violations = new ArrayList<>();
    Map<Instance, List<Candidate>> instances = new LinkedHashMap<>();
    for (Recorded each : intervals.values()) {
      Instance instance =
          new Instance(
              each.opened.getInterval().getPredicate(), each.opened.getInterval().getBinding());
      instances.computeIfAbsent(instance, i -> new ArrayList<>()).add(candidate(each, epsilon));
    }
    for (Rule rule : Rule.values()) {
      Predicate predicate = Predicates.parse(rule.yaml(), rule.predicate() + ".yaml");
      DetectionSpec spec =
          new DetectionSpec(
              nodes,
              predicate.violation().stream().map(Clause::shape).toList(),
              new Causality(epsilon, Uncertainty.CONSERVATIVE),
              ReplicaRule.FIRST);
      instances.forEach(
          (instance, trace) -> {
            if (instance.predicate.equals(rule.predicate())) {
              TraceDetector.detect(
                  spec,
                  trace,
                  TraceDetector.Report.COVER,
                  witness -> violations.add(violation(instance, witness)),
                  () -> {});
            }
          });
    }
    return Reports.of(ReplicaRule.FIRST, highest(violations), new FirstAcceptances(), truth)
        .result(null);
  }

  /** A violation is reported again if its grade rises. */
  private static List<Violation> highest(List<Violation> violations) {
    Map<List<Witness>, Violation> byWitnesses = new LinkedHashMap<>();
    for (Violation violation : violations) {
      byWitnesses.merge(
          violation.getWitnessesList(),
          violation,
          (one, other) ->
              Grades.of(one.getGrade()).atLeast(Grades.of(other.getGrade())) ? one : other);
    }
    return List.copyOf(byWitnesses.values());
  }

  private static Candidate candidate(Recorded each, Epsilon epsilon) {
    Opened opened = each.opened;
    VariableVersion of = opened.getValues(0);
    Hvc end = each.end;
    return new Candidate(
            opened.getInterval().getClause(),
            opened.getInterval().getTerm(),
            each.id,
            new Interval(known(each.start, epsilon), end == null ? null : known(end, epsilon)),
            of.getKey().toStringUtf8()
                + "@"
                + HexFormat.of().formatHex(of.getClock().toByteArray())
                + "@"
                + of.getTimestampMs(),
            opened.hasOrigin() ? (Integer) opened.getOrigin() : null,
            null,
            of.toByteArray())
        .ofMember(opened.getInterval().getMember());
  }

  /** The clock as a node keeps it with {@code epsilon}: others have come to ε before its own. */
  static Hvc known(Hvc recorded, Epsilon epsilon) {
    if (epsilon.isInfinite()) {
      return recorded;
    }
    long floor = Hlc.ofMicros(Math.max(0, Hlc.micros(recorded.own()) - epsilon.micros()));
    long[] entries = new long[recorded.nodes()];
    for (int node = 0; node < entries.length; node++) {
      entries[node] =
          node == recorded.owner() ? recorded.own() : Math.max(recorded.get(node), floor);
    }
    return Hvc.of(recorded.owner(), entries);
  }

  private static Violation violation(Instance instance, io.palinode.detection.Witness found) {
    Violation.Builder violation =
        Violation.newBuilder()
            .setPredicate(instance.predicate)
            .setBinding(instance.binding)
            .setClause(found.clause())
            .setGrade(ViolationGrade.valueOf(found.grade().name()))
            .setFirst(found.first())
            .setViolate(found.violate());
    for (Candidate candidate : found.candidates()) {
      violation.addWitnesses(
          Witness.newBuilder()
              .setTerm(candidate.term())
              .setNode(candidate.id().node())
              .setIncarnation(candidate.id().incarnation())
              .setSequence(candidate.id().sequence())
              .setMember(candidate.member())
              .setStart(CandidateRecords.encode(candidate.interval().start()))
              .addValues(version(candidate)));
    }
    return violation.build();
  }

  private static VariableVersion version(Candidate candidate) {
    try {
      return VariableVersion.parseFrom(candidate.payload());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a payload is what was put there", e);
    }
  }
}
