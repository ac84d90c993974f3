package io.palinode.examples.graph.truth;

import io.palinode.examples.graph.Keys;
import io.palinode.examples.graph.truth.SectionLog.Undo;
import io.palinode.examples.graph.truth.SectionLog.Write;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The spans of one cell, from the entries of its only writer. What makes it more than pairing
 * entries up: a rollback ends spans, marks spans that had ended as discarded, and restores an older
 * value; and a write whose call failed may have happened or not.
 */
final class CellHistory {
  private final Span.Cell cell;
  private final List<Draft> drafts = new ArrayList<>();

  /** Those whose value may be in the cell now: one, or two when it is not known which. */
  private final List<Draft> open = new ArrayList<>();

  /** Those whose end has no HLC yet. */
  private final List<Draft> endless = new ArrayList<>();

  /** Writes that no rollback undid, oldest first. */
  private final Deque<Write> standing = new ArrayDeque<>();

  private long greatestHlc;
  private @Nullable Write inDoubt;

  CellHistory(Span.Cell cell) {
    this.cell = cell;
  }

  void wrote(Write write, long epoch) {
    for (Draft draft : open) {
      draft.close(write.calledNanos(), write.returnedNanos(), epoch);
    }
    open.clear();
    if (write.isKnown()) {
      endless.forEach(draft -> draft.endHlc = write.acceptedAt());
      endless.clear();
      Draft draft = begin(write.value(), write.acceptedAt(), epoch);
      draft.writtenAt = write.acceptedAt();
      draft.sureFrom = write.returnedNanos();
      draft.maybeFrom = write.calledNanos();
      standing.addLast(write);
      greatestHlc = Math.max(greatestHlc, write.acceptedAt());
      inDoubt = null;
    } else {
      Draft draft = begin(write.value(), greatestHlc + 1, epoch);
      draft.maybeFrom = write.calledNanos();
      inDoubt = write;
    }
  }

  void rolledBack(Undo undo, long epochBefore) {
    long target = undo.rolledBack().target();
    for (Draft draft : drafts) {
      if (draft.undoneBy == null && draft.writtenAt > target) {
        draft.undoneBy = target;
      }
    }
    endWhatWasTakenBack(undo, epochBefore);
    Write firstGone = dropTakenBack(target);
    if (firstGone == null) {
      firstGone = inDoubt;
    }
    Write back = standing.peekLast();
    if (firstGone != null && back != null) {
      bringBack(back, firstGone, undo);
    }
    inDoubt = null;
  }

  List<Span> spans() {
    return drafts.stream().map(this::span).toList();
  }

  private void endWhatWasTakenBack(Undo undo, long epochBefore) {
    long target = undo.rolledBack().target();
    for (Draft draft : List.copyOf(open)) {
      if (draft.writtenAt > target) {
        draft.close(undo.learnedNanos(), undo.learnedNanos(), epochBefore);
        draft.endHlc = greatestHlc + 1;
        open.remove(draft);
        endless.remove(draft);
      } else if (draft.value.equals(Keys.INSIDE)) {
        // The cell still says so, until the client has cleared it, but the client is not inside.
        draft.sureUntil = Math.min(draft.sureUntil, undo.learnedNanos());
      }
    }
  }

  /** The first write that is gone, or null. */
  private @Nullable Write dropTakenBack(long target) {
    Write firstGone = null;
    while (!standing.isEmpty() && standing.getLast().acceptedAt() > target) {
      firstGone = standing.removeLast();
    }
    return firstGone;
  }

  private void bringBack(Write back, Write firstGone, Undo undo) {
    Draft draft = begin(back.value(), greatestHlc + 1, undo.rolledBack().toEpoch());
    draft.writtenAt = back.acceptedAt();
    draft.maybeFrom = firstGone.calledNanos();
    // Sections do not return: the client was notified to restart. A colour does, unless a write
    // in doubt may stand in its place.
    if (inDoubt == null && Keys.isPublished(back.value())) {
      draft.sureFrom = undo.learnedNanos();
    }
  }

  private Draft begin(String value, long startHlc, long epoch) {
    Draft draft = new Draft(value, startHlc, epoch);
    drafts.add(draft);
    open.add(draft);
    endless.add(draft);
    return draft;
  }

  private Span span(Draft draft) {
    return new Span(
        cell,
        new Span.Version(draft.value, draft.writtenAt, draft.undoneBy),
        // A section may be over before it is known to have begun: not sure at any time.
        draft.sureFrom < draft.sureUntil ? new Range(draft.sureFrom, draft.sureUntil) : Range.EMPTY,
        new Range(draft.maybeFrom, draft.maybeUntil),
        new Range(draft.startHlc, Math.max(draft.startHlc, draft.endHlc)),
        new Range(draft.epochFrom, draft.epochUntil));
  }

  /** A span in the making. */
  private static final class Draft {
    final String value;
    final long startHlc;
    final long epochFrom;

    /** Unknown, and so after no target, for a write in doubt: it may stand. */
    long writtenAt = SectionLog.UNKNOWN;

    long sureFrom = Range.OPEN;
    long sureUntil = Range.OPEN;
    long maybeFrom = Range.OPEN;
    long maybeUntil = Range.OPEN;
    long endHlc = Range.OPEN;
    long epochUntil = Range.OPEN;
    @Nullable Long undoneBy;

    Draft(String value, long startHlc, long epochFrom) {
      this.value = value;
      this.startHlc = startHlc;
      this.epochFrom = epochFrom;
    }

    void close(long sureNanos, long maybeNanos, long epoch) {
      sureUntil = Math.min(sureUntil, sureNanos);
      maybeUntil = maybeNanos;
      epochUntil = epoch + 1;
    }
  }
}
