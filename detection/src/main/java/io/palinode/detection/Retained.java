package io.palinode.detection;

import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A candidate that is kept because it may still be part of a witness. Its start never changes; its
 * end becomes known, or moves back.
 */
final class Retained {
  private final EnumMap<Grade, Standing> standings = new EnumMap<>(Grade.class);
  private Candidate candidate;
  private int awaitedEnds;
  private int pins;

  /** That no report has named. */
  Retained(Candidate candidate) {
    this.candidate = candidate;
    for (Grade grade : Grade.values()) {
      standings.put(grade, new Standing());
    }
  }

  /** How things are with one grade. */
  private static final class Standing {
    private long earliest = Long.MAX_VALUE;
    private final BitSet awaited = new BitSet();
  }

  private Standing standing(Grade grade) {
    return Objects.requireNonNull(standings.get(grade), "every grade has its standing");
  }

  Candidate candidate() {
    return candidate;
  }

  int term() {
    return candidate.term();
  }

  int node() {
    return candidate.id().node();
  }

  Interval interval() {
    return candidate.interval();
  }

  Hvc start() {
    return candidate.interval().start();
  }

  @Nullable Hvc end() {
    return candidate.interval().end();
  }

  boolean isOpen() {
    return candidate.interval().isOpen();
  }

  void closeAt(Hvc end) {
    candidate = candidate.over(candidate.interval().closedAt(end));
  }

  /** Whether some report of at least {@code grade} has named it. */
  boolean isNamed(Grade grade) {
    return earliest(grade) < Long.MAX_VALUE;
  }

  /**
   * The least {@link Witness#violate} of the reports of at least {@code grade} that have named it;
   * {@code Long.MAX_VALUE} when none has.
   */
  long earliest(Grade grade) {
    return standing(grade).earliest;
  }

  /** A report of {@code grade} names it. */
  void name(Grade grade, long violate) {
    standings.forEach(
        (each, standing) -> {
          if (grade.atLeast(each)) {
            standing.earliest = Math.min(standing.earliest, violate);
          }
        });
  }

  /**
   * The nodes that may still show an event that is too early an end for a pair of {@code grade}
   * with this one: what is open there may yet turn out to have ended then. Only ever shrinks; a
   * higher grade awaits no fewer.
   */
  BitSet awaited(Grade grade) {
    return standing(grade).awaited;
  }

  /** Whether its end, which is known, may still move back. */
  boolean isEndAwaited() {
    return awaitedEnds > 0;
  }

  /** How many nodes may still show an earlier end than the one that is known. */
  int awaitedEnds() {
    return awaitedEnds;
  }

  void awaitEnds(int nodes) {
    awaitedEnds = nodes;
  }

  /** Keeps it retained, whatever else: once for each {@link #unpin}. */
  void pin() {
    pins++;
  }

  void unpin() {
    pins--;
  }

  boolean isPinned() {
    return pins > 0;
  }

  @Override
  public String toString() {
    return candidate.id() + "/" + candidate.term() + interval();
  }
}
