package io.palinode.store.control;

import io.palinode.detector.MemoryNode;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.store.binding.StoreBinding;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** A {@link MemoryNode} that can restore, keep and merge. */
public final class MemoryBinding extends MemoryNode implements StoreBinding {
  private static final int ORIGIN_UNKNOWN = -1;

  /** The data that survives a crash. */
  public static final class Disk extends MemoryNode.Disk {
    private final Map<List<Long>, Restoration> restored = new HashMap<>();
    private long reach;

    /** The window-log begins at {@code hlc} only, as if it had been lost. */
    void forgetBefore(long hlc) {
      reach = hlc;
    }
  }

  private final Disk disk;
  private final long convergenceWindow;
  private long safePoint;
  private RollbackTimes rollbacks = RollbackTimes.NONE;

  MemoryBinding(int node, int nodes, Disk disk, LongSupplier micros, long convergenceWindow) {
    super(node, nodes, disk, micros);
    this.disk = disk;
    this.convergenceWindow = convergenceWindow;
    // Replicas to compare are in memory only.
    disk.restored.replaceAll((step, done) -> new Restoration(done.undoneWrites(), done.changed()));
  }

  public static MemoryBinding alone(LongSupplier micros) {
    return new MemoryBinding(0, 1, new Disk(), micros, 0);
  }

  public long lastSafePoint() {
    return safePoint;
  }

  @Override
  public long reach() {
    return disk.reach;
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
    long undone = 0;
    for (Change change : history()) {
      undone += change.hlc() > target ? 1 : 0;
      if (change.hlc() > target - convergenceWindow) {
        changed.add(change.key());
      }
    }
    restore(changed, target);
    Restoration restoration = new Restoration(undone, List.copyOf(changed), replicas(changed));
    disk.restored.put(List.of(newEpoch, (long) attempt), restoration);
    restoredBy(newEpoch);
    return restoration;
  }

  /** The digests of most keys; the other keys have none, as keys with a delete. */
  private Map<StoreKey, Replica> replicas(Set<StoreKey> changed) {
    List<Integer> all = IntStream.range(0, nodes()).boxed().toList();
    Map<StoreKey, Replica> replicas = new HashMap<>();
    for (StoreKey key : changed) {
      if (key.hashCode() % 8 != 0) {
        long digest = 1 + 2L * new HashSet<>(siblings(key)).hashCode();
        replicas.put(key, new Replica(digest, all));
      }
    }
    return replicas;
  }

  /** Names no slices. */
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
    history().stream()
        .filter(change -> change.hlc() > target - convergenceWindow)
        .forEach(change -> changed.add(change.key()));
    restoredBy(newEpoch);
    return disk.restored.computeIfAbsent(step, first -> new Restoration(0, List.copyOf(changed)));
  }

  @Override
  public List<KeyRecord> read(List<StoreKey> keys) {
    return keys.stream()
        .map(key -> new KeyRecord(key, encode(siblings(key)), new byte[0]))
        .toList();
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
          replace(clock().tick().own(), record.key(), before, after);
          changed.add(record.key());
        }
      }
    }
    return changed.size();
  }

  @Override
  public boolean visitChanges(long after, Predicate<StoreKey> wanted, ChangeVisitor visitor) {
    if (after < disk.reach) {
      return false;
    }
    history().stream()
        .filter(change -> change.hlc() > after && wanted.test(change.key()))
        .forEach(change -> visitor.changed(change.hlc(), change.key(), change.before()));
    return true;
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
