package io.palinode.agent;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the agent's own failures, tells the first, and blows once when there were too many.
 * Thread-safe.
 */
public final class Fuse {
  private static final Logger log = LoggerFactory.getLogger(Fuse.class);

  private final String loss;
  private final int failuresMax;
  private final Runnable tell;
  private final Runnable blow;
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicBoolean blown = new AtomicBoolean();
  private final AtomicReference<@Nullable String> first = new AtomicReference<>();

  /**
   * Both run on the thread of a failure, which is a client's: they must not wait.
   *
   * @param loss what is so once it has blown
   * @param tell runs at each failure
   * @param blow runs once, at the last one, or at {@link #blow}
   */
  public Fuse(String loss, int failuresMax, Runnable tell, Runnable blow) {
    this.loss = loss;
    this.failuresMax = failuresMax;
    this.tell = tell;
    this.blow = blow;
  }

  public void failed(Throwable bug) {
    if (first.compareAndSet(null, String.valueOf(bug))) {
      log.error("agent failures=1 limit={}; the first, kept from the server:", failuresMax, bug);
    }
    tell.run();
    if (failures.incrementAndGet() >= failuresMax) {
      blow(String.valueOf(first.get()));
    }
  }

  /** At once: writes will be missed from now on. */
  public void blow(String why) {
    boolean unused = first.compareAndSet(null, why);
    if (blown.compareAndSet(false, true)) {
      log.error("agent state=OFF failures={} why={}: {}", failures.get(), why, loss);
      blow.run();
    }
  }

  public int failures() {
    return failures.get();
  }

  public boolean isBlown() {
    return blown.get();
  }

  /** Empty: there was none. */
  public String first() {
    String text = first.get();
    return text == null ? "" : text;
  }
}
