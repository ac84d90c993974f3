package io.palinode.detector.ring;

import io.palinode.detector.binding.Evidence;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.detector.terms.OpenInterval;
import io.palinode.detector.terms.StateDigest;
import io.palinode.detector.terms.TermIndex;
import io.palinode.detector.terms.WatchedTerm;
import io.palinode.hvc.Hvc;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record that a detector sends. In each partition the order is that of the node's clock, except
 * for events that are late because the ring was full or Kafka refused them.
 */
public sealed interface Emission {
  long epoch();

  /** An event that counts in the sequence of its partition. */
  sealed interface Event extends Emission {
    int partition();

    long sequence();

    /** The node's HLC of the event. */
    long hlc();

    /** The approximate size of the carried values and clocks in memory, in bytes. */
    long versionBytes();

    /** {@code <predicate>|<binding>}, which selects the partition. */
    String instance();

    /** The gap that replaces the event if it is lost. */
    default Gap lost() {
      return Gap.ofOne(epoch(), partition(), sequence(), hlc());
    }
  }

  /** The beginning or the end of an interval. */
  sealed interface IntervalEvent extends Event {
    OpenInterval interval();

    @Override
    default int partition() {
      return interval().partition();
    }

    @Override
    default String instance() {
      return interval().instance();
    }
  }

  /** An event that must be published, if late: until it is, no later event or progress is. */
  sealed interface Late extends Event {
    WatchedTerm term();

    /** The same event at the same time, to be published late. */
    Event withSequence(long newSequence);
  }

  /**
   * A version made a term true.
   *
   * @param values the version that makes it true, then its siblings that do so too; of long values
   *     the beginnings
   */
  record Opened(long epoch, OpenInterval interval, List<Version> values) implements IntervalEvent {
    @Override
    public long versionBytes() {
      Evidence evidence = interval.holding().evidence();
      return Version.bytesOf(values) + (evidence == null ? 0 : evidence.bytes());
    }

    @Override
    public long sequence() {
      return interval.sequence();
    }

    @Override
    public long hlc() {
      return interval.start().own();
    }
  }

  /**
   * An interval ended.
   *
   * @param end the HVC right before the write that ended it
   * @param endedBy null after a delete
   */
  record Closed(
      long epoch,
      long sequence,
      OpenInterval interval,
      Hvc end,
      @Nullable Version endedBy,
      String writer,
      @Nullable Integer origin)
      implements IntervalEvent, Late {
    @Override
    public WatchedTerm term() {
      return interval.holding().term();
    }

    @Override
    public Closed withSequence(long newSequence) {
      return new Closed(epoch, newSequence, interval, end, endedBy, writer, origin);
    }

    /** Without the version that ended it. */
    Closed withoutEndedBy() {
      return new Closed(epoch, sequence, interval, end, null, writer, origin);
    }

    @Override
    public long versionBytes() {
      return interval.holding().version().bytes() + (endedBy == null ? 0 : endedBy.bytes());
    }

    @Override
    public long hlc() {
      return end.own();
    }
  }

  /**
   * The node's state of a key whose replicas are compared, after each change.
   *
   * @param match the term, and the binding by the key
   * @param start the node's HVC right after the change
   * @param digest see {@link StateDigest}
   * @param replicas the nodes that hold the key
   * @param siblings the beginnings of some
   */
  record KeyState(
      long epoch,
      int partition,
      long sequence,
      String instance,
      TermIndex.Match match,
      StoreKey key,
      Hvc start,
      long digest,
      List<Integer> replicas,
      List<Version> siblings,
      OpenInterval.Source source)
      implements Late {
    @Override
    public WatchedTerm term() {
      return match.term();
    }

    @Override
    public KeyState withSequence(long newSequence) {
      return new KeyState(
          epoch,
          partition,
          newSequence,
          instance,
          match,
          key,
          start,
          digest,
          replicas,
          siblings,
          source);
    }

    @Override
    public long versionBytes() {
      return Version.bytesOf(siblings);
    }

    @Override
    public long hlc() {
      return start.own();
    }
  }

  /** Events of a partition that were dropped, and the range of their HLCs. */
  record Gap(
      long epoch, int partition, long firstSequence, long lastSequence, long fromHlc, long toHlc)
      implements Emission {

    public static Gap ofOne(long epoch, int partition, long sequence, long hlc) {
      return new Gap(epoch, partition, sequence, sequence, hlc, hlc);
    }

    boolean isFollowedBy(Gap other) {
      return epoch == other.epoch && lastSequence + 1 == other.firstSequence;
    }

    /** A gap that covers both. */
    Gap with(Gap other) {
      return new Gap(
          Math.max(epoch, other.epoch),
          partition,
          Math.min(firstSequence, other.firstSequence),
          Math.max(lastSequence, other.lastSequence),
          Math.min(fromHlc, other.fromHlc),
          Math.max(toHlc, other.toHlc));
    }
  }

  /**
   * The node's statement that every event up to {@code hvc} comes before this, in each partition.
   *
   * @param sequences the last sequence of each partition
   * @param searched the predicates for which every key's state, or every interval that holds, was
   *     published in this epoch
   */
  record Progress(long epoch, Hvc hvc, List<Long> sequences, List<ActivePredicate> searched)
      implements Emission {
    /** Where no predicate is searched. */
    public Progress(long epoch, Hvc hvc, List<Long> sequences) {
      this(epoch, hvc, sequences, List.of());
    }

    public Progress {
      searched = List.copyOf(searched);
      sequences = List.copyOf(sequences);
    }
  }
}
