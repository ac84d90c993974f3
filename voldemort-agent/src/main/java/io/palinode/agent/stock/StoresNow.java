package io.palinode.agent.stock;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stores of a running server: those that the agent watches, and those that were added.
 *
 * <p>An added store is not watched until the server restarts. It is reported within {@link
 * #LOOK_EVERY_NANOS}, and as a coverage gap every {@link #GAP_EVERY_NANOS} while it exists. The
 * gaps of one added store cover all time since the last look that did not find it.
 *
 * <p>Engines are compared, not names: the server removes a store's engine before it forgets the
 * store's name, and a store that is deleted and added again has another engine.
 */
public final class StoresNow {
  static final long LOOK_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
  static final long GAP_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final Logger log = LoggerFactory.getLogger(StoresNow.class);

  private final List<StockEngine> engines;
  private final List<String> unwatchedAtStart;
  private final Supplier<Map<String, Object>> enginesNow;
  private final LongSupplier nowHlc;
  private final LongPredicate gapSince;
  private volatile Set<String> added = Set.of();
  // Of one thread.
  private boolean looked;
  private long lookedAt;
  private long gapAt;
  private long coveredUpTo;
  private boolean isPending;
  private boolean failed;

  /**
   * @param unwatchedAtStart stores of a kind that is never watched
   * @param enginesNow the engine of each store of the server
   * @param nowHlc the node's HLC
   * @param gapSince publishes a coverage gap from an HLC to now; false if that is not possible yet
   */
  public StoresNow(
      List<StockEngine> engines,
      List<String> unwatchedAtStart,
      Supplier<Map<String, Object>> enginesNow,
      LongSupplier nowHlc,
      LongPredicate gapSince) {
    this.engines = List.copyOf(engines);
    this.unwatchedAtStart = List.copyOf(unwatchedAtStart);
    this.enginesNow = enginesNow;
    this.nowHlc = nowHlc;
    this.gapSince = gapSince;
    this.coveredUpTo = nowHlc.getAsLong();
  }

  /** Looks for added stores if it is time. Throws no exception. For one thread. */
  public void look(long nowNanos) {
    if (looked && nowNanos - lookedAt < LOOK_EVERY_NANOS) {
      return;
    }
    looked = true;
    lookedAt = nowNanos;
    try {
      // Before the look: a store that is added during it may not be found.
      long hlc = nowHlc.getAsLong();
      report(unwatchedNow(), nowNanos, hlc);
      failed = false;
    } catch (RuntimeException e) {
      if (!failed) {
        failed = true;
        log.error("stores state=NOT_READ, whether a store was added is unknown; tried again", e);
      }
    }
  }

  private Set<String> unwatchedNow() {
    Set<String> found = new TreeSet<>();
    enginesNow
        .get()
        .forEach(
            (store, engine) -> {
              boolean isKnown = engines.stream().anyMatch(each -> each.is(engine));
              if (!isKnown && !unwatchedAtStart.contains(store)) {
                found.add(store);
              }
            });
    return found;
  }

  private void report(Set<String> found, long nowNanos, long hlc) {
    boolean isDue = isPending || !added.equals(found);
    boolean isNew = !added.containsAll(found);
    added = Set.copyOf(found);
    if (isNew) {
      log.error(
          "stores={} state=UNWATCHED, added to a running server: restart all servers to watch them",
          found);
    }
    if (found.isEmpty() && !isDue) {
      coveredUpTo = hlc;
    } else if (isDue || nowNanos - gapAt >= GAP_EVERY_NANOS) {
      gapAt = nowNanos;
      isPending = !gapSince.test(coveredUpTo);
      coveredUpTo = isPending ? coveredUpTo : hlc;
    }
  }

  public List<String> watched() {
    return engines.stream().filter(e -> !e.isRemoved()).map(StockEngine::store).toList();
  }

  /** All stores that are not watched. */
  public List<String> unwatched() {
    Set<String> all = new TreeSet<>(unwatchedAtStart);
    all.addAll(added);
    return List.copyOf(all);
  }

  /** The stores that were added since the start, in order of their names. */
  public List<String> added() {
    return added.stream().sorted().toList();
  }

  /** Returns false if a store was added that is not watched. */
  public boolean isComplete() {
    return added.isEmpty();
  }
}
