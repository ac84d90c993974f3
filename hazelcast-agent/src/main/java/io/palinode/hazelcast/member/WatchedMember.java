package io.palinode.hazelcast.member;

import com.hazelcast.cluster.Member;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.cluster.impl.JoinRequest;
import com.hazelcast.internal.partition.InternalPartitionService;
import com.hazelcast.internal.partition.PartitionReplica;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.map.impl.operation.MapOperation;
import com.hazelcast.map.impl.record.Record;
import com.hazelcast.map.impl.recordstore.RecordStore;
import com.hazelcast.spi.exception.RetryableHazelcastException;
import io.micrometer.core.instrument.MeterRegistry;
import io.palinode.hazelcast.node.MemberNode;
import io.palinode.hazelcast.record.EntryKeys;
import io.palinode.hazelcast.record.EntryRules;
import io.palinode.hazelcast.stamp.OperationStamps;
import io.palinode.hvc.Hlc;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.store.engine.SplitEngine;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.hosted.ExpiryQueue;
import io.palinode.store.hosted.Fuse;
import io.palinode.store.hosted.JoinedDetector;
import io.palinode.store.hosted.MetaEngine;
import io.palinode.store.hosted.MetaFiles;
import io.palinode.store.hosted.PromiseKeeper;
import io.palinode.store.node.NodeParts;
import io.palinode.store.node.NodeSpec;
import io.palinode.store.past.StoreSpec;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A member from its start to its end, with its node and its detector. Thread-safe. */
public final class WatchedMember implements AutoCloseable {
  static final long NOT_HELD = Long.MAX_VALUE;

  private static final Logger log = LoggerFactory.getLogger(WatchedMember.class);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long CLOCK_WAIT_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);
  private static final long EXPIRY_BYTES_MAX = 64L << 20;

  /** Above what the objects of an entry that awaits its end take. */
  private static final long EXPIRY_BYTES = 160;

  /** The owner before may have ended its intervals so long before its partitions had another. */
  private static final long OWNER_MARGIN_HLC = Hlc.ofMicros(10_000_000);

  private final MemberConfig config;
  private final Node hazelcast;
  private final InternalPartitionService partitions;
  private final EntryText text;
  private final PartitionThreads threads;
  private final Fuse fuse;
  private final JoinedDetector detector;
  private final PromiseKeeper promises = new PromiseKeeper();
  private final MemberNode node;
  private final OperationStamps stamps;
  private final AgentMark mark;
  private final LocalSnapshots snapshots;
  private final Blindness blindness;
  private final Map<Integer, Set<PartitionObserver>> observers = new ConcurrentHashMap<>();
  private final Set<Integer> settling = ConcurrentHashMap.newKeySet();
  private final Map<String, String> refused = new ConcurrentHashMap<>();
  private final ExpiryQueue<Ending> expiries = new ExpiryQueue<>(EXPIRY_BYTES_MAX);
  private final AtomicLong forgotten = new AtomicLong();

  /** By partition: the HLC of the first look that found this member among its replicas, or 0. */
  private final AtomicLongArray heldSince;

  /** The HLC before the last look at the owners of partitions. */
  private volatile long lookedAt;

  private boolean isClosed;

  private record Ending(PartitionObserver observer, Data key) {}

  /**
   * Opens the node of a member that is about to start. Throws {@link IllegalArgumentException} for
   * a member or a map that cannot be watched, and {@link io.palinode.store.engine.StorageException}
   * if the node's files cannot be read.
   */
  public WatchedMember(MemberConfig config, Node hazelcast, MeterRegistry registry) {
    this.config = config;
    this.hazelcast = hazelcast;
    this.partitions = hazelcast.getPartitionService();
    this.text = new EntryText(hazelcast.getSerializationService());
    this.threads = new PartitionThreads(hazelcast);
    List<String> why = MapRefusals.of(hazelcast.getConfig(), config.maps());
    if (!why.isEmpty()) {
      throw new IllegalArgumentException(
          String.join("; ", why) + "; list the maps to watch in 'maps'");
    }
    int number = config.nodeOf(hazelcast.getLocalMember().getSocketAddress());
    Path folder = config.hosted().data().resolve("node-" + number);
    StorageEngine engine =
        new SplitEngine(
            new MetaEngine(new MetaFiles(folder.resolve("meta"))),
            List.of(EntryKeys.STORE),
            folder.toFile());
    awaitClock(NodeParts.opensFromMicros(engine));
    this.fuse =
        new Fuse(
            "this node is no longer watched, until its member restarts",
            config.hosted().failuresMax(),
            this::missed,
            this::turnOff);
    this.detector =
        new JoinedDetector(config.hosted().detector(), registry, WatchedMember::epochMicros, fuse);
    StoreSpec store =
        new StoreSpec(EntryKeys.STORE, key -> List.of(number), new EntryRules(), false);
    NodeSpec spec =
        new NodeSpec(number, config.members().size(), List.of(store), config.hosted().node());
    this.node =
        new MemberNode(
            new NodeParts(spec, engine, WatchedMember::epochMicros, null, MemberNode.UNCOUNTED),
            new MemberMaps(config, hazelcast, text),
            fuse::isBlown);
    this.stamps =
        new OperationStamps(
            node.clock(), node.nodes(), hazelcast.getConfig().getClusterName(), node::clockRefused);
    this.mark = new AgentMark(node.nodes());
    mark.put(hazelcast);
    this.snapshots = new LocalSnapshots(number, node.history(), folder.resolve("snapshots"));
    this.heldSince = new AtomicLongArray(partitions.getPartitionCount());
    this.lookedAt = node.clock().last().own();
    this.blindness = new Blindness(detector::publishGap, lookedAt);
    log.info("node={} address={} state=HOOKED", number, hazelcast.getThisAddress());
    promises.start(node, this::look);
    detector.start(node, snapshots);
  }

  private static long epochMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  /** Waits for the clock promise of the last incarnation. A clock that is set back is refused. */
  private static void awaitClock(long fromMicros) {
    long deadline = System.nanoTime() + CLOCK_WAIT_NANOS_MAX;
    while (epochMicros() < fromMicros && System.nanoTime() < deadline) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** Observes a store of a map, or reports that it cannot. Throws nothing. */
  public @Nullable PartitionObserver observer(RecordStore<?> store) {
    String map = store.getName();
    String why = MapRefusals.of(store.getMapContainer().getMapConfig());
    if (why != null) {
      refused.put(map, why);
      return null;
    }
    @SuppressWarnings("unchecked")
    RecordStore<Record<Object>> records = (RecordStore<Record<Object>>) store;
    PartitionObserver observer = new PartitionObserver(this, records, text);
    observers
        .computeIfAbsent(observer.partition(), any -> ConcurrentHashMap.newKeySet())
        .add(observer);
    return observer;
  }

  public boolean watches(String map) {
    return config.maps().test(map);
  }

  /**
   * Refuses an operation of a watched map during a plan: its caller repeats it. Not one without a
   * partition, which changes no entry.
   */
  public void require(MapOperation operation) {
    int partition = operation.getPartitionId();
    boolean isOfClient = partition >= 0 && !(operation instanceof OfPlan);
    if (isOfClient && node.refuses(partition) && holds(operation.getName())) {
      requireStill(partition);
    }
  }

  /** Throws while a plan is open, or its restored entries of a partition are not written. */
  public void requireStill(int partition) {
    if (node.refuses(partition)) {
      throw new RetryableHazelcastException(
          "node %d is in a rollback of epoch %d".formatted(node.node(), node.fence().epoch()));
    }
  }

  /** Throws the reason why a member must not join the cluster. */
  public void require(JoinRequest request) {
    String why = mark.refusal(request);
    if (why != null) {
      throw new IllegalStateException("hazelcast-agent: " + why);
    }
  }

  /** The payload of an operation or a response, with the clock; as it is if that fails. */
  public byte[] stamped(byte[] payload) {
    try {
      return stamps.stamped(payload);
    } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
      fuse.failed(e);
      return payload;
    }
  }

  /** Takes in the clock of another member's operation or response. Throws nothing. */
  public void received(byte[] payload) {
    try {
      stamps.received(payload);
    } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
      fuse.failed(e);
    }
  }

  void forget(PartitionObserver observer) {
    observers.getOrDefault(observer.partition(), Set.of()).remove(observer);
  }

  /** Runs an action of an observer, unless the node is off. A failure is counted, not thrown. */
  public void guarded(Consumer<MemberNode> action) {
    if (fuse.isBlown()) {
      return;
    }
    try {
      if (!detector.isJoined()) {
        detector.missed();
      }
      action.accept(node);
    } catch (RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError e) {
      fuse.failed(e);
    }
  }

  /** Whether the member's stores are those of its cluster. */
  boolean isInCluster() {
    return hazelcast.getClusterService().isJoined();
  }

  boolean owns(int partition) {
    return node.owns(partition);
  }

  private boolean isLocal(int partition) {
    return partitions.getPartition(partition, false).isLocal();
  }

  /**
   * Announces all entries of a partition whose owner has changed. A member that begins to own one
   * publishes a coverage gap: the earlier owner may have ended its intervals before. In the
   * partition's thread.
   *
   * @param changing an entry that Hazelcast is changing; null for none
   * @param isNew whether that entry was absent
   */
  void settleOwner(int partition, @Nullable Data changing, boolean isNew) {
    boolean isOwned = isLocal(partition);
    if (isOwned == node.owns(partition)) {
      return;
    }
    long since = lookedAt;
    boolean isWatched = false;
    boolean isAnnounced = false;
    // First, so that no scan opens again what is ended here.
    node.own(partition, isOwned);
    try {
      for (PartitionObserver each : observers.getOrDefault(partition, Set.of())) {
        isWatched |= each.announceAll(node, isOwned, changing, isNew);
      }
      isAnnounced = true;
    } finally {
      if (!isAnnounced) {
        // The next look tries again.
        node.own(partition, !isOwned);
      }
    }
    if (isOwned && isWatched && !detector.publishGap(since - OWNER_MARGIN_HLC)) {
      detector.missed();
    }
  }

  private void look() {
    detector.check(node, snapshots);
    writeRestored();
    if (fuse.isBlown()) {
      return;
    }
    long hlc = node.clock().last().own();
    lookForCauses(hlc);
    lookForReplicas();
    observers.keySet().stream()
        .filter(partition -> isLocal(partition) != node.owns(partition))
        .filter(settling::add)
        .forEach(
            partition ->
                threads.run(
                    partition,
                    () -> {
                      settling.remove(partition);
                      guarded(any -> settleOwner(partition, null, false));
                    }));
    if (settling.isEmpty()) {
      lookedAt = hlc;
    }
    if (node.fence().paused()) {
      return;
    }
    for (Ending each : expiries.due(TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()))) {
      threads.run(
          each.observer().partition(), () -> guarded(any -> each.observer().expire(each.key())));
    }
  }

  /** Of owners that ended before they had served. */
  private void writeRestored() {
    try {
      if (!node.fence().paused()) {
        node.writeRestored();
      }
    } catch (RuntimeException e) {
      log.warn("node={} state=RESTORED_NOT_WRITTEN, tried again: {}", node.node(), e.getMessage());
    }
  }

  private void lookForReplicas() {
    for (int partition = 0; partition < heldSince.length(); partition++) {
      if (replicaIndex(partition) < 0) {
        heldSince.set(partition, 0);
      } else if (heldSince.get(partition) == 0) {
        heldSince.set(partition, node.clock().tick().own());
      }
    }
  }

  /** 0 for the owner; negative if this member has no replica. */
  private int replicaIndex(int partition) {
    return partitions
        .getPartition(partition, false)
        .getReplicaIndex(PartitionReplica.from(hazelcast.getLocalMember()));
  }

  /**
   * Since when the member holds the entries of a map in a partition; {@link #NOT_HELD} if it does
   * not. A replica that other members have sent begins the node's reach too.
   */
  long heldSince(String map, int partition) {
    int index = replicaIndex(partition);
    long since = heldSince.get(partition);
    boolean isHeld =
        index >= 0 && index <= hazelcast.getConfig().findMapConfig(map).getTotalBackupCount();
    return isHeld && since > 0 ? since : NOT_HELD;
  }

  /** Whether the entries of a map are observed. */
  boolean holds(String map) {
    return watches(map) && !refused.containsKey(map);
  }

  private void lookForCauses(long hlc) {
    Set<String> causes = new TreeSet<>();
    refused.forEach((map, why) -> causes.add("map=%s: %s".formatted(map, why)));
    for (Member member : hazelcast.getClusterService().getMembers()) {
      if (!member.isLiteMember() && !config.members().contains(member.getSocketAddress())) {
        causes.add("member=%s is not in 'members'".formatted(member.getAddress()));
        continue;
      }
      String why = mark.refusal(member);
      if (why != null) {
        causes.add(why);
      }
    }
    blindness.look(causes, System.nanoTime(), hlc);
  }

  /** Looks at an entry once its time has ended, in milliseconds. */
  void expireAt(long millis, PartitionObserver observer, Data key) {
    long second = TimeUnit.MILLISECONDS.toSeconds(millis) + 1;
    int dropped = expiries.add(second, new Ending(observer, key), EXPIRY_BYTES + key.totalSize());
    if (dropped > 0 && forgotten.getAndAdd(dropped) == 0) {
      log.warn(
          "node={} state=FORGOTTEN ttls above {} bytes: their intervals end when Hazelcast evicts them",
          node.node(),
          EXPIRY_BYTES_MAX);
    }
  }

  private void missed() {
    node.missed();
    detector.missed();
  }

  private void turnOff() {
    detector.turnOff();
  }

  /** Waits for the join of the detector. Returns the reason if it has not joined in time. */
  public @Nullable String awaitJoined() {
    if (detector.awaitJoined(config.hosted().joining().timeout())) {
      return null;
    }
    String why = detector.notJoined();
    detector.missed();
    return "it has not joined within %s%s"
        .formatted(config.hosted().joining().timeout(), why == null ? "" : ": " + why);
  }

  /** Ends the node of a member that has ended: its partitions are others' from now on. */
  @Override
  public synchronized void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    promises.close();
    try {
      node.disown();
    } catch (RuntimeException e) {
      // Some intervals stay open, so the node does not end in order.
      fuse.blow("its intervals could not be ended: " + e);
    }
    detector.stop();
    detector.endReports();
    node.close();
  }

  public MemberNode node() {
    return node;
  }

  public LocalSnapshots snapshots() {
    return snapshots;
  }

  public Node hazelcast() {
    return hazelcast;
  }

  public int number() {
    return node.node();
  }

  /** Turns the node off. */
  public void blow(String why) {
    fuse.blow(why);
  }

  /** What the status page shows. */
  public Map<String, @Nullable Object> status() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("node", node.node());
    all.put("incarnation", node.incarnation());
    all.put("joined", detector.isJoined());
    all.put("covered", blindness.causes().isEmpty() && !fuse.isBlown() && detector.isRunning());
    all.put("notJoined", detector.notJoined());
    all.put("off", fuse.isBlown());
    all.put("failures", fuse.failures());
    all.put("firstFailure", fuse.first());
    all.put("controlFailure", detector.controlFailure());
    all.put("clocksRefused", stamps.refused());
    all.put("stampsUnread", stamps.unread());
    all.put("unwatched", blindness.causes());
    all.put("epoch", node.fence().epoch());
    all.put("paused", node.fence().paused());
    all.put("reach", Hlc.format(node.reach()));
    all.put("windowLogBytes", node.past().bytes());
    return all;
  }
}
