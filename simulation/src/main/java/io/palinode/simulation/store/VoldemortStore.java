package io.palinode.simulation.store;

import io.palinode.detector.binding.Version;
import io.palinode.simulation.check.VersionOrder;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.node.NodeSettings;
import io.palinode.store.past.RecordRules;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.VoldemortRules;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Voldemort: siblings under vector clocks, placed on a ring. */
final class VoldemortStore implements SimulatedStore {
  private static final int PARTITIONS_OF_RING = 4;

  private final Cluster cluster;
  private final StoreDefinition definition;
  private final NodeSettings settings;
  private final Ring ring;

  VoldemortStore(Replication replication, NodeSettings settings) {
    int nodes = replication.nodes();
    this.settings = settings;
    this.cluster =
        new Cluster(
            "simulated",
            List.of(),
            IntStream.range(0, nodes).mapToObj(id -> node(id, nodes)).toList());
    this.definition =
        StoreDefinition.of(
            NAME,
            Persistence.BDB,
            replication.replicas(),
            replication.reads(),
            replication.writes());
    this.ring = new Ring(cluster, replication.replicas());
  }

  private static Node node(int id, int nodes) {
    List<Integer> owned =
        IntStream.range(0, PARTITIONS_OF_RING).mapToObj(i -> id + i * nodes).toList();
    return new Node(id, "node" + id, 0, 0, 0, 0, owned);
  }

  @Override
  public SimulatedNode open(int node, StorageEngine disk, LongSupplier epochMicros) {
    StoreNodeConfig config = new StoreNodeConfig(node, cluster, List.of(definition), settings);
    return new VoldemortNode(new StoreNode(config, disk, epochMicros));
  }

  @Override
  public List<Integer> replicas(String key) {
    return ring.preferenceList(key.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public RecordRules rules() {
    return VoldemortRules.INSTANCE;
  }

  @Override
  public VersionOrder order() {
    return Clocks.INSTANCE;
  }

  @Override
  public VectorClock clock(Version version) {
    return VoldemortRules.versioned(version).clock();
  }

  @Override
  public @Nullable Version resolve(List<Version> found) {
    Versioned resolved = Siblings.resolve(found.stream().map(VoldemortRules::versioned).toList());
    return resolved == null ? null : VoldemortRules.version(resolved);
  }

  @Override
  public Operation write(String key, @Nullable String value, List<Version> found, Writer writer) {
    VectorClock merged = VectorClock.EMPTY;
    for (Version version : found) {
      merged = merged.merge(VoldemortRules.versioned(version).clock());
    }
    if (value == null) {
      return new Operation.Delete(key, merged.encode());
    }
    VectorClock clock = merged.incremented(writer.first(), writer.micros() / 1_000);
    return new Operation.Put(key, VoldemortRules.version(Versioned.ofText(value, clock)));
  }

  @Override
  public List<MissingVersion> missing(Map<Integer, List<Version>> found) {
    Map<Integer, List<Versioned>> versions = new LinkedHashMap<>();
    found.forEach(
        (node, of) -> versions.put(node, of.stream().map(VoldemortRules::versioned).toList()));
    return io.palinode.voldemort.client.MissingVersion.in(versions).stream()
        .map(
            lacking ->
                new MissingVersion(
                    lacking.node(), VoldemortRules.version(lacking.version()), lacking.readAt()))
        .toList();
  }

  /** The order of vector clocks. */
  private enum Clocks implements VersionOrder {
    INSTANCE;

    @Override
    public boolean isAtMost(Version one, Version other) {
      return clock(one.clock()).isAtMost(clock(other.clock()));
    }

    @Override
    public boolean isCovered(Version version, byte[] mark) {
      return clock(version.clock()).isAtMost(clock(mark));
    }

    private static VectorClock clock(byte[] bytes) {
      return VectorClock.readFrom(ByteBuffer.wrap(bytes));
    }
  }
}
