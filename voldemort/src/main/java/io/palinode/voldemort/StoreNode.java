package io.palinode.voldemort;

import io.palinode.detector.HlcSpan;
import io.palinode.detector.MissedEpochs;
import io.palinode.detector.NodeHealth;
import io.palinode.detector.RestoreRefusedException;
import io.palinode.detector.SequentialKeys;
import io.palinode.detector.StoreBinding;
import io.palinode.detector.StoreKey;
import io.palinode.detector.UndoEffect;
import io.palinode.detector.Version;
import io.palinode.detector.WriteEvent;
import io.palinode.detector.affected.Trace;
import io.palinode.hvc.ClockDriftException;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.WindowLog;
import io.palinode.retroscope.snapshot.HalfUndoneException;
import io.palinode.retroscope.snapshot.History;
import io.palinode.retroscope.snapshot.OpenSnapshot;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.voldemort.StorageEngine.Change;
import io.palinode.voldemort.StorageEngine.Durability;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One store node: requests in, storage, clock and window-log behind it, and the node's side of a
 * rollback. Thread-safe.
 *
 * <p>Writes, and everything that changes records or the fence, run one at a time under {@code
 * writeLock}, in the order of docs/explanation/overview.md, "A write at a node". Reads take no
 * lock: a read is served when the fence did not change between its beginning and its end. Where the
 * storage is another server's ({@link #entered}), its writes share that lock's other side, and only
 * their stamps are taken one at a time. It is one class, long as it is, because one lock orders all
 * of it.
 */
public final class StoreNode implements StoreBinding, AutoCloseable {
  /** The name under which clients ask for cluster.xml and the like; never a store of its own. */
  public static final String METADATA = "metadata";

  /** What several keys have together, at most. */
  private static final int ANSWER_BYTES_MAX = Frames.MESSAGE_BYTES_MAX;

  /** The part of a window-log's bytes that the list of deletes may take besides. */
  private static final int DELETES_PART = 4;

  private static final Logger log = LoggerFactory.getLogger(StoreNode.class);

  private final StoreNodeConfig config;
  private final StorageEngine engine;
  private final HvcClock clock;
  private final Hvc noReading;
  private final long incarnation;
  private final Map<String, LocalStore> stores = new LinkedHashMap<>();
  private final List<WriteListener> listeners = new CopyOnWriteArrayList<>();
  private final NodeCounters counters = new NodeCounters();
  private final LongSupplier epochMicros;
  private final StorageHealth health;
  private final RefusedClocks refusedClocks = new RefusedClocks();
  private final Writers writers;
  private final Accesses accesses = new Accesses();

  /** Shared by writes that another server makes, which order each key's by locks of their own. */
  private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();

  private final Lock writeLock = gate.writeLock();

  /** Orders what shares the gate; held shortly, only the promise's lock after it. */
  private final ReentrantLock stampLock = new ReentrantLock();

  private final NodeHistory history;
  // Written under writeLock; a read of the reference is enough to see a whole state.
  private volatile FenceState fence;

  // Not on disk: a watched node reads it from the control log before it serves anything.
  private volatile List<SequentialKeys> sequential = List.of();
  private volatile long safePoint;
  // Guarded by writeLock.
  private final Rewind rewind;
  private boolean closed;
  private final ClockPromise promise;

  /**
   * A node over {@code engine}, which holds the config's stores and {@link #metaStore}; the node
   * closes it. Begins another incarnation. Throws {@link ClockBehindException}, and changes
   * nothing, before the clock has come to {@link #opensFromMicros}.
   *
   * @param epochMicros the physical clock, microseconds since the Unix epoch
   */
  public StoreNode(StoreNodeConfig config, StorageEngine engine, LongSupplier epochMicros) {
    this(config, engine, epochMicros, null);
  }

  /**
   * Like the other; its window-logs go on where they ended, when nothing can be missing since.
   * Throws {@link io.palinode.retroscope.DiskLogException} when what lies there is not its own.
   *
   * @param disk null: they are in memory only
   */
  public StoreNode(
      StoreNodeConfig config,
      StorageEngine engine,
      LongSupplier epochMicros,
      @Nullable PastOnDisk disk) {
    this.config = config;
    this.engine = engine;
    this.epochMicros = epochMicros;
    this.health = new StorageHealth(config.nodeId());
    this.clock =
        new HvcClock(
            config.nodeId(), config.nodes(), config.epsilon(), epochMicros, config.maxDrift());
    this.noReading = Hvc.unknown(config.nodes());
    NodeMeta.Start last = ClockPromise.last(engine);
    requireReached(last.promisedHlc(), epochMicros.getAsLong());
    DiskLogs logs = new DiskLogs(config, disk, last.incarnation(), counters);
    long openedAt = clock.tick(ownReading(Math.max(last.promisedHlc(), logs.last()))).own();
    this.incarnation = last.incarnation() + 1;
    this.promise =
        new ClockPromise(engine, config.writes(), health, epochMicros, incarnation, openedAt);
    // Only now: a log that is of a later incarnation than the records could miss some.
    logs.begin(incarnation);
    this.writers = new Writers(openedAt);
    this.fence = NodeMeta.readFence(engine);
    this.rewind = new Rewind(config, engine, clock, promise::change);
    for (StoreDefinition store : config.stores()) {
      Ring ring = new Ring(config.cluster(), store.replicationFactor());
      // Where no past is kept, no time is in reach.
      long from = config.keepsPast() ? openedAt : Long.MAX_VALUE;
      WindowLog past = logs.past(store.name(), config.windowLog(), from);
      Deletes deletes = deletes(logs.deletes(store.name(), openedAt));
      stores.put(store.name(), new LocalStore(store.name(), ring, past, deletes));
    }
    this.history = new NodeHistory(engine, clock, stores, writeLock);
    log.info("node={} phase=OPEN incarnation={} epoch={}", node(), incarnation, fence.epoch());
  }

  /**
   * The physical time, in microseconds since the Unix epoch, before which no node is opened over
   * {@code engine}. A clock that began ahead of the physical one would know its own node far better
   * than the others: what they held in that time would seem to be over, or to be still to come.
   */
  public static long opensFromMicros(StorageEngine engine) {
    return Hlc.micros(ClockPromise.last(engine).promisedHlc());
  }

  private void requireReached(long promised, long nowMicros) {
    if (nowMicros < Hlc.micros(promised)) {
      throw new ClockBehindException(node(), promised, nowMicros);
    }
  }

  private Deletes deletes(@Nullable WindowLog disk) {
    return new Deletes(
        config.windowLog().bytesMax() / DELETES_PART,
        () -> counters.add(NodeCounter.DELETES_FORGOTTEN),
        disk);
  }

  /** The store of the node's own records, which its engine must hold beside the config's. */
  public static String metaStore() {
    return NodeMeta.STORE;
  }

  // ---- requests

  /** The versions of a key, none when it is absent. */
  public Reply<List<Versioned>> get(StoreKey key, Caller caller) throws RefusedException {
    counters.add(NodeCounter.GETS);
    store(key.store());
    return read(
        caller,
        () -> LocalStore.versions(engine.get(key.store(), key.key())),
        hlc -> accesses.read(hlc, key.store(), key.key(), caller.follower()));
  }

  /**
   * The versions that a key had here at {@code hlc}, also what a rollback took back later. Refused
   * with the range that can be read when the time is out of it. O(changes since).
   */
  public Reply<List<Versioned>> getAsOf(StoreKey key, long hlc, Caller caller)
      throws RefusedException {
    counters.add(NodeCounter.GETS);
    store(key.store());
    try {
      return read(
          caller,
          () -> LocalStore.versions(history.getAsOf(key.store(), key.key(), hlc)),
          now -> accesses.read(now, key.store(), key.key(), caller.follower()));
    } catch (OutOfReachException | HalfUndoneException e) {
      throw refuse(ErrorCode.VOLDEMORT, String.valueOf(e.getMessage()));
    } catch (UncheckedIOException e) {
      throw unreadPast(e);
    }
  }

  /** The refusal of what the window-log on disk could not be read for, to throw; counted. */
  public RefusedException unreadPast(UncheckedIOException failed) {
    return refuse(
        ErrorCode.PERSISTENCE_FAILURE, "node %d: %s".formatted(node(), failed.getMessage()));
  }

  /**
   * The versions of several keys, in the order of {@code keys}; refused when that is more than an
   * answer holds.
   */
  public Reply<List<List<Versioned>>> getAll(String store, List<byte[]> keys, Caller caller)
      throws RefusedException {
    counters.add(NodeCounter.GETS);
    store(store);
    Reply<List<List<Versioned>>> found =
        read(
            caller,
            () -> foundWithinLimit(store, keys),
            hlc -> keys.forEach(key -> accesses.read(hlc, store, key, caller.follower())));
    if (found.value().size() < keys.size()) {
      throw refuse(
          ErrorCode.VOLDEMORT,
          "what is found must be at most %d bytes: ask for fewer keys than %d at once"
              .formatted(ANSWER_BYTES_MAX, keys.size()));
    }
    return found;
  }

  /** Fewer than {@code keys} when all would be too much to hold. */
  private List<List<Versioned>> foundWithinLimit(String store, List<byte[]> keys) {
    List<List<Versioned>> found = new ArrayList<>(keys.size());
    long bytes = 0;
    for (byte[] key : keys) {
      byte[] record = engine.get(store, key);
      bytes += key.length + (record == null ? 0 : record.length);
      if (bytes > ANSWER_BYTES_MAX) {
        return found;
      }
      found.add(LocalStore.versions(record));
    }
    return found;
  }

  /** Adds a version. Refused as obsolete when the node has a newer or equal one. */
  public Reply<Boolean> put(StoreKey key, Versioned added, Caller caller) throws RefusedException {
    counters.add(NodeCounter.PUTS);
    Versioned known = added.withOrigin(caller.originAt(node()));
    return write(new Write(key, caller, known, null, stored -> Siblings.put(stored, known)));
  }

  /** Removes the versions at or before {@code upTo}; the reply tells whether there were any. */
  public Reply<Boolean> delete(StoreKey key, VectorClock upTo, Caller caller)
      throws RefusedException {
    counters.add(NodeCounter.DELETES);
    return write(
        new Write(
            key,
            caller,
            null,
            upTo,
            stored -> {
              List<Versioned> left = Siblings.delete(stored, upTo);
              return left.size() == stored.size() ? null : left;
            }));
  }

  /** Refuses a key whose replicas are on other nodes. */
  public void requireHeld(StoreKey key) throws RefusedException {
    if (!store(key.store()).isHeldBy(node(), key.key())) {
      throw refuse(
          ErrorCode.INVALID_METADATA,
          "a key of store %s is not held by node %d: bootstrap again"
              .formatted(key.store(), node()));
    }
  }

  /** A refusal to throw, counted as an error. */
  public RefusedException refuse(ErrorCode code, String message) {
    counters.add(NodeCounter.ERRORS);
    return new RefusedException(code, message);
  }

  /** The refusal of a put, to throw; counted. */
  public RefusedException obsolete(Versioned added) {
    counters.add(NodeCounter.OBSOLETE);
    return new RefusedException(
        ErrorCode.OBSOLETE_VERSION,
        "node " + node() + " has a version newer than or equal to " + added.clock());
  }

  /**
   * A write that was asked for, a put of {@code added} or a delete of what is at most {@code
   * deleted}; {@code edit} gives null when it changes nothing.
   */
  private record Write(
      StoreKey key,
      Caller caller,
      @Nullable Versioned added,
      @Nullable VectorClock deleted,
      Edit edit) {}

  @FunctionalInterface
  private interface Edit {
    @Nullable List<Versioned> on(List<Versioned> stored);
  }

  /**
   * @param seen told the time by which the client has seen it
   */
  private <T> Reply<T> read(Caller caller, Supplier<T> look, LongConsumer seen)
      throws RefusedException {
    FenceState admitted = admit(caller);
    T value;
    try {
      value = look.get();
    } catch (StorageException e) {
      // It may have waited for a record that a restore was writing.
      requireSameFence(admitted);
      throw failed(e);
    }
    // Read, then tick: the reading is after every write that the value shows.
    Hvc reading = receive(caller);
    if (config.keepsPast()) {
      // Before the fence is looked at: whoever pauses the node knows of all that was answered.
      seen.accept(reading.own());
    }
    requireSameFence(admitted);
    return new Reply<>(value, reading, 0, admitted.epoch());
  }

  private Reply<Boolean> write(Write write) throws RefusedException {
    LocalStore store = store(write.key().store());
    // Also a delete of what is not there is noted, and a rollback tells of it.
    requireTellable(write.key().key().length);
    // Twice: here, so that a fenced writer does not wait for a restore; under the lock, to be sure.
    admit(write.caller());
    writeLock.lock();
    try {
      FenceState admitted = admit(write.caller());
      byte[] old = engine.get(store.name(), write.key().key());
      List<Versioned> siblings = write.edit().on(LocalStore.versions(old));
      return siblings == null
          ? unchanged(store, write, admitted)
          : commit(store, write, old, siblings, admitted);
    } catch (StorageException e) {
      throw failed(e);
    } finally {
      writeLock.unlock();
    }
  }

  private Reply<Boolean> commit(
      LocalStore store,
      Write write,
      byte @Nullable [] old,
      List<Versioned> siblings,
      FenceState admitted)
      throws RefusedException {
    byte[] key = write.key().key();
    byte[] record = LocalStore.record(siblings);
    Change change = new Change(store.name(), key, record);
    if (!config.keepsPast()) {
      make(change);
      return new Reply<>(true, lastReading(), 0, admitted.epoch());
    }
    if (write.added() != null) {
      requireTellable(key.length + (record == null ? 0L : record.length));
    }
    Hvc before = clock.tick();
    Hvc after = receive(write.caller());
    promise.coverWrite(after.own());
    logged(store, key, old, after);
    boolean allTold = false;
    try {
      make(change);
      noteDelete(store, write, after.own());
      told(write, after.own(), () -> event(write, siblings, before, after));
      allTold = true;
    } catch (StorageException notMade) {
      allTold = true;
      throw notMade;
    } finally {
      if (!allTold) {
        unheard();
      }
    }
    return new Reply<>(true, after, after.own(), admitted.epoch());
  }

  private void requireTellable(long bytes) throws RefusedException {
    if (bytes > KeyRecord.BYTES_MAX) {
      throw refuse(
          ErrorCode.VOLDEMORT,
          "a key and its versions must have at most %,d bytes together, for a rollback to restore them: %,d"
              .formatted(KeyRecord.BYTES_MAX, bytes));
    }
  }

  /**
   * First the log: a change in it that was not made changes nothing, but one that was made and is
   * not in it could never be undone.
   */
  private void logged(LocalStore store, byte[] key, byte @Nullable [] old, Hvc after) {
    store.past().append(after.own(), key, old);
    store.deletes().forgetUpTo(store.past().reach());
  }

  private void told(Write write, long hlc, Supplier<WriteEvent> event) {
    writers.wrote(hlc, write.caller().writer());
    noteAccess(write, hlc);
    if (write.caller().hvc() == null) {
      counters.add(NodeCounter.STOCK_WRITES);
    }
    for (WriteListener listener : listeners) {
      if (listener.watches(write.key())) {
        listener.written(event.get());
      }
    }
  }

  /**
   * A write is made, or will be, and nobody was told: the listeners hear that much. By any thread;
   * takes no lock, and allocates nothing: there may be no memory.
   */
  public void unheard() {
    for (int i = 0; i < listeners.size(); i++) {
      listeners.get(i).missedWrite();
    }
  }

  private void make(Change change) {
    engine.commit(List.of(change), config.writes());
    health.requestDone();
  }

  /**
   * A delete is what it was when the first node accepted it, also when that node had nothing to
   * delete: whoever knows of it may write the key anew from then on. A copy that arrives later says
   * nothing more, and how much later is no matter.
   */
  private void noteDelete(LocalStore store, Write write, long hlc) {
    if (write.deleted() != null && !write.caller().isCopyAt(node())) {
      store.deletes().add(hlc, write.key().key(), write.deleted());
    }
  }

  private void noteAccess(Write write, long hlc) {
    StoreKey key = write.key();
    String client = write.caller().followedWriter();
    boolean isCopy = write.caller().isCopyAt(node());
    if (write.added() != null) {
      accesses.put(hlc, key.store(), key.key(), write.added(), client, isCopy);
    } else if (write.deleted() != null) {
      accesses.delete(hlc, key.store(), key.key(), write.deleted(), client, isCopy);
    }
  }

  private Reply<Boolean> unchanged(LocalStore store, Write write, FenceState admitted)
      throws RefusedException {
    Hvc reading = receive(write.caller());
    if (config.keepsPast()) {
      noteDelete(store, write, reading.own());
      noteUnchanged(write, reading.own());
    }
    if (write.added() != null) {
      throw obsolete(write.added());
    }
    return new Reply<>(false, reading, 0, admitted.epoch());
  }

  /**
   * A delete may find something elsewhere. A put that is refused tells that the node has something
   * newer; of a copy, nobody looks at that.
   */
  private void noteUnchanged(Write write, long hlc) {
    Caller caller = write.caller();
    if (write.deleted() != null) {
      noteAccess(write, hlc);
    } else if (!caller.isCopyAt(node())) {
      accesses.read(hlc, write.key().store(), write.key().key(), caller.follower());
    }
  }

  private WriteEvent event(Write write, List<Versioned> siblings, Hvc before, Hvc after) {
    return new WriteEvent(
        write.key(),
        versions(siblings),
        write.added() == null ? null : version(write.added()),
        before,
        after,
        write.caller().writer(),
        write.caller().toldOriginAt(node()));
  }

  private FenceState admit(Caller caller) throws RefusedException {
    FenceState now = fence;
    FenceState refusal = now.refusal(caller.epoch());
    if (refusal != null) {
      throw fenced(refusal);
    }
    return now;
  }

  private void requireSameFence(FenceState admitted) throws RefusedException {
    FenceState now = fence;
    // No state comes back: epochs only grow, and each is paused before it is served.
    if (!now.equals(admitted)) {
      throw fenced(now);
    }
  }

  private Hvc receive(Caller caller) throws RefusedException {
    if (!config.keepsPast()) {
      return lastReading();
    }
    Hvc received = caller.hvc();
    if (received == null) {
      return clock.tick();
    }
    if (received.nodes() != nodes()) {
      throw refuse(
          ErrorCode.VOLDEMORT,
          "a clock of this cluster has %d entries: received=%s".formatted(nodes(), received));
    }
    try {
      return clock.tick(received);
    } catch (ClockDriftException e) {
      counters.add(NodeCounter.CLOCKS_REFUSED);
      refusedClocks.add(e);
      throw refuse(ErrorCode.VOLDEMORT, String.valueOf(e.getMessage()));
    }
  }

  private LocalStore store(String name) throws RefusedException {
    LocalStore store = stores.get(name);
    if (store == null) {
      throw refuse(
          ErrorCode.VOLDEMORT,
          "Unknown store '%s': store not found on node %d".formatted(name, node()));
    }
    return store;
  }

  private RefusedException fenced(FenceState refusal) {
    counters.add(NodeCounter.FENCED);
    return RefusedException.fenced(node(), refusal);
  }

  private RefusedException failed(StorageException e) {
    health.requestFailed(e);
    return refuse(ErrorCode.PERSISTENCE_FAILURE, "node " + node() + ": " + e.getMessage());
  }

  // ---- what another server does on an engine of its own

  /**
   * A read that another server begins: refused as {@link #get} would be, unless the fence is still
   * what this gives when the read is over ({@link #served}).
   */
  public FenceState admitted(Caller caller) throws RefusedException {
    return admit(caller);
  }

  /** Such a read has ended; what it found is refused when the fence changed meanwhile. */
  public void served(FenceState admitted) throws RefusedException {
    requireSameFence(admitted);
  }

  /** The reading that goes back to a caller: after all that it told, and all that was done. */
  public Hvc answer(Caller caller) throws RefusedException {
    return receive(caller);
  }

  /**
   * A write that another server begins, before it takes a lock of its engine. Until the same thread
   * calls {@link #left}, nothing of a rollback begins, and no scan counts a key as settled. Several
   * threads may be between the two. May be nested, also in {@link #atomically}. Refused as {@link
   * #put} would be; then {@code left} is not called.
   */
  public void entered(Caller caller) throws RefusedException {
    // Twice, as with a write of our own.
    admit(caller);
    gate.readLock().lock();
    try {
      admit(caller);
      if (caller.hvc() != null) {
        Hvc unused = receive(caller);
      }
    } catch (RefusedException | RuntimeException | Error e) {
      // For want of memory too: a lock that stays would stop every write for good.
      gate.readLock().unlock();
      throw e;
    }
  }

  /** The write has ended, however. */
  public void left() {
    gate.readLock().unlock();
  }

  /**
   * Like {@link #entered}, for a write that reads nothing under its engine's lock: no other one is
   * between the two meanwhile. Not by a thread that has {@link #entered}. Ends with {@link
   * #leftAlone}.
   */
  public void enteredAlone(Caller caller) throws RefusedException {
    if (gate.getReadHoldCount() > 0) {
      throw new IllegalStateException("a thread that is in a write cannot be alone");
    }
    admit(caller);
    writeLock.lock();
    try {
      admit(caller);
    } catch (RefusedException | RuntimeException | Error e) {
      writeLock.unlock();
      throw e;
    }
  }

  public void leftAlone() {
    writeLock.unlock();
  }

  /** Whether this thread keeps all writes away. */
  public boolean isAlone() {
    return gate.isWriteLockedByCurrentThread();
  }

  /**
   * What a write changes, between {@link #entered} and {@link #left}: stamped, logged and told now.
   * Called while the engine keeps other writes of the key away, before they can see this one; then
   * the clock's order is each key's order. A write that fails later is told as its reverse; a
   * delete that does not fail, by {@link #deleted} too.
   *
   * @param before the key's record until now, null when there was none; of any format
   * @param after the record that it gets; equal to {@code before}: nothing changed
   * @param deleted of a delete: what it covers
   * @return the reading of the write; null when nothing changed
   */
  public @Nullable Hvc changed(
      StoreKey key,
      byte @Nullable [] before,
      byte @Nullable [] after,
      @Nullable VectorClock deleted,
      Caller caller) {
    LocalStore store = Objects.requireNonNull(stores.get(key.store()), key.store());
    Write write = new Write(key, caller, null, deleted, stored -> null);
    boolean allTold = false;
    stampLock.lock();
    try {
      counters.add(deleted == null && after != null ? NodeCounter.PUTS : NodeCounter.DELETES);
      if (Arrays.equals(before, after)) {
        allTold = true;
        return null;
      }
      Hvc beforeWrite = clock.tick();
      Hvc afterWrite = clock.tick();
      promise.cover(afterWrite.own(), ClockPromise.AHEAD_HLC);
      logged(store, key.key(), before, afterWrite);
      // Of most writes nobody wants more.
      told(write, afterWrite.own(), () -> event(write, before, after, beforeWrite, afterWrite));
      allTold = true;
      return afterWrite;
    } finally {
      if (!allTold) {
        // In its turn: no progress comes between.
        unheard();
      }
      stampLock.unlock();
    }
  }

  /**
   * A delete has succeeded, which may have changed nothing here: it covers what other replicas have
   * of the key when a rollback makes them equal. Between {@link #entered} and {@link #left}. One
   * that failed must not be told here: its client knows of a failure, and the key stays.
   *
   * @param upTo what it covers
   * @param at what {@link #changed} gave for it
   */
  public void deleted(StoreKey key, VectorClock upTo, @Nullable Hvc at, Caller caller) {
    LocalStore store = Objects.requireNonNull(stores.get(key.store()), key.store());
    Write write = new Write(key, caller, null, upTo, stored -> null);
    stampLock.lock();
    try {
      // Its own time, by which the window-log knows it: on each cut both stand, or none.
      noteDelete(store, write, at == null ? clock.tick().own() : at.own());
    } finally {
      stampLock.unlock();
    }
  }

  private WriteEvent event(
      Write write,
      byte @Nullable [] old,
      byte @Nullable [] fresh,
      Hvc beforeWrite,
      Hvc afterWrite) {
    List<Versioned> siblings = LocalStore.versions(fresh);
    Versioned added = write.deleted() == null ? added(old, siblings) : null;
    Write heard = new Write(write.key(), write.caller(), added, write.deleted(), write.edit());
    return event(heard, siblings, beforeWrite, afterWrite);
  }

  /** The newest version that was not there: engines append what is put. */
  private static @Nullable Versioned added(byte @Nullable [] before, List<Versioned> siblings) {
    List<Versioned> old = LocalStore.versions(before);
    for (int i = siblings.size() - 1; i >= 0; i--) {
      if (!old.contains(siblings.get(i))) {
        return siblings.get(i);
      }
    }
    return null;
  }

  // ---- what the detector and the node's side of control need

  @Override
  public int node() {
    return config.nodeId();
  }

  @Override
  public int nodes() {
    return config.nodes();
  }

  @Override
  public long incarnation() {
    return incarnation;
  }

  @Override
  public HvcClock clock() {
    return clock;
  }

  @Override
  public void pass(long hlc) {
    writeLock.lock();
    try {
      promise.extendTo(clock.tickPast(hlc).own() + ClockPromise.AHEAD_HLC);
    } finally {
      writeLock.unlock();
    }
  }

  /**
   * {@inheritDoc} Up to 100 ms more than was asked for, so most calls find it done. A full disk
   * takes it in its spare room. A disk that takes nothing is asked again after 100 ms at the
   * earliest, or when a write has promised.
   */
  @Override
  public boolean promises(long hlc) {
    if (promise.covers(hlc)) {
      return true;
    }
    if (closed || !health.mayPromise(epochMicros.getAsLong())) {
      return false;
    }
    try {
      promise.cover(hlc, ClockPromise.AHEAD_HLC);
      return promise.covers(hlc);
    } catch (StorageException e) {
      health.promiseFailed(e, epochMicros.getAsLong());
      return false;
    }
  }

  /**
   * For how long, in microseconds, no medium has taken what {@link #promises} asks: the node
   * publishes no progress meanwhile, and judgement waits for it. 0: it does not.
   */
  @Override
  public long unpromisedMicros() {
    return health.unpromisedMicros(epochMicros.getAsLong());
  }

  @Override
  public NodeHealth health() {
    return refusedClocks.health(config, health.refusal());
  }

  /** Since when the storage refuses records, and why; null: it does not. */
  public StorageHealth.@Nullable Refusal storageRefusal() {
    return health.refusal();
  }

  /** The clock after the last operation; of no owner, and zero, when no past is kept. */
  public Hvc lastReading() {
    return config.keepsPast() ? clock.last() : noReading;
  }

  /** {@inheritDoc} A node that keeps no past cannot be watched. */
  @Override
  public void listen(WriteListener listener) {
    if (!config.keepsPast()) {
      throw new IllegalStateException("a node that keeps no past tells of no write: " + node());
    }
    listeners.add(listener);
  }

  @Override
  public void atomically(Runnable action) {
    writeLock.lock();
    try {
      action.run();
    } finally {
      writeLock.unlock();
    }
  }

  /**
   * {@inheritDoc} The gate's shared side keeps those away that are alone in the node, and {@code
   * stampLock} those that have their stamps beside others.
   */
  @Override
  public void ordered(Runnable action) {
    gate.readLock().lock();
    try {
      stampLock.lock();
      try {
        action.run();
      } finally {
        stampLock.unlock();
      }
    } finally {
      gate.readLock().unlock();
    }
  }

  /**
   * {@inheritDoc} A rollback needs every time, and every change since: what is compacted is not.
   */
  @Override
  public long reach() {
    return stores.values().stream().mapToLong(store -> store.past().exactReach()).max().orElse(0);
  }

  /** The earliest time that can be read; before {@link #reach} not every time can. */
  public long pastReach() {
    return stores.values().stream().mapToLong(store -> store.past().reach()).max().orElse(0);
  }

  /** Of the times that can be read before {@link #reach}, the coarsest; zero: there are none. */
  public Duration pastGranularity() {
    return stores.values().stream()
        .map(store -> store.past().granularity())
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  /**
   * Compacts some of what is old in the window-logs on disk, a piece of each; false: there was
   * nothing to do, or the node is paused: what a plan goes back to stays. Not under any lock of
   * requests. Throws {@link java.io.UncheckedIOException}.
   *
   * @param pause is told after each piece of work
   */
  public boolean compactPast(Runnable pause) {
    boolean any = false;
    for (LocalStore store : stores.values()) {
      any |= !fence.paused() && store.past().compact(pause);
    }
    return any;
  }

  /**
   * {@inheritDoc} A pause for the epoch that is already in force changes nothing; for an older one
   * it is an {@link IllegalStateException}.
   */
  @Override
  public long pause(long epoch) {
    writeLock.lock();
    try {
      requireNotPast(epoch);
      if (epoch > fence.epoch()) {
        fence = FenceState.paused(epoch);
        rewind.paused();
        log.info("node={} phase=PAUSED epoch={}", node(), epoch);
      }
      return clock.tick().own();
    } finally {
      writeLock.unlock();
    }
  }

  /** {@inheritDoc} O(changes since the convergence window began). */
  @Override
  public Restoration restore(long epoch, int attempt, long target) {
    writeLock.lock();
    try {
      Restoration done = rewind.done(epoch, attempt);
      if (done != null) {
        return done;
      }
      requirePaused();
      Restoration restoration = rewind.restore(stores.values(), epoch, attempt, Cuts.at(target));
      log.info(
          "node={} phase=RESTORED epoch={} attempt={} target={} undone={}",
          node(),
          epoch,
          attempt,
          Hlc.format(target),
          restoration.undoneWrites());
      return restoration;
    } finally {
      writeLock.unlock();
    }
  }

  /** {@inheritDoc} O(changes since the convergence window began). */
  @Override
  public Restoration restore(long epoch, int attempt, long target, Map<Long, Long> keys) {
    writeLock.lock();
    try {
      Restoration done = rewind.done(epoch, attempt);
      if (done != null) {
        return done;
      }
      requirePaused();
      if (rewind.restoredEpoch() == epoch) {
        throw new RestoreRefusedException(
            RestoreRefusedException.Reason.ONLY_ALL,
            "single keys go back in the first attempt only: epoch=%d attempt=%d"
                .formatted(epoch, attempt));
      }
      // A clock far behind does not get past the target; nothing here is later than it then.
      Cuts cuts = new Cuts(target, Math.max(target, clock.tick().own()), keys);
      Restoration restoration = rewind.restore(stores.values(), epoch, attempt, cuts);
      log.info(
          "node={} phase=RESTORED epoch={} attempt={} target={} keys={} undone={}",
          node(),
          epoch,
          attempt,
          Hlc.format(target),
          keys.size(),
          restoration.undoneWrites());
      return restoration;
    } finally {
      writeLock.unlock();
    }
  }

  /** What {@link #restore} would repeat of a step that is done; null: it is still to be done. */
  public @Nullable Restoration restored(long epoch, int attempt) {
    writeLock.lock();
    try {
      return rewind.done(epoch, attempt);
    } finally {
      writeLock.unlock();
    }
  }

  @Override
  public long restoredEpoch() {
    writeLock.lock();
    try {
      return rewind.restoredEpoch();
    } finally {
      writeLock.unlock();
    }
  }

  @Override
  public UndoEffect effect(long target, List<HlcSpan> except) {
    return new UndoCount(node(), engine, writers, except).of(stores.values(), target);
  }

  @Override
  public UndoEffect effect(long target, List<HlcSpan> except, Map<Long, Long> keys) {
    Cuts cuts = new Cuts(target, Long.MAX_VALUE, keys);
    return new UndoCount(node(), engine, writers, except).ofSome(stores.values(), cuts);
  }

  /** {@inheritDoc} O(changes since the convergence window began). */
  @Override
  public Restoration keep(long epoch, int attempt, long target) {
    writeLock.lock();
    try {
      Restoration done = rewind.done(epoch, attempt);
      if (done != null) {
        return done;
      }
      requirePaused();
      log.info("node={} phase=KEPT epoch={} attempt={}", node(), epoch, attempt);
      return rewind.keep(stores.values(), epoch, attempt, target);
    } finally {
      writeLock.unlock();
    }
  }

  /** Whether a plan that compared all keys has ended in this incarnation. */
  public boolean hasComparedAll() {
    long epoch = rewind.comparedEpoch();
    return epoch > 0 && fence.epoch() >= epoch && !fence.paused();
  }

  @Override
  public Restoration keepAll(long epoch, int attempt) {
    writeLock.lock();
    try {
      requirePaused();
      log.info("node={} phase=KEPT_ALL epoch={} attempt={}", node(), epoch, attempt);
      return rewind.keepAll(stores.values(), epoch, attempt);
    } finally {
      writeLock.unlock();
    }
  }

  /**
   * {@inheritDoc} The lock is held all the time, though not by requests, which the fence refuses.
   */
  @Override
  public Restoration restoreFrom(long epoch, int attempt, OpenSnapshot part) {
    writeLock.lock();
    try {
      requirePaused();
      Restoration restoration = rewind.restoreFrom(stores.values(), epoch, attempt, part);
      log.info(
          "node={} phase=RESTORED_FROM_SNAPSHOT epoch={} attempt={} target={} keys={}",
          node(),
          epoch,
          attempt,
          Hlc.format(part.hlc()),
          restoration.undoneWrites());
      return restoration;
    } finally {
      writeLock.unlock();
    }
  }

  @Override
  public List<KeyRecord> readSlices(List<StoreKey> slices, long target, boolean kept) {
    writeLock.lock();
    try {
      return rewind.readSlices(stores.values(), slices, target, kept);
    } finally {
      writeLock.unlock();
    }
  }

  @Override
  public List<KeyRecord> read(List<StoreKey> keys) {
    List<KeyRecord> records = new ArrayList<>(keys.size());
    writeLock.lock();
    try {
      for (StoreKey key : keys) {
        byte[] record = engine.get(key.store(), key.key());
        records.add(new KeyRecord(key, record == null ? new byte[0] : record, rewind.past(key)));
      }
    } finally {
      writeLock.unlock();
    }
    return records;
  }

  @Override
  public List<Integer> replicas(StoreKey key) {
    LocalStore store = stores.get(key.store());
    return store == null
        ? List.of()
        : store.ring().preferenceList(key.key()).stream().sorted().toList();
  }

  @Override
  public List<Version> siblings(StoreKey key) {
    return versions(LocalStore.versions(engine.get(key.store(), key.key())));
  }

  @Override
  public int merge(List<KeyRecord> records) {
    writeLock.lock();
    try {
      requirePaused();
      return rewind.merge(stores.values(), records);
    } finally {
      writeLock.unlock();
    }
  }

  @Override
  public void scan(ScanVisitor visitor) {
    for (String store : stores.keySet()) {
      engine.scan(
          store,
          (key, record) ->
              visitor.visit(new StoreKey(store, key), versions(Siblings.decode(record))));
    }
  }

  /**
   * {@inheritDoc} The epoch is on disk before it is served. An epoch older than the one in force is
   * an {@link IllegalStateException}.
   */
  @Override
  public void resume(long epoch, long target, long sequentialUntilMicros) {
    resume(epoch, target, sequentialUntilMicros, MissedEpochs.NONE);
  }

  @Override
  public void resume(long epoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
    writeLock.lock();
    try {
      requireNotPast(epoch);
      FenceState resumed = FenceState.resumed(epoch, target, sequentialUntilMicros, missed);
      // What an earlier release wrote of the same epoch may say less.
      if (resumed.equals(fence)) {
        return;
      }
      List<Change> changes = new ArrayList<>(rewind.forgetting());
      changes.add(NodeMeta.fenceChange(epoch, target, sequentialUntilMicros, missed));
      engine.commit(changes, Durability.SYNCED);
      rewind.resumed();
      fence = resumed;
      log.info("node={} phase=SERVING epoch={} target={}", node(), epoch, Hlc.format(target));
    } finally {
      writeLock.unlock();
    }
  }

  @Override
  public void sequential(List<SequentialKeys> keys) {
    sequential = keys;
  }

  /** What clients are asked to use with R + W > N. */
  public List<SequentialKeys> sequential() {
    return sequential;
  }

  @Override
  public void rollbacks(RollbackTimes times) {
    history.know(times);
  }

  /** A safe point never moves back. Called by one thread. */
  @Override
  public void safePoint(long hlc) {
    safePoint = Math.max(safePoint, hlc);
  }

  public long safePoint() {
    return safePoint;
  }

  public FenceState fence() {
    return fence;
  }

  public NodeCounters counters() {
    return counters;
  }

  public StoreNodeConfig config() {
    return config;
  }

  /** What the stores were at any time in reach; usable until the node is closed. */
  public History history() {
    return history;
  }

  /** The memory that the window-logs hold, with the deletes beside them, in bytes. */
  public long windowLogBytes() {
    return stores.values().stream()
        .mapToLong(store -> store.past().bytes() + store.deletes().bytes())
        .sum();
  }

  /** The earliest time that is in reach without the disk. */
  public long memoryReach() {
    return stores.values().stream().mapToLong(store -> store.past().memoryReach()).max().orElse(0);
  }

  /** What the window-logs take on disk, in bytes. */
  public long windowLogDiskBytes() {
    return stores.values().stream()
        .mapToLong(store -> store.past().diskBytes() + store.deletes().diskBytes())
        .sum();
  }

  /** Why some window-log is not written to disk at present; empty: all are that should be. */
  public String windowLogDiskFailure() {
    return stores.values().stream()
        .map(store -> store.past().diskFailure())
        .filter(Objects::nonNull)
        .findFirst()
        .orElse("");
  }

  /**
   * Changes of a store that an undo took back, a page of them. Throws {@link OutOfReachException},
   * and {@link IllegalArgumentException} for a store that is not here. Thread-safe.
   */
  public DiscardedWrites.Page discarded(String store, DiscardedWrites.Range range, long behind) {
    LocalStore found = stores.get(store);
    if (found == null) {
      throw new IllegalArgumentException(
          "a store must be one of " + stores.keySet() + ": " + store);
    }
    return new DiscardedWrites(found, engine, writers).page(range, behind);
  }

  /** {@inheritDoc} Of a node whose storage is another server's nothing is known of reads. */
  @Override
  public void followAccesses(boolean wanted) {
    if (wanted && config.keepsPast()) {
      accesses.begin(() -> clock.tick().own());
    } else {
      accesses.end();
    }
  }

  /** {@inheritDoc} Reads of other times, of more than some keys, are not in it. O(what is kept). */
  @Override
  public Trace accesses(long hlc) {
    return accesses.since(node(), hlc);
  }

  @Override
  public long accessKey(StoreKey key) {
    return keyOfAccess(key);
  }

  /** The same at all nodes. */
  public static long keyOfAccess(StoreKey key) {
    return Accesses.keyOf(key.store(), key.key());
  }

  /** Waits for the write in flight; requests end before. Idempotent. */
  @Override
  public void close() {
    writeLock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      promise.end(clock.last().own());
      // With that promise every record before it is on the medium.
      stores.values().forEach(LocalStore::close);
      log.info("node={} phase=CLOSED", node());
    } catch (StorageException e) {
      // The earlier promise stands: the next start begins a little later than it would have.
      log.warn("node={} phase=CLOSED after its storage failed", node(), e);
    } finally {
      engine.close();
      writeLock.unlock();
    }
  }

  /** Another control log than the one that brought the data here would undo nothing, silently. */
  private void requireNotPast(long epoch) {
    if (epoch < fence.epoch()) {
      throw new IllegalStateException(
          "the data of node %d is of epoch %d, its control log only of epoch %d: start it with the control log that belongs to the data, or both empty"
              .formatted(node(), fence.epoch(), epoch));
    }
  }

  private void requirePaused() {
    if (!fence.paused()) {
      throw new IllegalStateException(
          "a node must be paused before its records are repaired: epoch=" + fence.epoch());
    }
  }

  /**
   * Sees to it that at least half of {@code aheadHlc} is promised beyond the clock; called often
   * enough, by a thread that may wait for the disk, no write has to wait for that. After a kill the
   * node's next life begins so much later at most. Throws {@link StorageException}.
   */
  public void promiseAhead(long aheadHlc) {
    gate.readLock().lock();
    try {
      if (!closed) {
        promise.cover(clock.last().own() + aheadHlc / 2, aheadHlc / 2);
      }
    } finally {
      gate.readLock().unlock();
    }
  }

  /** What this node promised of its own clock before it was started, as a reading of nobody's. */
  private Hvc ownReading(long hlc) {
    long[] entries = new long[nodes()];
    entries[node()] = hlc;
    return Hvc.of(Hvc.NO_OWNER, entries);
  }

  private static List<Version> versions(List<Versioned> siblings) {
    return siblings.stream().map(StoreNode::version).toList();
  }

  private static Version version(Versioned versioned) {
    VectorClock clock = versioned.clock();
    return new Version(
        versioned.value(), clock.identityBytes(), clock.timestampMs(), versioned.origin());
  }
}
