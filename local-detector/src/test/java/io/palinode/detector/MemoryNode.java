package io.palinode.detector;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.detector.binding.SeenBefore;
import io.palinode.detector.binding.StaleRead;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Unseen;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WatchedStore;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A store node in memory that keeps every change. Its {@link Disk} survives the node. */
public class MemoryNode implements WatchedStore {
  static final String STORE = "s";

  /** The data that survives a crash. */
  public static class Disk {
    private final Map<StoreKey, List<Version>> records = new LinkedHashMap<>();
    private final List<Change> history = new ArrayList<>();
    private final List<Long> repairs = new ArrayList<>();
    private long incarnation;
    private long restoredEpoch;

    /** The HLCs of changes while the node was paused. */
    public List<Long> repairs() {
      return List.copyOf(repairs);
    }

    /** The HLCs of all changes, oldest first. */
    public List<Long> changes() {
      return history.stream().map(Change::hlc).toList();
    }

    /** The records right after the last change at or before {@code hlc}. */
    public Map<StoreKey, List<Version>> stateAt(long hlc) {
      Map<StoreKey, List<Version>> state = new LinkedHashMap<>(records);
      for (int i = history.size() - 1; i >= 0 && history.get(i).hlc() > hlc; i--) {
        Change change = history.get(i);
        if (change.before().isEmpty()) {
          state.remove(change.key());
        } else {
          state.put(change.key(), change.before());
        }
      }
      return state;
    }
  }

  /** A replaced stored record. */
  protected record Change(long hlc, StoreKey key, List<Version> before) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Disk disk;
  private final HvcClock clock;
  private final int node;
  private final int nodes;
  private final long incarnation;
  private @Nullable WriteListener listener;
  private boolean serving;
  private long epoch;
  private int failuresToCome;
  private boolean readsFail;
  private boolean promisesFail;
  private Runnable duringScans = () -> {};
  private volatile boolean passesOnNoWrites;
  private int scans;
  private @Nullable Unseen unseen;

  public MemoryNode(int node, int nodes, Disk disk, LongSupplier micros) {
    this.node = node;
    this.nodes = nodes;
    this.disk = disk;
    this.clock = new HvcClock(node, nodes, Epsilon.ofMicros(1_000), micros, Duration.ofDays(1));
    incarnation = ++disk.incarnation;
    // As the clock promise of a real node does.
    if (!disk.history.isEmpty()) {
      pass(disk.history.get(disk.history.size() - 1).hlc());
    }
  }

  public static MemoryNode alone(LongSupplier micros) {
    return new MemoryNode(0, 1, new Disk(), micros);
  }

  public static StoreKey key(String key) {
    return new StoreKey(STORE, key.getBytes(UTF_8));
  }

  /** The write of a client that has received no other node's HVC. */
  public boolean put(String key, String value) {
    return put(key(key), value.getBytes(UTF_8), merged(key(key)).increment(node), "client", node);
  }

  /** The write of a client that had not seen this. */
  public boolean put(String key, String value, Unseen of) {
    unseen = of;
    try {
      return put(key, value);
    } finally {
      unseen = null;
    }
  }

  /** A client states that it read this here. */
  public void readStale(String key, Version read, SeenBefore before, boolean isAgain) {
    lock.lock();
    try {
      Hvc at = clock.tick();
      if (listener != null) {
        listener.readStale(new StaleRead(key(key), read, before, isAgain, at, "reader"));
      }
    } finally {
      lock.unlock();
    }
  }

  /** Writes a sibling of the current versions. */
  public boolean putConcurrently(String key, String value, int writer) {
    VectorClock beside = VectorClock.zero(nodes + 8).increment(nodes + writer);
    return put(key(key), value.getBytes(UTF_8), beside, "client", node);
  }

  /** The write of a client whose clock is at {@code timestampMs}. */
  public boolean putAt(long timestampMs, String key, String value) {
    byte[] clock = merged(key(key)).increment(node).bytes();
    return put(key(key), new Version(value.getBytes(UTF_8), clock, timestampMs, node), "client");
  }

  /** False when the write is refused: obsolete, or the node does not serve. */
  public boolean put(
      StoreKey key, byte[] value, VectorClock version, String writer, @Nullable Integer origin) {
    return put(key, new Version(value, version.bytes(), 0, origin), writer);
  }

  private boolean put(StoreKey key, Version written, String writer) {
    lock.lock();
    try {
      List<Version> before = siblings(key);
      List<Version> after = added(before, written);
      if (!serving || after == null) {
        return false;
      }
      commit(key, before, after, written, writer, written.origin());
      return true;
    } finally {
      lock.unlock();
    }
  }

  public void delete(String key) {
    lock.lock();
    try {
      commit(key(key), siblings(key(key)), List.of(), null, "client", node);
    } finally {
      lock.unlock();
    }
  }

  private void commit(
      StoreKey key,
      List<Version> before,
      List<Version> after,
      @Nullable Version written,
      String writer,
      @Nullable Integer origin) {
    Hvc quiet = clock.tick();
    Hvc now = clock.tick();
    replace(now.own(), key, before, after);
    if (listener != null && !passesOnNoWrites && listener.watches(key)) {
      listener.written(new WriteEvent(key, after, written, quiet, now, writer, origin, unseen));
    }
  }

  protected final void replace(long hlc, StoreKey key, List<Version> before, List<Version> after) {
    disk.history.add(new Change(hlc, key, before));
    if (!serving) {
      disk.repairs.add(hlc);
    }
    if (after.isEmpty()) {
      disk.records.remove(key);
    } else {
      disk.records.put(key, after);
    }
  }

  /** The siblings with {@code version} among them; null when it is obsolete. */
  public static @Nullable List<Version> added(List<Version> siblings, Version version) {
    VectorClock clock = VectorClock.of(version.clock());
    List<Version> after = new ArrayList<>();
    for (Version sibling : siblings) {
      VectorClock other = VectorClock.of(sibling.clock());
      if (clock.isAtMost(other)) {
        return null;
      }
      if (!other.isAtMost(clock)) {
        after.add(sibling);
      }
    }
    after.add(version);
    return List.copyOf(after);
  }

  /** A version above all siblings of a key. */
  public VectorClock merged(StoreKey key) {
    VectorClock merged = VectorClock.zero(nodes + 8);
    for (Version sibling : siblings(key)) {
      merged = merged.merge(VectorClock.of(sibling.clock()));
    }
    return merged;
  }

  /** The next so many commands of control fail. */
  public void failNext(int commands) {
    failuresToCome = commands;
  }

  /** Whether the disk cannot be read. */
  public void failReads(boolean fail) {
    readsFail = fail;
  }

  /** Whether the clock promise cannot be extended. */
  public void failPromises(boolean fail) {
    promisesFail = fail;
  }

  /** Runs at each scan from now on. */
  public void duringScans(Runnable action) {
    duringScans = action;
  }

  /** From now on the store passes no writes to its listener and reports that. */
  public void passOnNoMoreWrites() {
    passesOnNoWrites = true;
  }

  protected final void failIfAsked() {
    if (failuresToCome > 0) {
      failuresToCome--;
      throw new IllegalStateException("the disk is full");
    }
  }

  public Map<StoreKey, List<Version>> state() {
    return new LinkedHashMap<>(disk.records);
  }

  public boolean isServing() {
    return serving;
  }

  public long epoch() {
    return epoch;
  }

  public int scans() {
    return scans;
  }

  @Override
  public int node() {
    return node;
  }

  @Override
  public int nodes() {
    return nodes;
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
  public void listen(WriteListener newListener) {
    listener = newListener;
  }

  @Override
  public boolean passesEveryWrite() {
    return !passesOnNoWrites;
  }

  @Override
  public void atomically(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  /** All changes, oldest first. */
  protected final List<Change> history() {
    return List.copyOf(disk.history);
  }

  /** Marks the records as those of a plan. */
  protected final void restoredBy(long plan) {
    disk.restoredEpoch = Math.max(disk.restoredEpoch, plan);
  }

  /** Restores the cut at {@code target} for a plan. Returns the keys that changed after it. */
  public final Set<StoreKey> restoreTo(long plan, long target) {
    Set<StoreKey> changed = new LinkedHashSet<>();
    history().stream().filter(c -> c.hlc() > target).forEach(c -> changed.add(c.key()));
    restore(changed, target);
    restoredBy(plan);
    return changed;
  }

  /** Restores these keys as they were at {@code target}. */
  protected final void restore(Set<StoreKey> keys, long target) {
    Map<StoreKey, List<Version>> then = disk.stateAt(target);
    for (StoreKey key : keys) {
      replace(clock.tick().own(), key, siblings(key), then.getOrDefault(key, List.of()));
    }
  }

  public long pause(long newEpoch) {
    failIfAsked();
    lock.lock();
    try {
      serving = false;
      return clock.tick().own();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void pass(long hlc) {
    clock().tickPast(hlc);
  }

  @Override
  public boolean promises(long hlc) {
    return !promisesFail;
  }

  @Override
  public long restoredEpoch() {
    return disk.restoredEpoch;
  }

  @Override
  public List<Version> siblings(StoreKey key) {
    if (readsFail) {
      throw new IllegalStateException("the disk cannot be read");
    }
    lock.lock();
    try {
      return disk.records.getOrDefault(key, List.of());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void scan(ScanVisitor visitor) {
    scans++;
    failIfAsked();
    duringScans.run();
    List<Map.Entry<StoreKey, List<Version>>> seen = new ArrayList<>();
    atomically(() -> seen.addAll(state().entrySet()));
    seen.forEach(entry -> visitor.visit(entry.getKey(), entry.getValue()));
  }

  public void resume(long newEpoch, long target, long sequentialUntilMicros) {
    failIfAsked();
    epoch = newEpoch;
    serving = true;
  }

  protected final void requirePaused() {
    if (serving) {
      throw new IllegalStateException("only while paused");
    }
  }
}
