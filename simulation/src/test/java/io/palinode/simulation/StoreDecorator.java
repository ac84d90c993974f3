package io.palinode.simulation;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.simulation.world.Seams;
import io.palinode.store.affected.Trace;
import io.palinode.store.binding.StoreBinding;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** A store that does what another one does; to be overridden where it is to do wrong. */
class StoreDecorator implements StoreBinding {
  private final StoreBinding real;

  StoreDecorator(StoreBinding real) {
    this.real = real;
  }

  /** Seams at which each node's store is decorated. */
  static Seams seams(UnaryOperator<StoreBinding> decorate) {
    return new Seams() {
      @Override
      public StoreBinding store(StoreBinding real) {
        return decorate.apply(real);
      }
    };
  }

  @Override
  public int node() {
    return real.node();
  }

  @Override
  public int nodes() {
    return real.nodes();
  }

  @Override
  public long incarnation() {
    return real.incarnation();
  }

  @Override
  public HvcClock clock() {
    return real.clock();
  }

  @Override
  public void listen(WriteListener listener) {
    real.listen(listener);
  }

  @Override
  public void atomically(Runnable action) {
    real.atomically(action);
  }

  @Override
  public long reach() {
    return real.reach();
  }

  @Override
  public long pause(long epoch) {
    return real.pause(epoch);
  }

  @Override
  public Restoration restore(long epoch, int attempt, long target) {
    return real.restore(epoch, attempt, target);
  }

  @Override
  public Restoration restore(long epoch, int attempt, long target, Map<Long, Long> keys) {
    return real.restore(epoch, attempt, target, keys);
  }

  @Override
  public boolean visitChanges(long after, Predicate<StoreKey> wanted, ChangeVisitor visitor) {
    return real.visitChanges(after, wanted, visitor);
  }

  @Override
  public void followAccesses(boolean wanted) {
    real.followAccesses(wanted);
  }

  @Override
  public Trace accesses(long hlc) {
    return real.accesses(hlc);
  }

  @Override
  public long accessKey(StoreKey key) {
    return real.accessKey(key);
  }

  @Override
  public Restoration keep(long epoch, int attempt, long target) {
    return real.keep(epoch, attempt, target);
  }

  @Override
  public Restoration keepAll(long epoch, int attempt) {
    return real.keepAll(epoch, attempt);
  }

  @Override
  public List<KeyRecord> readSlices(List<StoreKey> slices, long target, boolean kept) {
    return real.readSlices(slices, target, kept);
  }

  @Override
  public void pass(long hlc) {
    real.pass(hlc);
  }

  @Override
  public boolean promises(long hlc) {
    return real.promises(hlc);
  }

  @Override
  public long restoredEpoch() {
    return real.restoredEpoch();
  }

  @Override
  public List<KeyRecord> read(List<StoreKey> keys) {
    return real.read(keys);
  }

  @Override
  public List<Integer> replicas(StoreKey key) {
    return real.replicas(key);
  }

  @Override
  public List<Version> siblings(StoreKey key) {
    return real.siblings(key);
  }

  @Override
  public int merge(List<KeyRecord> records) {
    return real.merge(records);
  }

  @Override
  public void scan(ScanVisitor visitor) {
    real.scan(visitor);
  }

  @Override
  public void resume(long epoch, long target, long sequentialUntilMicros) {
    real.resume(epoch, target, sequentialUntilMicros);
  }

  @Override
  public void rollbacks(RollbackTimes times) {
    real.rollbacks(times);
  }

  @Override
  public void safePoint(long hlc) {
    real.safePoint(hlc);
  }
}
