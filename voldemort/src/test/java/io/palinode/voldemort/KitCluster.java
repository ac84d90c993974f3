package io.palinode.voldemort;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.store.binding.StoreBinding;
import io.palinode.store.conformance.KitNode;
import io.palinode.store.conformance.KitSite;
import io.palinode.store.conformance.KitStore;
import io.palinode.store.conformance.KitWrite;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.past.PastOnDisk;
import io.palinode.store.past.RecordRules;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A cluster of our nodes for the conformance kit. Each write has a unique counter. */
final class KitCluster implements KitStore {
  private final Medium medium;
  private final Path folder;
  private final boolean keepsPast;
  private final AtomicLong writes = new AtomicLong();
  private final Map<Integer, StorageEngine> inMemory = new HashMap<>();

  /**
   * @param keepsPast whether a killed node keeps its past; else it is in memory
   */
  KitCluster(Medium medium, Path folder, boolean keepsPast) {
    this.medium = medium;
    this.folder = folder;
    this.keepsPast = keepsPast;
  }

  @Override
  public RecordRules rules() {
    return VoldemortRules.INSTANCE;
  }

  @Override
  public StoreKey key(int number) {
    return TestNodes.key("key" + number);
  }

  @Override
  public KitNode open(KitSite site) {
    StoreNodeConfig config =
        StoreNodeConfig.of(
                site.node(),
                TestNodes.cluster(site.nodes()),
                TestNodes.stores(site.nodes(), Persistence.BDB))
            .with(ours -> site.settings());
    Path data = folder.resolve("node" + site.node());
    StorageEngine engine =
        medium == Medium.MEMORY
            ? inMemory.computeIfAbsent(site.node(), node -> medium.open(data))
            : medium.open(data.resolve("bdb"));
    PastOnDisk past = keepsPast ? PastOnDiskTest.in(data.resolve("logs"), "boot") : null;
    return new Node(
        new StoreNode(config, site.medium().apply(engine), site.epochMicros(), past), engine);
  }

  /** A client that has read all that was found, some of it, or nothing. */
  @Override
  public KitWrite write(StoreKey key, List<Version> found, int first, Random random) {
    VectorClock seen = VectorClock.EMPTY;
    for (Version version : found) {
      if (random.nextInt(4) > 0) {
        seen = seen.merge(VoldemortRules.versioned(version).clock());
      }
    }
    if (!seen.isEmpty() && random.nextInt(3) == 0) {
      return KitWrite.delete(key, seen.encode(), first);
    }
    long number = writes.incrementAndGet();
    TreeMap<Integer, Long> entries = new TreeMap<>(seen.entries());
    entries.put(first, number);
    Versioned added = Versioned.ofText("v" + number, VectorClock.of(entries, number / 2));
    return KitWrite.put(key, VoldemortRules.version(added), first);
  }

  /** One incarnation, over its engine as the process has it. */
  private record Node(StoreNode node, StorageEngine engine) implements KitNode {
    @Override
    public StoreBinding binding() {
      return node;
    }

    @Override
    public void write(KitWrite write) {
      Caller caller = new Caller(null, null, "c", write.first());
      @Nullable Version added = write.added();
      try {
        Object unused =
            added == null
                ? node.writes().delete(write.key(), mark(write), caller)
                : node.writes().put(write.key(), VoldemortRules.versioned(added), caller);
      } catch (RefusedException e) {
        if (e.code() != ErrorCode.OBSOLETE_VERSION) {
          throw new IllegalStateException(e);
        }
      }
    }

    private static VectorClock mark(KitWrite write) {
      return VectorClock.decode(Objects.requireNonNull(write.mark()));
    }

    @Override
    public void close() {
      node.close();
    }

    /** Of a killed process, nothing but what is on its medium. */
    @Override
    public void kill() {
      engine.close();
    }
  }
}
