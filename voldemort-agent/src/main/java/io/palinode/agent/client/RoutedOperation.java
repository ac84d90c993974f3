package io.palinode.agent.client;

import io.palinode.agent.boot.Frame;
import io.palinode.agent.boot.Refusal;
import io.palinode.agent.boot.Ride;
import io.palinode.agent.client.ClientHooks.UnderWay;
import io.palinode.hvc.HvcCodec;
import io.palinode.voldemort.client.session.EpochView;
import io.palinode.voldemort.client.session.Session;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One operation of an application's thread, which may ask several servers. While the cluster is
 * paused, the operation repeats: servers refuse its requests until the pause ends.
 */
final class RoutedOperation implements Frame {
  private static final long WAIT_MILLIS_MIN = 2;
  private static final long WAIT_MILLIS_MAX = 50;

  private final ClusterClient cluster;
  private final UnderWay mine;
  private final long startedNanos = System.nanoTime();
  private long epoch = EpochView.UNKNOWN;
  private long waitMillis = WAIT_MILLIS_MIN;
  private boolean repeats;
  private int requests;
  private volatile boolean rode;

  /** The first acceptor of this operation's write. */
  private volatile int origin = Session.NO_ORIGIN;

  /**
   * The nodes at which the versions of the next repair requests were read. Used by its thread only.
   */
  private final Deque<Integer> repairsReadAt = new ArrayDeque<>();

  RoutedOperation(ClusterClient cluster, UnderWay mine) {
    this.cluster = cluster;
    this.mine = mine;
  }

  /** The refusal of the operation; null if it may begin. */
  @Nullable Frame begin() {
    EpochView view = cluster.session().view();
    long known = cluster.epochOfThread();
    if (known == EpochView.UNKNOWN) {
      cluster.enter(view.epoch());
    } else if (known < view.epoch()) {
      return new Refusal(rolledBack(view, known));
    }
    epoch = cluster.epochOfThread();
    return null;
  }

  private RuntimeException rolledBack(EpochView view, long since) {
    cluster.enter(view.epoch());
    return cluster.types().obsolete(cluster.describe(view.rolledBackSince(since)));
  }

  Ride request(ThreadLocal<UnderWay> underWay) {
    requests++;
    Integer readAt = repairsReadAt.poll();
    return readAt == null
        ? new RequestRide(cluster, epoch, origin, Session.NO_ORIGIN, this, underWay)
        : new RequestRide(cluster, epoch, Session.NO_ORIGIN, readAt, this, underWay);
  }

  /**
   * Takes the read repairs that follow. Their first acceptor is unknown, but not where they were
   * read. See {@link io.palinode.agent.boot.Listener#repairs}.
   */
  void repairs(List<?> values, List<?> repairs) {
    repairsReadAt.clear();
    for (Object repair : repairs) {
      repairsReadAt.add(cluster.readValues().nodeWith(repair, values));
    }
  }

  /** A request of the operation carried a context. */
  void rode() {
    rode = true;
  }

  /** Takes a response. Requests after the first acceptance of a version are copies. */
  void answered(ResponseContext context) {
    if (context.hasAcceptedAt() && context.hasHvc() && origin == Session.NO_ORIGIN) {
      origin = HvcCodec.decode(context.getHvc().toByteArray()).owner();
    }
  }

  @Override
  public @Nullable RuntimeException ended(@Nullable Object result, @Nullable Throwable thrown) {
    repeats = false;
    repairsReadAt.clear();
    try {
      if (thrown == null && requests > 0 && !rode) {
        cluster.hasNoRoom();
      }
      return outcome(cluster.session().view());
    } finally {
      // Also after a bug: otherwise the thread's next operations would count as part of this one.
      if (!repeats) {
        mine.operation = null;
      }
    }
  }

  /** The exception for the caller; null if the result is valid, or the operation repeats. */
  private @Nullable RuntimeException outcome(EpochView view) {
    if (view.isCurrent(epoch)) {
      cluster.stay();
      return null;
    }
    if (view.doubt() == null) {
      return rolledBack(view, epoch);
    }
    if (System.nanoTime() - startedNanos > cluster.pauseNanosMax()) {
      return cluster.types().unreachable("the cluster is being rolled back, for too long: " + view);
    }
    repeats = waited();
    return repeats
        ? null
        : cluster
            .types()
            .unreachable("interrupted while the cluster was being rolled back: " + view);
  }

  /** Waits before a repeat; false if interrupted. */
  private boolean waited() {
    try {
      TimeUnit.MILLISECONDS.sleep(waitMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    waitMillis = Math.min(WAIT_MILLIS_MAX, 2 * waitMillis);
    return true;
  }

  @Override
  public boolean repeats() {
    return repeats;
  }
}
