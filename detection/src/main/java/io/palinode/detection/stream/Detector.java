package io.palinode.detection.stream;

import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Ended;
import io.palinode.detection.Overflows;
import io.palinode.detection.Witness;
import io.palinode.hvc.Hvc;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Detection for one predicate instance while its events arrive: of one node in its order, of
 * different nodes in any order. Methods return the witnesses that are certain now and were not
 * reported before. Deterministic; no I/O, no clock. Not thread-safe.
 */
public sealed interface Detector
    permits InstanceDetector, LastingDetector, WithinDetector, DivergenceDetector {
  /** The one that {@code spec} asks for. */
  static Detector create(DetectionSpec spec, DetectionLimits limits) {
    if (spec.isOfStates()) {
      return DivergenceDetector.create(spec, limits);
    }
    if (spec.isWithin()) {
      return WithinDetector.create(spec, limits);
    }
    return spec.lasts()
        ? LastingDetector.create(spec, limits)
        : InstanceDetector.create(spec, limits);
  }

  /**
   * From {@link #toBytes}: behaves as the one that wrote them. Throws {@link
   * IllegalArgumentException} for bytes of another version, and for bytes that do not fit {@code
   * spec}.
   */
  static Detector restore(DetectionSpec spec, DetectionLimits limits, byte[] bytes) {
    if (spec.isOfStates()) {
      return DivergenceDetector.restore(spec, limits, bytes);
    }
    if (spec.isWithin()) {
      return WithinDetector.restore(spec, limits, bytes);
    }
    return spec.lasts()
        ? LastingDetector.restore(spec, limits, bytes)
        : InstanceDetector.restore(spec, limits, bytes);
  }

  /** A term turned true, or a replica came to a state. Throws for a candidate that does not fit. */
  List<Witness> opened(Candidate candidate);

  /** An interval ended; see {@link InstanceDetector#closed}. */
  List<Witness> closed(Candidate candidate, String endedBy, @Nullable Integer origin);

  /** The node has begun {@code incarnation}; {@code first} is the HVC of its first record there. */
  List<Witness> restarted(int node, long incarnation, Hvc first);

  /**
   * By {@code at} the node had published its state of every variable; it publishes each later
   * change. A variable without a published state is absent. Repeats change nothing.
   */
  void searched(int node, long incarnation, Hvc at);

  /**
   * Events of nodes between two HLCs may be missing. Matters only where the absence of one decides.
   */
  default void missed(long from, long to) {}

  /**
   * What opened at the node from {@code since} on may be unknown before {@code until}; {@code
   * Long.MAX_VALUE}: until {@link #searched}. Matters as {@link #missed} does.
   */
  default void unpublished(int node, long since, long until) {}

  /** An event of {@code hlc} was lost, and no node publishes it again. Matters as above. */
  default void lost(long hlc) {}

  /** Whether nothing is unknown of what was lost: all replicas have published later states. */
  default boolean isPublishedByAll() {
    return true;
  }

  /** Every event of every node with an own HLC at or before {@code hlc} has been passed in. */
  List<Witness> progress(long hlc);

  /** Witnesses that were reported earlier and whose grade rose with the last call. */
  List<Witness> raised();

  /** The reported violations that ended with the last call. */
  List<Ended> ended();

  /** The least progress that decides something; Long.MAX_VALUE for none. */
  long wakeAt();

  /** Whether a violation may still follow from what is known, by time alone. */
  default boolean isWaiting() {
    return wakeAt() != Long.MAX_VALUE;
  }

  /** Whether there is nothing to keep: a new detector would do as well. */
  boolean isEmpty();

  /** How often a limit was met since the start. */
  Overflows overflows();

  /** Compact, versioned bytes of the whole state. */
  byte[] toBytes();
}
