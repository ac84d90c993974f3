package io.palinode.voldemort;

import io.palinode.detector.binding.NodeHealth;
import io.palinode.hvc.Hvc;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.node.NodeBinding;
import io.palinode.store.node.NodeParts;
import io.palinode.store.past.PastEvents;
import io.palinode.store.past.PastOnDisk;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One store node with its requests. Thread-safe.
 *
 * <p>Requests of clients go to {@link #reads} and {@link #writes}; a server that brings its engine
 * uses {@link #hosted}.
 */
public final class StoreNode extends NodeBinding {
  /** The name under which clients ask for cluster.xml and similar; never a store of the node. */
  public static final String METADATA = "metadata";

  private final StoreNodeConfig config;
  private final NodeCounters counters;
  private final Admission admission;
  private final WriteEvents events;
  private final ClientReads reads;
  private final ClientWrites writes;
  private final HostedWrites hosted;

  /**
   * Opens a node whose window-logs are in memory only. Otherwise like the other constructor.
   *
   * @param epochMicros the physical clock, microseconds since the Unix epoch
   */
  public StoreNode(StoreNodeConfig config, StorageEngine engine, LongSupplier epochMicros) {
    this(config, engine, epochMicros, null);
  }

  /**
   * Begins another incarnation over {@code engine}; see {@link NodeParts}.
   *
   * @param disk null: window-logs are in memory only
   */
  public StoreNode(
      StoreNodeConfig config,
      StorageEngine engine,
      LongSupplier epochMicros,
      @Nullable PastOnDisk disk) {
    this(config, engine, epochMicros, disk, new NodeCounters());
  }

  private StoreNode(
      StoreNodeConfig config,
      StorageEngine engine,
      LongSupplier epochMicros,
      @Nullable PastOnDisk disk,
      NodeCounters counters) {
    this(
        config,
        new NodeParts(config.spec(), engine, epochMicros, disk, pastEvents(counters)),
        counters);
  }

  private StoreNode(StoreNodeConfig config, NodeParts parts, NodeCounters counters) {
    super(parts);
    this.config = config;
    this.counters = counters;
    this.admission = new Admission(parts, counters);
    this.events = new WriteEvents(node(), counters, parts.writers(), parts.accesses());
    this.reads = new ClientReads(parts, history(), admission);
    this.writes = new ClientWrites(parts, admission, events);
    this.hosted = new HostedWrites(parts, admission, events);
  }

  private static PastEvents pastEvents(NodeCounters counters) {
    return new PastEvents(
        () -> counters.add(NodeCounter.WINDOW_LOG_LOST),
        () -> counters.add(NodeCounter.DELETES_FORGOTTEN));
  }

  public StoreNodeConfig config() {
    return config;
  }

  public NodeCounters counters() {
    return counters;
  }

  public Admission admission() {
    return admission;
  }

  public ClientReads reads() {
    return reads;
  }

  public ClientWrites writes() {
    return writes;
  }

  public HostedWrites hosted() {
    return hosted;
  }

  /** The clock after the last operation; without a past zero, and of no owner. */
  public Hvc lastReading() {
    return admission.lastReading();
  }

  @Override
  public NodeHealth health() {
    return admission.health();
  }

  /** {@inheritDoc} Throws {@link IllegalStateException} if the node keeps no past. */
  @Override
  public void listen(WriteListener listener) {
    if (!admission.keepsPast()) {
      throw new IllegalStateException(
          "a node that keeps no past passes no writes on: node=" + node());
    }
    events.listen(listener);
  }
}
