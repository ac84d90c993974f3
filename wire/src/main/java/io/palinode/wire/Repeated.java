package io.palinode.wire;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A periodic task that no failure ends, also no lack of memory. Logs the first of successive
 * failures. For one thread.
 */
public final class Repeated implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Repeated.class);

  private final String name;
  private final Runnable step;
  private boolean isFailing;

  public Repeated(String name, Runnable step) {
    this.name = name;
    this.step = step;
  }

  @Override
  public void run() {
    try {
      step.run();
      isFailing = false;
    } catch (RuntimeException | OutOfMemoryError e) {
      // Thrown on, it would end an executor's periodic task without a line.
      report(e);
    }
  }

  private void report(Throwable failure) {
    if (isFailing) {
      return;
    }
    try {
      log.error("task={} state=FAILING, it continues", name, failure);
      isFailing = true;
    } catch (OutOfMemoryError e) {
      // The next failure is logged.
    }
  }
}
