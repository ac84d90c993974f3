package io.palinode.benchmarks.rollback;

import io.palinode.store.order.FenceState;
import io.palinode.voldemort.StoreNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks at the nodes' fences, often: from the first that serves nothing to the last that does
 * again.
 */
final class Pause implements AutoCloseable {
  private static final long LOOK_EVERY_NANOS = 100_000;
  private static final double NANOS_PER_MS = 1e6;

  private final List<StoreNode> nodes;
  private final long epochBefore;
  private final Thread thread;
  private volatile long begun;
  private volatile long ended;
  private volatile boolean closed;

  /** Of the next rollback. */
  Pause(List<StoreNode> nodes) {
    this.nodes = nodes;
    this.epochBefore = nodes.get(0).fence().epoch();
    this.thread = new Thread(this::look, "bench-pause");
    thread.setDaemon(true);
    thread.start();
  }

  private void look() {
    while (!closed && ended == 0) {
      if (begun == 0 && nodes.stream().anyMatch(node -> node.fence().paused())) {
        begun = System.nanoTime();
      }
      if (nodes.stream().allMatch(node -> isOver(node.fence()))) {
        ended = System.nanoTime();
        return;
      }
      LockSupport.parkNanos(LOOK_EVERY_NANOS);
    }
  }

  private boolean isOver(FenceState fence) {
    return !fence.paused() && fence.epoch() > epochBefore;
  }

  /** How long it was; waits for its end. */
  double awaitMs(Duration max) throws InterruptedException {
    thread.join(max.toMillis());
    if (ended == 0) {
      throw new IllegalStateException("the nodes must serve again within " + max);
    }
    return (ended - begun) / NANOS_PER_MS;
  }

  @Override
  public void close() {
    closed = true;
  }
}
