package io.palinode.detection.search;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.Witness;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.predicate.ClauseRule;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A candidate that is kept because it may still be part of a witness. Its start never changes; its
 * end becomes known, or moves back.
 */
public final class Retained {
  private static final @Nullable Grade[] NO_NODE = {};
  private static final long[] NEVER = {Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE};
  private static final long UNKNOWN = -1;

  private final Candidate first;
  private final CandidateId id;
  // Of the candidate, at hand: searches ask for nothing else.
  private int term;
  private final int node;
  private final long startOwn;
  private final Hvc start;
  private @Nullable Hvc end;
  // Shared until a report names it.
  private long[] earliest = NEVER;
  private @Nullable Grade[] awaited = NO_NODE;
  private int awaitedNodes;
  private int awaitedEnds;
  private long passedAt = UNKNOWN;
  private int pins;
  private boolean changed;
  private @Nullable Grade changedFrom;
  private @Nullable BigDecimal amount;
  private List<Finding> holding = List.of();

  /** That no report has named; it counts from its start on. */
  public Retained(Candidate candidate) {
    this(candidate, candidate.interval().start());
  }

  /** That no report has named. {@code start} is the clock from which on it counts. */
  public Retained(Candidate candidate, Hvc start) {
    this.first = candidate;
    this.id = candidate.id();
    this.term = candidate.term();
    this.node = id.node();
    this.start = start;
    this.startOwn = start.own();
    this.end = candidate.interval().end();
  }

  /** With the end as it is known now. Allocates if the end was not known at first. */
  public Candidate candidate() {
    return Objects.equals(first.interval().end(), end)
        ? first
        : first.over(new Interval(first.interval().start(), end));
  }

  public CandidateId id() {
    return id;
  }

  public String version() {
    return first.version();
  }

  public int clause() {
    return first.clause();
  }

  /** The index of its queues in its clause ({@link ClauseQueues}). */
  public int term() {
    return term;
  }

  void moveTo(int index) {
    term = index;
  }

  String member() {
    return first.member();
  }

  public int node() {
    return node;
  }

  /** What it adds to the sum of its clause. */
  BigDecimal amount() {
    return Objects.requireNonNull(amount, "a variable of a sum has an amount");
  }

  /** Its clause is the sum. */
  void addTo(ClauseRule.Sum sum) {
    BigDecimal value = Objects.requireNonNull(first.amount(), "a variable of a sum has a value");
    amount = sum.amount(first.term(), value);
  }

  /** Allocates. */
  Interval interval() {
    return new Interval(start, end);
  }

  /** From which on it counts. */
  public Hvc start() {
    return start;
  }

  /** On its own node. */
  public long startOwn() {
    return startOwn;
  }

  public @Nullable Hvc end() {
    return end;
  }

  public boolean isOpen() {
    return end == null;
  }

  void closeAt(Hvc newEnd) {
    end = newEnd;
    passedAt = UNKNOWN;
  }

  /** Whether some report of at least {@code grade} has named it. */
  public boolean isNamed(Grade grade) {
    return earliest(grade) < Long.MAX_VALUE;
  }

  /**
   * The least {@link Witness#violate} of the reports of at least {@code grade} that have named it;
   * {@code Long.MAX_VALUE} when none has.
   */
  public long earliest(Grade grade) {
    return earliest[grade.rank()];
  }

  /** A report of {@code grade} names it. */
  public void name(Grade grade, long violate) {
    earliest = earliest == NEVER ? NEVER.clone() : earliest;
    for (int each = 0; each <= grade.rank(); each++) {
      earliest[each] = Math.min(earliest[each], violate);
    }
  }

  /**
   * Whether {@code node} may still show an event that is too early an end for a pair of {@code
   * grade} with this one: what is open there may yet turn out to have ended then. Once false, it
   * stays so; and for a higher grade it is true no less.
   */
  public boolean awaits(int node, Grade grade) {
    Grade least = awaitedFrom(node);
    return least != null && grade.atLeast(least);
  }

  /** The least grade for which it awaits {@code node}; null when it does for none. */
  public @Nullable Grade awaitedFrom(int node) {
    return awaitedNodes == 0 ? null : awaited[node];
  }

  /** Whether it awaits any node, for any grade. */
  public boolean awaitsAny() {
    return awaitedNodes > 0;
  }

  /** From {@code least} on; null: for none. */
  public void await(int node, int nodes, @Nullable Grade least) {
    if (awaited.length == 0 && least != null) {
      awaited = new @Nullable Grade[nodes];
    }
    if (awaited.length > 0) {
      awaitedNodes += (least == null ? 0 : 1) - (awaited[node] == null ? 0 : 1);
      awaited[node] = least;
    }
  }

  /** Whether its end, which is known, may still move back. */
  public boolean isEndAwaited() {
    return awaitedEnds > 0;
  }

  /** The reports that name it, while all their intervals are open. */
  public List<Finding> holding() {
    return holding;
  }

  /** Adds a report that names it, and whose intervals are all open. */
  public void addHolding(Finding report) {
    holding = holding.isEmpty() ? new ArrayList<>(1) : holding;
    holding.add(report);
  }

  /** Removes a report, because another interval of it has ended. */
  void removeHolding(Finding report) {
    if (holding.size() > 1) {
      holding.remove(report);
    } else {
      holding = List.of();
    }
  }

  /** Removes all reports, because this interval has ended. Returns them. */
  public List<Finding> removeHolding() {
    List<Finding> removed = holding;
    holding = List.of();
    for (Finding report : removed) {
      for (Retained other : report.intervals()) {
        if (other != this) {
          other.removeHolding(report);
        }
      }
    }
    return removed;
  }

  /** How many nodes may still show an earlier end than the one that is known. */
  int awaitedEnds() {
    return awaitedEnds;
  }

  void awaitEnds(int nodes) {
    awaitedEnds = nodes;
  }

  /** See {@link Knowledge#passedAt}, which is asked once for each end. */
  public long passedAt(Knowledge knowledge) {
    if (passedAt == UNKNOWN) {
      passedAt = knowledge.passedAt(this);
    }
    return passedAt;
  }

  /**
   * Takes note of a change until it is {@link #judged}; of several, the least grade counts. Whether
   * it is the first.
   */
  boolean change(@Nullable Grade from) {
    boolean first = !changed;
    changed = true;
    if (changedFrom == null || (from != null && changedFrom.atLeast(from))) {
      changedFrom = from;
    }
    return first;
  }

  public boolean isChanged() {
    return changed;
  }

  /** The least grade for which pairs may be certain now and were not; null for none. */
  public @Nullable Grade changedFrom() {
    return changedFrom;
  }

  void judged() {
    changed = false;
    changedFrom = null;
  }

  /** Keeps it retained, whatever else: once for each {@link #unpin}. */
  public void pin() {
    pins++;
  }

  public void unpin() {
    pins--;
  }

  public boolean isPinned() {
    return pins > 0;
  }

  @Override
  public String toString() {
    return id + "/" + term + interval();
  }
}
