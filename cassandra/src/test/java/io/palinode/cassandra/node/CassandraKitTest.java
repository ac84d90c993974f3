package io.palinode.cassandra.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.cassandra.record.CellRules;
import io.palinode.cassandra.record.Cells;
import io.palinode.cassandra.table.LiveCells;
import io.palinode.cassandra.table.TableRefusals;
import io.palinode.cassandra.table.Tables;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.store.conformance.KitNode;
import io.palinode.store.conformance.KitSite;
import io.palinode.store.conformance.KitStore;
import io.palinode.store.conformance.KitWrite;
import io.palinode.store.conformance.MergingNode;
import io.palinode.store.conformance.PassingEngine;
import io.palinode.store.conformance.StoreKit;
import io.palinode.store.engine.MemoryEngine;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.hosted.MetaFiles;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.past.RecordRules;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The conformance kit on the rules of cells, in memory and over the engine of a Cassandra server,
 * whose cells all stay pending: there is no table.
 */
class CassandraKitTest {
  private final AtomicInteger clusters = new AtomicInteger();

  @TempDir Path folder;

  /**
   * Replicas of cells.
   *
   * @param engines opens what a node's earlier incarnations left
   */
  private record Cluster(IntFunction<StorageEngine> engines) implements KitStore {
    @Override
    public RecordRules rules() {
      return new CellRules();
    }

    @Override
    public StoreKey key(int number) {
      return new StoreKey(LiveCells.STORE, ("cell" + number).getBytes(UTF_8));
    }

    @Override
    public KitNode open(KitSite site) {
      StorageEngine engine = engines.apply(site.node());
      return MergingNode.of(MergingNode.parts(site, LiveCells.STORE, rules(), engine, null));
    }

    @Override
    public KitWrite write(StoreKey key, List<Version> found, int first, Random random) {
      long last = found.isEmpty() ? 0 : ByteBuffer.wrap(found.get(0).clock()).getLong();
      byte[] cell = Cells.any(random, last + random.nextInt(4) - 1).encode();
      return KitWrite.put(key, rules().versions(cell).get(0), first);
    }
  }

  private static KitStore inMemory() {
    Map<Integer, StorageEngine> kept = new HashMap<>();
    List<String> stores = List.of(LiveCells.STORE, NodeMeta.STORE);
    return new Cluster(node -> kept.computeIfAbsent(node, each -> new MemoryEngine(stores)));
  }

  private KitStore inFiles() {
    Path cluster = folder.resolve("cluster" + clusters.getAndIncrement());
    return new Cluster(node -> new WithoutTables(cluster.resolve("node" + node)));
  }

  /** The engine of a server that has no table; it cannot ask the server for that. */
  private static final class WithoutTables extends PassingEngine {
    private final CassandraEngine engine;

    WithoutTables(Path folder) {
      this(
          new CassandraEngine(
              new MetaFiles(folder),
              new Tables(List.of(), new TableRefusals(table -> false, true, 1)),
              List.of()));
    }

    private WithoutTables(CassandraEngine engine) {
      super(engine);
      this.engine = engine;
    }

    @Override
    public void scan(String store, RecordVisitor visitor) {
      engine
          .pending()
          .cells()
          .forEach(
              (key, record) -> {
                if (record.length > 0) {
                  visitor.visit(key.bytes(), record);
                }
              });
    }
  }

  private static StoreKit kit(Supplier<KitStore> clusters) {
    return new StoreKit(clusters);
  }

  @Test
  void itsRulesKeepTheirLaws() {
    kit(CassandraKitTest::inMemory).rules(StoreKit.SEEDS);
  }

  @Test
  void historiesInMemoryEqualTheModel() {
    kit(CassandraKitTest::inMemory).histories(StoreKit.SEEDS / 2);
  }

  @Test
  void historiesOfPendingCellsEqualTheModel() {
    kit(this::inFiles).histories(StoreKit.SEEDS / 200);
  }

  @Test
  void aKilledNodeFinishesThePlan() {
    StoreKit kit = kit(this::inFiles);
    kit.crashes(StoreKit.SEEDS / 100);
    assertThat(kit.figures().lostPasts()).isPositive();
  }
}
