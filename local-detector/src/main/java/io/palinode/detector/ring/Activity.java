package io.palinode.detector.ring;

/** Whether a reader may wait for progress of this node. Thread-safe, without a lock. */
public final class Activity {
  private final CandidateRing ring;

  /** Whether there was activity since {@link #take} was called last. */
  private volatile boolean active;

  public Activity(CandidateRing ring) {
    this.ring = ring;
  }

  /** The first call after {@link #take} wakes the thread that waits at the ring. */
  public void note() {
    if (!active) {
      active = true;
      ring.wake();
    }
  }

  public boolean take() {
    boolean taken = active;
    if (taken) {
      // Only then: a concurrent note() that woke the thread must not be reset.
      active = false;
    }
    return taken;
  }
}
