package io.palinode.detection.search;

import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Uncertainty;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the nodes' clocks while events still arrive: the latest HVC that each node
 * showed in an event of this instance, and the progress of all.
 *
 * <p>Everything rests on a node's <em>reading</em>: the least HVC that it can still show. Its own
 * entry is past the progress, and at least its last event's, not more: one write can end several
 * intervals at one HVC. With a finite ε, entries are above {@code own − 2ε}: one ε is the clock's
 * floor, the other is how far an own entry can be ahead of its node's physical clock. An end to
 * come at node a may be too early for a start, and for a grade, exactly when the reading of a is; a
 * closed interval is before all that is to come when it is before the readings of all nodes. No
 * clock is made of a reading: its entries are looked at as they are needed.
 *
 * <p>When replicas are joined ({@code replicas: first}), an interval may be ended by any node, and
 * an end moves back when a node shows an earlier one. So every node counts, not only the
 * interval's.
 */
public final class Knowledge implements Horizon {
  private final int nodes;
  private final Causality causality;
  private final boolean joined;
  private final boolean ofProgressOnly;
  private final @Nullable Hvc[] latest;
  // The own entries of the nodes' readings.
  private final long[] own;
  // The least of them.
  private long leastOwn = 1;
  private long progress;

  /**
   * @param ofProgressOnly intervals that are passed in count from later than their start on, so an
   *     event shows nothing of what its node shows next: only the progress does
   */
  public Knowledge(int nodes, Causality causality, boolean joined, boolean ofProgressOnly) {
    this.nodes = nodes;
    this.causality = causality;
    this.joined = joined;
    this.ofProgressOnly = ofProgressOnly;
    this.latest = new @Nullable Hvc[nodes];
    this.own = new long[nodes];
    Arrays.fill(own, 1);
  }

  /** An event of the HVC's owner. False when as much was known. */
  public boolean observed(Hvc hvc) {
    if (ofProgressOnly) {
      return false;
    }
    int node = hvc.owner();
    Hvc known = latest[node];
    if (known != null && known.own() >= hvc.own()) {
      return false;
    }
    latest[node] = hvc;
    long before = own[node];
    own[node] = Math.max(before, hvc.own());
    if (before == leastOwn) {
      findLeastOwn();
    }
    return true;
  }

  /** All nodes' events up to {@code hlc} have arrived. False if that was known. */
  public boolean advance(long hlc) {
    if (hlc <= progress) {
      return false;
    }
    progress = hlc;
    long next = hlc == Long.MAX_VALUE ? hlc : hlc + 1;
    for (int node = 0; node < nodes; node++) {
      own[node] = Math.max(own[node], next);
    }
    findLeastOwn();
    return true;
  }

  private void findLeastOwn() {
    long least = own[0];
    for (int node = 1; node < nodes; node++) {
      least = Math.min(least, own[node]);
    }
    leastOwn = least;
  }

  public long progress() {
    return progress;
  }

  public @Nullable Hvc latest(int node) {
    return latest[node];
  }

  /** Whether the reading of the end's own node is still as early as the end. */
  public boolean isReading(Hvc end) {
    int node = end.owner();
    return end.own() == ownReading(node)
        && end.equals(latest[node])
        && isAtLeast(end, floor(end.own()));
  }

  /** The least own HLC that {@code node} can still show. */
  public long ownReading(int node) {
    return own[node];
  }

  /** Whether no other node can show an event before {@code start} any more. */
  public boolean isFirst(Hvc start) {
    for (int node = 0; node < nodes; node++) {
      if (node != start.owner() && own[node] <= start.own()) {
        return false;
      }
    }
    return true;
  }

  /** Of the entries of a clock whose own entry is {@code own}. */
  private long floor(long own) {
    long width = causality.epsilon().micros();
    return width < Hlc.micros(own) / 2 ? Hlc.ofMicros(Hlc.micros(own) - 2 * width) : 0;
  }

  private static boolean isAtLeast(Hvc hvc, long floor) {
    for (int k = 0; k < hvc.nodes(); k++) {
      if (hvc.get(k) < floor) {
        return false;
      }
    }
    return true;
  }

  /** Takes note of how its end may move back, when that became known. */
  public void watchEnd(Retained i) {
    i.awaitEnds(nodesThatMayEnd(i));
  }

  /** Brings up to date how many nodes may still move its end back; whether they became fewer. */
  public boolean settleEnd(Retained i) {
    int before = i.awaitedEnds();
    if (before == 0) {
      return false;
    }
    i.awaitEnds(nodesThatMayEnd(i));
    return i.awaitedEnds() < before;
  }

  /** The least grade for which an end to come at {@code node} may be too early for the start. */
  public @Nullable Grade leastTooEarly(int node, Hvc start) {
    if (progress == Long.MAX_VALUE) {
      return null;
    }
    long own = ownReading(node);
    if (node == start.owner()) {
      return own < start.own() ? Grade.UNCERTAIN : null;
    }
    boolean before = own <= start.get(node) && isReadingBefore(node, own, start);
    if (before && (causality.ignoresClocks() || areFarApart(own, start.own()))) {
      return Grade.UNCERTAIN;
    }
    if (isFarAfter(own, start) || isBeforeReading(start, node, own)) {
      return null;
    }
    return before ? Grade.POSSIBLE : Grade.DEFINITE;
  }

  /** Whether, by physical clocks, the start has happened before {@code own} of another node. */
  private boolean isFarAfter(long own, Hvc start) {
    Epsilon epsilon = causality.epsilon();
    return !epsilon.isInfinite() && Hlc.micros(own) - Hlc.micros(start.own()) > epsilon.micros();
  }

  /** Whether ε does not make {@code earlier} concurrent with {@code later}. */
  private boolean areFarApart(long earlier, long later) {
    return Hlc.micros(later) - Hlc.micros(earlier) >= causality.epsilon().micros();
  }

  /** {@code hvc < reading}, that of another node, whose own entry is {@code own}. */
  private boolean isBeforeReading(Hvc hvc, int node, long own) {
    Hvc last = latest[node];
    long floor = floor(own);
    if (hvc.own() > entry(last, hvc.owner(), floor)) {
      // What the node does not know of: the usual case.
      return false;
    }
    boolean less = false;
    for (int k = 0; k < nodes; k++) {
      long entry = k == node ? own : entry(last, k, floor);
      if (hvc.get(k) > entry) {
        return false;
      }
      less |= hvc.get(k) < entry;
    }
    return less;
  }

  /** {@code reading < hvc}, that of {@code node}, whose own entry is {@code own}. */
  private boolean isReadingBefore(int node, long own, Hvc hvc) {
    Hvc last = latest[node];
    long floor = floor(own);
    boolean less = false;
    for (int k = 0; k < nodes; k++) {
      long entry = k == node ? own : entry(last, k, floor);
      if (entry > hvc.get(k)) {
        return false;
      }
      less |= entry < hvc.get(k);
    }
    return less;
  }

  /** What a node's reading knows of another one. */
  private static long entry(@Nullable Hvc last, int node, long floor) {
    return Math.max(last == null ? 0 : last.get(node), floor);
  }

  /** {@link Causality#endsBefore} of the reading of {@code node}. */
  private boolean endsBeforeReading(Hvc end, int node) {
    long own = ownReading(node);
    if (node == end.owner()) {
      return end.own() < own;
    }
    return (causality.ignoresClocks() || areFarApart(end.own(), own))
        && isBeforeReading(end, node, own);
  }

  /**
   * A progress with which {@code node} is no longer awaited by {@code start} for {@code grade};
   * {@code Long.MAX_VALUE} if only an event can show that.
   */
  public long settledAt(Hvc start, int node, Grade grade) {
    long byCausality = start.get(node);
    long micros = Hlc.micros(start.own());
    Epsilon epsilon = causality.epsilon();
    if (grade == Grade.DEFINITE) {
      return epsilon.micros() < Hlc.MICROS_MAX - micros
          ? rightBefore(micros + epsilon.micros() + 1)
          : Long.MAX_VALUE;
    }
    if (grade == Grade.POSSIBLE
        || causality.uncertainty() == Uncertainty.CAUSAL
        || epsilon.isInfinite()) {
      return byCausality;
    }
    return Math.min(byCausality, rightBefore(Math.max(0, micros - epsilon.micros() + 1)));
  }

  /** The progress after which only events from {@code micros} on are to come. */
  private static long rightBefore(long micros) {
    return Hlc.ofMicros(micros) - 1;
  }

  /**
   * The progress with which the end of {@code i} can no longer move back; {@code Long.MAX_VALUE} if
   * it cannot now, and while it is open.
   */
  public long finalAt(Retained i) {
    Hvc end = i.end();
    return end != null && nodesThatMayEnd(i) > 0 ? end.own() : Long.MAX_VALUE;
  }

  /** At how many nodes the end of {@code i}, which is known, may still move back. */
  private int nodesThatMayEnd(Retained i) {
    int count = 0;
    for (int node = 0; joined && !i.isOpen() && node < nodes; node++) {
      count += mayEndAt(i, node) ? 1 : 0;
    }
    return count;
  }

  @Override
  public boolean areStartsRising() {
    return true;
  }

  @Override
  public boolean mayEndTooEarly(Retained i, Retained j, Grade grade) {
    Hvc end = i.end();
    if (end != null && causality.endsTooEarly(end, j.start(), grade)) {
      return true;
    }
    if (!j.awaitsAny()) {
      return false;
    }
    if (!joined) {
      return end == null && j.awaits(i.node(), grade);
    }
    for (int node = 0; node < nodes; node++) {
      if (j.awaits(node, grade) && mayEndAt(i, node)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean mayEndElsewhere() {
    return joined;
  }

  /** Whether the end of {@code i} may still be set, or moved back, by an event of {@code node}. */
  private boolean mayEndAt(Retained i, int node) {
    Hvc end = i.end();
    if (!joined) {
      return end == null && node == i.node();
    }
    return end == null || ownReading(node) <= end.own();
  }

  @Override
  public boolean passesByClocks() {
    return !causality.ignoresClocks();
  }

  /** Whether an interval may be passed that ends at this own HLC or later, at any node. O(1). */
  boolean mayBePassed(long end) {
    return progress == Long.MAX_VALUE
        || nodes == 1
        || (causality.ignoresClocks() ? end <= leastOwn : areFarApart(end, leastOwn));
  }

  /**
   * The same of each node: {@code ends} has an own HLC for each, or {@code Long.MAX_VALUE}. It asks
   * what nodes know of each other. O(nodes²).
   */
  boolean mayBePassed(long[] ends) {
    for (int node = 0; node < nodes; node++) {
      if (ends[node] < Long.MAX_VALUE
          && (progress == Long.MAX_VALUE || allKnow(node, ends[node]))) {
        return true;
      }
    }
    return false;
  }

  /** Whether the next event of every node includes this event of {@code node}. */
  private boolean allKnow(int node, long event) {
    for (int other = 0; other < nodes; other++) {
      long known = other == node ? own[node] - 1 : entry(latest[other], node, floor(own[other]));
      if (known < event) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean isPassed(Retained i) {
    Hvc end = i.end();
    if (end == null || progress == Long.MAX_VALUE) {
      return end != null;
    }
    if (!mayBePassed(end.own())) {
      return false;
    }
    if (i.passedAt(this) <= progress) {
      return true;
    }
    for (int node = 0; node < nodes; node++) {
      if (!endsBeforeReading(end, node)) {
        return false;
      }
    }
    return true;
  }

  /** Whether one is before the other, as far as ends are known. */
  public boolean areOrdered(Retained i, Retained j) {
    return endsBefore(i.end(), j.start()) || endsBefore(j.end(), i.start());
  }

  private boolean endsBefore(@Nullable Hvc end, Hvc start) {
    return end != null && causality.endsBefore(end, start);
  }

  /**
   * A progress with which {@code i} is passed whatever the nodes know of each other; {@code
   * Long.MAX_VALUE} while it is open, and for ε = ∞, where only HVCs count.
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

  /** The greatest grade that the pair can still reach. */
  public Grade greatestGrade(Retained i, Retained j) {
    return causality.grade(longest(i), longest(j));
  }

  private Interval longest(Retained i) {
    return finalAt(i) < Long.MAX_VALUE ? new Interval(i.start(), null) : i.interval();
  }
}
