package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.snapshot.file.SnapshotException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The takings of all keys that are under way at a node: one may wait for the end of another, to
 * begin with its part. It waits only for one that began before it, so two never wait for each
 * other. Thread-safe; no lock is held while one waits.
 */
final class Takings {
  /** A taking without progress for this long is not waited for: its disk hangs. */
  static final long NO_PROGRESS_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

  private final LongSupplier nanos;

  /** In the order in which they began; the orchestrator bounds how many. */
  private final List<Begun> underWay = new CopyOnWriteArrayList<>();

  /**
   * @param nanos a clock that never goes back
   */
  Takings(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** One more, until it is closed. */
  Begun begin(long hlc) {
    Begun begun = new Begun(hlc);
    underWay.add(begun);
    return begun;
  }

  /** Those that began before {@code second} and may end soon, nearest in time first. */
  List<Begun> before(Begun second) {
    List<Begun> found = new ArrayList<>();
    for (Begun one : underWay) {
      if (one == second) {
        break;
      }
      if (!one.isStuck()) {
        found.add(one);
      }
    }
    found.sort(Comparator.comparingLong(one -> Math.abs(one.hlc - second.hlc)));
    return found;
  }

  /**
   * Waits for the end of another; true: there is nothing to wait for any more, for it has ended, or
   * is silent. Throws {@link SnapshotException} when the thread is interrupted.
   */
  boolean awaitEnd(Begun first, long millisMax) {
    try {
      return first.over.await(millisMax, TimeUnit.MILLISECONDS) || first.isStuck();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SnapshotException("interrupted while it waited for another snapshot", e);
    }
  }

  /** A taking that is under way. */
  final class Begun implements AutoCloseable {
    private final long hlc;
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile long progressNanos = nanos.getAsLong();

    private Begun(long hlc) {
      this.hlc = hlc;
    }

    long hlc() {
      return hlc;
    }

    /** {@code watch}, which a taking that waits for this one also observes. */
    Watch observed(Watch watch) {
      return (keys, bytes) -> {
        progressNanos = nanos.getAsLong();
        return watch.progress(keys, bytes);
      };
    }

    private boolean isStuck() {
      return nanos.getAsLong() - progressNanos >= NO_PROGRESS_NANOS_MAX;
    }

    /** It is over: its part is written, or never will be. Idempotent. */
    @Override
    public void close() {
      underWay.remove(this);
      over.countDown();
    }
  }
}
