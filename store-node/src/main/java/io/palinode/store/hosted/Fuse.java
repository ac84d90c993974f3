package io.palinode.store.hosted;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts a node's internal failures, and logs the first. Blows once, at the limit of failures
 * within a minute. Thread-safe.
 */
public final class Fuse {
  private static final Logger log = LoggerFactory.getLogger(Fuse.class);

  private static final Duration WINDOW = Duration.ofMinutes(1);

  private final String loss;
  private final int failuresMax;
  private final RecentCount recent;
  private final Runnable onFailure;
  private final Runnable onBlow;
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicBoolean blown = new AtomicBoolean();
  private final AtomicReference<@Nullable String> first = new AtomicReference<>();

  /**
   * Both actions run in a client's thread: they must not wait.
   *
   * @param loss the effect of a blown fuse, for the log
   * @param failuresMax the failures within a minute at which it blows
   * @param onFailure runs at each failure
   * @param onBlow runs once, when the fuse blows
   */
  public Fuse(String loss, int failuresMax, Runnable onFailure, Runnable onBlow) {
    this(loss, failuresMax, onFailure, onBlow, System::nanoTime);
  }

  Fuse(String loss, int failuresMax, Runnable onFailure, Runnable onBlow, LongSupplier nanos) {
    this.loss = loss;
    this.failuresMax = failuresMax;
    this.onFailure = onFailure;
    this.onBlow = onBlow;
    this.recent = new RecentCount(WINDOW, nanos);
  }

  public void failed(Throwable bug) {
    if (first.compareAndSet(null, String.valueOf(bug))) {
      log.error(
          "agent failures=1 limit={}/min; the first, kept from the server:", failuresMax, bug);
    }
    onFailure.run();
    failures.incrementAndGet();
    if (recent.add() >= failuresMax) {
      blow(String.valueOf(first.get()));
    }
  }

  /** Blows at once, for a failure that misses all later writes. */
  public void blow(String why) {
    boolean unused = first.compareAndSet(null, why);
    if (blown.compareAndSet(false, true)) {
      log.error("agent state=OFF failures={} why={}: {}", failures.get(), why, loss);
      onBlow.run();
    }
  }

  /** All failures since the start. */
  public int failures() {
    return failures.get();
  }

  public boolean isBlown() {
    return blown.get();
  }

  /** The first failure; empty if there was none. */
  public String first() {
    String text = first.get();
    return text == null ? "" : text;
  }
}
