package io.palinode.monitor;

import io.palinode.detection.DetectionSpec;
import io.palinode.detection.InstanceDetector;
import io.palinode.detection.Witness;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One predicate instance while an event is applied to it: taken from its {@link InstanceState}, and
 * put back into one afterwards. Its methods return the witnesses to publish. Not thread-safe.
 */
public final class Instance {
  private final long epoch;
  private final long predicateVersion;
  private final int partition;
  private final InstanceDetector detector;
  private final long overflowedBefore;

  private Instance(long epoch, long predicateVersion, int partition, InstanceDetector detector) {
    this.epoch = epoch;
    this.predicateVersion = predicateVersion;
    this.partition = partition;
    this.detector = detector;
    this.overflowedBefore = detector.overflowed();
  }

  /**
   * The instance that {@code event} is about, as the first event of an epoch or a version finds it.
   */
  public static Instance begin(
      CandidateEvent event, long predicateVersion, DetectionSpec spec, int retainedMax) {
    return new Instance(
        event.epoch(),
        predicateVersion,
        event.partition(),
        InstanceDetector.create(spec, retainedMax));
  }

  public static Instance resume(InstanceState state, DetectionSpec spec, int retainedMax) {
    return new Instance(
        state.epoch(),
        state.predicateVersion(),
        state.partition(),
        InstanceDetector.restore(spec, retainedMax, state.detector()));
  }

  /** An opening or closing, in the order of its node. */
  public List<Witness> apply(Change change) {
    return withRaised(
        change.opens()
            ? detector.opened(change.candidate())
            : detector.closed(change.candidate(), change.endedBy(), change.endOrigin()));
  }

  /** Settles what can be once every event at or before {@code watermark} has been applied. */
  public List<Witness> progress(long watermark) {
    return detector.wakeAt() <= watermark ? withRaised(detector.progress(watermark)) : List.of();
  }

  /**
   * Ends what a node left open before it started anew; nothing for an instance that knows of it.
   */
  public List<Witness> restarted(Restart restart) {
    return withRaised(detector.restarted(restart.node(), restart.incarnation(), restart.first()));
  }

  /** A grade that rose is published again, under the id it had. */
  private List<Witness> withRaised(List<Witness> found) {
    List<Witness> all = new ArrayList<>(found);
    all.addAll(detector.raised());
    return all;
  }

  /** How often a limit of detection was met meanwhile: each is a loss of coverage. */
  public long overflowed() {
    return detector.overflowed() - overflowedBefore;
  }

  public long epoch() {
    return epoch;
  }

  public int partition() {
    return partition;
  }

  /** What to keep; null when there is nothing to keep. */
  public @Nullable InstanceState state() {
    return detector.isEmpty()
        ? null
        : new InstanceState(
            epoch, predicateVersion, partition, detector.wakeAt(), detector.toBytes());
  }
}
