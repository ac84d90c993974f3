package io.palinode.agent.stock;

import io.palinode.hvc.Hlc;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hints ("slops") that this server keeps for unreachable servers. A hint of an undone write
 * would restore it. The time of a hint is that of its client's clock.
 */
public final class Hints {
  private static final Logger log = LoggerFactory.getLogger(Hints.class);
  private static final long MICROS_PER_MILLI = 1_000;

  private final @Nullable Object hints;
  private final Set<String> stores;
  private final OwnCalls own;
  private final MethodHandle entries;
  private final MethodHandle delete;
  private final MethodHandle hasNext;
  private final MethodHandle next;
  private final MethodHandle close;
  private final MethodHandle first;
  private final MethodHandle second;
  private final MethodHandle value;
  private final MethodHandle arrived;
  private final MethodHandle storeOf;

  /**
   * @param slopEngine the server's engine of hints; null if it keeps none
   * @param stores the stores whose hints are dropped
   */
  public Hints(StockTypes types, @Nullable Object slopEngine, Set<String> stores, OwnCalls own) {
    Class<?> engine = types.type("voldemort.store.StorageEngine");
    Class<?> iterator = types.type("voldemort.utils.ClosableIterator");
    Class<?> pair = types.type("voldemort.utils.Pair");
    Class<?> slop = types.type("voldemort.store.slop.Slop");
    this.stores = stores;
    this.own = own;
    this.hints =
        slopEngine == null
            ? null
            : StockTypes.call(
                types.method(slopEngine.getClass(), "asSlopStore", engine), slopEngine);
    entries = types.method(engine, "entries", iterator);
    Class<?> version = types.type("voldemort.versioning.Version");
    delete = types.method(engine, "delete", boolean.class, Object.class, version);
    hasNext = types.method(iterator, "hasNext", boolean.class);
    next = types.method(iterator, "next", Object.class);
    close = types.method(iterator, "close", void.class);
    first = types.method(pair, "getFirst", Object.class);
    second = types.method(pair, "getSecond", Object.class);
    value = types.method(types.type("voldemort.versioning.Versioned"), "getValue", Object.class);
    arrived = types.method(slop, "getArrived", Date.class);
    storeOf = types.method(slop, "getStoreName", String.class);
  }

  /**
   * The engine whose woven methods run when a hint is added; null if there is none.
   *
   * @param slopEngine the server's engine of hints
   */
  public static @Nullable Object engineOf(@Nullable Object slopEngine) {
    return slopEngine == null ? null : StockTypes.field(slopEngine, "slopEngine");
  }

  /** Drops the hints from the millisecond of {@code target} on. O(hints). */
  public void dropAfter(long target) {
    if (hints == null) {
      return;
    }
    long fromMillis = Hlc.micros(target) / MICROS_PER_MILLI;
    int dropped = own.run(() -> drop(hints, fromMillis));
    if (dropped > 0) {
      log.info("hints dropped={} target={}", dropped, Hlc.format(target));
    }
  }

  private int drop(Object from, long fromMillis) {
    List<Object> late = new ArrayList<>();
    Object iterator = StockTypes.call(entries, from);
    try {
      while ((boolean) StockTypes.call(hasNext, iterator)) {
        Object pair = StockTypes.call(next, iterator);
        Object slop = StockTypes.call(value, StockTypes.call(second, pair));
        Date at = (Date) StockTypes.call(arrived, slop);
        String store = (String) StockTypes.call(storeOf, slop);
        if (at.toInstant().toEpochMilli() >= fromMillis && stores.contains(store)) {
          late.add(StockTypes.call(first, pair));
        }
      }
    } finally {
      Object unused = StockTypes.call(close, iterator);
    }
    late.forEach(
        key -> {
          Object unused = StockTypes.call(delete, from, key, null);
        });
    return late.size();
  }
}
