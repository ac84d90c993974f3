package io.palinode.store.hosted;

import io.palinode.hvc.Hlc;
import io.palinode.store.engine.StorageException;
import io.palinode.store.node.NodeBinding;
import io.palinode.wire.Repeated;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a node's clock promised ahead, so that no write waits for the disk. Thread-safe. */
public final class PromiseKeeper implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PromiseKeeper.class);
  private static final long PROMISE_HLC = Hlc.ofMicros(1_000_000);
  private static final long EVERY_MILLIS = 100;

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          work -> JoinedDetector.daemon(work, "palinode-promise"));
  // Of one thread.
  private boolean promisesFail;

  /**
   * Starts to extend the promise every 100 ms. Once.
   *
   * @param look runs before each extension
   */
  public void start(NodeBinding node, Runnable look) {
    var unused =
        thread.scheduleWithFixedDelay(
            new Repeated(
                "palinode-promise",
                () -> {
                  // First: the disk may hang.
                  look.run();
                  promise(node);
                }),
            0,
            EVERY_MILLIS,
            TimeUnit.MILLISECONDS);
  }

  private void promise(NodeBinding node) {
    try {
      node.promiseAhead(PROMISE_HLC);
      promisesFail = false;
    } catch (StorageException e) {
      // A write that needs the promise extends it itself, and reports the failure.
      if (!promisesFail) {
        promisesFail = true;
        log.error("node={} state=NOT_PROMISED", node.node(), e);
      }
    }
  }

  @Override
  public void close() {
    thread.shutdown();
  }
}
