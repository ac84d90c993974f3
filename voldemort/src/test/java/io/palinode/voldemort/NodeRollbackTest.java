package io.palinode.voldemort;

import static io.palinode.voldemort.NodeRequests.assertFenced;
import static io.palinode.voldemort.NodeRequests.caller;
import static io.palinode.voldemort.NodeRequests.inEpoch;
import static io.palinode.voldemort.NodeRequests.valuesOf;
import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.keyOn;
import static io.palinode.voldemort.TestNodes.texts;
import static io.palinode.voldemort.TestNodes.vector;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.node.NodeSettings;
import io.palinode.store.order.FenceState;
import io.palinode.store.order.NodeMeta;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The steps of a plan at one node. */
class NodeRollbackTest {
  private static final StoreKey K = key("k");

  private final AtomicLong micros = TestNodes.clock();
  private final StoreNode node = TestNodes.inMemory(micros);
  private final List<WriteEvent> events = new ArrayList<>();

  @TempDir Path folder;

  NodeRollbackTest() {
    node.listen(events::add);
  }

  @Test
  void aPausedNodeRefusesAllRequestsAndAResumedOneServesItsEpoch() throws RefusedException {
    put(version("v", 1));
    long quiet = node.pause(1);
    assertThat(quiet).isGreaterThan(events.get(0).after().own());
    for (Caller caller : List.of(Caller.STOCK, inEpoch(0), inEpoch(1))) {
      assertFenced(() -> node.reads().get(K, caller), FenceState.paused(1));
      assertFenced(() -> node.writes().put(K, version("w", 2), caller), FenceState.paused(1));
      assertFenced(() -> node.writes().delete(K, vector(9), caller), FenceState.paused(1));
    }
    node.resume(1, quiet, 42);
    FenceState resumed = FenceState.resumed(1, quiet, 42, MissedEpochs.NONE);
    assertFenced(() -> node.writes().put(K, version("w", 2), inEpoch(0)), resumed);
    assertFenced(() -> node.reads().get(K, inEpoch(2)), FenceState.paused(2));
    assertThat(node.writes().put(K, version("w", 2), inEpoch(1)).epoch()).isEqualTo(1);
    assertThat(node.reads().get(K, Caller.STOCK).epoch()).isEqualTo(1);
    assertThat(node.counters().get(NodeCounter.FENCED)).isEqualTo(11);
  }

  @Test
  void repeatedAndLateStepsOfAPlanChangeNothing() throws RefusedException {
    long target = put(version("v", 1)).acceptedAt();
    put(version("w", 2));
    node.pause(1);
    node.pause(1);
    var first = node.restore(1, 1, target);
    long after = node.clock().last().own();
    assertThat(node.restore(1, 1, target)).isEqualTo(first);
    assertThat(node.clock().last().own()).isEqualTo(after);
    node.resume(1, target, 0);
    node.resume(1, target, 0);
    node.pause(1);
    assertThat(node.fence()).isEqualTo(FenceState.resumed(1, target, 0, MissedEpochs.NONE));
    put(version("x", 2));
    assertThat(node.restore(1, 1, target).undoneWrites()).isEqualTo(first.undoneWrites());
    assertThat(node.restore(1, 1, target).changed()).as("the plan is over").isEmpty();
    assertThat(node.restore(1, 0, target).changed()).isEmpty();
    assertThat(texts(node.reads().get(K, Caller.STOCK).value())).containsExactly("x");
  }

  @Test
  void aControlLogOlderThanTheDataIsRefused() {
    node.pause(5);
    node.resume(5, node.reach(), 0);
    for (ThrowingCallable step :
        List.<ThrowingCallable>of(() -> node.pause(4), () -> node.resume(4, node.reach(), 0))) {
      assertThatThrownBy(step)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("epoch 5")
          .hasMessageContaining("epoch 4");
    }
    assertThat(node.fence().epoch()).isEqualTo(5);
    assertThat(node.fence().paused()).isFalse();
  }

  @Test
  void aRestoreCountsWritesAndNamesTheKeysNearAndAfterTheTarget() throws RefusedException {
    node.writes().put(key("long before"), version("v", 1), Caller.STOCK);
    micros.addAndGet(NodeSettings.CONVERGENCE_WINDOW_DEFAULT.toNanos() / 1_000 + 1);
    node.writes().put(key("near"), version("v", 1), Caller.STOCK);
    micros.addAndGet(1_000);
    long target = put(version("v", 1)).acceptedAt();
    put(version("w", 2));
    put(version("x", 3));
    node.writes().put(key("new"), version("v", 1), Caller.STOCK);
    node.pause(1);
    var first = node.restore(1, 1, target);
    assertThat(first.undoneWrites()).isEqualTo(3);
    assertThat(first.changed()).containsExactlyInAnyOrder(key("near"), K, key("new"));
    // Changes of the first attempt do not count.
    assertThat(node.restore(1, 2, target - 1).undoneWrites()).isEqualTo(4);
    assertThat(node.siblings(K)).isEmpty();
  }

  @Test
  void aTargetOutOfReachChangesNothing() throws RefusedException {
    put(version("v", 1));
    node.pause(1);
    assertThatThrownBy(() -> node.restore(1, 1, node.reach() - 1))
        .isInstanceOf(OutOfReachException.class);
    assertThat(node.siblings(K)).hasSize(1);
    // The refused step does not count as done.
    assertThat(node.restore(1, 1, node.reach()).undoneWrites()).isEqualTo(1);
    assertThat(node.siblings(K)).isEmpty();
  }

  @Test
  void restoreAndMergeNeedAPause() {
    assertThatThrownBy(() -> node.restore(1, 1, node.reach()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("paused");
    assertThatThrownBy(() -> node.merge(List.of())).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aMergeAddsVersionsThatAreNotObsoleteToKeysOfThisNode() throws RefusedException {
    put(version("mine", 2));
    node.pause(1);
    StoreKey there = keyOn(1);
    List<KeyRecord> records =
        List.of(
            record(K, version("older", 1)),
            record(K, version("theirs", 0, 1)),
            record(K, version("third", 0, 0, 1)),
            record(key("absent"), version("found", 1)),
            record(there, version("not ours", 1)),
            new KeyRecord(key("absent everywhere"), new byte[0], new byte[0]));
    assertThat(node.merge(records)).isEqualTo(2);
    assertThat(valuesOf(node, K)).containsExactlyInAnyOrder("mine", "theirs", "third");
    assertThat(valuesOf(node, key("absent"))).containsExactly("found");
    assertThat(node.siblings(there)).isEmpty();
    assertThat(node.merge(records)).isZero();
    assertThat(events).hasSize(1);
  }

  @Test
  void aLaterRestoreUndoesAMerge() throws RefusedException {
    long target = put(version("mine", 1)).acceptedAt();
    node.pause(1);
    node.merge(List.of(record(K, version("theirs", 0, 1))));
    node.restore(1, 2, target);
    assertThat(valuesOf(node, K)).containsExactly("mine");
  }

  private static KeyRecord record(StoreKey key, Versioned version) {
    return new KeyRecord(key, Siblings.encode(List.of(version)), new byte[0]);
  }

  @Test
  void aRestoreIsOneSyncedCommitWithMarkPastsAndPromise() throws RefusedException {
    ProbedEngine engine = new ProbedEngine(Medium.MEMORY.open(folder));
    StoreNode probed = new StoreNode(TestNodes.config(), engine, micros::get);
    long target = probed.clock().tick().own();
    probed.writes().put(K, version("v", 1), Caller.STOCK);
    probed.writes().put(keyOn(0), version("v", 1), Caller.STOCK);
    probed.pause(1);
    engine.commits.clear();
    probed.restore(1, 1, target);
    assertThat(engine.commits).hasSize(1);
    assertThat(engine.commits.get(0).durability()).isEqualTo(StorageEngine.Durability.SYNCED);
    assertThat(engine.commits.get(0).changes())
        .extracting(StorageEngine.Change::store)
        .containsExactlyInAnyOrder(
            TestNodes.EVERYWHERE, TestNodes.ONCE, NodeMeta.STORE, NodeMeta.STORE, NodeMeta.STORE);
  }

  @Test
  void theSafePointNeverMovesBack() {
    node.safePoint(5);
    node.safePoint(3);
    assertThat(node.safePoint()).isEqualTo(5);
  }

  private Reply<Boolean> put(Versioned version) throws RefusedException {
    return node.writes().put(K, version, Caller.STOCK);
  }
}
