package io.palinode.cassandra.node;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.cassandra.record.CellRecord;
import io.palinode.cassandra.table.LiveCells;
import io.palinode.cassandra.table.TableRefusals;
import io.palinode.cassandra.table.Tables;
import io.palinode.detector.binding.StoreKey;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.UndoLog.Replica;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.store.engine.KeyBytes;
import io.palinode.store.engine.ReportedDisk;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.hosted.MetaFiles;
import io.palinode.store.hosted.MetaFiles.Planned;
import io.palinode.store.order.NodeMeta;
import java.io.File;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CassandraEngineTest {
  private static final byte[] CELL = "shop.stock/pear/left".getBytes(UTF_8);
  private static final byte[] OWN = {'o', 'w', 'n'};
  private static final byte[] RECORD = CellRecord.live(7, new byte[] {1}).encode();

  @TempDir Path folder;
  private MetaFiles files;

  @BeforeEach
  void open() {
    files = new MetaFiles(folder);
  }

  private CassandraEngine engine(File... server) {
    return new CassandraEngine(
        files, new Tables(List.of(), new TableRefusals(table -> false, true, 1)), List.of(server));
  }

  @Test
  void theFullestDiskOfTheServerCounts() {
    File data = new ReportedDisk(folder, 1 << 20);
    File commitLog = new ReportedDisk(folder, 7);
    assertThat(engine(data, commitLog).freeBytes()).hasValue(7);
    assertThat(engine(commitLog, data).freeBytes()).hasValue(7);
    assertThat(engine(data, new ReportedDisk(folder, ReportedDisk.UNKNOWN)).freeBytes()).isEmpty();
  }

  @Test
  void aRestoredCellIsReadUntilAResumeAlsoAfterARestart() {
    engine()
        .commit(
            List.of(
                new Change(LiveCells.STORE, CELL, RECORD),
                new Change(NodeMeta.STORE, OWN, new byte[] {3})),
            Durability.SYNCED);
    CassandraEngine later = engine();
    assertThat(later.get(LiveCells.STORE, CELL)).isEqualTo(RECORD);
    assertThat(later.get(NodeMeta.STORE, OWN)).containsExactly(3);
    later.become(PendingCells.NONE);
    assertThat(engine().pending().isEmpty()).isTrue();
  }

  @Test
  void aReplicaThatRestoredAKeyDiffersFromOneThatNeverReceivedItsWrite() {
    StoreKey key = new StoreKey(LiveCells.STORE, CELL);
    for (long digest : new long[] {7, -1}) {
      Restoration restored =
          new Restoration(1, List.of(key), Map.of(key, new Replica(digest, List.of(0, 1))));
      assertThat(PendingCells.NONE.marking(restored)).isEqualTo(restored);
      PendingCells pending = PendingCells.NONE.with(Map.of(new KeyBytes(CELL), RECORD));
      Replica marked = Objects.requireNonNull(pending.marking(restored).replicas().get(key));
      assertThat(marked.digest()).isNotIn(digest, 0L);
      assertThat(marked.nodes()).containsExactly(0, 1);
    }
  }

  @Test
  void aStartFinishesACommitThatACrashInterrupted() {
    PendingCells pending = PendingCells.NONE.with(Map.of(new KeyBytes(CELL), RECORD));
    files.writeJournal(
        List.of(
            new Planned(new Change(NodeMeta.STORE, OWN, new byte[] {3}), null),
            new Planned(
                new Change(NodeMeta.STORE, "pending".getBytes(US_ASCII), pending.encode()), null)));
    CassandraEngine started = engine();
    assertThat(started.get(LiveCells.STORE, CELL)).isEqualTo(RECORD);
    assertThat(started.get(NodeMeta.STORE, OWN)).containsExactly(3);
    assertThat(files.journal()).isEmpty();
  }

  @Test
  void theBytesOfPendingCellsStay() {
    PendingCells pending =
        PendingCells.NONE.with(Map.of(new KeyBytes(new byte[] {5}), new byte[] {9})).at(258);
    String bytes = "01" + "0000000000000102" + "00000001" + "00000001" + "05" + "00000001" + "09";
    assertThat(HexFormat.of().formatHex(pending.encode())).isEqualTo(bytes);
    assertThat(PendingCells.decode(pending.encode()).timestamp()).isEqualTo(258);
    byte[] other = pending.encode();
    other[0] = 2;
    assertThatThrownBy(() -> PendingCells.decode(other)).hasMessageContaining("version 1: 2");
  }

  @Test
  void aNodeIsPausedUntilTheEpochOfItsPauseBegins() {
    CassandraEngine engine = engine();
    assertThat(PauseMark.read(engine)).isZero();
    PauseMark.write(engine, 4);
    assertThat(PauseMark.read(engine())).isEqualTo(4);
    engine.commit(List.of(NodeMeta.fenceChange(4, 1, 0, MissedEpochs.NONE)), Durability.SYNCED);
    assertThat(PauseMark.read(engine())).isZero();
  }
}
