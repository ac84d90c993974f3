package io.palinode.simulation.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.store.affected.Trace;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.SequentialKeys;
import io.palinode.store.binding.StoreBinding;
import io.palinode.wire.v1.Restore;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A node's store as its control duties see it. Records each request before it is carried out, so
 * that the observer of the commit knows its purpose.
 */
final class RecordedStore implements StoreBinding {
  /** What the next commit is for. */
  sealed interface Intent {
    /**
     * @param keys until when each of some keys stands, and all others until now; null: all alike
     */
    record Restore(
        long epoch,
        int attempt,
        long target,
        long reach,
        boolean keep,
        @Nullable Map<Long, Long> keys)
        implements Intent {}

    /**
     * @param keys of which nodes have published their records
     */
    record Merge(long epoch, int attempt, Set<String> keys) implements Intent {}
  }

  /** Receives the steps that need no commit. */
  interface Listener {
    void merged(Intent.Merge merge);

    /** The node has looked at all of its keys, for an attempt that compares them. */
    void comparesAll(long epoch, Restore asked);

    void undid(int attempt, Map<Long, Long> keys);

    void serves(long epoch);
  }

  private final StoreBinding store;
  private final Listener listener;
  private @Nullable Intent intent;
  private Restore comparing = Restore.getDefaultInstance();
  private long epoch;
  private int attempt;

  RecordedStore(StoreBinding store, Listener listener) {
    this.store = store;
    this.listener = listener;
  }

  /** What a commit that happens now is for; null for a request. */
  @Nullable Intent intent() {
    return intent;
  }

  /** The attempt that control is about to merge for. */
  void converging(long ofEpoch, int ofAttempt) {
    epoch = ofEpoch;
    attempt = ofAttempt;
  }

  /** The attempt for which control is about to compare all keys. */
  void comparing(long ofEpoch, Restore asked) {
    epoch = ofEpoch;
    comparing = asked;
  }

  @Override
  public int node() {
    return store.node();
  }

  @Override
  public int nodes() {
    return store.nodes();
  }

  @Override
  public long incarnation() {
    return store.incarnation();
  }

  @Override
  public HvcClock clock() {
    return store.clock();
  }

  @Override
  public void listen(WriteListener writes) {
    store.listen(writes);
  }

  @Override
  public void atomically(Runnable action) {
    store.atomically(action);
  }

  @Override
  public long reach() {
    return store.reach();
  }

  @Override
  public long pause(long ofEpoch) {
    return store.pause(ofEpoch);
  }

  @Override
  public Restoration restore(long ofEpoch, int ofAttempt, long target) {
    return intending(
        new Intent.Restore(ofEpoch, ofAttempt, target, store.reach(), false, null),
        () -> store.restore(ofEpoch, ofAttempt, target));
  }

  @Override
  public Restoration restore(long ofEpoch, int ofAttempt, long target, Map<Long, Long> keys) {
    return intending(
        new Intent.Restore(ofEpoch, ofAttempt, target, store.reach(), false, keys),
        () -> {
          Restoration restored = store.restore(ofEpoch, ofAttempt, target, keys);
          listener.undid(ofAttempt, keys);
          return restored;
        });
  }

  @Override
  public boolean visitChanges(long after, Predicate<StoreKey> wanted, ChangeVisitor visitor) {
    return store.visitChanges(after, wanted, visitor);
  }

  @Override
  public void followAccesses(boolean wanted) {
    store.followAccesses(wanted);
  }

  @Override
  public Trace accesses(long hlc) {
    return store.accesses(hlc);
  }

  @Override
  public long accessKey(StoreKey key) {
    return store.accessKey(key);
  }

  @Override
  public Restoration keep(long ofEpoch, int ofAttempt, long target) {
    return intending(
        new Intent.Restore(ofEpoch, ofAttempt, target, store.reach(), true, null),
        () -> store.keep(ofEpoch, ofAttempt, target));
  }

  @Override
  public Restoration keepAll(long ofEpoch, int ofAttempt) {
    Restoration slices = store.keepAll(ofEpoch, ofAttempt);
    listener.comparesAll(epoch, comparing);
    return slices;
  }

  @Override
  public List<KeyRecord> readSlices(List<StoreKey> slices, long target, boolean kept) {
    List<KeyRecord> records = store.readSlices(slices, target, kept);
    listener.comparesAll(epoch, comparing);
    return records;
  }

  @Override
  public void pass(long hlc) {
    store.pass(hlc);
  }

  @Override
  public boolean promises(long hlc) {
    return store.promises(hlc);
  }

  @Override
  public long restoredEpoch() {
    return store.restoredEpoch();
  }

  @Override
  public List<KeyRecord> read(List<StoreKey> keys) {
    return store.read(keys);
  }

  @Override
  public List<Integer> replicas(StoreKey key) {
    return store.replicas(key);
  }

  @Override
  public List<Version> siblings(StoreKey key) {
    return store.siblings(key);
  }

  @Override
  public int merge(List<KeyRecord> records) {
    Intent.Merge merge = new Intent.Merge(epoch, attempt, keys(records));
    return intending(
        merge,
        () -> {
          int changed = store.merge(records);
          listener.merged(merge);
          return changed;
        });
  }

  private <T> T intending(Intent what, Supplier<T> action) {
    intent = what;
    try {
      return action.get();
    } finally {
      intent = null;
    }
  }

  private static Set<String> keys(List<KeyRecord> records) {
    return records.stream()
        .map(record -> new String(record.key().key(), UTF_8))
        .collect(Collectors.toSet());
  }

  @Override
  public void scan(ScanVisitor visitor) {
    store.scan(visitor);
  }

  @Override
  public void sequential(List<SequentialKeys> keys) {
    store.sequential(keys);
  }

  @Override
  public void resume(long ofEpoch, long target, long sequentialUntilMicros) {
    resume(ofEpoch, target, sequentialUntilMicros, MissedEpochs.NONE);
  }

  @Override
  public void resume(long ofEpoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
    store.resume(ofEpoch, target, sequentialUntilMicros, missed);
    listener.serves(ofEpoch);
  }

  @Override
  public void rollbacks(RollbackTimes times) {
    store.rollbacks(times);
  }

  @Override
  public void safePoint(long hlc) {
    store.safePoint(hlc);
  }
}
