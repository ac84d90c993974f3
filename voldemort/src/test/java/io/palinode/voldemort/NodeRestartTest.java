package io.palinode.voldemort;

import static io.palinode.voldemort.NodeRequests.caller;
import static io.palinode.voldemort.NodeRequests.inEpoch;
import static io.palinode.voldemort.NodeRequests.valuesOf;
import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.texts;
import static io.palinode.voldemort.TestNodes.vector;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageHealth;
import io.palinode.store.node.NodeParts;
import io.palinode.store.order.ClockBehindException;
import io.palinode.store.order.FenceState;
import io.palinode.store.restore.KeyPast;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.protocol.Siblings;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Restarts, crashes and the clock promise of one node. */
class NodeRestartTest {
  private static final StoreKey K = key("k");

  private final AtomicLong micros = TestNodes.clock();

  @TempDir Path folder;

  @Test
  void aRestartKeepsRecordsEpochAndMarkAndBeginsAnIncarnation() throws RefusedException {
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
  void aRestartedClockIsAfterAllWrites() throws RefusedException {
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
  void aNodeOpensOnlyAfterItsClockPromise() throws RefusedException {
    StoreNode first = onDisk();
    long last = first.writes().put(K, version("v", 1), Caller.STOCK).acceptedAt();
    first.close();
    StorageEngine engine = Medium.BDB.open(folder);
    assertThat(NodeParts.opensFromMicros(engine)).isEqualTo(Hlc.micros(last));
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
  void anUndoIsNotAfterTheClockPromise() throws Exception {
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
    assertThat(NodeParts.opensFromMicros(engine)).isEqualTo(Hlc.micros(undone));
    engine.close();
  }

  @Test
  void aPassedTimeIsNotAfterTheClockPromise() throws Exception {
    StoreNode live = onDisk();
    live.pass(Hlc.ofMicros(micros.get() + 300_000));
    long published = live.clock().tick().own();
    TestNodes.copyFolder(folder, folder.resolve("killed"));
    live.close();
    StorageEngine engine = Medium.BDB.open(folder.resolve("killed"));
    assertThat(NodeParts.opensFromMicros(engine)).isGreaterThanOrEqualTo(Hlc.micros(published));
    engine.close();
  }

  /** Another node moves the clock ahead while only reads and progress tick it. */
  @Test
  void progressIsNotAfterTheClockPromise() throws Exception {
    StoreNode live = onDisk();
    CandidateRing ring = new CandidateRing(8, 1);
    LocalDetector detector = new LocalDetector(live, ring, instance -> 0, 10);
    detector.reset(0);
    Hvc ahead = Hvc.of(Hvc.NO_OWNER, 0, Hlc.ofMicros(micros.get() + 400_000), 0);
    Hvc read = live.reads().get(K, caller(ahead, null, "", null)).hvc();
    assertThat(detector.reportProgress()).isTrue();
    long published = live.clock().last().own();
    assertThat(published).isGreaterThan(read.own());
    TestNodes.copyFolder(folder, folder.resolve("killed"));
    live.close();
    StorageEngine engine = Medium.BDB.open(folder.resolve("killed"));
    assertThat(NodeParts.opensFromMicros(engine)).isGreaterThanOrEqualTo(Hlc.micros(published));
    engine.close();
  }

  @Test
  void aNodeWithAFullDiskPublishesNoProgressPastItsPromise() {
    ProbedEngine engine = new ProbedEngine(Medium.MEMORY.open(folder));
    StoreNode full = new StoreNode(TestNodes.config(), engine, micros::get);
    LocalDetector detector = new LocalDetector(full, new CandidateRing(8, 1), instance -> 0, 10);
    detector.reset(0);
    assertThat(detector.reportProgress()).isTrue();
    engine.fails = true;
    micros.addAndGet(50_000);
    assertThat(detector.reportProgress()).as("within the promise").isTrue();
    micros.addAndGet(100_000);
    assertThat(detector.reportProgress()).isFalse();
    engine.fails = false;
    micros.addAndGet(StorageHealth.PROMISE_AGAIN_MICROS);
    assertThat(detector.reportProgress()).isTrue();
    full.close();
  }

  /** Each progress asks for a promise, between writes. */
  @Test
  void aRefusedPromiseIsNotRetriedAtOnce() {
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
      assertThat(asked).as("setting the clock back delays no retry").hasValue(3);
      engine.fails = false;
      assertThat(full.promises(wanted)).isFalse();
      full.promiseAhead(Hlc.ofMicros(1_000));
      assertThat(full.promises(wanted)).as("the disk has taken a promise").isTrue();
      assertThat(full.unpromisedMicros()).isZero();
    }
  }

  /** Opens the folder as a killed process leaves it after each step of a plan. */
  @Test
  void aCrashAfterAnyStepOfAPlanLeavesThatStepComplete() throws Exception {
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
    // The earliest start after the promise.
    micros.addAndGet(100_000);
    try (StoreNode paused = onDisk(folder.resolve("paused"))) {
      assertThat(valuesOf(paused, K)).containsExactly("w");
      paused.pause(1);
      // The window-log was lost with the process: the undo is refused, never partial.
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
  void aDeleteCoversVersionsAlsoAfterACrash() throws RefusedException {
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
    // A replica without the copy of the delete.
    byte[] unchanged = KeyPast.unchanged(before);
    KeyRecord other = new KeyRecord(K, Siblings.encode(List.of(version("v", 1))), unchanged);
    assertThat(second.merge(List.of(own, other))).isZero();
    assertThat(valuesOf(second, K)).isEmpty();
    second.resume(1, target, 0);
    // All nodes have converged: no node asks for pasts again.
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
}
