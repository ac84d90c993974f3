package io.palinode.store.conformance;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.retroscope.disk.LogFolder;
import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.store.engine.MemoryEngine;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.node.NodeParts;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.past.PastOnDisk;
import io.palinode.store.past.RecordRules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in memory in which the last write wins. A kill leaves a node's records; its past is in
 * a folder, or lost.
 */
class LastWriteWins implements KitStore {
  static final String STORE = "store";
  private static final DiskBound BOUND = new DiskBound(Duration.ofDays(1), 1 << 20, 0);

  private final Map<Integer, StorageEngine> engines = new HashMap<>();
  private final Function<NodeParts, MergingNode> nodes;
  private final @Nullable Path logs;

  /**
   * @param logs null: a killed node loses its past
   */
  LastWriteWins(Function<NodeParts, MergingNode> nodes, @Nullable Path logs) {
    this.nodes = nodes;
    this.logs = logs;
  }

  @Override
  public RecordRules rules() {
    return Rules.INSTANCE;
  }

  @Override
  public StoreKey key(int number) {
    return new StoreKey(STORE, ("key" + number).getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public KitNode open(KitSite site) {
    return nodes.apply(
        MergingNode.parts(site, STORE, rules(), engine(site.node()), disk(site.node())));
  }

  /** The engine that outlives a node's process. */
  StorageEngine engine(int node) {
    return engines.computeIfAbsent(node, each -> new MemoryEngine(List.of(STORE, NodeMeta.STORE)));
  }

  @Nullable PastOnDisk disk(int node) {
    Path folder = logs;
    return folder == null
        ? null
        : new PastOnDisk(BOUND, (store, log) -> volume(folder.resolve(node + "-" + log.name())));
  }

  private static LogFolder volume(Path folder) {
    try {
      return LogFolder.open(folder, "boot");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Of few stamps, so that many are equal; a delete is a put of no value. */
  @Override
  public KitWrite write(StoreKey key, List<Version> found, int first, Random random) {
    long stamp = found.isEmpty() ? 0 : Rules.stamp(found.get(0));
    byte[] value = new byte[random.nextInt(4) == 0 ? 0 : 1];
    random.nextBytes(value);
    return KitWrite.put(key, Rules.version(stamp + random.nextInt(4) - 1, value), first);
  }

  /**
   * Records of one version: the greatest stamp, then the greatest value.
   *
   * <pre>
   * | stamp i64 | value |
   * </pre>
   */
  static class Rules implements RecordRules {
    static final Rules INSTANCE = new Rules();
    private static final Comparator<Version> ORDER =
        Comparator.comparingLong(Rules::stamp)
            .thenComparing(Version::value, Arrays::compareUnsigned);

    static Version version(long stamp, byte[] value) {
      return new Version(value, ByteBuffer.allocate(Long.BYTES).putLong(stamp).array());
    }

    static long stamp(Version version) {
      return ByteBuffer.wrap(version.clock()).getLong();
    }

    @Override
    public List<Version> versions(byte[] record) {
      return record.length == 0
          ? List.of()
          : List.of(
              new Version(
                  Arrays.copyOfRange(record, Long.BYTES, record.length),
                  Arrays.copyOf(record, Long.BYTES)));
    }

    @Override
    public byte[] record(List<Version> versions) {
      return versions.stream().max(ORDER).map(Rules::record).orElseGet(() -> new byte[0]);
    }

    private static byte[] record(Version version) {
      return ByteBuffer.allocate(Long.BYTES + version.value().length)
          .put(version.clock())
          .put(version.value())
          .array();
    }

    @Override
    public List<Version> merge(List<Version> one, List<Version> other) {
      return Stream.concat(one.stream(), other.stream()).max(ORDER).map(List::of).orElse(List.of());
    }

    /** {@inheritDoc} Deletes are versions, so there are no marks. */
    @Override
    public boolean isCovered(Version version, byte[] mark) {
      return false;
    }

    @Override
    public byte[] name(Version version) {
      return version.clock();
    }

    @Override
    public int length(ByteBuffer in, int at) {
      return Long.BYTES;
    }

    @Override
    public void forEachPlace(byte[] record, PlaceVisitor visitor) {
      if (record.length > 0) {
        visitor.visit(0, Long.BYTES, Long.BYTES, record.length);
      }
    }
  }
}
