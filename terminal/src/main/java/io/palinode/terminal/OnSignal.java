package io.palinode.terminal;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What Ctrl-C and SIGTERM do while this is open: {@code action} runs, and the JVM stays until this
 * is closed, a minute at most unless a limit is given; then whatever processes it has started are
 * killed. So it is the first resource of a {@code try}: when it is closed, the others are.
 */
public final class OnSignal implements AutoCloseable {
  private static final Duration CLOSE_MAX = Duration.ofMinutes(1);

  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread hook;

  private OnSignal(Runnable action, Duration closeMax) {
    this.hook = new Thread(() -> stop(action, closeMax), "palinode-shutdown");
  }

  public static OnSignal does(Runnable action) {
    return does(action, CLOSE_MAX);
  }

  /** {@code closeMax} is how long the JVM stays at most. */
  public static OnSignal does(Runnable action, Duration closeMax) {
    OnSignal onSignal = new OnSignal(action, closeMax);
    Runtime.getRuntime().addShutdownHook(onSignal.hook);
    return onSignal;
  }

  private void stop(Runnable action, Duration closeMax) {
    action.run();
    try {
      if (!closed.await(closeMax.toMillis(), TimeUnit.MILLISECONDS)) {
        System.err.println("palinode: some part does not stop; leaving it");
        ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException running) {
      // The signal has come: the hook ends by the latch.
    }
  }
}
