package io.palinode.detector;

/** Whether a reader may wait for progress of this node. Thread-safe, without a lock. */
final class Activity {
  private final CandidateRing ring;

  /** Whether there was activity since {@link #take} was called last. */
  private volatile boolean active;

  Activity(CandidateRing ring) {
    this.ring = ring;
  }

  /** The first call after {@link #take} wakes the thread that waits at the ring. */
  void note() {
    if (!active) {
      active = true;
      ring.wake();
    }
  }

  boolean take() {
    boolean taken = active;
    if (taken) {
      // Only then: a concurrent note() that woke the thread must not be reset.
      active = false;
    }
    return taken;
  }
}
