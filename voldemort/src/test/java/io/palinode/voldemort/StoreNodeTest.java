package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.bytes;
import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.keyOn;
import static io.palinode.voldemort.TestNodes.texts;
import static io.palinode.voldemort.TestNodes.vector;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.palinode.detector.CandidateRing;
import io.palinode.detector.LocalDetector;
import io.palinode.detector.MissedEpochs;
import io.palinode.detector.StoreBinding.KeyRecord;
import io.palinode.detector.StoreBinding.WriteListener;
import io.palinode.detector.StoreKey;
import io.palinode.detector.Version;
import io.palinode.detector.WriteEvent;
import io.palinode.detector.affected.Access;
import io.palinode.detector.affected.Access.Kind;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.retroscope.Diff;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.WindowLog;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageHealth;
import io.palinode.store.order.ClockBehindException;
import io.palinode.store.order.FenceState;
import io.palinode.store.restore.KeyPast;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreNodeTest {
  private static final StoreKey K = key("k");

  private final AtomicLong micros = TestNodes.clock();
  private final StoreNode node = TestNodes.inMemory(micros);
  private final List<WriteEvent> events = new ArrayList<>();

  @TempDir Path folder;

  StoreNodeTest() {
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
  void aDeleteRemovesWhatIsAtOrBeforeItsClockAndTellsWhetherThereWasAny() throws RefusedException {
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
  void aChangeIsInTheWindowLogBeforeItIsMade() throws RefusedException {
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
  void aWriteThatTheWindowLogDoesNotTakeIsNotMade() throws RefusedException {
    put(version("v1", 1));
    WindowLog log = node.history().past(K.store());
    log.append(node.clock().last().own() + (1L << 40), bytes("out of order"), null);
    assertThatThrownBy(() -> put(version("v2", 2))).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> node.writes().delete(K, vector(1), Caller.STOCK))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(texts(node.reads().get(K, Caller.STOCK).value())).containsExactly("v1");
    assertThat(events).hasSize(1);
  }

  /** For a rollback could not tell it to the other nodes. */
  @Test
  void aKeyThatWouldBeTooLongToBeExchangedIsRefused() throws RefusedException {
    put(version("x".repeat(KeyRecord.BYTES_MAX - 1_000), 1));
    Versioned second = version("x".repeat(1_000), 0, 1);
    assertThat(refused(() -> put(second)))
        .hasMessageContaining("must have at most 7,340,032 bytes together");
    assertThat(node.reads().get(K, Caller.STOCK).value()).hasSize(1);
    assertThat(events).hasSize(1);
    put(version("short", 2));
    assertThat(texts(node.reads().get(K, Caller.STOCK).value())).containsExactly("short");
  }

  /** It is noted, though it deletes nothing, and told with the next rollback. */
  @Test
  void aDeleteOfAKeyThatIsTooLongToBeExchangedIsRefused() {
    StoreKey tooLong = new StoreKey(K.store(), new byte[KeyRecord.BYTES_MAX + 1]);
    assertThat(refused(() -> node.writes().delete(tooLong, vector(1), Caller.STOCK)))
        .hasMessageContaining("must have at most 7,340,032 bytes together");
  }

  @Test
  void anEventTellsTheWriteAsItWasApplied() throws RefusedException {
    Hvc known = Hvc.of(Hvc.NO_OWNER, 0, Hlc.ofMicros(micros.get() + 7), 0);
    Reply<Boolean> reply =
        node.writes().put(K, version("v", 0, 1), caller(known, null, "alice", 1));
    WriteEvent event = events.get(0);
    assertThat(event.key()).isEqualTo(K);
    assertThat(event.written()).isEqualTo(new Version(bytes("v"), vector(0, 1).identityBytes()));
    assertThat(event.siblings()).containsExactly(event.written());
    assertThat(event.writer()).isEqualTo("alice");
    assertThat(event.origin()).isEqualTo(1);
    assertThat(node.siblings(K)).extracting(Version::origin).containsExactly(1);
    assertThat(event.before().own()).isLessThan(event.after().own());
    assertThat(event.before().get(1)).isLessThan(known.get(1));
    assertThat(event.after().get(1)).isEqualTo(known.get(1));
    assertThat(event.after().own()).isGreaterThan(known.get(1)).isEqualTo(reply.acceptedAt());
    assertThat(reply.hvc()).isEqualTo(event.after());
  }

  /** By which detection tells it from a later one of the same clock, written after a delete. */
  @Test
  void anEventTellsTheTimeOfTheVersion() throws RefusedException {
    put(new Versioned(bytes("v"), vector(1).withTimestamp(5)));
    node.writes().delete(K, vector(1), Caller.STOCK);
    put(new Versioned(bytes("v"), vector(1).withTimestamp(9)));
    Version first = events.get(0).siblings().get(0);
    Version second = events.get(2).siblings().get(0);
    assertThat(first.timestampMs()).isEqualTo(5);
    assertThat(second.timestampMs()).isEqualTo(9);
    assertThat(second.clock()).isEqualTo(first.clock());
    assertThat(second).isNotEqualTo(first).isEqualTo(events.get(2).written());
    assertThat(node.siblings(K)).containsExactly(second);
  }

  @Test
  void theOriginIsThisNodeForAKnownClientAndUnknownForAStockOne() throws RefusedException {
    node.writes().put(K, version("a", 1), caller(null, null, "alice", null));
    put(version("b", 2));
    assertThat(events).extracting(WriteEvent::origin).containsExactly(0, null);
    assertThat(events).extracting(WriteEvent::writer).containsExactly("alice", "");
  }

  @Test
  void aRepairIsToldAsACopyAndIsNotOfTheClientThatSendsIt() throws RefusedException {
    node.writes().put(K, version("v", 1), new Caller(null, null, "reader", 1, 2));
    node.writes().put(K, version("w", 2), new Caller(null, null, "reader", null, 2));
    assertThat(events).extracting(WriteEvent::origin).containsExactly(1, 2);
    assertThat(events).extracting(WriteEvent::writer).containsExactly("", "");
    assertThat(node.siblings(K).get(0).origin()).as("not known").isNull();
  }

  /** Else a rollback of what is affected would take it for a write of its own. */
  @Test
  void aRepairIsNotedAsACopyOfNobodys() throws RefusedException {
    node.followAccesses(true);
    node.writes().put(K, version("v", 1), new Caller(null, null, "reader", null, 2));
    node.writes().put(K, version("w", 2), new Caller(null, null, "reader", 0, 2));
    assertThat(node.accesses(0).accesses()).extracting(Access::kind).containsOnly(Kind.COPY);
    assertThat(node.accesses(0).accesses()).extracting(Access::client).containsExactly("", "");
  }

  /** Whoever watches first acceptances has seen this one begin, and end. */
  @Test
  void whatANodeHadAcceptedAndLostComesBackAsACopy() throws RefusedException {
    Versioned version = version("v", 1);
    node.writes().put(K, version, caller(null, null, "writer", null));
    node.writes().delete(K, vector(1), caller(null, null, "writer", null));
    node.writes().put(K, version, new Caller(null, null, "reader", 0, 1));
    assertThat(events).extracting(WriteEvent::origin).containsExactly(0, 0, 1);
    assertThat(node.siblings(K).get(0).origin()).as("as its record had it").isZero();
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
        .hasMessageContaining("node 0 at " + micros.get())
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
  void aPausedNodeServesNobodyAndAResumedOneServesItsEpoch() throws RefusedException {
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
  void aControlLogThatIsOlderThanTheDataIsRefused() {
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
  void aRestoreCountsTheWritesAndTellsTheKeysNearAndAfterTheTarget() throws RefusedException {
    node.writes().put(key("long before"), version("v", 1), Caller.STOCK);
    micros.addAndGet(StoreNodeConfig.CONVERGENCE_WINDOW_DEFAULT.toNanos() / 1_000 + 1);
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
    // What the first attempt wrote is not counted again.
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
    // It is not remembered as done either.
    assertThat(node.restore(1, 1, node.reach()).undoneWrites()).isEqualTo(1);
    assertThat(node.siblings(K)).isEmpty();
  }

  @Test
  void recordsAreRepairedOnlyWhilePaused() {
    assertThatThrownBy(() -> node.restore(1, 1, node.reach()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("paused");
    assertThatThrownBy(() -> node.merge(List.of())).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aMergeAddsWhatIsNotObsoleteOfKeysThatLiveHere() throws RefusedException {
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
    assertThat(valuesOf(K)).containsExactlyInAnyOrder("mine", "theirs", "third");
    assertThat(valuesOf(key("absent"))).containsExactly("found");
    assertThat(node.siblings(there)).isEmpty();
    assertThat(node.merge(records)).isZero();
    assertThat(events).hasSize(1);
  }

  @Test
  void aMergeCanBeTakenBackToo() throws RefusedException {
    long target = put(version("mine", 1)).acceptedAt();
    node.pause(1);
    node.merge(List.of(record(K, version("theirs", 0, 1))));
    node.restore(1, 2, target);
    assertThat(valuesOf(K)).containsExactly("mine");
  }

  /** As for want of memory: what is there, and was not told, is not to pass for watched. */
  @Test
  void aWriteThatStandsAndCouldNotBeToldIsKnownAsUnheard() throws RefusedException {
    ProbedEngine engine = new ProbedEngine(Medium.MEMORY.open(folder));
    StoreNode failing = new StoreNode(TestNodes.config(), engine, micros::get);
    AtomicLong unheard = new AtomicLong();
    failing.listen(
        new WriteListener() {
          @Override
          public boolean watches(StoreKey key) {
            throw new OutOfMemoryError("a test");
          }

          @Override
          public void written(WriteEvent event) {
            events.add(event);
          }

          @Override
          public void unheard() {
            unheard.incrementAndGet();
          }
        });
    assertThatThrownBy(() -> failing.writes().put(K, version("v", 1), Caller.STOCK))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(valuesOf(failing, K)).containsExactly("v");
    assertThat(unheard).hasValue(1);

    failing.hosted().enter(Caller.STOCK);
    assertThatThrownBy(() -> failing.hosted().changed(K, null, new byte[] {1}, null, Caller.STOCK))
        .isInstanceOf(OutOfMemoryError.class);
    failing.hosted().leave();
    assertThat(unheard).hasValue(2);

    engine.fails = true;
    assertThat(refused(() -> failing.writes().put(K, version("w", 2), Caller.STOCK)).code())
        .isEqualTo(ErrorCode.PERSISTENCE_FAILURE);
    assertThat(unheard).as("what was not made").hasValue(2);
  }

  @Test
  void aMediumThatFailsRefusesTheWriteAndChangesNothing() throws RefusedException {
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
  void aReadThatARollbackOvertakesIsRefused() throws RefusedException {
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
  void aRestoreIsOneSyncedCommitOverAllStoresWithItsMarkItsPastsAndItsPromise()
      throws RefusedException {
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
            TestNodes.EVERYWHERE,
            TestNodes.ONCE,
            StoreNode.metaStore(),
            StoreNode.metaStore(),
            StoreNode.metaStore());
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

  @Test
  void theSafePointNeverMovesBack() {
    node.safePoint(5);
    node.safePoint(3);
    assertThat(node.safePoint()).isEqualTo(5);
  }

  @Test
  void aRestartKeepsRecordsEpochAndMarkAndIsAnotherIncarnation() throws RefusedException {
    StoreNode first = onDisk();
    long target = first.writes().put(K, version("v", 1), Caller.STOCK).acceptedAt();
    first.writes().put(K, version("w", 2), Caller.STOCK);
    first.pause(4);
    var restoration = first.restore(4, 2, target);
    first.close();
    first.close();
    StoreNode second = onDisk();
    assertThat(second.incarnation()).isEqualTo(first.incarnation() + 1);
    assertThat(second.restore(4, 2, target).changed()).isEqualTo(restoration.changed());
    second.pause(4);
    second.resume(4, target, 9, new MissedEpochs(3, 2, 7));
    second.close();
    StoreNode third = onDisk();
    assertThat(third.fence())
        .isEqualTo(FenceState.resumed(4, target, 9, new MissedEpochs(3, 2, 7)));
    assertThat(third.restore(4, 2, target).changed()).as("the plan is over").isEmpty();
    assertThat(texts(third.reads().get(K, inEpoch(4)).value())).containsExactly("v");
    third.close();
  }

  @Test
  void aRestartContinuesTheClockAboveWhatWasWritten() throws RefusedException {
    StoreNode first = onDisk();
    Hvc ahead = Hvc.of(Hvc.NO_OWNER, 0, Hlc.ofMicros(micros.get() + 400_000), 0);
    long last = first.writes().put(K, version("v", 1), caller(ahead, null, "", null)).acceptedAt();
    first.close();
    micros.addAndGet(400_000);
    StoreNode second = onDisk();
    assertThat(second.reach()).isGreaterThan(last);
    assertThat(second.writes().put(K, version("w", 2), Caller.STOCK).acceptedAt())
        .isGreaterThan(last);
    second.close();
  }

  @Test
  void aNodeOpensWhenItsClockHasComeToWhatItMayHaveWritten() throws RefusedException {
    StoreNode first = onDisk();
    long last = first.writes().put(K, version("v", 1), Caller.STOCK).acceptedAt();
    first.close();
    StorageEngine engine = Medium.BDB.open(folder);
    assertThat(StoreNode.opensFromMicros(engine)).isEqualTo(Hlc.micros(last));
    micros.set(Hlc.micros(last) - 1);
    assertThatThrownBy(() -> new StoreNode(TestNodes.config(), engine, micros::get))
        .isInstanceOf(ClockBehindException.class)
        .hasMessageContaining("node 0 is 1 µs behind");
    micros.incrementAndGet();
    StoreNode second = new StoreNode(TestNodes.config(), engine, micros::get);
    assertThat(second.incarnation()).isEqualTo(first.incarnation() + 1);
    second.close();
  }

  @Test
  void whatAnUndoChangedIsNoLaterThanWhatTheNodeHasPromised() throws Exception {
    StoreNode live = onDisk();
    long target = live.writes().put(K, version("v", 1), Caller.STOCK).acceptedAt();
    live.writes().put(K, version("w", 2), Caller.STOCK);
    live.pause(1);
    micros.addAndGet(700_000);
    live.restore(1, 1, target);
    long undone = live.clock().last().own();
    TestNodes.copyFolder(folder, folder.resolve("killed"));
    live.close();
    StorageEngine engine = Medium.BDB.open(folder.resolve("killed"));
    assertThat(StoreNode.opensFromMicros(engine)).isEqualTo(Hlc.micros(undone));
    engine.close();
  }

  @Test
  void whatTheNodeWasTakenPastIsNoLaterThanWhatItHasPromised() throws Exception {
    StoreNode live = onDisk();
    live.pass(Hlc.ofMicros(micros.get() + 300_000));
    long told = live.clock().tick().own();
    TestNodes.copyFolder(folder, folder.resolve("killed"));
    live.close();
    StorageEngine engine = Medium.BDB.open(folder.resolve("killed"));
    assertThat(StoreNode.opensFromMicros(engine)).isGreaterThanOrEqualTo(Hlc.micros(told));
    engine.close();
  }

  /** A clock that others took ahead, and no write for long: reads and progress are all there is. */
  @Test
  void progressIsNoLaterThanWhatTheNodeHasPromised() throws Exception {
    StoreNode live = onDisk();
    CandidateRing ring = new CandidateRing(8, 1);
    LocalDetector detector = new LocalDetector(live, ring, instance -> 0, 10);
    detector.reset(0);
    Hvc ahead = Hvc.of(Hvc.NO_OWNER, 0, Hlc.ofMicros(micros.get() + 400_000), 0);
    Hvc read = live.reads().get(K, caller(ahead, null, "", null)).hvc();
    assertThat(detector.reportProgress()).isTrue();
    long told = live.clock().last().own();
    assertThat(told).isGreaterThan(read.own());
    TestNodes.copyFolder(folder, folder.resolve("killed"));
    live.close();
    StorageEngine engine = Medium.BDB.open(folder.resolve("killed"));
    assertThat(StoreNode.opensFromMicros(engine)).isGreaterThanOrEqualTo(Hlc.micros(told));
    engine.close();
  }

  @Test
  void aNodeWhoseDiskIsFullTellsNoProgressPastWhatItHasPromised() {
    ProbedEngine engine = new ProbedEngine(Medium.MEMORY.open(folder));
    StoreNode full = new StoreNode(TestNodes.config(), engine, micros::get);
    LocalDetector detector = new LocalDetector(full, new CandidateRing(8, 1), instance -> 0, 10);
    detector.reset(0);
    assertThat(detector.reportProgress()).isTrue();
    engine.fails = true;
    micros.addAndGet(50_000);
    assertThat(detector.reportProgress()).as("within what is promised").isTrue();
    micros.addAndGet(100_000);
    assertThat(detector.reportProgress()).isFalse();
    engine.fails = false;
    micros.addAndGet(StorageHealth.PROMISE_AGAIN_MICROS);
    assertThat(detector.reportProgress()).isTrue();
    full.close();
  }

  /** It was asked with each progress, in the writes' turn. */
  @Test
  void aDiskThatRefusesAPromiseIsNotAskedAgainAtOnce() {
    ProbedEngine engine = new ProbedEngine(Medium.MEMORY.open(folder));
    try (StoreNode full = new StoreNode(TestNodes.config(), engine, micros::get)) {
      AtomicInteger asked = new AtomicInteger();
      engine.beforeCommit = changes -> asked.incrementAndGet();
      engine.fails = true;
      long wanted = full.clock().last().own() + Hlc.ofMicros(1_000_000);
      for (int i = 0; i < 100; i++) {
        assertThat(full.promises(wanted)).isFalse();
        micros.addAndGet(StorageHealth.PROMISE_AGAIN_MICROS / 50);
      }
      assertThat(asked).hasValue(2);
      assertThat(full.unpromisedMicros()).isEqualTo(2 * StorageHealth.PROMISE_AGAIN_MICROS);
      micros.addAndGet(-1_000_000);
      assertThat(full.promises(wanted)).isFalse();
      assertThat(asked).as("a clock that was set back delays nothing").hasValue(3);
      engine.fails = false;
      assertThat(full.promises(wanted)).isFalse();
      full.promiseAhead(Hlc.ofMicros(1_000));
      assertThat(full.promises(wanted)).as("the disk has taken one").isTrue();
      assertThat(full.unpromisedMicros()).isZero();
    }
  }

  /** The folder as a killed process leaves it, after each step of a plan. */
  @Test
  void aCrashAfterAnyStepOfAPlanLeavesThatStepWhole() throws Exception {
    StoreNode live = onDisk();
    long target = live.writes().put(K, version("v", 1), Caller.STOCK).acceptedAt();
    live.writes().put(K, version("w", 2), Caller.STOCK);
    live.writes().put(key("new"), version("n", 1), Caller.STOCK);
    live.pause(1);
    TestNodes.copyFolder(folder, folder.resolve("paused"));
    var restoration = live.restore(1, 1, target);
    TestNodes.copyFolder(folder, folder.resolve("restored"));
    live.resume(1, target, 0);
    TestNodes.copyFolder(folder, folder.resolve("resumed"));
    live.close();
    // No later than it must be.
    micros.addAndGet(100_000);
    try (StoreNode paused = onDisk(folder.resolve("paused"))) {
      assertThat(valuesOf(paused, K)).containsExactly("w");
      paused.pause(1);
      // The window-log died with the process: the undo is refused whole, never done in part.
      assertThatThrownBy(() -> paused.restore(1, 1, target))
          .isInstanceOf(OutOfReachException.class);
      assertThat(valuesOf(paused, key("new"))).containsExactly("n");
    }
    try (StoreNode restored = onDisk(folder.resolve("restored"))) {
      assertThat(restored.fence().epoch()).isZero();
      restored.pause(1);
      assertThat(restored.restore(1, 1, target).changed()).isEqualTo(restoration.changed());
      assertThat(valuesOf(restored, K)).containsExactly("v");
      assertThat(valuesOf(restored, key("new"))).isEmpty();
    }
    try (StoreNode resumed = onDisk(folder.resolve("resumed"))) {
      assertThat(resumed.fence()).isEqualTo(FenceState.resumed(1, target, 0, MissedEpochs.NONE));
    }
  }

  @Test
  void whatADeleteCoveredIsKnownAfterACrashToo() throws RefusedException {
    StoreNode first = onDisk();
    long before = first.reach();
    first.writes().put(K, version("v", 1), Caller.STOCK);
    long target = first.writes().delete(K, vector(1), Caller.STOCK).acceptedAt();
    first.pause(1);
    first.restore(1, 1, target);
    first.close();
    StoreNode second = onDisk();
    second.pause(1);
    KeyRecord own = second.read(List.of(K)).get(0);
    // Where the copy of the delete had not arrived.
    byte[] unchanged = KeyPast.unchanged(before);
    KeyRecord other = new KeyRecord(K, Siblings.encode(List.of(version("v", 1))), unchanged);
    assertThat(second.merge(List.of(own, other))).isZero();
    assertThat(valuesOf(second, K)).isEmpty();
    second.resume(1, target, 0);
    // All nodes have converged: nobody asks any more.
    assertThat(second.read(List.of(K)).get(0).past()).isEmpty();
    second.close();
    StoreNode third = onDisk();
    assertThat(third.read(List.of(K)).get(0).past()).isEmpty();
    third.close();
  }

  private StoreNode onDisk() {
    return onDisk(folder);
  }

  private StoreNode onDisk(Path path) {
    return new StoreNode(TestNodes.config(), Medium.BDB.open(path), micros::get);
  }

  private Reply<Boolean> put(Versioned version) throws RefusedException {
    return node.writes().put(K, version, Caller.STOCK);
  }

  private List<String> valuesOf(StoreKey key) {
    return valuesOf(node, key);
  }

  private static List<String> valuesOf(StoreNode node, StoreKey key) {
    return texts(Siblings.decode(node.read(List.of(key)).get(0).siblings()));
  }

  private static KeyRecord record(StoreKey key, Versioned version) {
    return new KeyRecord(key, Siblings.encode(List.of(version)), new byte[0]);
  }

  private static Caller inEpoch(long epoch) {
    return caller(null, epoch, "alice", null);
  }

  private static Caller caller(
      @Nullable Hvc hvc, @Nullable Long epoch, String client, @Nullable Integer origin) {
    return new Caller(hvc, epoch, client, origin);
  }

  private static void assertFenced(ThrowingCallable request, FenceState told) {
    RefusedException refused = refused(request);
    assertThat(refused.code()).isEqualTo(ErrorCode.UNREACHABLE_STORE);
    assertThat(refused.fence()).isEqualTo(told);
  }

  private static RefusedException refused(ThrowingCallable request) {
    return catchThrowableOfType(RefusedException.class, request);
  }
}
