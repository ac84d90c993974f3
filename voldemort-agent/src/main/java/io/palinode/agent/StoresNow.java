package io.palinode.agent;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stores of a running server that the agent watches, and those that it does not.
 *
 * <p>A store that is added is not watched until the server restarts. It is reported within {@link
 * #LOOK_EVERY_NANOS}, and as a coverage gap every {@link #GAP_EVERY_NANOS} while it exists.
 */
final class StoresNow {
  static final long LOOK_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
  static final long GAP_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final Logger log = LoggerFactory.getLogger(StoresNow.class);

  private final List<StockEngine> engines;
  private final List<String> unwatchedAtStart;
  private final Supplier<List<String>> namesNow;
  private final Runnable gap;
  private volatile Set<String> added = Set.of();
  // Of one thread.
  private long lookedAt;
  private long gapAt;
  private boolean failed;

  /**
   * @param unwatchedAtStart stores of a kind that is never watched
   * @param namesNow all stores of the server
   * @param gap publishes that writes were not observed
   */
  StoresNow(
      List<StockEngine> engines,
      List<String> unwatchedAtStart,
      Supplier<List<String>> namesNow,
      Runnable gap) {
    this.engines = List.copyOf(engines);
    this.unwatchedAtStart = List.copyOf(unwatchedAtStart);
    this.namesNow = namesNow;
    this.gap = gap;
    this.lookedAt = Long.MIN_VALUE;
  }

  /** Looks for added stores if it is time. Throws nothing. For one thread. */
  void look(long nowNanos) {
    if (lookedAt != Long.MIN_VALUE && nowNanos - lookedAt < LOOK_EVERY_NANOS) {
      return;
    }
    lookedAt = nowNanos;
    try {
      Set<String> found = new TreeSet<>(namesNow.get());
      found.removeAll(watched());
      found.removeAll(unwatchedAtStart);
      report(found, nowNanos);
      failed = false;
    } catch (RuntimeException e) {
      if (!failed) {
        failed = true;
        log.error("stores state=NOT_READ, whether one was added is not known", e);
      }
    }
  }

  private void report(Set<String> found, long nowNanos) {
    boolean isNew = !added.containsAll(found);
    added = Set.copyOf(found);
    if (isNew) {
      log.error(
          "stores={} state=UNWATCHED, added to a running server: restart all servers to watch them",
          found);
    }
    if (isNew || (!found.isEmpty() && nowNanos - gapAt >= GAP_EVERY_NANOS)) {
      gapAt = nowNanos;
      gap.run();
    }
  }

  List<String> watched() {
    return engines.stream().filter(e -> !e.isRemoved()).map(StockEngine::store).toList();
  }

  /** All stores that are not watched. */
  List<String> unwatched() {
    Set<String> all = new TreeSet<>(unwatchedAtStart);
    all.addAll(added);
    return List.copyOf(all);
  }

  /** Whether a store of the server should be watched and is not. */
  boolean isComplete() {
    return added.isEmpty();
  }
}
