package io.palinode.cassandra.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.cassandra.record.CellRecord;
import io.palinode.cassandra.record.CellRules;
import io.palinode.cassandra.table.CellStates.Replaced;
import io.palinode.cassandra.table.LiveCells;
import io.palinode.cassandra.table.TableRefusals;
import io.palinode.cassandra.table.Tables;
import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Epsilon;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.store.hosted.MetaFiles;
import io.palinode.store.node.NodeParts;
import io.palinode.store.node.NodeSettings;
import io.palinode.store.node.NodeSpec;
import io.palinode.store.past.PastEvents;
import io.palinode.store.past.StoreSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The past of a node whose server has no table, so that each cell is absent now. */
class CellPastTest {
  private static final StoreKey DOOR = new StoreKey(LiveCells.STORE, "door".getBytes(UTF_8));
  private static final byte[] RECORD = CellRecord.live(7, new byte[] {1}).encode();

  private final AtomicLong micros = new AtomicLong(1_700_000_000_000_000L);
  private final AtomicBoolean off = new AtomicBoolean();

  @TempDir Path folder;

  private CassandraNode node(boolean isLogged) {
    Tables tables = new Tables(List.of(), new TableRefusals(table -> false, true, 1));
    CassandraEngine engine = new CassandraEngine(new MetaFiles(folder), tables, List.of());
    List<StoreSpec> stores =
        isLogged
            ? List.of(new StoreSpec(LiveCells.STORE, key -> List.of(0), new CellRules(), false))
            : List.of();
    NodeSpec spec = new NodeSpec(0, 1, stores, NodeSettings.of(Epsilon.parse("10ms")));
    return new CassandraNode(
        new NodeParts(
            spec, engine, micros::incrementAndGet, null, new PastEvents(() -> {}, () -> {})),
        engine,
        tables,
        new Timestamps(Duration.ofMillis(500)),
        new OwnWrites(),
        off::get);
  }

  private static byte @Nullable [] at(CassandraNode node, long hlc) {
    return node.history().getAsOf(DOOR.store(), DOOR.key(), hlc);
  }

  private static void replace(CassandraNode node, byte @Nullable [] old) {
    node.enter(() -> false);
    node.changed(List.of(), List.of(new Replaced(DOOR, old)));
    node.leave();
  }

  @Test
  void aKeyHasTheRecordThatTheNextMutationReplaced() {
    CassandraNode node = node(true);
    replace(node, null);
    long written = node.clock().tick().own();
    replace(node, RECORD);
    assertThat(at(node, written)).isEqualTo(RECORD);
    assertThat(at(node, node.clock().tick().own())).isNull();
  }

  @Test
  void noTimeBeforeAMissedMutationIsInReach() {
    CassandraNode node = node(true);
    replace(node, null);
    long before = node.clock().tick().own();
    node.missedMutation();
    assertThatThrownBy(() -> at(node, before)).isInstanceOf(OutOfReachException.class);
    assertThat(at(node, node.clock().tick().own())).isNull();
  }

  @Test
  void noTimeIsInReachOnceTheNodeIsOff() {
    CassandraNode node = node(true);
    long before = node.clock().tick().own();
    assertThat(at(node, before)).isNull();
    off.set(true);
    for (long hlc : new long[] {before, node.clock().tick().own()}) {
      assertThatThrownBy(() -> at(node, hlc)).isInstanceOf(OutOfReachException.class);
    }
  }

  @Test
  void aNodeThatLogsNoMutationHasNoPastAndNoSnapshot() {
    CassandraNode node = node(false);
    long now = node.clock().tick().own();
    assertThatThrownBy(() -> node.history().settle(now)).isInstanceOf(OutOfReachException.class);
  }
}
