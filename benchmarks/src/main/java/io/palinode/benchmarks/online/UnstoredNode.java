package io.palinode.benchmarks.online;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.store.binding.StoreBinding;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * A node whose writes reach the detector but no store, so that a benchmark excludes the store. It
 * cannot restore. Thread-safe.
 */
final class UnstoredNode implements StoreBinding {
  private static final String STORE = "bench";

  private final ReentrantLock lock = new ReentrantLock();
  private final int node;
  private final int nodes;
  private final HvcClock clock;
  private WriteListener listener = event -> {};
  private long writes;

  UnstoredNode(int node, int nodes, Epsilon epsilon, LongSupplier epochMicros) {
    this.node = node;
    this.nodes = nodes;
    this.clock = new HvcClock(node, nodes, epsilon, epochMicros, HvcClock.MAX_DRIFT_DEFAULT);
  }

  /** A write that replaces the value of the key, as a store would pass it on. */
  void write(byte[] key, byte[] value, String writer) {
    lock.lock();
    try {
      Hvc before = clock.tick();
      Hvc after = clock.tick();
      byte[] version = ByteBuffer.allocate(2 * Long.BYTES).putLong(node).putLong(++writes).array();
      Version written = new Version(value, version);
      listener.written(
          new WriteEvent(
              new StoreKey(STORE, key), List.of(written), written, before, after, writer, node));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int node() {
    return node;
  }

  @Override
  public int nodes() {
    return nodes;
  }

  /** Each benchmark has its own broker, and starts its nodes once. */
  @Override
  public long incarnation() {
    return 1;
  }

  @Override
  public HvcClock clock() {
    return clock;
  }

  @Override
  public void listen(WriteListener newListener) {
    atomically(() -> listener = newListener);
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
  public List<Version> siblings(StoreKey key) {
    return List.of();
  }

  @Override
  public void scan(ScanVisitor visitor) {
    // Nothing is kept.
  }

  @Override
  public void resume(long epoch, long target, long sequentialUntilMicros) {
    // It serves no client: the benchmark writes once every node has joined.
  }

  @Override
  public void rollbacks(RollbackTimes times) {
    // There is no past to read.
  }

  @Override
  public void safePoint(long hlc) {
    // There is no client to notify.
  }

  @Override
  public long reach() {
    return clock.last().own();
  }

  @Override
  public long pause(long epoch) {
    throw notStored();
  }

  @Override
  public Restoration restore(long epoch, int attempt, long target) {
    throw notStored();
  }

  @Override
  public Restoration keep(long epoch, int attempt, long target) {
    throw notStored();
  }

  @Override
  public void pass(long hlc) {
    clock().tickPast(hlc);
  }

  @Override
  public boolean promises(long hlc) {
    return true;
  }

  @Override
  public long restoredEpoch() {
    return 0;
  }

  @Override
  public Restoration keepAll(long epoch, int attempt) {
    throw notStored();
  }

  @Override
  public List<KeyRecord> readSlices(List<StoreKey> slices, long target, boolean kept) {
    throw notStored();
  }

  @Override
  public List<KeyRecord> read(List<StoreKey> keys) {
    throw notStored();
  }

  @Override
  public int merge(List<KeyRecord> records) {
    throw notStored();
  }

  private static UnsupportedOperationException notStored() {
    return new UnsupportedOperationException("this node stores nothing and restores nothing");
  }
}
