package io.palinode.voldemort.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Bounds the bytes of a server's large requests, from their arrival to their answer. A request
 * reserves its whole length; without room, it waits in order. Thread-safe.
 *
 * <p>No deadlock: a connection reserves for one request at a time. A request with a reservation
 * waits for its client alone, which has limited time to send and to read ({@link RequestFrames},
 * {@link UnreadAnswers}).
 */
final class FrameBudget {
  /** Requests of at most so many bytes need no reservation. */
  static final int SMALL_BYTES = 64 << 10;

  private final long bytesMax;
  private final ArrayDeque<Share> waiting = new ArrayDeque<>();
  private long reserved;

  /**
   * @param bytesMax at least the length of the longest request
   */
  FrameBudget(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** The part of one connection, which has no reservation yet. */
  Share share() {
    return new Share();
  }

  private List<Runnable> admitWaiting() {
    List<Runnable> admitted = new ArrayList<>();
    while (!waiting.isEmpty() && waiting.element().isAdmitted()) {
      admitted.add(waiting.remove().whenAdmitted);
    }
    return admitted;
  }

  /** The large request of one connection that arrives, or has no answer yet. */
  final class Share {
    private long held;
    private long wanted;
    private Runnable whenAdmitted = () -> {};

    /**
     * Returns whether the next large request may arrive now. If not, {@code whenAdmitted} runs once
     * it may, in any thread.
     */
    boolean reserve(long bytes, Runnable whenAdmitted) {
      synchronized (FrameBudget.this) {
        this.wanted = bytes;
        this.whenAdmitted = whenAdmitted;
        if (waiting.isEmpty() && held == 0 && isAdmitted()) {
          return true;
        }
        if (held == 0) {
          waiting.add(this);
        }
        return false;
      }
    }

    /** Keeps so many bytes of the reservation. */
    void shrink(long bytes) {
      release(bytes);
    }

    /** Ends the reservation. The next large request of the connection may have been waiting. */
    void answered() {
      synchronized (FrameBudget.this) {
        if (held > 0 && wanted > 0) {
          waiting.add(this);
        }
      }
      release(0);
    }

    /** Ends the reservation, and the wait for one. Idempotent. */
    void close() {
      synchronized (FrameBudget.this) {
        wanted = 0;
        waiting.remove(this);
      }
      release(0);
    }

    private boolean isAdmitted() {
      if (reserved + wanted > bytesMax) {
        return false;
      }
      reserved += wanted;
      held = wanted;
      wanted = 0;
      return true;
    }

    private void release(long kept) {
      List<Runnable> admitted;
      synchronized (FrameBudget.this) {
        reserved -= held - kept;
        held = kept;
        admitted = admitWaiting();
      }
      admitted.forEach(Runnable::run);
    }
  }
}
