package io.palinode.monitor;

import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Overflows;
import io.palinode.detection.Witness;
import io.palinode.detection.stream.Detector;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One predicate instance, as it is kept between two events: live while there is something to do,
 * and packed into bytes, which are far smaller, when nothing happens to it for a while. Its methods
 * return the witnesses to publish. Not thread-safe; but while nothing changes it, several threads
 * may read its {@link #state}.
 */
public final class Instance {
  /** No timer is set. */
  private static final long NO_TIMER = Long.MAX_VALUE;

  private final long epoch;
  private final long predicateVersion;
  private final int partition;

  /** Null while it is live. */
  private @Nullable InstanceState packed;

  /** Null while it is packed. */
  private @Nullable Detector live;

  /** When it wakes, as long as nothing changes: it takes a look at all that is kept. */
  private long wakeAt;

  private boolean wakeKnown;
  private @Nullable ShadowDetector shadow;
  private final List<Witness> reported = new ArrayList<>();
  private Overflows overflowsTold = Overflows.NONE;
  private List<Witness> raisedTold = List.of();
  private long timerAt = NO_TIMER;
  private boolean counted;
  private boolean doubting;

  private Instance(long epoch, long predicateVersion, int partition) {
    this.epoch = epoch;
    this.predicateVersion = predicateVersion;
    this.partition = partition;
  }

  /**
   * The instance that {@code event} is about, as the first event of an epoch or a version finds it.
   */
  public static Instance begin(
      CandidateEvent event, long predicateVersion, DetectionSpec spec, DetectionLimits limits) {
    Instance instance = new Instance(event.epoch(), predicateVersion, event.partition());
    instance.live = Detector.create(spec, limits);
    return instance;
  }

  /** As it was when it was packed. */
  public static Instance of(InstanceState state) {
    Instance instance = new Instance(state.epoch(), state.predicateVersion(), state.partition());
    instance.packed = state;
    return instance;
  }

  /** Another one in the same state, packed; with the same timer. */
  public Instance copy() {
    Instance copy = of(state());
    copy.timerAt = timerAt;
    copy.counted = counted;
    copy.doubting = doubting;
    copy.shadow = shadow == null ? null : shadow.copy();
    return copy;
  }

  /** Makes it live, if it is not. {@code spec} is that of its predicate's version. */
  public void unpack(DetectionSpec spec, DetectionLimits limits) {
    if (packed != null) {
      live = Detector.restore(spec, limits, packed.detector());
      overflowsTold = live.overflows();
      raisedTold = List.of();
      packed = null;
    }
  }

  /**
   * From here on, what {@code replicas: any} would report of it is worked out too; once is enough.
   * It is not in checkpoints.
   */
  public void shadow(DetectionSpec spec, DetectionLimits limits) {
    if (shadow == null) {
      shadow = new ShadowDetector(spec, limits);
      wakeKnown = false;
    }
  }

  /** Makes it small. Not while it is empty. */
  public void pack() {
    packed = state();
    live = null;
    if (shadow != null) {
      shadow.pack();
    }
  }

  /** An opening or closing, in the order of its node. Only while it is live, as the next two. */
  public List<Witness> apply(Change change) {
    wakeKnown = false;
    if (shadow != null) {
      reported.addAll(shadow.apply(change));
    }
    return withRaised(
        change.opens()
            ? live().opened(change.candidate())
            : live().closed(change.candidate(), change.endedBy(), change.endOrigin()));
  }

  /** Settles what can be once every event at or before {@code watermark} has been applied. */
  public List<Witness> progress(long watermark) {
    if (wakeAt() > watermark) {
      return List.of();
    }
    wakeKnown = false;
    if (shadow != null) {
      reported.addAll(shadow.progress(watermark));
    }
    return withRaised(live().progress(watermark));
  }

  /**
   * Ends what a node left open before it started anew; nothing for an instance that knows of it.
   */
  public List<Witness> restarted(Restart restart) {
    wakeKnown = false;
    if (shadow != null) {
      reported.addAll(shadow.restarted(restart));
    }
    return withRaised(live().restarted(restart.node(), restart.incarnation(), restart.first()));
  }

  /** What a node has told by then; see {@link Detector#searched}. */
  public void searched(Search search) {
    wakeKnown = false;
    live().searched(search.node(), search.incarnation(), search.at());
  }

  /**
   * That a node has told nothing of it does not mean that it has nothing, until all have. Not in
   * checkpoints.
   */
  public void doubtSilence() {
    doubting = true;
  }

  /** Only while it is live. */
  public boolean doubtsSilence() {
    doubting = doubting && !live().isPublishedByAll();
    return doubting;
  }

  /**
   * A grade that rose is published again, under the id it had. A call that changes nothing leaves
   * what the one before it raised.
   */
  private List<Witness> withRaised(List<Witness> found) {
    if (shadow == null) {
      reported.addAll(found);
    }
    List<Witness> raised = live().raised();
    if (raised == raisedTold || raised.isEmpty()) {
      return found;
    }
    raisedTold = raised;
    List<Witness> all = new ArrayList<>(found);
    all.addAll(raised);
    return all;
  }

  /**
   * What was reported since this was asked last, each once, whatever its grade; with a shadow, what
   * that reports.
   */
  public List<Witness> takeReported() {
    if (reported.isEmpty()) {
      return List.of();
    }
    List<Witness> taken = List.copyOf(reported);
    reported.clear();
    return taken;
  }

  /** How often a limit of detection was met since this was asked last: each loses coverage. */
  public Overflows takeOverflows() {
    Overflows before = overflowsTold;
    overflowsTold = live().overflows();
    return overflowsTold.since(before);
  }

  public long epoch() {
    return epoch;
  }

  public long predicateVersion() {
    return predicateVersion;
  }

  public int partition() {
    return partition;
  }

  /** When time decides something of it; {@link InstanceState#NO_WAKE} for never. */
  public long wakeAt() {
    if (!wakeKnown) {
      long wake = packed != null ? packed.wakeAt() : live().wakeAt();
      wakeAt = shadow == null ? wake : Math.min(wake, shadow.wakeAt());
      wakeKnown = true;
    }
    return wakeAt;
  }

  /** Whether there is nothing to keep. */
  public boolean isEmpty() {
    // What is packed was not empty.
    return live != null && live.isEmpty() && (shadow == null || shadow.isEmpty());
  }

  /** Whether it was taken back by a rollback, or its predicate was replaced or deleted. */
  public boolean isStale(long newestEpoch, @Nullable ActivePredicate predicate) {
    return epoch < newestEpoch
        || ActivePredicate.standing(predicate, predicateVersion)
            == ActivePredicate.Standing.OUTDATED;
  }

  /** What is written of it; the timer is not, for that is kept with the timers. */
  public InstanceState state() {
    return packed != null
        ? packed
        : new InstanceState(epoch, predicateVersion, partition, live().wakeAt(), live().toBytes());
  }

  /** The time of the one timer that is set for it, as far as it knows; see {@link #hasTimer}. */
  public long timerAt() {
    return timerAt;
  }

  public boolean hasTimer() {
    return timerAt != NO_TIMER;
  }

  public void setTimer(long at) {
    timerAt = at;
  }

  /** A timer of {@code at} has come. */
  public void timerCame(long at) {
    if (at >= timerAt) {
      timerAt = NO_TIMER;
    }
  }

  /** Whether a meter counts it; false after it was read from a checkpoint. */
  public boolean isCounted() {
    return counted;
  }

  public void setCounted() {
    counted = true;
  }

  private Detector live() {
    return Objects.requireNonNull(live, "a packed instance is unpacked before it is used");
  }
}
