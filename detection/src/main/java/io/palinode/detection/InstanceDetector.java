package io.palinode.detection;

import io.palinode.hvc.Hvc;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stub: detection for one predicate instance. */
public final class InstanceDetector {
  private InstanceDetector() {}

  public static InstanceDetector create(DetectionSpec spec) {
    throw new IllegalStateException("stub" + spec);
  }

  /** From {@link #toBytes}. */
  public static InstanceDetector restore(DetectionSpec spec, byte[] bytes) {
    throw new IllegalStateException("stub" + spec + bytes.length);
  }

  /** A term turned true. Returns the witnesses that are certain now and were not reported yet. */
  public List<Witness> opened(Candidate candidate) {
    throw new IllegalStateException("stub" + candidate);
  }

  /**
   * An interval ended. {@code endedBy} names the superseding version (empty: unknown or a delete),
   * {@code origin} its first node.
   */
  public List<Witness> closed(Candidate candidate, String endedBy, @Nullable Integer origin) {
    throw new IllegalStateException("stub" + candidate + endedBy + origin);
  }

  /** Every event of every node with an own HLC at or before {@code hlc} has been passed in. */
  public List<Witness> progress(long hlc) {
    throw new IllegalStateException("stub" + hlc);
  }

  /**
   * The least progress HLC at which a pending decision can be made or state be dropped;
   * Long.MAX_VALUE when none is pending.
   */
  public long wakeAt() {
    throw new IllegalStateException("stub");
  }

  public boolean isEmpty() {
    throw new IllegalStateException("stub");
  }

  /** Compact, versioned bytes of the whole state. */
  public byte[] toBytes() {
    throw new IllegalStateException("stub");
  }

  /** What is known of a node's clock: stub to show the type used. */
  static long own(Hvc hvc) {
    return hvc.own();
  }
}
