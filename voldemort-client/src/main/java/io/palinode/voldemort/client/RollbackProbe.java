package io.palinode.voldemort.client;

import io.netty.channel.EventLoopGroup;
import io.palinode.voldemort.client.link.Ask;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * While a rollback is under way, asks the nodes in turn whether they serve the new epoch, so that
 * its target gets known even when no call is made. Runs on the event thread.
 */
final class RollbackProbe {
  private final EventLoopGroup threads;
  private final Replicas replicas;
  private final List<Integer> nodes;
  private final Ask<?> ask;
  private final AtomicBoolean running = new AtomicBoolean();

  /**
   * @param ask a request that a node refuses in an epoch that is over
   */
  RollbackProbe(EventLoopGroup threads, Replicas replicas, List<Integer> nodes, Ask<?> ask) {
    this.threads = threads;
    this.replicas = replicas;
    this.nodes = List.copyOf(nodes);
    this.ask = ask;
  }

  /** Thread-safe; one at a time, so it may be called for every sign of a rollback. */
  void start() {
    if (running.compareAndSet(false, true)) {
      step(0, Call.PAUSE_MIN);
    }
  }

  private void step(int turn, Duration pause) {
    if (!isNeeded()) {
      running.set(false);
      // A rollback that began in between found this still running.
      if (isNeeded()) {
        start();
      }
      return;
    }
    replicas.probe(nodes.get(turn % nodes.size()), ask);
    try {
      var unused =
          threads.schedule(
              () -> step(turn + 1, Call.longer(pause)), pause.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // Closed: no caller waits any more.
      running.set(false);
    }
  }

  private boolean isNeeded() {
    return replicas.session().view().doubt() != null;
  }
}
