package io.palinode.cassandra.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.store.binding.UndoLog.KeyRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * What a resume stores after a rollback, in random histories of three replicas with deletes, equal
 * timestamps, TTLs, batches and late copies. The conformance kit compares the rollback itself.
 */
class CellRollbackTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 1_000);
  private static final int NODES = 3;
  private static final int CELLS = 4;
  private static final long SECOND = 11;

  /** A copy that has not reached its replica. */
  private record Late(int node, StoreKey key, CellRecord write) {}

  private static final class History {
    private final Random random;
    private final List<CellNode> nodes = new ArrayList<>();
    private final List<Long> applied = new ArrayList<>();
    private final List<Late> late = new ArrayList<>();
    private long micros = 1_000_000_000;
    private long timestamp;

    History(long seed) {
      random = new Random(seed);
      for (int i = 0; i < NODES; i++) {
        // Windows reach back to different times, and TTLs have ended in between.
        nodes.add(CellNode.of(i, NODES, () -> micros, SECOND - random.nextInt(3)));
      }
      for (int i = 5 + random.nextInt(20); i > 0; i--) {
        step();
      }
    }

    private void step() {
      micros += random.nextInt(3);
      if (!late.isEmpty() && random.nextInt(3) == 0) {
        Late copy = late.remove(random.nextInt(late.size()));
        apply(copy.node(), copy.key(), copy.write());
        return;
      }
      timestamp += random.nextInt(2);
      // A client's clock may be behind.
      long stamp = timestamp - random.nextInt(3);
      for (int cells = 1 + random.nextInt(2); cells > 0; cells--) {
        write(CellNode.key(random.nextInt(CELLS)), Cells.any(random, stamp));
      }
    }

    private void write(StoreKey key, CellRecord write) {
      for (int node = 0; node < NODES; node++) {
        if (random.nextInt(3) > 0) {
          apply(node, key, write);
        } else {
          late.add(new Late(node, key, write));
        }
      }
    }

    private void apply(int node, StoreKey key, CellRecord write) {
      applied.add(nodes.get(node).write(key, write));
    }

    /** A moment of the history; before its first write, too. */
    long anyCut() {
      return applied.isEmpty()
          ? 0
          : applied.get(random.nextInt(applied.size())) - random.nextInt(2);
    }

    /** Rolls all nodes back. Returns the cells that it named. */
    List<StoreKey> rollBack(long epoch, long target) {
      long past = 0;
      for (CellNode node : nodes) {
        past = Math.max(past, node.pause(epoch));
      }
      micros += 10;
      Set<StoreKey> named = new LinkedHashSet<>();
      for (CellNode node : nodes) {
        node.pass(past);
        named.addAll(node.restore(epoch, 1, target).changed());
      }
      List<StoreKey> keys = List.copyOf(named);
      List<KeyRecord> contributed = new ArrayList<>();
      nodes.forEach(node -> contributed.addAll(node.read(keys)));
      nodes.forEach(node -> node.merge(contributed));
      return keys;
    }

    void resume(long epoch, long target, List<StoreKey> restored, long at) {
      for (CellNode node : nodes) {
        node.settle(restored, at, SECOND);
        node.resume(epoch, target, 0);
      }
    }

    void assertCells(List<StoreKey> keys, List<CellRecord> expected, String as) {
      for (int i = 0; i < keys.size(); i++) {
        for (CellNode node : nodes) {
          assertThat(node.cell(keys.get(i)))
              .as("%s %s", as, keys.get(i))
              .isEqualTo(expected.get(i));
        }
      }
    }
  }

  @Test
  void aLateCopyOfAnUndoneWriteChangesNothing() {
    for (long seed = 0; seed < SEEDS; seed++) {
      History history = new History(seed);
      long target = history.anyCut();
      List<StoreKey> restored = history.rollBack(1, target);
      history.resume(1, target, restored, 1_000);
      List<CellRecord> cells =
          restored.stream().map(key -> history.nodes.get(0).cell(key)).toList();
      history.assertCells(restored, cells, "seed=" + seed);
      for (Late copy : List.copyOf(history.late)) {
        if (restored.contains(copy.key())) {
          history.apply(copy.node(), copy.key(), copy.write());
        }
      }
      history.assertCells(restored, cells, "late copies, seed=" + seed);
    }
  }

  @Test
  void aRestoredCellHasItsValueAndItsEnd() {
    for (long seed = 0; seed < SEEDS; seed++) {
      History history = new History(seed);
      long target = history.anyCut();
      List<StoreKey> restored = history.rollBack(1, target);
      List<CellRecord> cut = new ArrayList<>();
      restored.forEach(key -> cut.add(history.nodes.get(0).cell(key)));
      history.resume(1, target, restored, 1_000);
      for (int i = 0; i < restored.size(); i++) {
        CellRecord now = Objects.requireNonNull(history.nodes.get(0).cell(restored.get(i)));
        for (long second = SECOND; second < SECOND + 5; second++) {
          CellRecord was = cut.get(i);
          boolean wasLive = was != null && was.isLiveAt(second);
          assertThat(now.isLiveAt(second)).as("seed=%d second=%d", seed, second).isEqualTo(wasLive);
          if (wasLive) {
            assertThat(now.value()).isEqualTo(was.value());
          }
        }
      }
    }
  }

  /** A later reach is that of a server which was restarted. */
  @Test
  void aTtlThatEndedBetweenTwoReachesIsTheSameOnBothReplicas() {
    AtomicLong micros = new AtomicLong(1_000_000_000);
    List<CellNode> nodes =
        List.of(CellNode.of(0, 2, micros::get, 10), CellNode.of(1, 2, micros::get, 12));
    StoreKey key = CellNode.key(0);
    long target = 0;
    for (CellNode node : nodes) {
      node.write(key, CellRecord.expiring(1, 3, 11, new byte[] {1}));
      target = Math.max(target, node.clock().tick().own());
    }
    micros.incrementAndGet();
    Set<Long> digests = new HashSet<>();
    List<KeyRecord> contributed = new ArrayList<>();
    for (CellNode node : nodes) {
      node.write(key, CellRecord.live(2, new byte[] {2}));
      node.pause(1);
      digests.add(Objects.requireNonNull(node.restore(1, 1, target).replicas().get(key)).digest());
      contributed.addAll(node.read(List.of(key)));
    }
    assertThat(digests).as("so that the key is compared").hasSize(2);
    nodes.forEach(node -> node.merge(contributed));
    assertThat(nodes).extracting(node -> node.cell(key)).containsOnly(CellRecord.deleted(1, 8));
  }
}
