package io.palinode.voldemort;

import static io.palinode.voldemort.NodeRequests.assertFenced;
import static io.palinode.voldemort.NodeRequests.caller;
import static io.palinode.voldemort.NodeRequests.inEpoch;
import static io.palinode.voldemort.NodeRequests.refused;
import static io.palinode.voldemort.NodeRequests.valuesOf;
import static io.palinode.voldemort.TestNodes.bytes;
import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.keyOn;
import static io.palinode.voldemort.TestNodes.texts;
import static io.palinode.voldemort.TestNodes.vector;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.PointInTime;
import io.palinode.retroscope.Diff;
import io.palinode.retroscope.WindowLog;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.order.FenceState;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads and writes of clients at one node. */
class ClientRequestsTest {
  private static final StoreKey K = key("k");

  private final AtomicLong micros = TestNodes.clock();
  private final StoreNode node = TestNodes.inMemory(micros);
  private final List<WriteEvent> events = new ArrayList<>();

  @TempDir Path folder;

  ClientRequestsTest() {
    node.listen(events::add);
  }

  @Test
  void aPutIsReadBackWithItsSiblings() throws RefusedException {
    put(version("left", 1));
    put(version("right", 0, 1));
    assertThat(texts(node.reads().get(K, Caller.STOCK).value())).containsExactly("left", "right");
    put(version("joined", 2, 1));
    assertThat(texts(node.reads().get(K, Caller.STOCK).value())).containsExactly("joined");
    assertThat(
            node.reads().getAll(K.store(), List.of(bytes("none"), K.key()), Caller.STOCK).value())
        .containsExactly(List.of(), List.of(version("joined", 2, 1)));
  }

  @Test
  void anObsoletePutIsRefusedAndMakesNoEvent() throws RefusedException {
    put(version("new", 2));
    for (Versioned obsolete : List.of(version("equal", 2), version("older", 1))) {
      RefusedException refused = refused(() -> put(obsolete));
      assertThat(refused.code()).isEqualTo(ErrorCode.OBSOLETE_VERSION);
      assertThat(refused.fence()).isNull();
    }
    assertThat(events).hasSize(1);
    assertThat(node.counters().get(NodeCounter.OBSOLETE)).isEqualTo(2);
    assertThat(node.counters().get(NodeCounter.PUTS)).isEqualTo(3);
    assertThat(node.counters().get(NodeCounter.ERRORS)).isZero();
  }

  @Test
  void aDeleteRemovesVersionsUpToItsClockAndReportsWhetherThereWereAny() throws RefusedException {
    put(version("left", 1));
    put(version("right", 0, 1));
    assertThat(node.writes().delete(K, vector(1), Caller.STOCK).value()).isTrue();
    assertThat(texts(node.reads().get(K, Caller.STOCK).value())).containsExactly("right");
    Reply<Boolean> again = node.writes().delete(K, vector(1), Caller.STOCK);
    assertThat(again.value()).isFalse();
    assertThat(again.acceptedAt()).isZero();
    assertThat(node.writes().delete(K, vector(9, 9), Caller.STOCK).value()).isTrue();
    assertThat(node.reads().get(K, Caller.STOCK).value()).isEmpty();
    assertThat(node.read(List.of(K)).get(0).siblings()).isEmpty();
    assertThat(events).hasSize(4);
    assertThat(events.get(2).written()).isNull();
    assertThat(events.get(2).siblings())
        .containsExactly(new Version(bytes("right"), vector(0, 1).identityBytes()));
    assertThat(events.get(3).siblings()).isEmpty();
  }

  @Test
  void aChangeIsLoggedBeforeItIsMade() throws RefusedException {
    ProbedEngine engine = new ProbedEngine(Medium.MEMORY.open(folder));
    try (StoreNode probed = new StoreNode(TestNodes.config(), engine, micros::get)) {
      List<Integer> logged = new ArrayList<>();
      engine.beforeCommit =
          changes -> {
            if (changes.get(0).store().equals(K.store())) {
              logged.add(changesIn(probed));
            }
          };
      probed.writes().put(K, version("v1", 1), Caller.STOCK);
      probed.writes().put(key("other"), version("v1", 1), Caller.STOCK);
      probed.writes().delete(K, vector(1), Caller.STOCK);
      assertThat(logged).containsExactly(1, 2, 2);
    }
  }

  private static int changesIn(StoreNode some) {
    try (Diff diff = some.history().past(K.store()).diffTo(some.reach())) {
      return diff.size();
    }
  }

  @Test
  void aWriteThatTheWindowLogRefusesIsNotMade() throws RefusedException {
    put(version("v1", 1));
    WindowLog log = node.history().past(K.store());
    log.append(node.clock().last().own() + (1L << 40), bytes("out of order"), null);
    assertThatThrownBy(() -> put(version("v2", 2))).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> node.writes().delete(K, vector(1), Caller.STOCK))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(texts(node.reads().get(K, Caller.STOCK).value())).containsExactly("v1");
    assertThat(events).hasSize(1);
  }

  /** A rollback could not publish it to the other nodes. */
  @Test
  void aRecordTooLongForTheControlLogIsRefused() throws RefusedException {
    put(version("x".repeat(KeyRecord.BYTES_MAX - 1_000), 1));
    Versioned second = version("x".repeat(1_000), 0, 1);
    assertThat(refused(() -> put(second)))
        .hasMessageContaining("must have at most 7,340,032 bytes together");
    assertThat(node.reads().get(K, Caller.STOCK).value()).hasSize(1);
    assertThat(events).hasSize(1);
    put(version("short", 2));
    assertThat(texts(node.reads().get(K, Caller.STOCK).value())).containsExactly("short");
  }

  /** The delete is listed although it finds nothing, and the next rollback publishes it. */
  @Test
  void aDeleteOfAKeyTooLongForTheControlLogIsRefused() {
    StoreKey tooLong = new StoreKey(K.store(), new byte[KeyRecord.BYTES_MAX + 1]);
    assertThat(refused(() -> node.writes().delete(tooLong, vector(1), Caller.STOCK)))
        .hasMessageContaining("must have at most 7,340,032 bytes together");
  }

  @Test
  void aReadIsAReceiveEvent() throws RefusedException {
    Hvc known = Hvc.of(Hvc.NO_OWNER, 0, 0, Hlc.ofMicros(micros.get() + 50));
    Reply<List<Versioned>> reply = node.reads().get(K, caller(known, null, "", null));
    assertThat(reply.hvc().own()).isGreaterThan(known.get(2));
    assertThat(reply.acceptedAt()).isZero();
  }

  @Test
  void aClockTooFarAheadIsRefusedAndChangesNothing() throws RefusedException {
    Hvc broken = Hvc.of(Hvc.NO_OWNER, 0, 0, Hlc.ofMicros(micros.get() + 500_001));
    RefusedException refused =
        refused(() -> node.writes().put(K, version("v", 1), caller(broken, null, "", null)));
    assertThat(refused.code()).isEqualTo(ErrorCode.VOLDEMORT);
    assertThat(refused)
        .hasMessageContaining("node 0 at " + PointInTime.format(Hlc.ofMicros(micros.get())))
        .hasMessageContaining("of node 2");
    assertThat(node.reads().get(K, Caller.STOCK).value()).isEmpty();
    assertThat(node.counters().get(NodeCounter.ERRORS)).isEqualTo(1);
    assertThat(refused(() -> node.reads().get(K, caller(Hvc.unknown(5), null, "", null))))
        .hasMessageContaining("3 entries");
  }

  @Test
  void anUnknownStoreAndAKeyOfAnotherNodeAreRefused() throws RefusedException {
    RefusedException unknown =
        refused(() -> node.reads().get(new StoreKey("nope", bytes("k")), Caller.STOCK));
    assertThat(unknown.code()).isEqualTo(ErrorCode.VOLDEMORT);
    assertThat(unknown).hasMessageContaining("'nope'").hasMessageContaining("store not found");
    node.admission().requireHeld(keyOn(0));
    assertThat(refused(() -> node.admission().requireHeld(keyOn(1))).code())
        .isEqualTo(ErrorCode.INVALID_METADATA);
  }

  @Test
  void afterAFailureOfTheMediumAWriteIsRefusedAndChangesNothing() throws RefusedException {
    ProbedEngine engine = new ProbedEngine(Medium.MEMORY.open(folder));
    StoreNode failing = new StoreNode(TestNodes.config(), engine, micros::get);
    failing.listen(events::add);
    failing.writes().put(K, version("v", 1), Caller.STOCK);
    engine.fails = true;
    RefusedException refused =
        refused(() -> failing.writes().put(K, version("w", 2), Caller.STOCK));
    assertThat(refused.code()).isEqualTo(ErrorCode.PERSISTENCE_FAILURE);
    assertThat(refused(() -> failing.reads().get(K, Caller.STOCK)).code())
        .isEqualTo(ErrorCode.PERSISTENCE_FAILURE);
    assertThat(events).hasSize(1);
    engine.fails = false;
    assertThat(valuesOf(failing, K)).containsExactly("v");
    failing.pause(1);
    assertThat(failing.restore(1, 1, failing.reach()).undoneWrites()).isEqualTo(1);
  }

  @Test
  void aReadDuringARollbackIsRefused() throws RefusedException {
    ProbedEngine engine = new ProbedEngine(Medium.MEMORY.open(folder));
    StoreNode probed = new StoreNode(TestNodes.config(), engine, micros::get);
    long target = probed.writes().put(K, version("stays", 1), Caller.STOCK).acceptedAt();
    probed.writes().put(K, version("goes", 2), Caller.STOCK);
    for (Caller caller : List.of(Caller.STOCK, inEpoch(1))) {
      long epoch = probed.fence().epoch() + 1;
      engine.duringNextRead =
          () -> {
            probed.pause(epoch);
            probed.restore(epoch, 1, target);
            probed.resume(epoch, target, 0);
          };
      assertFenced(
          () -> probed.reads().get(K, caller),
          FenceState.resumed(epoch, target, 0, MissedEpochs.NONE));
    }
    assertThat(texts(probed.reads().get(K, Caller.STOCK).value())).containsExactly("stays");
  }

  @Test
  void aScanSeesEveryKeyOfEveryStore() throws RefusedException {
    put(version("left", 1));
    put(version("right", 0, 1));
    node.writes().put(keyOn(0), version("once", 1), Caller.STOCK);
    List<String> seen = new ArrayList<>();
    node.scan((key, siblings) -> seen.add(key.store() + "=" + siblings.size()));
    assertThat(seen).containsExactlyInAnyOrder("everywhere=2", "once=1");
  }

  private Reply<Boolean> put(Versioned version) throws RefusedException {
    return node.writes().put(K, version, Caller.STOCK);
  }
}
