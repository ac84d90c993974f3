package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.store.binding.HlcSpan;
import io.palinode.store.binding.UndoEffect;
import io.palinode.store.binding.UndoEffect.Count;
import io.palinode.store.past.DiscardedWrites.Page;
import io.palinode.store.past.DiscardedWrites.Range;
import io.palinode.store.past.KeyHistory;
import io.palinode.store.past.PastChange;
import io.palinode.voldemort.protocol.Siblings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an undo would change, what it did change, and what was there before. */
class UndoEffectTest {
  private final AtomicLong clock = TestNodes.clock();
  private final StoreNode node = TestNodes.inMemory(clock);

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void anEffectIsCountedAndNothingChanges() throws RefusedException {
    put("a", "old", 1, "alice");
    long target = now();
    put("a", "new", 2, "alice");
    put("a", "newer", 3, "bob");
    put("b", "new", 1, "bob");
    UndoEffect effect = node.effect(target, List.of());
    assertThat(effect.writes()).isEqualTo(3);
    assertThat(effect.keys()).isEqualTo(2);
    assertThat(effect.clients()).containsExactly("alice", "bob");
    assertThat(effect.ofReplicas().values().stream().mapToLong(Count::writes).sum()).isEqualTo(3);
    assertThat(effect.ofReplicas().values().stream().mapToLong(Count::keys).sum()).isEqualTo(2);
    assertThat(effect.bytes()).isPositive();
    assertThat(value("a")).containsExactly("newer");
    assertThat(node.effect(now(), List.of()).writes()).isZero();
  }

  @Test
  void aKeyThatIsWhatItWasDoesNotChange() throws RefusedException {
    long target = now();
    put("a", "new", 1, "alice");
    var unused = node.writes().delete(TestNodes.key("a"), TestNodes.vector(1), caller("alice"));
    UndoEffect effect = node.effect(target, List.of());
    assertThat(effect.writes()).isEqualTo(2);
    assertThat(effect.keys()).isZero();
  }

  @Test
  void whatIsExceptedIsNoWriteButItsKeysMayChange() throws RefusedException {
    long target = now();
    put("a", "new", 1, "alice");
    long later = now();
    put("b", "new", 1, "bob");
    UndoEffect effect = node.effect(target, List.of(new HlcSpan(target, later)));
    assertThat(effect.writes()).isEqualTo(1);
    assertThat(effect.keys()).isEqualTo(2);
  }

  @Test
  void whatStandsBesideAnUndoOfSomeKeysWouldBeLost() throws RefusedException {
    long target = now();
    put("a", "goes", 1, "alice");
    put("b", "stands", 1, "bob");
    put("c", "stands", 1, "bob");
    long quiet = node.pause(1);
    long key = StoreNode.keyOfAccess(TestNodes.key("a"));
    assertThat(node.restore(1, 1, target, Map.of(key, target)).undoneWrites()).isEqualTo(1);
    long settled = now();
    serve(1, target);
    UndoEffect effect = node.effect(target, List.of(new HlcSpan(quiet, settled)));
    assertThat(effect.writes()).as("what is gone is among them").isEqualTo(3);
    assertThat(effect.keys()).isEqualTo(2);
  }

  @Test
  void aTimeOutOfReachIsRefused() {
    assertThatThrownBy(() -> node.effect(node.reach() - 1, List.of()))
        .isInstanceOf(OutOfReachException.class);
  }

  @Test
  void whatAnUndoDiscardedCanBeRead() throws RefusedException {
    put("a", "old", 1, "alice");
    put("c", "stays", 1, "alice");
    long target = now();
    put("a", "lost", 2, "alice");
    put("a", "lost too", 3, "");
    put("b", "lost", 1, "bob");
    var unused = node.writes().delete(TestNodes.key("c"), TestNodes.vector(1), caller("bob"));
    long quiet = rollBack(1, target);
    long settled = now();
    serve(1, target);
    put("b", "later", 1, "carol");
    Page page = node.past().discarded(TestNodes.EVERYWHERE, new Range(target, quiet, settled), 0);
    assertThat(page.end()).isNull();
    assertThat(page.writes().stream().map(UndoEffectTest::line))
        .containsExactly(
            "a [old] -> [lost] by alice",
            "a [lost] -> [lost too] by ",
            "b [] -> [lost] by bob",
            "c [stays] -> [] by bob");
    assertThat(
            node.past()
                .discarded(TestNodes.EVERYWHERE, new Range(target, quiet, settled), 3)
                .writes())
        .hasSize(1);
  }

  @Test
  void theHistoryOfAKeyHasItsWritesAndTheRollback() throws RefusedException {
    long from = now();
    put("a", "old", 1, "alice");
    put("b", "other key", 1, "bob");
    long target = now();
    put("a", "lost", 2, "bob");
    long quiet = rollBack(1, target);
    serve(1, target);
    var unused = node.writes().delete(TestNodes.key("a"), TestNodes.vector(1), caller("carol"));
    assertThat(history("a", from, now()))
        .containsExactly(
            "a [] -> [old] by alice",
            "a [old] -> [lost] by bob",
            "a [lost] -> [old] by ",
            "a [old] -> [] by carol");
    assertThat(history("a", from, target)).containsExactly("a [] -> [old] by alice");
    assertThat(history("a", target, quiet)).containsExactly("a [old] -> [lost] by bob");
    assertThatThrownBy(() -> history("a", node.reach() - 1, quiet))
        .isInstanceOf(OutOfReachException.class);
  }

  @Test
  void aLongHistoryHasPages() throws RefusedException {
    long from = now();
    for (int i = 1; i <= 2_500; i++) {
      put("a", "v" + i, i, "alice");
    }
    List<String> all = new ArrayList<>();
    Long next = from;
    while (next != null) {
      KeyHistory.Page page = node.past().history(TestNodes.key("a"), next, now());
      page.changes().forEach(change -> all.addAll(texts(change.after())));
      next = page.end();
    }
    assertThat(all).isEqualTo(IntStream.rangeClosed(1, 2_500).mapToObj(i -> "v" + i).toList());
  }

  private List<String> history(String key, long from, long to) {
    return node.past().history(TestNodes.key(key), from, to).changes().stream()
        .map(UndoEffectTest::line)
        .toList();
  }

  @Test
  void whatStandsBesideAnUndoOfSomeKeysIsNotLost() throws RefusedException {
    put("a", "old", 1, "alice");
    long target = now();
    put("a", "overwritten", 2, "alice");
    put("a", "stands", 3, "alice");
    long stands = now();
    put("a", "lost", 4, "bob");
    put("b", "overwritten", 1, "carol");
    put("b", "beside it", 2, "carol");
    long quiet = node.pause(1);
    long key = StoreNode.keyOfAccess(TestNodes.key("a"));
    assertThat(node.restore(1, 1, target, Map.of(key, stands)).undoneWrites()).isEqualTo(1);
    long settled = now();
    serve(1, target);
    put("a", "later", 4, "carol");
    put("b", "later", 3, "carol");
    Page page = node.past().discarded(TestNodes.EVERYWHERE, new Range(target, quiet, settled), 0);
    assertThat(page.writes().stream().map(UndoEffectTest::line))
        .containsExactly("a [stands] -> [lost] by bob");
  }

  @Test
  void whatAnotherReplicaHadAcceptedBeforeTheCutIsNotLost() throws RefusedException {
    long target = now();
    put("a", "late copy", 1, "alice");
    put("b", "lost", 1, "alice");
    long quiet = node.pause(1);
    var restored = node.restore(1, 1, target);
    assertThat(restored.undoneWrites()).isEqualTo(2);
    StoreKey key = TestNodes.key("a");
    byte[] record = Siblings.encode(List.of(TestNodes.version("late copy", 1)));
    assertThat(
            node.merge(
                List.of(new io.palinode.store.binding.UndoLog.KeyRecord(key, record, new byte[0]))))
        .isEqualTo(1);
    long settled = now();
    serve(1, target);
    Page page = node.past().discarded(TestNodes.EVERYWHERE, new Range(target, quiet, settled), 0);
    assertThat(page.writes().stream().map(UndoEffectTest::line))
        .containsExactly("b [] -> [lost] by alice");
  }

  @Test
  void goingBackToRightBeforeAnUndoBringsAllOfItBack() throws RefusedException {
    put("a", "old", 1, "alice");
    long target = now();
    put("a", "new", 2, "alice");
    put("b", "new", 1, "alice");
    var before = TestNodes.stateOf(node);
    long quiet = rollBack(1, target);
    serve(1, target);
    put("c", "later", 1, "alice");
    assertThat(value("a")).containsExactly("old");
    var unused = rollBack(2, quiet);
    assertThat(TestNodes.stateOf(node)).isEqualTo(before);
  }

  /** Returns the HLC of the cut right before. */
  private long rollBack(long epoch, long target) {
    long quiet = node.pause(epoch);
    clock.addAndGet(10);
    var unused = node.restore(epoch, 1, target);
    return quiet;
  }

  private void serve(long epoch, long target) {
    node.resume(epoch, target, 0);
  }

  private long now() {
    clock.addAndGet(10);
    return node.clock().tick().own();
  }

  private void put(String key, String value, long version, String client) throws RefusedException {
    clock.addAndGet(10);
    var unused =
        node.writes().put(TestNodes.key(key), TestNodes.version(value, version), caller(client));
  }

  private Caller caller(String client) {
    return new Caller(null, node.fence().epoch(), client, null);
  }

  private List<String> value(String key) throws RefusedException {
    return TestNodes.texts(node.reads().get(TestNodes.key(key), caller("")).value());
  }

  private static String line(PastChange write) {
    return "%s %s -> %s by %s"
        .formatted(
            new String(write.key(), java.nio.charset.StandardCharsets.UTF_8),
            texts(write.before()),
            texts(write.after()),
            write.client());
  }

  private static List<String> texts(List<Version> versions) {
    return TestNodes.texts(versions.stream().map(VoldemortRules::versioned).toList());
  }
}
