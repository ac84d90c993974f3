package io.palinode.launcher;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** What was started, to be closed in the reverse order. Not thread-safe. */
final class Parts implements AutoCloseable {
  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  <T extends AutoCloseable> T started(T part) {
    started.push(part);
    return part;
  }

  /**
   * Closes all parts, also if one fails, and then throws the first failure. An earlier interrupt
   * does not cut a close short; the thread is interrupted again afterwards.
   */
  @Override
  public void close() {
    boolean interrupted = Thread.interrupted();
    try {
      closeAll();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void closeAll() {
    @Nullable IllegalStateException failure = null;
    while (!started.isEmpty()) {
      AutoCloseable part = started.pop();
      try {
        part.close();
      } catch (Exception e) { // AutoCloseable allows any.
        if (failure == null) {
          failure = new IllegalStateException("a part did not close: " + part, e);
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
