package io.palinode.monitor.sequence;

import io.palinode.hvc.Hlc;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.CandidateEvent.Kind;
import io.palinode.monitor.Channel;
import io.palinode.monitor.Codes;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Sender;
import io.palinode.monitor.Stamp;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Gap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Passes each event of a (node, partition) on once, and reports gaps in the sequences. Drops
 * repeats and records of an earlier incarnation. O(1) per event. Memory is one {@link Position} per
 * node and partition, and some ranges of reported gaps.
 *
 * <p>A first record with a sequence above 1 is a gap too: the topic no longer holds the earlier
 * records. The first record of a new incarnation is a gap if the old one did not publish that it
 * stopped: a killed process loses the records that it had not sent.
 *
 * <p>If an incarnation number repeats with a later time, the disk of the node was replaced, and its
 * numbers start at 1 again. No record of such an incarnation is used, and all of them are a gap.
 */
public final class SequenceCheck {
  /**
   * The time between two gaps of a node whose numbers started again. Shorter than the time for
   * which a gap holds the safe point.
   */
  private static final long RENUMBERED_GAP_EVERY = Hlc.ofMicros(10_000_000);

  private final Map<Channel, Position> positions = new HashMap<>();

  /** The end of the last published gap of a node whose numbers started again. */
  private final Map<Channel, Long> renumberedUpTo = new HashMap<>();

  private final Map<Channel, PublishedGaps> publishedGaps = new HashMap<>();

  private long newestEpoch;

  /**
   * The last event that was passed on; part of checkpoints.
   *
   * @param stamp the incarnation's last clock; without one while only gaps were received
   */
  public record Position(Sender sender, long sequence, Stamp stamp, State state) {
    /** What is expected of the incarnation. */
    public enum State {
      /** Further events. */
      RUNS(0),
      /** Nothing: it has published its end. */
      STOPPED(1),
      /** Nothing that is used: judgement continues without it. */
      SKIPPED(2);

      private final int code;

      State(int code) {
        this.code = code;
      }

      /** The code in the state's bytes. */
      public int code() {
        return code;
      }

      /**
       * Returns the state of a code. Throws {@link IllegalArgumentException} for an unknown one.
       */
      public static State of(int code) {
        return Codes.of(values(), State::code, code);
      }
    }

    public boolean isSkipped() {
      return state == State.SKIPPED;
    }

    Position with(State other) {
      return new Position(sender, sequence, stamp, other);
    }

    private boolean isBehind(Position other) {
      return incarnation() != other.incarnation()
          ? incarnation() < other.incarnation()
          : sequence != other.sequence ? sequence < other.sequence : hlc() < other.hlc();
    }

    private long incarnation() {
      return sender.incarnation();
    }

    private long hlc() {
      return stamp.hlc();
    }
  }

  /**
   * What to do about an event.
   *
   * @param fresh false for a repeat, and for a record of an earlier incarnation
   * @param notices to pass on, before the event itself if it is fresh
   */
  public record Outcome(boolean fresh, List<Notice> notices) {
    private static final Outcome STALE = new Outcome(false, List.of());
  }

  /** Adopts positions of a checkpoint: for each node and partition the furthest. */
  public void restore(Iterable<Position> saved) {
    for (Position position : saved) {
      newestEpoch = Math.max(newestEpoch, position.sender().epoch());
      positions.merge(position.sender().channel(), position, (a, b) -> a.isBehind(b) ? b : a);
    }
  }

  public Collection<Position> positions() {
    return List.copyOf(positions.values());
  }

  public Outcome observe(CandidateEvent event) {
    Channel channel = event.channel();
    Position last = positions.get(channel);
    if (last != null && isOver(event, last)) {
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

  private static boolean isOver(CandidateEvent event, Position last) {
    return event.incarnation() < last.incarnation()
        || (event.incarnation() == last.incarnation() && last.isSkipped());
  }

  /** An earlier incarnation publishes nothing later than the first record of its successor. */
  private Outcome stale(CandidateEvent event, Position last) {
    Channel channel = event.channel();
    if (event.kind() == Kind.GAP) {
      return isOver(event, last) ? Outcome.STALE : lateGap(event, channel);
    }
    Long published = renumberedUpTo.get(channel);
    long from = published == null ? last.hlc() : Math.max(published, last.hlc());
    boolean isDue = event.hlc() > (published == null ? from : from + RENUMBERED_GAP_EVERY);
    if (!isDue) {
      return Outcome.STALE;
    }
    renumberedUpTo.put(channel, event.hlc());
    CoverageLost loss = loss(event, 1, event.sequence(), from, event.hlc());
    String cause =
        event.incarnation() == last.incarnation()
            ? "node %d is skipped, and publishes again: restart it".formatted(event.node())
            : "the node numbers its incarnations from the start, as with another disk (incarnation %d after %d)"
                .formatted(event.incarnation(), last.incarnation());
    return new Outcome(
        false, List.of(Notice.lost(event, loss.toBuilder().setCause(cause).build())));
  }

  /**
   * The missing sequences were found at the next event, but not their times: a late closing has the
   * time of its write.
   */
  private Outcome lateGap(CandidateEvent event, Channel channel) {
    Gap gap = event.decode().getGap();
    PublishedGaps published = publishedGaps.get(channel);
    if (published != null && published.has(gap.getFromHlc(), gap.getToHlc())) {
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
    Stamp stamp = event.stamp();
    if (event.kind() == Kind.GAP && last != null) {
      // A gap carries no clock: keep the last one.
      boolean continues = event.incarnation() == last.incarnation();
      stamp = new Stamp(last.hlc(), continues ? last.stamp().clock() : stamp.clock());
    }
    boolean stops = event.kind() == Kind.STOPPED;
    return new Position(
        event.sender(), sequence, stamp, stops ? Position.State.STOPPED : Position.State.RUNS);
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
    boolean isFirstClock = last != null && (ended != null || !last.stamp().hasClock());
    if (isFirstClock && now.stamp().hasClock()) {
      notices.add(Notice.restarted(event, now.stamp().clock()));
    }
    if (ended != null && ended.state() != Position.State.STOPPED) {
      notices.add(lost(event, lossAfter(ended, event.hlc())));
    }
    CoverageLost loss = loss(event, last, known);
    if (loss != null) {
      notices.add(lost(event, loss));
    }
    return notices;
  }

  /**
   * Uses no further event of the node's incarnation: the watermark has passed the last one. Returns
   * the notices that must precede the watermark; none if the incarnation has stopped, because a
   * node that is down writes nothing.
   */
  List<Notice> skip(Channel channel) {
    Position last = positions.get(channel);
    if (last == null) {
      last = new Position(new Sender(channel, 0, newestEpoch), 0, Stamp.NONE, Position.State.RUNS);
    }
    if (last.state() != Position.State.RUNS) {
      return List.of();
    }
    positions.put(channel, last.with(Position.State.SKIPPED));
    List<Notice> notices = new ArrayList<>();
    if (last.stamp().hasClock()) {
      notices.add(Notice.skipped(last.sender(), last.stamp().clock()));
    }
    String cause =
        "node %d was silent for long: judgement continues without it until its restart"
            .formatted(channel.node());
    notices.add(Notice.lost(last.sender(), openLoss(last, cause)));
    return notices;
  }

  /**
   * Uses no event of the incarnation that begins with {@code event}: the watermark has passed it.
   */
  Outcome refuse(CandidateEvent event) {
    Position refused =
        new Position(event.sender(), event.sequence(), event.stamp(), Position.State.SKIPPED);
    Position last = positions.put(event.channel(), refused);
    String cause =
        "the first records of node %d came too late after it was skipped: restart it"
            .formatted(event.node());
    List<Notice> notices = new ArrayList<>();
    notices.add(Notice.restarted(event, event.stamp().clock()));
    if (last != null && last.isSkipped()) {
      notices.add(Notice.lost(event, lossAfter(last, event.hlc())));
    }
    notices.add(Notice.lost(event, openLoss(refused, cause)));
    return new Outcome(false, notices);
  }

  private static CoverageLost openLoss(Position last, String cause) {
    return lossAfter(last, 0).toBuilder().setCause(cause).build();
  }

  @Nullable Position position(Channel channel) {
    return positions.get(channel);
  }

  /** Returns whether the event's incarnation is not over, as far as is known. */
  boolean isNext(CandidateEvent event) {
    Position last = positions.get(event.channel());
    return last == null || !isOver(event, last);
  }

  private Notice lost(CandidateEvent event, CoverageLost loss) {
    publishedGaps
        .computeIfAbsent(event.channel(), unknown -> new PublishedGaps())
        .add(loss.getFromHlc(), loss.getToHlc());
    return Notice.lost(event, loss);
  }

  /** The span from the last record of an incarnation to the first of the next one. */
  private static CoverageLost lossAfter(Position last, long nextHlc) {
    return CoverageLost.newBuilder()
        .setNode(last.sender().channel().node())
        .setIncarnation(last.incarnation())
        .setPartition(last.sender().channel().partition())
        .setFirstSequence(last.sequence() + 1)
        .setFromHlc(last.hlc())
        .setToHlc(nextHlc)
        .build();
  }

  private static @Nullable CoverageLost loss(
      CandidateEvent event, @Nullable Position last, long known) {
    long lastHlc = last == null ? 0 : last.hlc();
    if (event.kind() == Kind.GAP) {
      Gap gap = event.decode().getGap();
      // The node names the sequences it dropped, not those that are missing before them.
      boolean wider = gap.getFirstSequence() > known + 1;
      long from = wider ? Math.min(lastHlc, gap.getFromHlc()) : gap.getFromHlc();
      return loss(event, known + 1, gap.getLastSequence(), from, gap.getToHlc());
    }
    long lastMissing = event.kind().isProgress() ? event.sequence() : event.sequence() - 1;
    // A late closing has an earlier time than the events that are missing right before it.
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

  /** The gap of an event that cannot be used. */
  public static CoverageLost lossOf(CandidateEvent event) {
    return loss(event, event.sequence(), event.sequence(), event.hlc(), event.hlc());
  }
}
