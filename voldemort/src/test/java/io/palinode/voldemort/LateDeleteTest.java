package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A delete that replicas accept at different times, or not at all, and a rollback after it. */
class LateDeleteTest {
  private static final StoreKey KEY = TestNodes.key("lock");

  private final AtomicLong micros = TestNodes.clock();
  private final List<StoreNode> nodes = new ArrayList<>();
  private final AtomicLongArray behindMicros = new AtomicLongArray(3);
  private Hvc known = Hvc.unknown(3);

  @BeforeEach
  void openNodes() {
    for (int id = 0; id < 3; id++) {
      StoreNodeConfig config =
          StoreNodeConfig.of(id, TestNodes.cluster(3), TestNodes.stores(3, Persistence.BDB));
      int node = id;
      nodes.add(
          new StoreNode(
              config,
              Medium.MEMORY.open(Path.of("unused")),
              () -> micros.get() - behindMicros.get(node)));
    }
  }

  /** A waiting copy may be sent again, with the client's newer clock. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLateCopyOfADeleteCoversNoLaterWrite(boolean isSentAgain) throws RefusedException {
    put("old", 0, 1, 2);
    // Two replicas accept the delete, the copy to the third is slow.
    delete(0, known);
    Hvc deleting = known;
    delete(1, deleting);
    // Written again after the delete: the counters restart.
    put("new", 0, 1);
    rollBackTo(delete(2, isSentAgain ? known : deleting));
    assertEveryNodeHas("new");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLateCopyCoversNoLaterWriteAlsoIfTheFirstReplicaHadNothing(boolean isSentAgain)
      throws RefusedException {
    put("old", 1, 2);
    delete(0, known);
    Hvc deleting = known;
    put("new", 0);
    delete(1, isSentAgain ? known : deleting);
    rollBackTo(delete(2, isSentAgain ? known : deleting));
    assertEveryNodeHas("new");
  }

  @Test
  void aDeleteThatFoundNothingOnItsFirstReplicaCoversWhatOthersHave() throws RefusedException {
    put("old", 1, 2);
    micros.addAndGet(60_000_000);
    rollBackTo(delete(0, known));
    assertEveryNodeHas();
  }

  @Test
  void aDeleteCoversWhatItsCopyFindsLater() throws RefusedException {
    put("old", 0, 1, 2);
    delete(0, known);
    rollBackTo(delete(1, known));
    assertEveryNodeHas();
  }

  /** It has from a merge what was written after the delete, at a time before the delete. */
  @Test
  void aDeleteDoesNotCoverALaterVersionThatANodeWhoseClockIsFarBehindHasHadLong()
      throws RefusedException {
    put("old", 0, 1, 2);
    behindMicros.set(1, 700_000);
    micros.addAndGet(300_000);
    long deleted = delete(0, known);
    put("new", 0);
    keepAll(1);
    assertThat(nodes.get(1).clock().last().own()).isLessThan(deleted);
    micros.addAndGet(1_000);
    rollBackTo(2, Hlc.ofMicros(micros.get()));
    assertEveryNodeHas("new");
  }

  @Test
  void noMergeBringsAVersionToANodeBeforeTheTimeAtWhichItWasWritten() throws RefusedException {
    behindMicros.set(1, 400_000);
    micros.addAndGet(300_000);
    put("new", 0);
    long written = known.get(0);
    keepAll(1);
    assertEveryNodeHas("new");
    rollBackTo(2, written - 1);
    assertEveryNodeHas();
  }

  private void put(String value, int... at) throws RefusedException {
    for (int node : at) {
      micros.addAndGet(1_000);
      known =
          known.merge(
              nodes.get(node).writes().put(KEY, TestNodes.version(value, 1), caller(known)).hvc());
    }
  }

  /** Returns when. */
  private long delete(int node, Hvc sentWith) throws RefusedException {
    micros.addAndGet(1_000);
    Hvc received =
        nodes.get(node).writes().delete(KEY, TestNodes.vector(1), caller(sentWith)).hvc();
    known = known.merge(received);
    return received.own();
  }

  private static Caller caller(Hvc known) {
    return new Caller(known, null, "c", 0);
  }

  private void rollBackTo(long target) {
    rollBackTo(1, target);
  }

  private void rollBackTo(long epoch, long target) {
    nodes.forEach(node -> node.pause(epoch));
    Set<StoreKey> changed = new LinkedHashSet<>();
    nodes.forEach(node -> changed.addAll(node.restore(epoch, 1, target).changed()));
    merge(changed);
  }

  /** As a plan that is abandoned. */
  private void keepAll(long epoch) {
    nodes.forEach(node -> node.pause(epoch));
    long target = Hlc.ofMicros(micros.get());
    Set<StoreKey> changed = new LinkedHashSet<>();
    nodes.forEach(node -> changed.addAll(node.keep(epoch, 1, target).changed()));
    merge(changed);
    nodes.forEach(node -> node.resume(epoch, target, 0));
  }

  private void merge(Set<StoreKey> changed) {
    List<KeyRecord> contributed = new ArrayList<>();
    nodes.forEach(node -> contributed.addAll(node.read(List.copyOf(changed))));
    nodes.forEach(node -> node.merge(contributed));
  }

  private void assertEveryNodeHas(String... values) {
    for (StoreNode node : nodes) {
      assertThat(TestNodes.texts(TestNodes.stateOf(node).getOrDefault(KEY, List.of())))
          .as("node %d", node.node())
          .containsExactly(values);
    }
  }
}
