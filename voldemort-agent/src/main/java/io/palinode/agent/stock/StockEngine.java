package io.palinode.agent.stock;

import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.io.File;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One storage engine of the server; reads and sets its records in the server's format. As
 * thread-safe as the engine. Call within {@link OwnCalls}, so that the hooks ignore it.
 */
public final class StockEngine {
  private final StockTypes types;
  private final String store;
  private final Object engine;
  private final boolean prefixed;
  private final @Nullable ConcurrentMap<Object, List<?>> memory;
  private final @Nullable File folder;
  private final BooleanSupplier alone;
  private final Calls calls;
  private volatile boolean removed;

  /** The methods of the interface of all engines. */
  record Calls(MethodHandle get, MethodHandle delete, Locked locked, Entries entries) {
    private static final String ENGINE = "voldemort.store.StorageEngine";

    static Calls of(StockTypes types) {
      Class<?> engine = types.type(ENGINE);
      Class<?> version = types.type("voldemort.versioning.Version");
      return new Calls(
          types.method(engine, "get", List.class, Object.class, Object.class),
          types.method(engine, "delete", boolean.class, Object.class, version),
          Locked.of(types),
          Entries.of(types));
    }

    /** Replaces a record under its lock. */
    private record Locked(
        MethodHandle getAndLock,
        MethodHandle setValues,
        MethodHandle putAndUnlock,
        MethodHandle releaseLock) {

      static Locked of(StockTypes types) {
        Class<?> engine = types.type(ENGINE);
        Class<?> handle = types.type("voldemort.server.storage.KeyLockHandle");
        return new Locked(
            types.method(engine, "getAndLock", handle, Object.class),
            types.method(handle, "setValues", void.class, List.class),
            types.method(engine, "putAndUnlock", void.class, Object.class, handle),
            types.method(engine, "releaseLock", void.class, handle));
      }
    }

    /** Walks over the pairs of an engine. */
    private record Entries(
        MethodHandle open,
        MethodHandle hasNext,
        MethodHandle next,
        MethodHandle close,
        MethodHandle first,
        MethodHandle second) {

      static Entries of(StockTypes types) {
        Class<?> iterator = types.type("voldemort.utils.ClosableIterator");
        Class<?> pair = types.type("voldemort.utils.Pair");
        return new Entries(
            types.method(types.type(ENGINE), "entries", iterator),
            types.method(iterator, "hasNext", boolean.class),
            types.method(iterator, "next", Object.class),
            types.method(iterator, "close", void.class),
            types.method(pair, "getFirst", Object.class),
            types.method(pair, "getSecond", Object.class));
      }
    }
  }

  /** Receives a key and its record. */
  @FunctionalInterface
  public interface Visitor {
    void visit(byte[] key, byte[] record);
  }

  /**
   * @param alone whether this thread excludes all writes
   */
  @SuppressWarnings("unchecked") // The server's types are unknown here.
  StockEngine(
      StockTypes types,
      Calls calls,
      String store,
      Object engine,
      Kind kind,
      BooleanSupplier alone) {
    this.types = types;
    this.calls = calls;
    this.store = store;
    this.engine = engine;
    this.prefixed = kind == Kind.BDB_PREFIXED;
    this.memory =
        kind == Kind.MEMORY
            ? (ConcurrentMap<Object, List<?>>) StockTypes.field(engine, "map")
            : null;
    this.folder = memory == null ? folderOf(types, engine) : null;
    this.alone = alone;
  }

  private static File folderOf(StockTypes types, Object engine) {
    Object environment = environment(engine);
    return (File)
        StockTypes.call(types.method(environment.getClass(), "getHome", File.class), environment);
  }

  /** That of Berkeley DB. */
  private static Object environment(Object engine) {
    return StockTypes.field(engine, "environment");
  }

  /** The kind of the engine. */
  public enum Kind {
    BDB,
    /** A key follows the number of its partition, two bytes. */
    BDB_PREFIXED,
    MEMORY
  }

  public String store() {
    return store;
  }

  /** The server removes the store: unreadable records count as absent. */
  public void remove() {
    removed = true;
  }

  public boolean isRemoved() {
    return removed;
  }

  boolean is(Object other) {
    return engine == other;
  }

  /** The folder of its records; null in memory. */
  @Nullable File folder() {
    return folder;
  }

  /** Whether this thread excludes all writes. */
  boolean isAlone() {
    return alone.getAsBoolean();
  }

  boolean isInMemory() {
    return memory != null;
  }

  /** The client's key, from the key in a call of the engines' base class. */
  public byte[] clientKey(Object key) {
    byte[] bytes = types.bytes(key);
    return prefixed ? Arrays.copyOfRange(bytes, Short.BYTES, bytes.length) : bytes;
  }

  public byte @Nullable [] get(byte[] key) {
    try {
      return get(types.key(key));
    } catch (RuntimeException e) {
      if (removed) {
        return null;
      }
      throw e;
    }
  }

  /**
   * Reads a memory engine without its monitor if this thread is alone: a waiting writer may hold
   * the monitor.
   */
  private byte @Nullable [] get(Object key) {
    return memory != null && alone.getAsBoolean()
        ? memoryRecord(key)
        : types.record((List<?>) StockTypes.call(calls.get(), engine, key, null));
  }

  /** The record of a key. Call under the engine's monitor, or alone. */
  public byte @Nullable [] memoryRecord(Object key) {
    return memory == null ? null : types.record(memory.get(key));
  }

  /** Sets the record of a key. Call alone. */
  void set(byte[] key, byte @Nullable [] record) {
    if (removed) {
      return;
    }
    Object stockKey = types.key(key);
    List<Object> versions = record == null ? List.of() : stockVersions(record);
    if (memory != null) {
      if (versions.isEmpty()) {
        memory.remove(stockKey);
      } else {
        memory.put(stockKey, versions);
      }
    } else if (versions.isEmpty()) {
      // Never an empty list: keys() would name a key that get() does not find.
      Object unused = StockTypes.call(calls.delete(), engine, stockKey, null);
    } else {
      replace(stockKey, versions);
    }
  }

  private void replace(Object stockKey, List<Object> versions) {
    Object handle = StockTypes.call(calls.locked().getAndLock(), engine, stockKey);
    try {
      Object unused = StockTypes.call(calls.locked().setValues(), handle, versions);
    } catch (RuntimeException | Error e) {
      Object unused = StockTypes.call(calls.locked().releaseLock(), engine, handle);
      throw e;
    }
    // putAndUnlock releases the lock even if it fails; a second release would hide the cause.
    Object unused = StockTypes.call(calls.locked().putAndUnlock(), engine, stockKey, handle);
  }

  private List<Object> stockVersions(byte[] record) {
    List<Object> versions = new ArrayList<>(1);
    for (Versioned each : Siblings.decode(record)) {
      versions.add(types.versioned(each.value(), each.clock()));
    }
    return versions;
  }

  /**
   * Visits each key once. A key that changes meanwhile appears with one of its records, or not at
   * all.
   */
  public void scan(Visitor visitor) {
    try {
      visitAll(visitor);
    } catch (RuntimeException e) {
      if (!removed) {
        throw e;
      }
    }
  }

  private void visitAll(Visitor visitor) {
    if (memory != null && alone.getAsBoolean()) {
      memory.forEach(
          (key, versions) -> {
            byte[] record = types.record(versions);
            if (record != null) {
              visitor.visit(types.bytes(key), record);
            }
          });
      return;
    }
    Object iterator = StockTypes.call(calls.entries().open(), engine);
    try {
      visitEach(iterator, visitor);
    } finally {
      Object unused = StockTypes.call(calls.entries().close(), iterator);
    }
  }

  /** The versions of a key are consecutive. */
  private void visitEach(Object iterator, Visitor visitor) {
    byte @Nullable [] key = null;
    List<Object> versions = new ArrayList<>(1);
    while ((boolean) StockTypes.call(calls.entries().hasNext(), iterator)) {
      Object pair = StockTypes.call(calls.entries().next(), iterator);
      byte[] nextKey = types.bytes(StockTypes.call(calls.entries().first(), pair));
      if (key != null && !Arrays.equals(key, nextKey)) {
        visit(key, versions, visitor);
        versions.clear();
      }
      key = nextKey;
      versions.add(StockTypes.call(calls.entries().second(), pair));
    }
    if (key != null) {
      visit(key, versions, visitor);
    }
  }

  private void visit(byte[] key, List<Object> versions, Visitor visitor) {
    byte[] record = types.record(versions);
    if (record != null) {
      visitor.visit(key, record);
    }
  }

  /** Makes acknowledged writes survive a loss of power. Does nothing in memory. */
  void sync() {
    if (memory == null) {
      Object environment = environment(engine);
      Object unused =
          StockTypes.call(types.method(environment.getClass(), "sync", void.class), environment);
    }
  }
}
