package io.palinode.monitor;

import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.InstanceDetector;
import io.palinode.detection.Witness;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.ReplicaRule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One predicate instance while an event is applied to it: taken from its {@link InstanceState}, and
 * put back into one afterwards. Not thread-safe.
 */
public final class Instance {
  private final long epoch;
  private final long predicateVersion;
  private final int partition;
  private final DetectionSpec spec;
  private final InstanceDetector detector;

  private Instance(
      long epoch,
      long predicateVersion,
      int partition,
      DetectionSpec spec,
      InstanceDetector detector) {
    this.epoch = epoch;
    this.predicateVersion = predicateVersion;
    this.partition = partition;
    this.spec = spec;
    this.detector = detector;
  }

  /**
   * The instance that {@code event} is about, as the first event of an epoch or a version finds it.
   */
  public static Instance begin(CandidateEvent event, long predicateVersion, DetectionSpec spec) {
    return new Instance(
        event.epoch(), predicateVersion, event.partition(), spec, InstanceDetector.create(spec));
  }

  public static Instance resume(InstanceState state, DetectionSpec spec) {
    return new Instance(
        state.epoch(),
        state.predicateVersion(),
        state.partition(),
        spec,
        InstanceDetector.restore(spec, state.detector()));
  }

  /**
   * Applies an opening or closing, then whatever {@code watermark} settles. Returns new witnesses.
   */
  public List<Witness> apply(Change change, long watermark) {
    List<Witness> found =
        new ArrayList<>(
            change.opens()
                ? detector.opened(change.candidate())
                : detector.closed(change.candidate(), change.endedBy(), change.endOrigin()));
    found.addAll(progress(watermark));
    return found;
  }

  /** Settles what can be once every event at or before {@code watermark} has been applied. */
  public List<Witness> progress(long watermark) {
    return detector.wakeAt() <= watermark ? detector.progress(watermark) : List.of();
  }

  /**
   * The node has begun {@code incarnation} and says again what still holds: what its earlier ones
   * left open ended with the last that was heard of them. Only where replicas are joined, an
   * interval that has a version goes on: it is the version's, not the node's.
   */
  public List<Witness> beginIncarnation(int node, long incarnation, Hvc lastHeard) {
    List<Witness> found = new ArrayList<>();
    for (Candidate open : detector.openBefore(node, incarnation)) {
      if (spec.replicas() == ReplicaRule.ANY || open.version().isEmpty()) {
        found.addAll(detector.closed(ended(open, lastHeard), "", null));
      }
    }
    return found;
  }

  private static Candidate ended(Candidate open, Hvc end) {
    return new Candidate(
        open.clause(),
        open.term(),
        open.id(),
        open.interval().closedAt(end),
        open.version(),
        open.origin(),
        open.payload());
  }

  public long epoch() {
    return epoch;
  }

  public long wakeAt() {
    return detector.wakeAt();
  }

  /** What to keep, with a timer set for {@code timerAt}; null when there is nothing to keep. */
  public @Nullable InstanceState state(long timerAt) {
    return detector.isEmpty()
        ? null
        : new InstanceState(epoch, predicateVersion, partition, timerAt, detector.toBytes());
  }
}
