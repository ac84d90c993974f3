package io.palinode.detector;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.detector.binding.StoreBinding;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.snapshot.RollbackTimes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A store node in memory that keeps every change. Its {@link Disk} survives the node. */
public final class MemoryNode implements StoreBinding {
  static final String STORE = "s";
  private static final int ORIGIN_UNKNOWN = -1;

  /** The data that survives a crash. */
  static final class Disk {
    private final Map<StoreKey, List<Version>> records = new LinkedHashMap<>();
    private final List<Change> history = new ArrayList<>();
    private final List<Long> repairs = new ArrayList<>();
    private final Map<List<Long>, Restoration> restored = new HashMap<>();
    private long incarnation;
    private long reach;

    /** Drops the window-log before {@code hlc}. */
    void forgetBefore(long hlc) {
      reach = hlc;
    }

    /** The HLCs of changes that were made while the node was paused. */
    List<Long> repairs() {
      return List.copyOf(repairs);
    }

    /** The records right after the last change at or before {@code hlc}. */
    Map<StoreKey, List<Version>> stateAt(long hlc) {
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

  private record Change(long hlc, StoreKey key, List<Version> before) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Disk disk;
  private final HvcClock clock;
  private final int node;
  private final int nodes;
  private final long incarnation;
  private final long convergenceWindow;
  private @Nullable WriteListener listener;
  private boolean serving;
  private long epoch;
  private long safePoint;
  private RollbackTimes rollbacks = RollbackTimes.NONE;
  private int failuresToCome;
  private boolean readsFail;
  private boolean promisesFail;
  private Runnable duringScans = () -> {};
  private volatile boolean passesOnNoWrites;
  private int scans;

  MemoryNode(int node, int nodes, Disk disk, LongSupplier micros, long convergenceWindow) {
    this.node = node;
    this.nodes = nodes;
    this.disk = disk;
    this.clock = new HvcClock(node, nodes, Epsilon.ofMicros(1_000), micros, Duration.ofDays(1));
    this.convergenceWindow = convergenceWindow;
    incarnation = ++disk.incarnation;
    // The keys that others compare are in memory only.
    disk.restored.replaceAll((step, done) -> new Restoration(done.undoneWrites(), done.changed()));
  }

  public static MemoryNode alone(LongSupplier micros) {
    return new MemoryNode(0, 1, new Disk(), micros, 0);
  }

  public static StoreKey key(String key) {
    return new StoreKey(STORE, key.getBytes(UTF_8));
  }

  /** The write of a client that has received no other node's HVC. */
  public boolean put(String key, String value) {
    return put(key(key), value.getBytes(UTF_8), merged(key(key)).increment(node), "client", node);
  }

  /** Writes a sibling of the current versions. */
  public boolean putConcurrently(String key, String value, int writer) {
    VectorClock beside = VectorClock.zero(nodes + 8).increment(nodes + writer);
    return put(key(key), value.getBytes(UTF_8), beside, "client", node);
  }

  /** The write of a client whose clock is at {@code timestampMs}. */
  boolean putAt(long timestampMs, String key, String value) {
    byte[] clock = merged(key(key)).increment(node).bytes();
    return put(key(key), new Version(value.getBytes(UTF_8), clock, timestampMs, node), "client");
  }

  /** False when the write is refused: obsolete, or the node does not serve. */
  boolean put(
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

  void delete(String key) {
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
    if (listener != null && !passesOnNoWrites) {
      listener.written(new WriteEvent(key, after, written, quiet, now, writer, origin));
    }
  }

  private void replace(long hlc, StoreKey key, List<Version> before, List<Version> after) {
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
  static @Nullable List<Version> added(List<Version> siblings, Version version) {
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
  VectorClock merged(StoreKey key) {
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
  void failReads(boolean fail) {
    readsFail = fail;
  }

  /** Whether the clock promise cannot be extended. */
  void failPromises(boolean fail) {
    promisesFail = fail;
  }

  /** Runs at each scan from now on. */
  void duringScans(Runnable action) {
    duringScans = action;
  }

  /** From now on the store passes no writes to its listener and reports that. */
  void passOnNoMoreWrites() {
    passesOnNoWrites = true;
  }

  private void failIfAsked() {
    if (failuresToCome > 0) {
      failuresToCome--;
      throw new IllegalStateException("the disk is full");
    }
  }

  Map<StoreKey, List<Version>> state() {
    return new LinkedHashMap<>(disk.records);
  }

  public boolean isServing() {
    return serving;
  }

  public long epoch() {
    return epoch;
  }

  int scans() {
    return scans;
  }

  public long lastSafePoint() {
    return safePoint;
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

  @Override
  public long reach() {
    return disk.reach;
  }

  @Override
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
  public Restoration restore(long newEpoch, int attempt, long target) {
    failIfAsked();
    requirePaused();
    Restoration done = disk.restored.get(List.of(newEpoch, (long) attempt));
    if (done != null) {
      return done;
    }
    if (target < disk.reach) {
      throw new OutOfReachException(target, disk.reach, Long.MAX_VALUE);
    }
    Set<StoreKey> changed = new LinkedHashSet<>();
    Map<StoreKey, List<Version>> then = disk.stateAt(target);
    long undone = 0;
    for (Change change : List.copyOf(disk.history)) {
      undone += change.hlc() > target ? 1 : 0;
      if (change.hlc() > target - convergenceWindow) {
        changed.add(change.key());
      }
    }
    for (StoreKey key : changed) {
      replace(clock.tick().own(), key, siblings(key), then.getOrDefault(key, List.of()));
    }
    Restoration restoration = new Restoration(undone, List.copyOf(changed), replicas(changed));
    disk.restored.put(List.of(newEpoch, (long) attempt), restoration);
    return restoration;
  }

  /** Digests of most keys; it omits the others, as a store omits keys with a known delete. */
  private Map<StoreKey, Replica> replicas(Set<StoreKey> changed) {
    List<Integer> all = IntStream.range(0, nodes).boxed().toList();
    Map<StoreKey, Replica> replicas = new HashMap<>();
    for (StoreKey key : changed) {
      if (key.hashCode() % 8 != 0) {
        long digest = 1 + 2L * new HashSet<>(siblings(key)).hashCode();
        replicas.put(key, new Replica(digest, all));
      }
    }
    return replicas;
  }

  /** Returns no slices. */
  @Override
  public Restoration keepAll(long epoch, int attempt) {
    return new Restoration(0, List.of());
  }

  @Override
  public List<KeyRecord> readSlices(List<StoreKey> slices, long target, boolean kept) {
    return List.of();
  }

  @Override
  public Restoration keep(long newEpoch, int attempt, long target) {
    failIfAsked();
    requirePaused();
    List<Long> step = List.of(newEpoch, (long) attempt);
    Set<StoreKey> changed = new LinkedHashSet<>();
    disk.history.stream()
        .filter(change -> change.hlc() > target - convergenceWindow)
        .forEach(change -> changed.add(change.key()));
    return disk.restored.computeIfAbsent(step, first -> new Restoration(0, List.copyOf(changed)));
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
    return disk.restored.keySet().stream().mapToLong(step -> step.get(0)).max().orElse(0);
  }

  @Override
  public List<KeyRecord> read(List<StoreKey> keys) {
    return keys.stream()
        .map(key -> new KeyRecord(key, encode(siblings(key)), new byte[0]))
        .toList();
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
  public int merge(List<KeyRecord> records) {
    failIfAsked();
    requirePaused();
    Set<StoreKey> changed = new LinkedHashSet<>();
    for (KeyRecord record : records) {
      for (Version version : decode(record.siblings())) {
        List<Version> before = siblings(record.key());
        List<Version> after = added(before, version);
        if (after != null) {
          replace(clock.tick().own(), record.key(), before, after);
          changed.add(record.key());
        }
      }
    }
    return changed.size();
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

  @Override
  public void resume(long newEpoch, long target, long sequentialUntilMicros) {
    failIfAsked();
    epoch = newEpoch;
    serving = true;
  }

  @Override
  public void rollbacks(RollbackTimes times) {
    rollbacks = times;
  }

  public RollbackTimes lastRollbacks() {
    return rollbacks;
  }

  @Override
  public void safePoint(long hlc) {
    safePoint = hlc;
  }

  private void requirePaused() {
    if (serving) {
      throw new IllegalStateException("only while paused");
    }
  }

  private static byte[] encode(List<Version> siblings) {
    int bytes = siblings.stream().mapToInt(v -> 20 + v.value().length + v.clock().length).sum();
    ByteBuffer out = ByteBuffer.allocate(bytes);
    for (Version version : siblings) {
      out.putInt(version.value().length).put(version.value());
      out.putInt(version.clock().length).put(version.clock()).putLong(version.timestampMs());
      out.putInt(version.origin() == null ? ORIGIN_UNKNOWN : version.origin());
    }
    return out.array();
  }

  private static List<Version> decode(byte[] record) {
    List<Version> siblings = new ArrayList<>();
    for (ByteBuffer in = ByteBuffer.wrap(record); in.hasRemaining(); ) {
      byte[] value = new byte[in.getInt()];
      in.get(value);
      byte[] clock = new byte[in.getInt()];
      in.get(clock);
      long timestampMs = in.getLong();
      int origin = in.getInt();
      Integer known = origin == ORIGIN_UNKNOWN ? null : origin;
      siblings.add(new Version(value, clock, timestampMs, known));
    }
    return siblings;
  }
}
