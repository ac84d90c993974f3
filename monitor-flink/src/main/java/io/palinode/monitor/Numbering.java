package io.palinode.monitor;

import io.palinode.hvc.Hlc;
import io.palinode.monitor.KeptBack.Hole;
import io.palinode.monitor.KeptBack.Missing;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The sequences of one node on one partition: which of them are missing, and not yet explained by
 * the node. A record that Kafka refuses leaves a hole, and what was on its way behind it arrives
 * all the same, progress too; then the node tells a gap in its place, and what it can tell late,
 * before its next progress.
 *
 * <p>What is heard first of a node is where its sequences begin here, but of a gap, which may be
 * told late: what it speaks of may be long before what was read already by who was here before.
 * (What is missing right behind a gap that was heard first in its order is told as lost, and seen
 * no more.) A hole that nobody explains for half a minute of the node's time (Kafka itself has lost
 * records) counts as explained. O(log holes) an event.
 */
final class Numbering {
  private static final long UNKNOWN = -1;
  private static final long WAIT_MAX = Hlc.ofMicros(30_000_000);

  /** More holes than this become wider ones, which wait their time out. */
  private static final int HOLES_MAX = 1_000;

  /** First to last missing sequence. */
  private final TreeMap<Long, Long> holes = new TreeMap<>();

  private long incarnation;

  /** The last; {@link #UNKNOWN} when only gaps were heard. */
  private long sequence = UNKNOWN;

  private boolean waits;

  /** The node's time at its first progress since the newest hole; {@link #UNKNOWN} before that. */
  private long waitsSince = UNKNOWN;

  Numbering() {}

  Numbering(Missing from) {
    incarnation = from.incarnation();
    sequence = from.sequence();
    waits = from.waits();
    waitsSince = from.waitsSince();
    from.holes().forEach(hole -> holes.put(hole.first(), hole.last()));
  }

  /** All of it, for a checkpoint. */
  Missing missing() {
    List<Hole> all = new ArrayList<>();
    holes.forEach((first, last) -> all.add(new Hole(first, last)));
    return new Missing(incarnation, sequence, waits, waitsSince, all);
  }

  /** False for what says nothing new: of an earlier life, or of a sequence that was passed. */
  boolean observe(CandidateEvent event) {
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
    // What a gap names anew may be told late, and what was sent meanwhile comes before that.
    waits |= event.kind() == CandidateEvent.Kind.GAP && event.sequence() > sequence;
    sequence = event.sequence();
    return true;
  }

  private void begin(CandidateEvent event) {
    if (event.kind() == CandidateEvent.Kind.GAP) {
      waits = true;
    } else {
      sequence = event.sequence();
    }
  }

  /** The last sequence that is before the event, or is what it speaks of. */
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
   * Whether the event, which was observed last, comes behind a hole. All does until the first
   * progress without one: what the node tells late comes before that.
   */
  boolean isBehindHole(CandidateEvent event) {
    boolean isNewest = event.incarnation() == incarnation && event.sequence() == sequence;
    if (waits && isNewest && event.kind().isProgress()) {
      // Of progress alone: what is told late has an earlier time.
      waitsSince = waitsSince == UNKNOWN ? event.hlc() : waitsSince;
      waits = !holes.isEmpty() && event.hlc() - waitsSince <= WAIT_MAX;
      if (!waits) {
        holes.clear();
      }
    }
    return waits;
  }
}
