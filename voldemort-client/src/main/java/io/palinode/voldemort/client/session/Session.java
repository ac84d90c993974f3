package io.palinode.voldemort.client.session;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.voldemort.protocol.Pb0;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The epoch, the clock and the safe point of one client. It has no transport: the caller asks it
 * what to send and passes in what arrives.
 *
 * <p>Thread-safe. The event thread only ever takes the lock for a moment; calls may wait here for
 * the end of a rollback.
 */
public final class Session {
  /** The request is no copy. */
  public static final int NO_ORIGIN = -1;

  private final String clientId;
  private final long pauseNanosMax;
  private final boolean adopts;
  private volatile Listener listener = Listener.NONE;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private EpochView view = EpochView.INITIAL;

  /** The newest epoch that a call knows of: it began in it, or has thrown because of it. */
  private long announcedEpoch = EpochView.UNKNOWN;

  private @Nullable Hvc hvc;
  private @Nullable ByteString encodedHvc;
  private long safePoint;
  private boolean closed;

  /** Called after a change, without a lock held, by the thread that received it. */
  public interface Listener {
    Listener NONE =
        new Listener() {
          @Override
          public void epochOver() {}

          @Override
          public void rolledBack(RolledBack rolledBack) {}
        };

    /** The epoch of what is under way is over, or may be. */
    void epochOver();

    /** The new epoch is served and its target is known. */
    void rolledBack(RolledBack rolledBack);
  }

  /**
   * @param pauseMax how long calls wait for a paused cluster
   */
  public Session(String clientId, Duration pauseMax) {
    this(clientId, pauseMax, false);
  }

  private Session(String clientId, Duration pauseMax, boolean adopts) {
    this.clientId = clientId;
    this.pauseNanosMax = pauseMax.toNanos();
    this.adopts = adopts;
  }

  /**
   * A session whose calls continue in a new epoch that undid nothing of this client's work. The
   * transport asks {@link EpochView#epochFor} for the epoch of a request, also when it is sent
   * again, and gives up only what {@link EpochView#isOver}.
   */
  public static Session goingOn(String clientId, Duration pauseMax) {
    return new Session(clientId, pauseMax, true);
  }

  /** To be called before the first request that may meet a rollback. */
  public void listen(Listener newListener) {
    listener = newListener;
  }

  /**
   * What to send along with a request.
   *
   * @param origin on a copy: the node that accepted this version first; else {@link #NO_ORIGIN}
   */
  public Pb0.RequestContext context(long epoch, int origin) {
    return context(epoch, origin, NO_ORIGIN, ByteString.EMPTY);
  }

  /**
   * Like the other.
   *
   * @param readAt on a read repair: the node on which this version was read, and {@code origin} is
   *     {@link #NO_ORIGIN} when that is not known; else {@link #NO_ORIGIN}
   * @param proof what the node returned that has the version; or empty
   */
  public Pb0.RequestContext context(long epoch, int origin, int readAt, ByteString proof) {
    Pb0.RequestContext.Builder context = Pb0.RequestContext.newBuilder().setClient(clientId);
    if (epoch != EpochView.UNKNOWN) {
      context.setEpoch(epoch);
    }
    if (origin != NO_ORIGIN) {
      context.setOrigin(origin);
    }
    if (readAt != NO_ORIGIN) {
      context.setReadAt(readAt);
    }
    if (!proof.isEmpty()) {
      context.setProof(proof);
    }
    ByteString known = encodedHvc();
    if (known != null) {
      context.setHvc(known);
    }
    return context.build();
  }

  private @Nullable ByteString encodedHvc() {
    lock.lock();
    try {
      if (encodedHvc == null && hvc != null) {
        encodedHvc = UnsafeByteOperations.unsafeWrap(HvcCodec.encode(hvc));
      }
      return encodedHvc;
    } finally {
      lock.unlock();
    }
  }

  /** What an answer means to a request of {@code requestEpoch}. */
  public enum Verdict {
    COUNTS,
    /** The node does not serve this epoch yet: ask again. */
    PAUSED,
    EPOCH_OVER
  }

  /**
   * Takes in the context of a response. Throws {@link IllegalArgumentException} for a bad clock.
   */
  public Verdict observed(long requestEpoch, Pb0.ResponseContext context) {
    Hvc received = context.hasHvc() ? HvcCodec.decode(context.getHvc().toByteArray()) : null;
    EpochView before;
    EpochView after;
    lock.lock();
    try {
      if (received != null) {
        merge(received);
      }
      before = view;
      view = view.observed(context, safePoint, adopts);
      after = view;
      if (!after.equals(before)) {
        if (before.epoch() == EpochView.UNKNOWN) {
          announcedEpoch = after.epoch();
        }
        changed.signalAll();
      }
      if (context.getEpoch() == after.epoch() && after.doubt() == null) {
        safePoint = Math.max(safePoint, context.getSafePoint());
      }
    } finally {
      lock.unlock();
    }
    notifyListener(before, after);
    if (adopts ? after.isOver(requestEpoch) : !after.isCurrent(requestEpoch)) {
      return Verdict.EPOCH_OVER;
    }
    return context.hasFence() ? Verdict.PAUSED : Verdict.COUNTS;
  }

  private void merge(Hvc received) {
    Hvc merged = hvc == null ? Hvc.unknown(received.nodes()).merge(received) : hvc.merge(received);
    if (hvc == null || !merged.equals(hvc)) {
      hvc = merged;
      encodedHvc = null;
    }
  }

  private void notifyListener(EpochView before, EpochView after) {
    boolean wasSettled = before.doubt() == null && before.epoch() != EpochView.UNKNOWN;
    boolean moved = after.standsSince() != before.standsSince();
    if (wasSettled && (after.doubt() != null || moved)) {
      listener.epochOver();
    }
    if (moved && before.epoch() != EpochView.UNKNOWN) {
      listener.rolledBack(after.rolledBackSince(before.epoch()));
    }
  }

  /**
   * The epoch of a call that begins now. Throws {@link RolledBackException} when a rollback is
   * under way, or is over and no call has thrown for it yet; waits for its end.
   */
  public long begin() {
    lock.lock();
    try {
      if (view.doubt() != null || view.isOver(announcedEpoch)) {
        throwIfOver(announcedEpoch);
      }
      announcedEpoch = view.epoch();
      return view.epoch();
    } finally {
      lock.unlock();
    }
  }

  /** Throws {@link RolledBackException}, after the rollback's end, unless the epoch is current. */
  public void requireCurrent(long callEpoch) {
    lock.lock();
    try {
      if (!view.isCurrent(callEpoch)) {
        throwIfOver(callEpoch);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Call with the lock held; releases it while it waits. Returns when calls of the epoch continue.
   */
  private void throwIfOver(long epoch) {
    awaitEnd();
    announcedEpoch = view.epoch();
    if (view.isOver(epoch)) {
      throw new RolledBackException(view.rolledBackSince(epoch));
    }
  }

  private void awaitEnd() {
    long left = pauseNanosMax;
    try {
      while (view.doubt() != null && left > 0 && !closed) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while the cluster was being rolled back", e);
    }
    if (closed) {
      throw new StoreException("the client is closed");
    }
    EpochView.Doubt doubt = view.doubt();
    if (doubt != null) {
      throw new PausedException(
          "the cluster is being rolled back, and was not resumed within "
              + TimeUnit.NANOSECONDS.toMillis(pauseNanosMax)
              + " ms: "
              + view,
          doubt.epoch());
    }
  }

  /** Waits, but not longer than the session lasts. Throws {@link StoreException} at its end. */
  public void pause(Duration duration) {
    lock.lock();
    try {
      long left = duration.toNanos();
      while (left > 0 && !closed) {
        left = changed.awaitNanos(left);
      }
      if (closed) {
        throw new StoreException("the client is closed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while waiting", e);
    } finally {
      lock.unlock();
    }
  }

  public EpochView view() {
    lock.lock();
    try {
      return view;
    } finally {
      lock.unlock();
    }
  }

  /** The greatest safe point that a node of the current epoch has sent; an HLC. */
  public long safePoint() {
    lock.lock();
    try {
      return safePoint;
    } finally {
      lock.unlock();
    }
  }

  /** Wakes all waiting threads. */
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
