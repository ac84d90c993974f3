package io.palinode.detection;

import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Uncertainty;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the nodes' clocks while events still arrive: the latest HVC that each node
 * showed in an event of this instance, and the progress of all.
 *
 * <p>Everything rests on {@link #reading}: the least HVC that a node can still show. An end to come
 * at node a may be before a start exactly when the reading of a is; a closed interval is before all
 * that is to come when it is before the readings of all nodes; and an open interval ends at its
 * node's reading or later.
 *
 * <p>When replicas are joined ({@code replicas: first}), an interval may be ended by any node, and
 * an end moves back when a node shows an earlier one. So every node counts, not only the
 * interval's.
 */
final class Knowledge implements Horizon {
  private final int nodes;
  private final Causality causality;
  private final boolean joined;
  private final @Nullable Hvc[] latest;
  private final @Nullable Hvc[] readings;
  private long progress;

  Knowledge(int nodes, Causality causality, boolean joined) {
    this.nodes = nodes;
    this.causality = causality;
    this.joined = joined;
    this.latest = new @Nullable Hvc[nodes];
    this.readings = new @Nullable Hvc[nodes];
  }

  /** An event of the HVC's owner. */
  void heard(Hvc hvc) {
    int node = hvc.owner();
    Hvc known = latest[node];
    if (known == null || known.own() < hvc.own()) {
      latest[node] = hvc;
      readings[node] = null;
    }
  }

  /** All nodes' events up to {@code hlc} were heard. False when that was known. */
  boolean advance(long hlc) {
    if (hlc <= progress) {
      return false;
    }
    progress = hlc;
    Arrays.fill(readings, null);
    return true;
  }

  long progress() {
    return progress;
  }

  @Nullable Hvc latest(int node) {
    return latest[node];
  }

  /**
   * The least HVC that {@code node} can still show. Its own entry is at least its last event's, not
   * more: one write can end several intervals at one HVC. With a finite ε, entries are above {@code
   * own − 2ε}: one ε is the clock's floor, the other is how far an own entry can be ahead of its
   * node's physical clock.
   */
  Hvc reading(int node) {
    Hvc reading = readings[node];
    if (reading == null) {
      reading = compute(node);
      readings[node] = reading;
    }
    return reading;
  }

  private Hvc compute(int node) {
    Hvc last = latest[node];
    long own = Math.max(progress, last == null ? 0 : last.own());
    long floor = 0;
    Epsilon epsilon = causality.epsilon();
    if (epsilon.micros() < Hlc.micros(own) / 2) {
      floor = Hlc.ofMicros(Hlc.micros(own) - 2 * epsilon.micros());
    }
    long[] entries = new long[nodes];
    for (int k = 0; k < nodes; k++) {
      entries[k] = Math.max(floor, last == null ? 0 : last.get(k));
    }
    entries[node] = own;
    return Hvc.of(node, entries);
  }

  /** The nodes at which an end to come may be before {@code start}. */
  BitSet awaited(Hvc start) {
    BitSet awaited = new BitSet();
    for (int node = 0; node < nodes; node++) {
      if (causality.endsBefore(reading(node), start)) {
        awaited.set(node);
      }
    }
    return awaited;
  }

  /** Brings {@code interval.awaited()} up to date. Whether it shrank. */
  boolean settle(Retained interval) {
    BitSet awaited = interval.awaited();
    if (awaited.isEmpty()) {
      return false;
    }
    int before = awaited.cardinality();
    for (int node = awaited.nextSetBit(0); node >= 0; node = awaited.nextSetBit(node + 1)) {
      if (!causality.endsBefore(reading(node), interval.start())) {
        awaited.clear(node);
      }
    }
    return awaited.cardinality() < before;
  }

  /** The progress with which {@code node} is no longer awaited by {@code start}. */
  long settledAt(Hvc start, int node) {
    long byCausality = start.get(node) + 1;
    Epsilon epsilon = causality.epsilon();
    if (causality.uncertainty() == Uncertainty.CAUSAL || epsilon.isInfinite()) {
      return byCausality;
    }
    long byClock = Math.max(0, Hlc.micros(start.own()) - epsilon.micros() + 1);
    return Math.min(byCausality, Hlc.ofMicros(byClock));
  }

  /**
   * The progress with which the end of {@code i} can no longer move back; {@code Long.MAX_VALUE} if
   * it cannot now, and while it is open.
   */
  long finalAt(Retained i) {
    Hvc end = i.end();
    for (int node = 0; joined && end != null && node < nodes; node++) {
      if (mayEndAt(i, node)) {
        return end.own() + 1;
      }
    }
    return Long.MAX_VALUE;
  }

  @Override
  public boolean mayBeBefore(Retained i, Retained j) {
    Hvc end = i.end();
    if (end != null && causality.endsBefore(end, j.start())) {
      return true;
    }
    BitSet awaited = j.awaited();
    if (awaited.isEmpty()) {
      return false;
    }
    if (!joined) {
      return end == null && awaited.get(i.node());
    }
    for (int node = awaited.nextSetBit(0); node >= 0; node = awaited.nextSetBit(node + 1)) {
      if (mayEndAt(i, node)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the end of {@code i} may still be set, or moved back, by an event of {@code node}. */
  private boolean mayEndAt(Retained i, int node) {
    Hvc end = i.end();
    if (!joined) {
      return end == null && node == i.node();
    }
    return end == null || reading(node).own() <= end.own();
  }

  @Override
  public boolean isPassed(Retained i) {
    Hvc end = i.end();
    if (end == null || progress == Long.MAX_VALUE) {
      return end != null;
    }
    for (int node = 0; node < nodes; node++) {
      if (!causality.endsBefore(end, reading(node))) {
        return false;
      }
    }
    return true;
  }

  /** Whether one is before the other, as far as ends are known. */
  boolean areOrdered(Retained i, Retained j) {
    return causality.isBefore(i.interval(), j.interval())
        || causality.isBefore(j.interval(), i.interval());
  }

  /**
   * A progress with which {@code i} is passed whatever the nodes know of each other; {@code
   * Long.MAX_VALUE} while it is open, and for ε = ∞, when only what nodes show tells.
   */
  long passedAt(Retained i) {
    Hvc end = i.end();
    if (end == null) {
      return Long.MAX_VALUE;
    }
    long greatest = 0;
    for (int node = 0; node < nodes; node++) {
      greatest = Math.max(greatest, end.get(node));
    }
    long margin = Hlc.MICROS_MAX - Hlc.micros(greatest) - 1;
    return causality.epsilon().micros() > margin / 2
        ? Long.MAX_VALUE
        : Hlc.ofMicros(Hlc.micros(greatest) + 1 + 2 * causality.epsilon().micros());
  }

  /**
   * The least grade that the pair can have with any end that is still possible; so it can only
   * rise. Once nothing is to come ({@code progress} = {@code Long.MAX_VALUE}), an open end is
   * unbounded.
   */
  @Override
  public Grade grade(Retained i, Retained j) {
    return endingGrade(i, j).least(endingGrade(j, i));
  }

  /** The greatest grade that the pair can still reach. */
  Grade greatestGrade(Retained i, Retained j) {
    return causality.grade(longest(i), longest(j));
  }

  private Interval longest(Retained i) {
    return finalAt(i) < Long.MAX_VALUE ? new Interval(i.start(), null) : i.interval();
  }

  /** What the end of {@code i} leaves of the pair's grade. */
  private Grade endingGrade(Retained i, Retained j) {
    Interval other = new Interval(j.start(), null);
    Grade least = causality.grade(i.interval(), other);
    for (int node = 0; node < nodes && progress < Long.MAX_VALUE; node++) {
      if (mayEndAt(i, node)) {
        least = least.least(causality.grade(new Interval(i.start(), reading(node)), other));
      }
    }
    return least;
  }

  /**
   * The next progress that says more of whether {@code j} starts before the end of {@code i};
   * {@code Long.MAX_VALUE} if none does.
   */
  long endShownAt(Retained i, Retained j) {
    Hvc start = j.start();
    long micros = Hlc.micros(start.own());
    long epsilon = causality.epsilon().micros();
    long far =
        epsilon < Hlc.MICROS_MAX - micros ? Hlc.ofMicros(micros + epsilon + 1) : Long.MAX_VALUE;
    long shown = Long.MAX_VALUE;
    for (int node = 0; node < nodes; node++) {
      if (mayEndAt(i, node)) {
        long own = reading(node).own();
        shown = Math.min(shown, own <= start.get(node) ? start.get(node) + 1 : shown);
        shown = Math.min(shown, own < far ? far : shown);
      }
    }
    return shown;
  }
}
