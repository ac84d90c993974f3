package io.palinode.monitor.instance;

import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Ended;
import io.palinode.detection.Overflows;
import io.palinode.detection.Witness;
import io.palinode.detection.stream.Detector;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Restart;
import io.palinode.monitor.Search;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One predicate instance between two events. It is live while it has work and packed into bytes,
 * which are smaller, while it is idle. Its methods return the witnesses to publish. Not
 * thread-safe. Several threads may read its {@link #state} while no thread changes it.
 */
public final class Instance {
  /** No timer is set. */
  private static final long NO_TIMER = Long.MAX_VALUE;

  private final long epoch;
  private final long predicateVersion;
  private final int partition;

  /** Null while the instance is live. */
  private @Nullable InstanceState packed;

  /** Null while the instance is packed. */
  private @Nullable Detector live;

  /** The cached result of {@link #wakeAt}, whose computation reads all intervals. */
  private long wakeAt;

  private boolean wakeKnown;
  private @Nullable ShadowDetector shadow;
  private final List<Witness> reported = new ArrayList<>();
  private final List<Ended> ended = new ArrayList<>(0);
  private Overflows overflowsTaken = Overflows.NONE;
  private List<Witness> raisedTaken = List.of();
  private long timerAt = NO_TIMER;
  private boolean counted;
  private boolean distrusting;

  private Instance(long epoch, long predicateVersion, int partition) {
    this.epoch = epoch;
    this.predicateVersion = predicateVersion;
    this.partition = partition;
  }

  /** Returns an empty instance for the first event of an epoch or of a predicate version. */
  public static Instance begin(
      CandidateEvent event, long predicateVersion, DetectionSpec spec, DetectionLimits limits) {
    Instance instance = new Instance(event.epoch(), predicateVersion, event.partition());
    instance.live = Detector.create(spec, limits);
    return instance;
  }

  /** Returns the packed instance of a saved state. */
  public static Instance of(InstanceState state) {
    Instance instance = new Instance(state.epoch(), state.predicateVersion(), state.partition());
    instance.packed = state;
    return instance;
  }

  /** Returns a packed copy with the same state and timer. */
  public Instance copy() {
    Instance copy = of(state());
    copy.timerAt = timerAt;
    copy.counted = counted;
    copy.distrusting = distrusting;
    copy.shadow = shadow == null ? null : shadow.copy();
    return copy;
  }

  /** Makes the instance live. {@code spec} is that of its predicate's version. */
  public void unpack(DetectionSpec spec, DetectionLimits limits) {
    if (packed != null) {
      live = Detector.restore(spec, limits, packed.detector());
      overflowsTaken = live.overflows();
      raisedTaken = List.of();
      packed = null;
    }
  }

  /**
   * Also evaluates {@code replicas: any} from now on. Repeated calls change nothing. Checkpoints do
   * not contain this evaluation.
   */
  public void shadow(DetectionSpec spec, DetectionLimits limits) {
    if (shadow == null) {
      shadow = new ShadowDetector(spec, limits);
      wakeKnown = false;
    }
  }

  /** Packs the instance. Call only if it is not empty. */
  public void pack() {
    packed = state();
    live = null;
    if (shadow != null) {
      shadow.pack();
    }
  }

  /**
   * Applies an opening or closing, in the order of its node. Call only while the instance is live;
   * the next two methods too.
   */
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

  /** Decides what {@code watermark} permits. Every event at or before it must have been applied. */
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
   * Ends the intervals that earlier incarnations of a node left open. A repeated restart changes
   * nothing.
   */
  public List<Witness> restarted(Restart restart) {
    wakeKnown = false;
    if (shadow != null) {
      reported.addAll(shadow.restarted(restart));
    }
    return withRaised(live().restarted(restart.node(), restart.incarnation(), restart.first()));
  }

  /** Records that a node has published all its states; see {@link Detector#searched}. */
  public void searched(Search search) {
    wakeKnown = false;
    live().searched(search.sender().channel().node(), search.sender().incarnation(), search.at());
    ended.addAll(live().ended());
  }

  /**
   * Events of the node between two HLCs may be missing. What opened there since may be unknown
   * before {@code until}; {@code Long.MAX_VALUE}: until its next search.
   */
  public void missed(int node, long from, long to, long until) {
    wakeKnown = false;
    live().missed(from, to);
    live().unpublished(node, from, until);
  }

  /** Records that an event of the instance was lost, so searches are ignored from now on. */
  public void lost(long hlc) {
    wakeKnown = false;
    distrusting = true;
    live().lost(hlc);
  }

  /**
   * Ignores searches until all nodes have published a state of this instance. Checkpoints do not
   * contain this.
   */
  public void distrustSearches() {
    distrusting = true;
  }

  /** Returns whether searches are still ignored. Call only while the instance is live. */
  public boolean distrustsSearches() {
    distrusting = distrusting && !live().isPublishedByAll();
    return distrusting;
  }

  /**
   * Adds the witnesses whose grade rose; they are published again under the same id. The detector
   * keeps its list of raised witnesses until a call changes something.
   */
  private List<Witness> withRaised(List<Witness> found) {
    ended.addAll(live().ended());
    if (shadow == null) {
      reported.addAll(found);
    }
    List<Witness> raised = live().raised();
    if (raised == raisedTaken || raised.isEmpty()) {
      return found;
    }
    raisedTaken = raised;
    List<Witness> all = new ArrayList<>(found);
    all.addAll(raised);
    return all;
  }

  /**
   * Returns and clears the witnesses reported since the last call, each once, whatever its grade.
   * If the instance has a shadow, returns the shadow's witnesses.
   */
  public List<Witness> takeReported() {
    if (reported.isEmpty()) {
      return List.of();
    }
    List<Witness> taken = List.copyOf(reported);
    reported.clear();
    return taken;
  }

  /** Returns and clears the reported violations that ended since the last call. */
  public List<Ended> takeEnded() {
    if (ended.isEmpty()) {
      return List.of();
    }
    List<Ended> taken = List.copyOf(ended);
    ended.clear();
    return taken;
  }

  /**
   * Returns how often a limit of detection was met since the last call. Each one is a coverage gap.
   */
  public Overflows takeOverflows() {
    Overflows before = overflowsTaken;
    overflowsTaken = live().overflows();
    return overflowsTaken.since(before);
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

  /**
   * Returns the HLC at which time alone decides something; {@link InstanceState#NO_WAKE} for never.
   */
  public long wakeAt() {
    if (!wakeKnown) {
      long wake = packed != null ? packed.wakeAt() : live().wakeAt();
      wakeAt = shadow == null ? wake : Math.min(wake, shadow.wakeAt());
      wakeKnown = true;
    }
    return wakeAt;
  }

  /** Returns whether time alone may decide a violation. A packed instance may only seem to wait. */
  public boolean isWaiting() {
    return live != null ? live.isWaiting() : wakeAt() != InstanceState.NO_WAKE;
  }

  /** Returns whether the instance has no state. */
  public boolean isEmpty() {
    // Only an instance that is not empty is packed.
    return live != null && live.isEmpty() && (shadow == null || shadow.isEmpty());
  }

  /**
   * Returns whether a rollback discarded the instance, or its predicate was replaced or deleted.
   */
  public boolean isStale(long newestEpoch, @Nullable ActivePredicate predicate) {
    return epoch < newestEpoch
        || ActivePredicate.standing(predicate, predicateVersion)
            == ActivePredicate.Standing.OUTDATED;
  }

  /** Returns the state for a checkpoint, without the timer, which Flink saves with the timers. */
  public InstanceState state() {
    return packed != null
        ? packed
        : new InstanceState(epoch, predicateVersion, partition, live().wakeAt(), live().toBytes());
  }

  /** Returns the time of its timer; see {@link #hasTimer}. */
  public long timerAt() {
    return timerAt;
  }

  public boolean hasTimer() {
    return timerAt != NO_TIMER;
  }

  public void setTimer(long at) {
    timerAt = at;
  }

  /** Records that a timer of {@code at} fired. */
  public void timerCame(long at) {
    if (at >= timerAt) {
      timerAt = NO_TIMER;
    }
  }

  /** Returns whether a meter counts the instance; false after a restore from a checkpoint. */
  public boolean isCounted() {
    return counted;
  }

  public void setCounted() {
    counted = true;
  }

  private Detector live() {
    return Objects.requireNonNull(live, "a packed instance must be unpacked before use");
  }
}
