package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.binding.StoreKey;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.store.engine.KeyBytes;
import io.palinode.store.engine.MemoryEngine;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.order.FenceState;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.past.Deletes;
import io.palinode.store.restore.KeyPast;
import io.palinode.voldemort.protocol.Siblings;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeMetaTest {
  private final StorageEngine engine = new MemoryEngine(List.of(NodeMeta.STORE));

  @Test
  void aFreshNodeRemembersNothing() {
    assertThat(NodeMeta.Start.read(engine)).isEqualTo(NodeMeta.Start.NEVER);
    assertThat(NodeMeta.readFence(engine)).isEqualTo(FenceState.INITIAL);
    assertThat(NodeMeta.Mark.read(engine)).isNull();
  }

  @Test
  void aStartHasTheBytesOfVersionOne() {
    NodeMeta.Start start = new NodeMeta.Start(7, 0x1234);
    assertBytes(start.toChange(), "010000000000000007" + "0000000000001234");
    assertThat(NodeMeta.Start.read(engine)).isEqualTo(start);
  }

  @Test
  void aFenceHasTheBytesOfVersionOne() {
    assertBytes(
        NodeMeta.fenceChange(3, 0x10, 0x20, MissedEpochs.NONE),
        "010000000000000003" + "0000000000000010" + "0000000000000020");
    assertThat(NodeMeta.readFence(engine))
        .isEqualTo(FenceState.resumed(3, 0x10, 0x20, MissedEpochs.NONE));
  }

  @Test
  void aFenceWithADeepRollbackNamesItsEpochAndTargetBehindThese() {
    MissedEpochs missed = new MissedEpochs(0, 2, 0x0F);
    assertBytes(
        NodeMeta.fenceChange(3, 0x10, 0x20, missed),
        "010000000000000003"
            + "0000000000000010"
            + "0000000000000020"
            + "0000000000000000"
            + "0000000000000002"
            + "000000000000000f");
    assertThat(NodeMeta.readFence(engine)).isEqualTo(FenceState.resumed(3, 0x10, 0x20, missed));
  }

  @Test
  void aFenceWithARestartNamesItsEpochBehindThese() {
    assertBytes(
        NodeMeta.fenceChange(3, 0x10, 0x20, new MissedEpochs(2, 0, 0)),
        "010000000000000003" + "0000000000000010" + "0000000000000020" + "0000000000000002");
    assertThat(NodeMeta.readFence(engine))
        .isEqualTo(FenceState.resumed(3, 0x10, 0x20, new MissedEpochs(2, 0, 0)));
  }

  @Test
  void aMarkHasTheBytesOfVersionOne() {
    Restoration restoration = new Restoration(9, List.of(new StoreKey("s", bytes("ab"))));
    NodeMeta.Mark mark = new NodeMeta.Mark(3, 2, restoration);
    assertBytes(
        mark.toChange(),
        "010000000000000003"
            + "00000002"
            + "0000000000000009"
            + "00000001"
            + "00000001"
            + "73"
            + "00000002"
            + "6162");
    assertThat(NodeMeta.Mark.read(engine)).isEqualTo(mark);
  }

  @Test
  void pastsHaveTheBytesOfVersionOne() {
    KeyPast.Builder builder = new KeyPast.Builder(VoldemortRules.INSTANCE, 5);
    builder.changed(6, null);
    byte[] record = Siblings.encode(List.of(TestNodes.version("v", 1)));
    // A version that was there before counts since then.
    builder.changed(7, record);
    List<Deletes.Delete> deletes =
        List.of(new Deletes.Delete(7, new KeyBytes(TestNodes.vector(2).encode())));
    byte[] past = builder.encode(record, deletes);
    assertThat(HexFormat.of().formatHex(past))
        .isEqualTo(
            "010000000000000005"
                + "00000001"
                + "0000000000000006"
                + "00000095"
                + "0001010000010000000000000000"
                + "00000001"
                + "0000000000000007"
                + "0001010000020000000000000000");
    assertThat(KeyPast.decode(VoldemortRules.INSTANCE, past))
        .isEqualTo(
            new KeyPast(
                KeyPast.UNKNOWN,
                5,
                Map.of(
                    KeyPast.Id.of(
                        VoldemortRules.INSTANCE, VoldemortRules.version(TestNodes.version("v", 1))),
                    6L),
                deletes));
    StoreKey key = new StoreKey("s", bytes("ab"));
    NodeMeta.Pasts pasts = new NodeMeta.Pasts(3, 2, 5, Map.of(key, new byte[] {9}));
    assertBytes(
        pasts.toChange(),
        "010000000000000003"
            + "00000002"
            + "0000000000000005"
            + "00000001"
            + "00000001"
            + "73"
            + "00000002"
            + "6162"
            + "00000001"
            + "09");
    assertThat(NodeMeta.Pasts.read(engine))
        .satisfies(read -> assertThat(read.byKey().get(key)).containsExactly(9));
  }

  @Test
  void aRecordOfALaterVersionIsNotGuessedAt() {
    commit(new Change(NodeMeta.STORE, bytes("fence"), new byte[] {2, 0}));
    assertThatThrownBy(() -> NodeMeta.readFence(engine)).hasMessageContaining("version=2");
  }

  private void assertBytes(Change change, String hex) {
    assertThat(HexFormat.of().formatHex(change.record())).isEqualTo(hex);
    commit(change);
  }

  private void commit(Change change) {
    engine.commit(List.of(change), Durability.BUFFERED);
  }
}
