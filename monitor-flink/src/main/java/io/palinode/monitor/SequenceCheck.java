package io.palinode.monitor;

import io.palinode.hvc.Hlc;
import io.palinode.monitor.CandidateEvent.Kind;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Gap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether the events of each (node, partition) are all there, once each: repeats and what a dead
 * process still wrote are kept back, and what is missing is told. O(1) an event; memory is one
 * {@link Position} for each node and partition, and some ranges of what was lost.
 *
 * <p>A first record with a sequence above 1 counts as loss too: what stood before it is no longer
 * in the topic, and nobody has judged it here. So does the first record of a new incarnation when
 * the old one did not say that it had stopped: a process that was killed takes with it what it had
 * not sent, and the new one counts from the start.
 *
 * <p>An incarnation that is not above the known one and yet speaks of a later time is a node whose
 * disk was replaced: it counts from 1 again. Nothing of it is used, and all of it is told as lost.
 */
public final class SequenceCheck {
  /**
   * What a node that counts anew says is told once in so much of its time. Shorter than lost
   * coverage holds the safe point.
   */
  private static final long COUNTS_ANEW_TOLD_EVERY = Hlc.ofMicros(10_000_000);

  private final Map<Channel, Position> positions = new HashMap<>();

  /** Up to which HLC it is told that a node counts anew. */
  private final Map<Channel, Long> countsAnewTold = new HashMap<>();

  private final Map<Channel, ToldLosses> lossesTold = new HashMap<>();

  private long newestEpoch;

  private record Channel(int partition, int node) {}

  /**
   * The last event that was let through; kept in checkpoints.
   *
   * @param clock the last that the incarnation told; empty while only gaps were heard of it
   * @param stopped whether it was the incarnation's own end
   */
  public record Position(
      int partition,
      int node,
      long incarnation,
      long epoch,
      long sequence,
      long hlc,
      byte[] clock,
      boolean stopped) {
    private boolean isBehind(Position other) {
      return incarnation != other.incarnation
          ? incarnation < other.incarnation
          : sequence != other.sequence ? sequence < other.sequence : hlc < other.hlc;
    }
  }

  /**
   * What to do about an event.
   *
   * @param fresh false for a repeat, and for what comes from an incarnation that is over
   * @param notices to be told, before the event itself if it is fresh
   */
  public record Outcome(boolean fresh, List<Notice> notices) {
    private static final Outcome STALE = new Outcome(false, List.of());
  }

  /** Takes up positions of a checkpoint; of several for one node and partition, the furthest. */
  public void restore(Iterable<Position> saved) {
    for (Position position : saved) {
      newestEpoch = Math.max(newestEpoch, position.epoch());
      positions.merge(
          new Channel(position.partition(), position.node()),
          position,
          (a, b) -> a.isBehind(b) ? b : a);
    }
  }

  public Collection<Position> positions() {
    return List.copyOf(positions.values());
  }

  public Outcome observe(CandidateEvent event) {
    Channel channel = new Channel(event.partition(), event.node());
    Position last = positions.get(channel);
    if (last != null && event.incarnation() < last.incarnation()) {
      return stale(event, last);
    }
    long known = last == null || event.incarnation() > last.incarnation() ? 0 : last.sequence();
    long reached = reached(event);
    if (last != null && event.kind().isProgress() && reached < known) {
      return stale(event, last);
    }
    if (isRepeat(event, reached, known)) {
      return last == null ? Outcome.STALE : stale(event, last);
    }
    Position now = moved(event, last, Math.max(known, reached));
    positions.put(channel, now);
    return new Outcome(true, notices(event, last, now, known));
  }

  /** What a dead process still had on its way is not later than what its successor published. */
  private Outcome stale(CandidateEvent event, Position last) {
    Channel channel = new Channel(event.partition(), event.node());
    if (event.kind() == Kind.GAP) {
      return event.incarnation() == last.incarnation() ? lateGap(event, channel) : Outcome.STALE;
    }
    Long told = countsAnewTold.get(channel);
    long from = told == null ? last.hlc() : Math.max(told, last.hlc());
    boolean isDue = event.hlc() > (told == null ? from : from + COUNTS_ANEW_TOLD_EVERY);
    if (!isDue) {
      return Outcome.STALE;
    }
    countsAnewTold.put(channel, event.hlc());
    CoverageLost loss = loss(event, 1, event.sequence(), from, event.hlc());
    String cause =
        "the node counts anew, as with another disk (incarnation %d after %d)"
            .formatted(event.incarnation(), last.incarnation());
    return new Outcome(
        false, List.of(Notice.lost(event, loss.toBuilder().setCause(cause).build())));
  }

  /**
   * That its events are missing was seen at the next one already, but not of when they were: an end
   * that is told late has the time at which it was.
   */
  private Outcome lateGap(CandidateEvent event, Channel channel) {
    Gap gap = event.decode().getGap();
    ToldLosses told = lossesTold.get(channel);
    if (told != null && told.has(gap.getFromHlc(), gap.getToHlc())) {
      return Outcome.STALE;
    }
    CoverageLost loss =
        loss(
            event, gap.getFirstSequence(), gap.getLastSequence(), gap.getFromHlc(), gap.getToHlc());
    return new Outcome(false, List.of(lost(event, loss)));
  }

  private static boolean isRepeat(CandidateEvent event, long reached, long known) {
    // Progress repeats the sequence of the event before it by design.
    return !event.kind().isProgress() && reached <= known;
  }

  /** The sequence that the node has reached with this event. */
  private static long reached(CandidateEvent event) {
    return event.kind() == Kind.GAP ? event.decode().getGap().getLastSequence() : event.sequence();
  }

  private static Position moved(CandidateEvent event, @Nullable Position last, long sequence) {
    long hlc = event.hlc();
    byte[] clock = event.clock();
    if (event.kind() == Kind.GAP && last != null) {
      // A gap carries no clock: the last one that was seen stays what is known of an incarnation.
      hlc = last.hlc();
      clock = event.incarnation() == last.incarnation() ? last.clock() : clock;
    }
    return new Position(
        event.partition(),
        event.node(),
        event.incarnation(),
        event.epoch(),
        sequence,
        hlc,
        clock,
        event.kind() == Kind.STOPPED);
  }

  private List<Notice> notices(
      CandidateEvent event, @Nullable Position last, Position now, long known) {
    List<Notice> notices = new ArrayList<>(0);
    if (event.epoch() > newestEpoch) {
      newestEpoch = event.epoch();
      notices.add(Notice.epoch(event));
    }
    Position ended = last != null && event.incarnation() > last.incarnation() ? last : null;
    // By the incarnation's first clock, which a gap before it did not have.
    boolean isFirstClock = last != null && (ended != null || last.clock().length == 0);
    if (isFirstClock && now.clock().length > 0) {
      notices.add(Notice.restarted(event, now.clock()));
    }
    if (ended != null && !ended.stopped()) {
      notices.add(lost(event, lossAfter(ended, event.hlc())));
    }
    CoverageLost loss = loss(event, last, known);
    if (loss != null) {
      notices.add(lost(event, loss));
    }
    return notices;
  }

  private Notice lost(CandidateEvent event, CoverageLost loss) {
    Channel channel = new Channel(event.partition(), event.node());
    lossesTold
        .computeIfAbsent(channel, unknown -> new ToldLosses())
        .add(loss.getFromHlc(), loss.getToHlc());
    return Notice.lost(event, loss);
  }

  /** What an incarnation may have seen after {@code last}, before another one was heard. */
  private static CoverageLost lossAfter(Position last, long heardAgain) {
    return CoverageLost.newBuilder()
        .setNode(last.node())
        .setIncarnation(last.incarnation())
        .setPartition(last.partition())
        .setFirstSequence(last.sequence() + 1)
        .setFromHlc(last.hlc())
        .setToHlc(heardAgain)
        .build();
  }

  private static @Nullable CoverageLost loss(
      CandidateEvent event, @Nullable Position last, long known) {
    long lastHlc = last == null ? 0 : last.hlc();
    if (event.kind() == Kind.GAP) {
      Gap gap = event.decode().getGap();
      // The node tells of a gap what it knows; what is missing even before it, it does not know of.
      boolean wider = gap.getFirstSequence() > known + 1;
      long from = wider ? Math.min(lastHlc, gap.getFromHlc()) : gap.getFromHlc();
      return loss(event, known + 1, gap.getLastSequence(), from, gap.getToHlc());
    }
    long lastMissing = event.kind().isProgress() ? event.sequence() : event.sequence() - 1;
    // An end that is told late has an earlier time than what was lost right before it.
    long to = Math.max(lastHlc, event.hlc());
    return lastMissing > known ? loss(event, known + 1, lastMissing, lastHlc, to) : null;
  }

  private static CoverageLost loss(
      CandidateEvent event, long first, long last, long fromHlc, long toHlc) {
    return CoverageLost.newBuilder()
        .setNode(event.node())
        .setIncarnation(event.incarnation())
        .setPartition(event.partition())
        .setFirstSequence(first)
        .setLastSequence(last)
        .setFromHlc(fromHlc)
        .setToHlc(toHlc)
        .build();
  }

  /** An event that could not be used: its own sequence is lost. */
  public static CoverageLost lossOf(CandidateEvent event) {
    return loss(event, event.sequence(), event.sequence(), event.hlc(), event.hlc());
  }
}
