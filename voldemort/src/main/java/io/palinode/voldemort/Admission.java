package io.palinode.voldemort;

import io.palinode.detector.binding.NodeHealth;
import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.ClockDriftException;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import io.palinode.store.engine.StorageException;
import io.palinode.store.engine.StorageHealth;
import io.palinode.store.node.NodeParts;
import io.palinode.store.node.NodeSpec;
import io.palinode.store.node.RefusedClocks;
import io.palinode.store.order.Fence;
import io.palinode.store.order.FenceState;
import io.palinode.store.past.LocalStore;
import io.palinode.store.past.NodeStores;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Versioned;
import java.io.UncheckedIOException;

/**
 * Decides which requests a node serves, and counts those that it refuses. Thread-safe; takes no
 * lock of the node.
 */
public final class Admission {
  private final NodeSpec spec;
  private final NodeStores stores;
  private final Fence fence;
  private final HvcClock clock;
  private final NodeCounters counters;
  private final StorageHealth health;
  private final RefusedClocks refusedClocks = new RefusedClocks();
  private final Hvc noReading;

  Admission(NodeParts parts, NodeCounters counters) {
    this.spec = parts.spec();
    this.stores = parts.stores();
    this.fence = parts.fence();
    this.clock = parts.clock();
    this.counters = counters;
    this.health = parts.health();
    this.noReading = Hvc.unknown(spec.nodes());
  }

  /**
   * The fence under which a request of {@code caller} begins. Throws if the fence refuses it. A
   * read is served only if {@link #requireSameFence} succeeds when the read ends.
   */
  public FenceState admit(Caller caller) throws RefusedException {
    FenceState now = fence.state();
    FenceState refusal = now.refusal(caller.epoch());
    if (refusal != null) {
      throw fenced(refusal);
    }
    return now;
  }

  /** Throws if the fence has changed since {@link #admit}. */
  public void requireSameFence(FenceState admitted) throws RefusedException {
    FenceState now = fence.state();
    // No state returns: epochs only grow, and each is paused before it is served.
    if (!now.equals(admitted)) {
      throw fenced(now);
    }
  }

  /**
   * The node's HVC after it received the caller's. Throws if the caller's clock is too far ahead or
   * of another cluster. Without a past, no clock ticks.
   */
  public Hvc receive(Caller caller) throws RefusedException {
    if (!spec.keepsPast()) {
      return lastReading();
    }
    Hvc received = caller.hvc();
    if (received == null) {
      return clock.tick();
    }
    if (received.nodes() != spec.nodes()) {
      throw refuse(
          ErrorCode.VOLDEMORT,
          "a clock of this cluster has %d entries: received=%s".formatted(spec.nodes(), received));
    }
    try {
      return clock.tick(received);
    } catch (ClockDriftException e) {
      counters.add(NodeCounter.CLOCKS_REFUSED);
      refusedClocks.add(e);
      throw refuse(ErrorCode.VOLDEMORT, String.valueOf(e.getMessage()));
    }
  }

  /** The clock after the last operation; without a past zero, and of no owner. */
  Hvc lastReading() {
    return spec.keepsPast() ? clock.last() : noReading;
  }

  boolean keepsPast() {
    return spec.keepsPast();
  }

  void count(NodeCounter counter) {
    counters.add(counter);
  }

  /** What the node observes of its clock and its storage. */
  NodeHealth health() {
    return refusedClocks.health(spec.settings().clocks(), health);
  }

  LocalStore store(String name) throws RefusedException {
    LocalStore store = stores.find(name);
    if (store == null) {
      throw refuse(
          ErrorCode.VOLDEMORT,
          "Unknown store '%s': store not found on node %d".formatted(name, spec.node()));
    }
    return store;
  }

  /** Throws for a key whose replicas are on other nodes. */
  public void requireHeld(StoreKey key) throws RefusedException {
    if (!store(key.store()).isHeldBy(spec.node(), key.key())) {
      throw refuse(
          ErrorCode.INVALID_METADATA,
          "a key of store %s is not held by node %d: bootstrap again"
              .formatted(key.store(), spec.node()));
    }
  }

  /** A refusal to throw, counted as an error. */
  public RefusedException refuse(ErrorCode code, String message) {
    counters.add(NodeCounter.ERRORS);
    return new RefusedException(code, message);
  }

  /** The refusal of an obsolete put, to throw; counted. */
  public RefusedException obsolete(Versioned added) {
    counters.add(NodeCounter.OBSOLETE);
    return new RefusedException(
        ErrorCode.OBSOLETE_VERSION,
        "node " + spec.node() + " has a version newer than or equal to " + added.clock());
  }

  /** The refusal of a request whose window-log on disk could not be read, to throw; counted. */
  public RefusedException unreadPast(UncheckedIOException failed) {
    return refuse(
        ErrorCode.PERSISTENCE_FAILURE, "node %d: %s".formatted(spec.node(), failed.getMessage()));
  }

  /** The refusal of a request that the storage failed, to throw; counted and logged. */
  RefusedException failed(StorageException e) {
    health.requestFailed(e);
    return refuse(ErrorCode.PERSISTENCE_FAILURE, "node " + spec.node() + ": " + e.getMessage());
  }

  /** The storage has done what a request asked. */
  void storageWorked() {
    health.requestDone();
  }

  private RefusedException fenced(FenceState refusal) {
    counters.add(NodeCounter.FENCED);
    return RefusedException.fenced(spec.node(), refusal);
  }
}
