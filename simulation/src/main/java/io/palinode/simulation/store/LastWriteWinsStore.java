package io.palinode.simulation.store;

import io.palinode.detector.binding.Version;
import io.palinode.simulation.check.VersionOrder;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.node.NodeParts;
import io.palinode.store.node.NodeSettings;
import io.palinode.store.node.NodeSpec;
import io.palinode.store.past.PastEvents;
import io.palinode.store.past.RecordRules;
import io.palinode.store.past.StoreSpec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A store in which the last write wins: a version has a stamp, and no clock of its writers. Keys
 * are spread by their hash.
 */
final class LastWriteWinsStore implements SimulatedStore {
  private final Replication replication;
  private final NodeSettings settings;
  private final RecordRules rules = new LastWriteWinsRules();

  LastWriteWinsStore(Replication replication, NodeSettings settings) {
    this.replication = replication;
    this.settings = settings;
  }

  @Override
  public SimulatedNode open(int node, StorageEngine disk, LongSupplier epochMicros) {
    StoreSpec spec = new StoreSpec(NAME, this::replicas, rules, true);
    NodeSpec of = new NodeSpec(node, replication.nodes(), List.of(spec), settings);
    PastEvents uncounted = new PastEvents(() -> {}, () -> {});
    return new LastWriteWinsNode(new NodeParts(of, disk, epochMicros, null, uncounted));
  }

  @Override
  public List<Integer> replicas(String key) {
    return replicas(key.getBytes(StandardCharsets.UTF_8));
  }

  private List<Integer> replicas(byte[] key) {
    int first = Math.floorMod(Arrays.hashCode(key), replication.nodes());
    List<Integer> replicas = new ArrayList<>();
    for (int i = 0; i < replication.replicas(); i++) {
      replicas.add((first + i) % replication.nodes());
    }
    return replicas;
  }

  @Override
  public RecordRules rules() {
    return rules;
  }

  @Override
  public VersionOrder order() {
    return Stamps.INSTANCE;
  }

  @Override
  public @Nullable Version resolve(List<Version> found) {
    return found.stream().reduce(LastWriteWinsRules::latest).orElse(null);
  }

  /** With the writer's clock as its stamp, unless a version that it found has a later one. */
  @Override
  public Operation write(String key, @Nullable String value, List<Version> found, Writer writer) {
    long stamp = writer.micros();
    for (Version version : found) {
      stamp = Math.max(stamp, Stamps.stamp(version.clock()) + 1);
    }
    int by = writer.client() * replication.nodes() + writer.first();
    byte[] bytes = (value == null ? "" : value).getBytes(StandardCharsets.UTF_8);
    return new Operation.Put(key, LastWriteWinsRules.version(stamp, by, bytes));
  }

  @Override
  public List<MissingVersion> missing(Map<Integer, List<Version>> found) {
    List<Version> all = found.values().stream().flatMap(List::stream).toList();
    Version latest = resolve(all);
    if (latest == null) {
      return List.of();
    }
    int readAt =
        found.entrySet().stream()
            .filter(node -> node.getValue().contains(latest))
            .mapToInt(Map.Entry::getKey)
            .findFirst()
            .orElseThrow();
    return found.entrySet().stream()
        .filter(node -> !node.getValue().contains(latest))
        .map(node -> new MissingVersion(node.getKey(), latest, readAt))
        .toList();
  }

  /** The order of stamps; of two writers with one stamp, by their numbers. */
  private enum Stamps implements VersionOrder {
    INSTANCE;

    @Override
    public boolean isAtMost(Version one, Version other) {
      return isAtMost(one.clock(), other.clock());
    }

    @Override
    public boolean isCovered(Version version, byte[] mark) {
      return isAtMost(version.clock(), mark);
    }

    private static boolean isAtMost(byte[] one, byte[] other) {
      return stamp(one) == stamp(other) ? writer(one) <= writer(other) : stamp(one) < stamp(other);
    }

    private static long stamp(byte[] name) {
      return ByteBuffer.wrap(name).getLong();
    }

    private static short writer(byte[] name) {
      return ByteBuffer.wrap(name).getShort(Long.BYTES);
    }
  }
}
