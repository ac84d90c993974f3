package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.stateOf;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.store.binding.RestoreRefusedException;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.store.control.Agreement;
import io.palinode.store.control.Command;
import io.palinode.store.control.ControlExecution;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.restore.RestoreLimit;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is too much for a node's memory is not begun, and the replicas can still be made equal. */
class RestoreLimitTest {
  private static final int KEYS = 300;

  private final AtomicLong micros = TestNodes.clock();
  private final List<StoreNode> nodes = new ArrayList<>();
  private final List<StorageEngine> engines = new ArrayList<>();

  @BeforeEach
  void openNodes() {
    for (int id = 0; id < 3; id++) {
      // The second node could take it.
      RestoreLimit limit = new RestoreLimit(id == 1 ? 2 * KEYS : 50, 1 << 20);
      StoreNodeConfig config =
          StoreNodeConfig.of(id, TestNodes.cluster(3), TestNodes.stores(3, Persistence.BDB))
              .with(settings -> settings.withRestores(limit));
      engines.add(Medium.MEMORY.open(Path.of("unused")));
      nodes.add(new StoreNode(config, engines.get(id), micros::get));
    }
  }

  @Test
  void aRestoreOfTooManyKeysIsRefusedAndChangesNothing() throws RefusedException {
    long target = written();
    Map<StoreKey, List<Versioned>> before = stateOf(nodes.get(0));
    nodes.get(0).pause(1);
    assertThatThrownBy(() -> nodes.get(0).restore(1, 1, target))
        .isInstanceOf(RestoreRefusedException.class)
        .hasMessageContaining("more than 50 keys");
    assertThatThrownBy(() -> nodes.get(0).keep(1, 2, target))
        .isInstanceOf(RestoreRefusedException.class);
    assertThat(stateOf(nodes.get(0))).isEqualTo(before);
    assertThat(nodes.get(0).restoredEpoch()).isZero();
  }

  @Test
  void aRestoreOfTooManyBytesIsRefusedAndChangesNothing() throws RefusedException {
    AtomicLong clock = TestNodes.clock();
    StorageEngine engine = Medium.MEMORY.open(Path.of("unused"));
    RestoreLimit limit = new RestoreLimit(1_000, 100_000);
    StoreNodeConfig config = TestNodes.config().with(settings -> settings.withRestores(limit));
    try (StoreNode node = new StoreNode(config, engine, clock::get)) {
      long target = node.clock().last().own();
      for (int i = 0; i < 10; i++) {
        clock.addAndGet(1_000);
        node.writes().put(key("k" + i), version("v".repeat(20_000), 1), Caller.STOCK);
      }
      node.pause(1);
      assertThatThrownBy(() -> node.restore(1, 1, target))
          .isInstanceOf(RestoreRefusedException.class);
    }
  }

  /** The node may have reached the target at the pause, and lost it by its own undo. */
  @Test
  void whoHasForgottenWhatChangedSinceTheTargetKeepsBySlicesOnly() throws RefusedException {
    AtomicLong clock = TestNodes.clock();
    StorageEngine engine = Medium.MEMORY.open(Path.of("unused"));
    try (StoreNode node = new StoreNode(withSmallWindowLog(), engine, clock::get)) {
      long target = forgotten(node, clock);
      assertThatThrownBy(() -> node.keep(1, 1, target))
          .isInstanceOf(RestoreRefusedException.class)
          .hasMessageContaining("the window-log has the changed keys since");
      assertThat(node.restoredEpoch()).as("it has done nothing").isZero();
      assertThat(node.keepAll(1, 2).changed()).isNotEmpty();
    }
  }

  /** The orchestrator then compares all keys; on any other failure the plan would halt. */
  @Test
  void aNodeOutOfReachAcknowledgesThatTheStepIsTooLarge() throws RefusedException {
    AtomicLong clock = TestNodes.clock();
    StorageEngine engine = Medium.MEMORY.open(Path.of("unused"));
    try (StoreNode node = new StoreNode(withSmallWindowLog(), engine, clock::get)) {
      long target = forgotten(node, clock);
      List<ControlRecord> log = new ArrayList<>();
      ControlExecution execution = execution(node, log, clock);
      Restore asked = Restore.newBuilder().setAttempt(1).setTarget(target).setKeep(true).build();
      new Command.Keep(1, asked).execute(execution);
      Restored refused = log.get(0).getRestored();
      assertThat(refused.getFailure()).contains("the window-log has the changed keys since");
      assertThat(refused.getTooLarge()).isTrue();
      assertThat(refused.getLast()).isTrue();

      new Command.KeepAll(1, asked.toBuilder().setAttempt(2).setWhole(true).build())
          .execute(execution);
      Restored acknowledged = log.get(1).getRestored();
      assertThat(acknowledged.getFailure()).isEmpty();
      assertThat(acknowledged.getChangedList()).isNotEmpty();
    }
  }

  private static ControlExecution execution(
      StoreNode node, List<ControlRecord> log, AtomicLong clock) {
    LocalDetector detector = new LocalDetector(node, new CandidateRing(8, 1), instance -> 0, 10);
    return new ControlExecution(node, detector, log::addAll, clock::get, () -> {});
  }

  /** Paused, and does not reach what it gives any more. */
  private static long forgotten(StoreNode node, AtomicLong clock) throws RefusedException {
    long target = node.clock().last().own();
    for (int i = 1; i < 40; i++) {
      clock.addAndGet(1_000);
      node.writes().put(key("k"), version("v".repeat(20_000), i), Caller.STOCK);
    }
    node.pause(1);
    assertThat(node.reach()).isGreaterThan(target);
    return target;
  }

  /** One node has undone all, the others could not: so the plan was abandoned. */
  @Test
  void replicasAreMadeEqualBySlicesAfterAnAttemptThatSomeCouldNotMake() throws RefusedException {
    long target = written();
    nodes.forEach(node -> node.pause(1));
    nodes.get(1).restore(1, 1, target);
    assertThat(stateOf(nodes.get(1))).isNotEqualTo(stateOf(nodes.get(0)));
    Map<StoreKey, List<Versioned>> expected = stateOf(nodes.get(0));
    expected.keySet().removeIf(key -> !key.store().equals(TestNodes.EVERYWHERE));

    makeEqual(target, 2);

    for (StoreNode node : nodes) {
      Map<StoreKey, List<Versioned>> found = stateOf(node);
      found.keySet().removeIf(key -> !key.store().equals(TestNodes.EVERYWHERE));
      assertThat(found).as("node %d", node.node()).isEqualTo(expected);
      node.resume(1, target, 0);
    }
  }

  @Test
  void ofSlicesThatAreAlikeNothingIsExchanged() throws RefusedException {
    long target = written();
    nodes.forEach(node -> node.pause(1));
    assertThat(makeEqual(target, 1)).isZero();
  }

  @Test
  void slicesFindAnyDifferenceOfReplicas() throws RefusedException {
    written();
    Random random = new Random(5);
    for (int i = 0; i < 40; i++) {
      micros.addAndGet(1_000);
      StoreNode node = nodes.get(random.nextInt(3));
      node.writes()
          .put(
              key("k" + random.nextInt(2 * KEYS)), version("only" + i, 0, 0, 9L + i), Caller.STOCK);
    }
    nodes.forEach(node -> node.pause(1));
    // No key near the target has changed: only the slices show the difference.
    int exchanged = makeEqual(nodes.get(0).clock().last().own(), 1);
    assertThat(exchanged).isBetween(40, 3 * KEYS);
    for (int id = 1; id < 3; id++) {
      for (int i = 0; i < 2 * KEYS; i++) {
        StoreKey key = key("k" + i);
        assertThat(textsOf(nodes.get(id), key))
            .as("key=%d node=%d", i, id)
            .isEqualTo(textsOf(nodes.get(0), key));
      }
    }
  }

  @Test
  void theKeysOfARestoreAreForgottenWhenItsPlanIsOver() throws RefusedException {
    long target = written();
    StoreNode node = nodes.get(1);
    node.pause(1);
    node.restore(1, 1, target);
    int kept = restoredRecord(1).length;
    node.resume(1, target, 0);
    assertThat(restoredRecord(1).length).isLessThan(50).isLessThan(kept);
    assertThat(node.restoredEpoch()).isEqualTo(1);
  }

  private static List<String> textsOf(StoreNode node, StoreKey key) {
    return TestNodes.texts(Siblings.decode(node.read(List.of(key)).get(0).siblings()));
  }

  private byte[] restoredRecord(int node) {
    byte[] record = engines.get(node).get(NodeMeta.STORE, TestNodes.bytes("restored"));
    return record == null ? new byte[0] : record;
  }

  /** Writes each key on all nodes, twice; returns the time between. */
  private long written() throws RefusedException {
    put("old", 1);
    long target = nodes.stream().mapToLong(node -> node.clock().last().own()).max().orElseThrow();
    micros.addAndGet(10_000);
    put("new", 2);
    return target;
  }

  private void put(String value, long counter) throws RefusedException {
    for (int i = 0; i < KEYS; i++) {
      micros.addAndGet(10);
      for (StoreNode node : nodes) {
        node.writes().put(key("k" + i), version(value + i, counter), Caller.STOCK);
      }
    }
  }

  /** As an attempt that compares all keys does; returns how many records were exchanged. */
  private int makeEqual(long target, int attempt) {
    Agreement<StoreKey> agreement = new Agreement<>();
    for (StoreNode node : nodes) {
      Restoration kept = node.keepAll(1, attempt);
      kept.replicas()
          .forEach(
              (slice, here) -> {
                assertThat(here.weight()).isPositive();
                agreement.add(node.node(), slice, here.digest(), here.nodes().size());
              });
    }
    List<KeyRecord> contributed = new ArrayList<>();
    nodes.forEach(node -> contributed.addAll(node.readSlices(agreement.unsettled(), target, true)));
    nodes.forEach(node -> node.merge(contributed));
    return contributed.size();
  }

  private static StoreNodeConfig withSmallWindowLog() {
    WindowLogConfig small = new WindowLogConfig(Duration.ofHours(1), 256 << 10);
    return TestNodes.config().with(settings -> settings.withWindowLog(small));
  }
}
