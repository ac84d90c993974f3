package io.palinode.monitor.sequence;

import io.palinode.hvc.Hlc;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.sequence.KeptBack.Hole;
import io.palinode.monitor.sequence.KeptBack.Missing;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Tracks which sequences of one node on one partition are missing and not explained. If Kafka
 * refuses a record, the records sent after it still arrive, progress too. The node then publishes a
 * gap for the hole, and late closings, before its next progress.
 *
 * <p>The first event observed of a node defines where its sequences begin. A gap does not, because
 * it may be late and name sequences that were read long before.
 *
 * <p>A hole without an explanation counts as explained after 30 s of the node's time, since Kafka
 * itself lost the records. O(log holes) an event.
 */
public final class Numbering {
  private static final long UNKNOWN = -1;
  private static final long WAIT_MAX = Hlc.ofMicros(30_000_000);

  /** Further holes extend the last one, which waits its full time. */
  private static final int HOLES_MAX = 1_000;

  /** First to last missing sequence. */
  private final TreeMap<Long, Long> holes = new TreeMap<>();

  private long incarnation;

  /** The last sequence; {@link #UNKNOWN} while only gaps were observed. */
  private long sequence = UNKNOWN;

  private boolean waits;

  /** The node's time at its first progress since the newest hole; {@link #UNKNOWN} before that. */
  private long waitsSince = UNKNOWN;

  /** Whether records before the last observed event are missing that no node explains. */
  private boolean givesUp;

  public Numbering() {}

  Numbering(Missing from) {
    incarnation = from.incarnation();
    sequence = from.sequence();
    waits = from.waits();
    waitsSince = from.waitsSince();
    from.holes().forEach(hole -> holes.put(hole.first(), hole.last()));
  }

  /** Returns the whole state, for a checkpoint. */
  Missing missing() {
    List<Hole> all = new ArrayList<>();
    holes.forEach((first, last) -> all.add(new Hole(first, last)));
    return new Missing(incarnation, sequence, waits, waitsSince, all);
  }

  /** Returns false for an event of an earlier incarnation or an earlier sequence. */
  public boolean observe(CandidateEvent event) {
    givesUp = false;
    boolean begins = incarnation == 0;
    if (event.incarnation() > incarnation) {
      incarnation = event.incarnation();
      sequence = begins ? UNKNOWN : 0;
      holes.clear();
      waits = false;
    }
    if (event.incarnation() < incarnation) {
      return false;
    }
    if (event.kind() == CandidateEvent.Kind.GAP) {
      explain(event.decode().getGap().getFirstSequence(), event.sequence());
    }
    if (sequence == UNKNOWN) {
      begin(event);
      return true;
    }
    if (event.sequence() < sequence) {
      return false;
    }
    long missing = reached(event);
    if (missing > sequence) {
      miss(sequence + 1, missing);
    }
    // A gap with new sequences may have late closings, which are before the records sent meanwhile.
    waits |= event.kind() == CandidateEvent.Kind.GAP && event.sequence() > sequence;
    sequence = event.sequence();
    return true;
  }

  private void begin(CandidateEvent event) {
    if (event.kind() == CandidateEvent.Kind.GAP) {
      waits = true;
    } else {
      sequence = event.sequence();
      givesUp = reached(event) > 0;
    }
  }

  /**
   * Returns whether the last observed event is the first one after records that are missing and
   * that no node explains: the wait for them is over, or they are before the first one observed.
   */
  boolean givesUp() {
    return givesUp;
  }

  /** Returns the last sequence before the event, or the event's own for progress. */
  private static long reached(CandidateEvent event) {
    return switch (event.kind()) {
      case OPENED, CLOSED -> event.sequence() - 1;
      case PROGRESS, STOPPED, UNPROMISED -> event.sequence();
      case GAP -> event.decode().getGap().getFirstSequence() - 1;
    };
  }

  private void miss(long first, long last) {
    waitsSince = UNKNOWN;
    waits = true;
    if (holes.size() < HOLES_MAX) {
      holes.put(first, last);
    } else {
      holes.put(holes.lastKey(), last);
    }
  }

  private void explain(long first, long last) {
    for (Map.Entry<Long, Long> hole = holes.floorEntry(last);
        hole != null && hole.getValue() >= first;
        hole = holes.floorEntry(last)) {
      holes.remove(hole.getKey());
      if (hole.getValue() > last) {
        holes.put(last + 1, hole.getValue());
      }
      if (hole.getKey() < first) {
        holes.put(hole.getKey(), first - 1);
        return;
      }
    }
  }

  /**
   * Returns whether the last observed event is after a hole. True until the first progress without
   * a hole: late closings come before that progress.
   */
  public boolean isBehindHole(CandidateEvent event) {
    boolean isNewest = event.incarnation() == incarnation && event.sequence() == sequence;
    if (waits && isNewest && event.kind().isProgress()) {
      // Only progress counts: late closings have an earlier time.
      waitsSince = waitsSince == UNKNOWN ? event.hlc() : waitsSince;
      waits = !holes.isEmpty() && event.hlc() - waitsSince <= WAIT_MAX;
      if (!waits) {
        givesUp = !holes.isEmpty();
        holes.clear();
      }
    }
    return waits;
  }
}
