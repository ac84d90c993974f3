package io.palinode.benchmarks.online;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.hvc.Epsilon;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Pairwise mutual exclusion over many template instances. Candidate k is a separate interval at
 * node {@code k mod n}; one in {@link #COMPLETES_ONE_IN} begins in the instance of the one before
 * it, which still holds, and so completes a violation. Every other has its instance for itself: an
 * instance is used again only when it has been quiet for far longer than ε by the nodes' own clock,
 * so a generator that stalls makes no violation by that. Not thread-safe.
 */
final class MutexTraffic {
  static final int COMPLETES_ONE_IN = 100;
  static final String PREDICATE = "bench-mutex";
  static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: bench-mutex}
      spec:
        forEach: {pair: "{p}"}
        violation:
          - all:
              - {var: "cs_{p}_a", equals: "1"}
              - {var: "cs_{p}_b", equals: "1"}
      """;

  private static final byte[] HELD = {'1'};
  private static final byte[] FREE = {'0'};
  private static final long QUIET_EPSILONS = 10;

  private final List<UnstoredNode> nodes;
  private final LongSupplier epochMicros;
  private final long quietMicros;
  private final Deque<Interval> open = new ArrayDeque<>();
  private final Deque<Instance> quiet = new ArrayDeque<>();
  private long instances;

  private static final class Instance {
    private final long number;
    private int open;
    private long quietSince;

    Instance(long number) {
      this.number = number;
    }
  }

  private record Interval(Instance instance, UnstoredNode node, byte[] key) {}

  MutexTraffic(List<UnstoredNode> nodes, Epsilon epsilon, LongSupplier epochMicros) {
    this.nodes = nodes;
    this.quietMicros = QUIET_EPSILONS * epsilon.micros();
    this.epochMicros = epochMicros;
  }

  /** Whether this candidate completes a violation, with the one before it. */
  static boolean completes(long candidate) {
    return candidate % COMPLETES_ONE_IN == COMPLETES_ONE_IN - 1;
  }

  /**
   * Begins the candidate, whose number is its writer's name; ends the oldest while more than {@code
   * heldMax} hold.
   */
  void begin(long candidate, int heldMax) {
    begin(candidate, heldMax, 0);
  }

  /** As before; no instance is used again before there were so many. */
  void begin(long candidate, int heldMax, long instancesMin) {
    while (open.size() >= heldMax) {
      end(open.remove());
    }
    @Nullable Interval partner = completes(candidate) ? open.peekLast() : null;
    Instance instance = partner == null ? next(instancesMin) : partner.instance();
    String key = "cs_" + instance.number + (partner == null ? "_a" : "_b");
    Interval interval =
        new Interval(instance, nodes.get((int) (candidate % nodes.size())), key.getBytes(UTF_8));
    instance.open++;
    open.add(interval);
    interval.node().write(interval.key(), HELD, Long.toString(candidate));
  }

  void endAll() {
    while (!open.isEmpty()) {
      end(open.remove());
    }
  }

  /** How many instances there have been. */
  long instances() {
    return instances;
  }

  private void end(Interval interval) {
    interval.node().write(interval.key(), FREE, "");
    Instance instance = interval.instance();
    instance.open--;
    if (instance.open == 0) {
      instance.quietSince = epochMicros.getAsLong();
      quiet.add(instance);
    }
  }

  private Instance next(long instancesMin) {
    Instance longest = quiet.peek();
    boolean isQuiet =
        instances >= instancesMin
            && longest != null
            && epochMicros.getAsLong() - longest.quietSince > quietMicros;
    return isQuiet ? Objects.requireNonNull(quiet.poll()) : new Instance(instances++);
  }
}
