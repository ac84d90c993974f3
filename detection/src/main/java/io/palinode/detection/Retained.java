package io.palinode.detection;

import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A candidate that is kept because it may still be part of a witness. Its start never changes; its
 * end becomes known, or moves back; and it is named once.
 */
final class Retained {
  private static final BitSet NONE = new BitSet();

  private Candidate candidate;
  private boolean named;
  private BitSet awaited = NONE;
  private int pins;

  Retained(Candidate candidate, boolean named) {
    this.candidate = candidate;
    this.named = named;
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

  /** Whether some report has named it. */
  boolean isNamed() {
    return named;
  }

  void name() {
    named = true;
  }

  /**
   * The nodes that may still show an event before this start: what is open there may yet turn out
   * to have ended before it. Only ever shrinks.
   */
  BitSet awaited() {
    return awaited;
  }

  void await(BitSet nodes) {
    awaited = nodes;
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
