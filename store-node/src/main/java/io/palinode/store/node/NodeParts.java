package io.palinode.store.node;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageHealth;
import io.palinode.store.order.ClockBehindException;
import io.palinode.store.order.ClockPromise;
import io.palinode.store.order.Fence;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.order.WriteOrder;
import io.palinode.store.past.Accesses;
import io.palinode.store.past.DiskLogs;
import io.palinode.store.past.NodeStores;
import io.palinode.store.past.PastEvents;
import io.palinode.store.past.PastOnDisk;
import io.palinode.store.past.Writers;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The parts of one incarnation of a node, which its requests and its restores share. */
public final class NodeParts {
  private final NodeSpec spec;
  private final WriteOrder order = new WriteOrder();
  private final Accesses accesses = new Accesses();
  private final StorageHealth health;
  private final HvcClock clock;
  private final long incarnation;
  private final ClockPromise promise;
  private final NodeStores stores;
  private final Fence fence;
  private final Writers writers;

  /**
   * Begins another incarnation over {@code engine}, which has the stores of {@code spec} and {@link
   * NodeMeta#STORE}. Window-logs on disk continue where they ended, if no write can be missing
   * since.
   *
   * <p>Throws {@link ClockBehindException} before {@link #opensFromMicros}, and {@link
   * io.palinode.retroscope.disklog.DiskLogException} if a log on disk belongs to another node; both
   * change nothing.
   *
   * @param epochMicros the physical clock, microseconds since the Unix epoch
   * @param disk null: window-logs are in memory only
   */
  public NodeParts(
      NodeSpec spec,
      StorageEngine engine,
      LongSupplier epochMicros,
      @Nullable PastOnDisk disk,
      PastEvents events) {
    int node = spec.node();
    NodeSettings settings = spec.settings();
    ClockBounds clocks = settings.clocks();
    this.spec = spec;
    this.health = new StorageHealth(node, engine::freeBytes);
    this.clock = new HvcClock(node, spec.nodes(), clocks.epsilon(), epochMicros, clocks.maxDrift());
    NodeMeta.Start last = ClockPromise.last(engine);
    requireReached(node, last.promisedHlc(), epochMicros.getAsLong());
    DiskLogs logs = new DiskLogs(node, spec.stores(), disk, last.incarnation(), events);
    long openedAt = clock.tick(ownReading(spec, last, logs)).own();
    this.incarnation = last.incarnation() + 1;
    this.promise =
        new ClockPromise(engine, settings.writes(), health, epochMicros, incarnation, openedAt);
    // After the promise: a log of a later incarnation than the records could miss some.
    logs.begin(incarnation);
    // Without a past, no earlier or later time is in reach.
    long from = settings.keepsPast() ? openedAt : Long.MAX_VALUE;
    this.stores =
        new NodeStores(
            node, engine, settings.writes(), logs.open(settings.windowLog(), openedAt, from));
    this.fence = new Fence(node, NodeMeta.readFence(engine));
    this.writers = new Writers(openedAt);
  }

  private static void requireReached(int node, long promised, long nowMicros) {
    if (nowMicros < Hlc.micros(promised)) {
      throw new ClockBehindException(node, promised, nowMicros);
    }
  }

  /** The last HLC of earlier incarnations, as a received reading. */
  private static Hvc ownReading(NodeSpec spec, NodeMeta.Start last, DiskLogs logs) {
    long[] entries = new long[spec.nodes()];
    entries[spec.node()] = Math.max(last.promisedHlc(), logs.last());
    return Hvc.of(Hvc.NO_OWNER, entries);
  }

  /**
   * The earliest physical time, in microseconds, at which a node opens over {@code engine}. A clock
   * that began ahead of the physical one would misorder its node against all others.
   */
  public static long opensFromMicros(StorageEngine engine) {
    return Hlc.micros(ClockPromise.last(engine).promisedHlc());
  }

  public NodeSpec spec() {
    return spec;
  }

  public WriteOrder order() {
    return order;
  }

  public Accesses accesses() {
    return accesses;
  }

  public StorageHealth health() {
    return health;
  }

  public HvcClock clock() {
    return clock;
  }

  public long incarnation() {
    return incarnation;
  }

  public ClockPromise promise() {
    return promise;
  }

  public NodeStores stores() {
    return stores;
  }

  public Fence fence() {
    return fence;
  }

  public Writers writers() {
    return writers;
  }
}
