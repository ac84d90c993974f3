package io.palinode.orchestrator.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.palinode.hvc.Grade;
import io.palinode.orchestrator.health.Judgement;
import io.palinode.orchestrator.health.Wait;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.plan.StepTimes;
import io.palinode.wire.RefusedRecords;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToDoubleFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * The meters {@code palinode.*} of the orchestrator, counted from its start, without replayed
 * records. Call the counting methods from one thread.
 */
public final class OrchestratorMetrics implements AutoCloseable {
  /** Labels cost memory in every scrape. Further predicates are counted as {@code other}. */
  static final int PREDICATE_LABELS_MAX = 500;

  /** A cluster of this size has 240 series of pairs of clocks. */
  static final int CLOCK_NODES_MAX = 16;

  private static final double MICROS_PER_SECOND = 1_000_000.0;

  private static final Duration[] LATENCIES =
      durations(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000);
  private static final Duration[] ROLLBACKS =
      durations(10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 30_000);

  private final MeterRegistry registry;
  private final Set<Meter> meters = ConcurrentHashMap.newKeySet();
  private final Set<String> predicates = new HashSet<>();
  private final Counter repeats;
  private final Counter coverageLost;
  private final Counter undoneWrites;
  private final Counter sequentialEntered;
  private final Counter resumed;
  private final Counter halted;
  private final Counter abandoned;
  private final Counter restarted;
  private final Counter cancelled;
  private final Timer rollback;

  public OrchestratorMetrics(MeterRegistry registry) {
    this.registry = registry;
    repeats = counter("palinode.violation.repeats", "Violations that were published again");
    coverageLost = counter("palinode.coverage.lost", "Ranges of events that were not judged");
    undoneWrites = counter("palinode.undone.writes", "Writes undone by rollbacks, on all nodes");
    sequentialEntered =
        counter(
            "palinode.sequential.entered", "Instances whose keys began to be used with R + W > N");
    resumed = rollbacks("resumed");
    halted = rollbacks("halted");
    abandoned = rollbacks("abandoned");
    restarted = rollbacks("restarted");
    cancelled = rollbacks("cancelled");
    // From the start, so that a scrape shows all grades.
    Arrays.stream(Grade.values()).forEach(this::detection);
    rollback =
        timer(
            Timer.builder("palinode.rollback")
                .description("From the opening of a plan to its resume")
                .serviceLevelObjectives(ROLLBACKS));
  }

  /** Counts a violation that was published for the first time. */
  public void violation(String predicate, Grade grade) {
    keep(Counter.builder("palinode.violations")
            .description("Violations, each once")
            .tag("predicate", label(predicate))
            .tag("grade", grade.name().toLowerCase(Locale.ROOT))
            .register(registry))
        .increment();
  }

  /** Counts a phantom that was published for the first time. */
  public void phantom(String predicate) {
    keep(Counter.builder("palinode.phantoms")
            .description("Violations that are phantoms, each once")
            .tag("predicate", label(predicate))
            .register(registry))
        .increment();
  }

  /** Counts a violation that reached {@code grade}. */
  public void detected(Grade grade, long latencyMicros) {
    detection(grade).record(latencyMicros, TimeUnit.MICROSECONDS);
  }

  public void repeat() {
    repeats.increment();
  }

  /** Registers the counts of records that readers of {@code topics} refused. */
  public void refused(RefusedRecords refused, List<String> topics) {
    keep(
        FunctionCounter.builder("palinode.records.unreadable", refused, RefusedRecords::total)
            .description("Records of any log that were skipped")
            .register(registry));
    for (String topic : topics) {
      for (RefusedRecords.Reason reason : RefusedRecords.Reason.values()) {
        keep(
            FunctionCounter.builder(
                    "palinode.records.refused", refused, r -> r.count(topic, reason))
                .description("Records that the orchestrator skipped")
                .tags("topic", topic, "reason", reason.label())
                .register(registry));
      }
    }
  }

  /** Registers the records of a topic that the orchestrator has not read. */
  public void lag(String topic, LongSupplier records) {
    keep(
        Gauge.builder("palinode.log.lag.records", records::getAsLong)
            .description("Records in Kafka that the orchestrator has not read")
            .tag("topic", topic)
            .register(registry));
  }

  public void coverageLost() {
    coverageLost.increment();
  }

  /** Counts instances that became sequential. */
  public void sequentialEntered(long instances) {
    sequentialEntered.increment((double) instances);
  }

  /** Counts a rollback that resumed, halted, was abandoned or cancelled, or ended in a restart. */
  public void ended(Rollback ended) {
    if (ended.state() == Rollback.State.HALTED) {
      halted.increment();
      return;
    }
    undoneWrites.increment((double) ended.undoneWrites());
    if (ended.state() == Rollback.State.ABANDONED) {
      abandoned.increment();
      return;
    }
    if (ended.state() == Rollback.State.RESTARTED) {
      restarted.increment();
      return;
    }
    if (ended.state() == Rollback.State.CANCELLED) {
      cancelled.increment();
      return;
    }
    resumed.increment();
    rollback.record(ended.totalMicros(), TimeUnit.MICROSECONDS);
    StepTimes times = ended.times();
    step("pause", times.pauseMicros());
    step("judgement", times.judgementMicros());
    step("restore", times.restoreMicros());
    step("converge", times.convergeMicros());
  }

  /**
   * Registers a value that is read at each scrape. The name includes {@code palinode.} and a unit.
   */
  public void gauge(String name, String what, Supplier<Number> value) {
    keep(Gauge.builder(name, value).description(what).register(registry));
  }

  /** Registers how long judgement has waited for each reason, read at each scrape. */
  public void waits(int nodes, Supplier<Judgement> judgement) {
    for (Wait.Reason reason : Wait.Reason.values()) {
      if (reason.isOfNode()) {
        IntStream.range(0, nodes)
            .forEach(node -> wait(reason, Integer.toString(node), node, judgement));
      } else {
        wait(reason, "", 0, judgement);
      }
    }
  }

  private void wait(Wait.Reason reason, String label, int node, Supplier<Judgement> judgement) {
    keep(
        Gauge.builder(
                "palinode.judgement.waiting.seconds",
                () -> judgement.get().micros(reason, node) / MICROS_PER_SECOND)
            .description("How long judgement of the present has waited; 0: it does not wait")
            .tag("for", reason.label())
            .tag("node", label)
            .register(registry));
  }

  /** Registers a value of each node, as {@link #gauge}. */
  public void nodeGauge(String name, String what, int nodes, IntToDoubleFunction value) {
    for (int i = 0; i < nodes; i++) {
      int node = i;
      keep(
          Gauge.builder(name, () -> value.applyAsDouble(node))
              .description(what)
              .tag("node", Integer.toString(node))
              .register(registry));
    }
  }

  /**
   * Registers bounds on how far each node's clock is ahead of each later node's. In a cluster of
   * more than {@link #CLOCK_NODES_MAX} nodes only its first nodes have them.
   */
  public void clockPairs(int nodes, ClockPairs seconds) {
    int shown = Math.min(nodes, CLOCK_NODES_MAX);
    for (int node = 0; node < shown; node++) {
      for (int other = node + 1; other < shown; other++) {
        clockPair(node, other, false, seconds);
        clockPair(node, other, true, seconds);
      }
    }
  }

  /** Bounds of one pair, in seconds; NaN: not known. */
  public interface ClockPairs {
    double bound(int node, int other, boolean most);
  }

  private void clockPair(int node, int other, boolean most, ClockPairs seconds) {
    keep(
        Gauge.builder("palinode.clock.pair.seconds", () -> seconds.bound(node, other, most))
            .description("How far the node's clock is ahead of the other's, at least or at most")
            .tag("node", Integer.toString(node))
            .tag("other", Integer.toString(other))
            .tag("bound", most ? "most" : "least")
            .register(registry));
  }

  /** Registers the alerts of one kind of destination by delivery result. */
  public <T> void alerts(String result, String destination, T of, ToDoubleFunction<T> count) {
    keep(
        FunctionCounter.builder("palinode.alerts." + result, of, count)
            .description("Alerts " + result)
            .tag("destination", destination)
            .register(registry));
  }

  /** Removes all meters, so that another orchestrator in this process can register them. */
  @Override
  public void close() {
    meters.forEach(registry::remove);
  }

  private String label(String predicate) {
    String label =
        predicates.contains(predicate) || predicates.size() < PREDICATE_LABELS_MAX
            ? predicate
            : "other";
    predicates.add(label);
    return label;
  }

  private void step(String step, long micros) {
    timer(
            Timer.builder("palinode.rollback.step")
                .description("The steps of a rollback that was resumed")
                .tag("step", step)
                .serviceLevelObjectives(ROLLBACKS))
        .record(micros, TimeUnit.MICROSECONDS);
  }

  private Timer detection(Grade grade) {
    return timer(
        Timer.builder("palinode.detection.latency")
            .description(
                "From the moment of a violation to the first record of at least this grade")
            .tag("grade", grade.name().toLowerCase(Locale.ROOT))
            .serviceLevelObjectives(LATENCIES));
  }

  private Counter counter(String name, String what) {
    return keep(Counter.builder(name).description(what).register(registry));
  }

  private Counter rollbacks(String outcome) {
    return keep(
        Counter.builder("palinode.rollbacks")
            .description("Rollbacks that ended")
            .tag("outcome", outcome)
            .register(registry));
  }

  private Timer timer(Timer.Builder builder) {
    return keep(builder.register(registry));
  }

  private <M extends Meter> M keep(M meter) {
    meters.add(meter);
    return meter;
  }

  private static Duration[] durations(long... millis) {
    return Arrays.stream(millis).mapToObj(Duration::ofMillis).toArray(Duration[]::new);
  }
}
