package io.palinode.chaos;

import io.palinode.chaos.MadeViolations.Made;
import io.palinode.hvc.Hlc;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.voldemort.client.session.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Makes a predicate true repeatedly, in its own thread: two clients set two flags that must not
 * both be set, then wait for the rollback. Some of them do not use the client library.
 */
final class Offender implements Runnable {
  /** What it violates. */
  static final String PREDICATE =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: chaos-mutex}
      spec:
        type: conjunctive
        replicas: first
        forEach: {pair: "{a}_{b}"}
        violation:
          - all:
              - {var: "cs_{a}_{b}_{a}", equals: "1"}
              - {var: "cs_{a}_{b}_{b}", equals: "1"}
        onViolation:
          rollback: {scope: all, to: before-violation}
          rollbackOn: possible
          alertOn: definite
          alert: [console]
      """;

  private static final Duration HOLD_MAX = Duration.ofSeconds(3);
  private static final long POLL_NANOS = 20_000_000;
  private static final int PAUSE_MILLIS_MAX = 4_000;
  private static final double FOREIGN = 0.25;

  /** A rollback has all its phases in this time. */
  private static final long VIOLATED_NANOS_MAX = 400_000_000;

  /** The moments at which a fault hurts most. */
  interface Moments {
    /** A node has just acknowledged the first of the two writes. */
    void acknowledged(int node);

    /** Both hold; a rollback may have begun. */
    void violated();
  }

  private final List<String> nodes;
  private final Random random;
  private final Moments moments;
  private final MadeViolations made = new MadeViolations();
  private volatile boolean ended;
  private int pair;

  Offender(List<String> nodes, long seed, Moments moments) {
    this.nodes = nodes;
    this.moments = moments;
    this.random = new Random(seed);
  }

  MadeViolations made() {
    return made;
  }

  void end() {
    ended = true;
  }

  @Override
  public void run() {
    try (StoreClient one = StoreClient.connect(Writer.config(nodes, "offender-one"));
        StoreClient other = StoreClient.connect(Writer.config(nodes, "offender-other"));
        ForeignClient foreign = new ForeignClient(nodes)) {
      Store first = one.store(Writer.STORE);
      Store second = other.store(Writer.STORE);
      while (!ended) {
        offend(first, second, random.nextDouble() < FOREIGN ? foreign : null);
        LockSupport.parkNanos(random.nextInt(PAUSE_MILLIS_MAX) * 1_000_000L);
      }
    }
  }

  /**
   * @param foreign sets the flags, if not null
   */
  private void offend(Store first, Store second, @Nullable ForeignClient foreign) {
    int a = ++pair;
    int b = ++pair;
    String flagA = "cs_%d_%d_%d".formatted(a, b, a);
    String flagB = "cs_%d_%d_%d".formatted(a, b, b);
    // Both know of the same epoch before: news of a rollback comes with these reads.
    if (!succeeds(() -> first.get(flagA)) || !succeeds(() -> second.get(flagB))) {
      return;
    }
    try {
      Flag one = set(first, foreign, flagA);
      moments.acknowledged(one.node());
      Flag other = set(second, foreign, flagB);
      // Both in one epoch; else a rollback discarded one before the other was made.
      if (succeeds(() -> first.get(flagA))) {
        made.made(
            new Made(
                "a=%d,b=%d".formatted(a, b),
                Math.min(one.from(), other.from()),
                Math.max(one.to(), other.to())));
        LockSupport.parkNanos(random.nextLong(VIOLATED_NANOS_MAX));
        moments.violated();
        hold(first, flagA);
      }
    } catch (RolledBackException e) {
      made.rolledBack(e.rolledBack());
    } catch (StoreException e) {
      // One may be set: it harms nothing alone.
    }
    succeeds(() -> first.put(flagA, "0"));
    succeeds(() -> second.put(flagB, "0"));
  }

  /**
   * A flag that is set.
   *
   * @param node that acknowledged it
   * @param from the HLC of the write, or a time before it
   * @param to the HLC of the write, or a time after it
   */
  private record Flag(int node, long from, long to) {}

  private static Flag set(Store store, @Nullable ForeignClient foreign, String flag) {
    if (foreign == null) {
      Store.Written written = store.put(flag, "1");
      return new Flag(written.node(), written.acceptedAt(), written.acceptedAt());
    }
    ForeignClient.Written written = foreign.putNew(flag, "1");
    if (!written.isAcknowledged()) {
      throw new StoreException("no node acknowledged " + flag);
    }
    return new Flag(
        written.node(), Hlc.ofMicros(written.sentMicros()), Hlc.ofMicros(written.answeredMicros()));
  }

  /** Returns after the rollback, or after {@link #HOLD_MAX}. */
  private void hold(Store first, String flag) {
    long until = System.nanoTime() + HOLD_MAX.toNanos();
    while (System.nanoTime() < until && succeeds(() -> first.get(flag))) {
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private boolean succeeds(Runnable call) {
    try {
      call.run();
      return true;
    } catch (RolledBackException e) {
      made.rolledBack(e.rolledBack());
    } catch (StoreException e) {
      // The result reports it.
    }
    return false;
  }
}
