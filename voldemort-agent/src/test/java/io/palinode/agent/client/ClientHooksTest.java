package io.palinode.agent.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.agent.boot.Hooks;
import io.palinode.agent.weave.Weaver;
import io.palinode.agent.weave.WeavingLoader;
import io.palinode.hvc.HvcCodec;
import io.palinode.store.hosted.Fuse;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Voldemort's client, as a stand-in that is woven, before nodes that fence. */
class ClientHooksTest {
  private static final String OBSOLETE = "voldemort.versioning.ObsoleteVersionException";
  private static final String UNREACHABLE = "voldemort.store.UnreachableStoreException";

  /** The application's own class. */
  public static final class Listener implements Consumer<Map<String, Object>> {
    static final List<Map<String, Object>> NOTICES = new CopyOnWriteArrayList<>();

    @Override
    public void accept(Map<String, Object> rollback) {
      NOTICES.add(rollback);
    }
  }

  private final Object failureDetector = new Object();
  private final Fuse fuse = new Fuse("", 3, () -> {}, () -> {});
  private final WeavingLoader loader = new WeavingLoader(Weaver.ofClient());
  private final ExecutorService other = Executors.newSingleThreadExecutor();
  private final StandInNode first = new StandInNode(0, false);
  private final StandInNode second = new StandInNode(1, false);
  private final StandInStore store = store("s", true, first, second);

  @BeforeEach
  void attach() {
    attach(Duration.ofSeconds(30));
  }

  private void attach(Duration pauseMax) {
    Listener.NOTICES.clear();
    Hooks.listen(
        new ClientHooks(new ClientAgentConfig("c1", pauseMax, Listener.class.getName()), fuse));
  }

  @AfterEach
  void detach() {
    Hooks.listen(null);
    other.shutdownNow();
    assertThat(fuse.first()).isEmpty();
  }

  private StandInStore store(String name, boolean pb0, StandInNode... nodes) {
    try {
      return (StandInStore)
          loader
              .loadClass("voldemort.store.routed.PipelineRoutedStore")
              .getConstructor(String.class, Object.class, List.class, boolean.class)
              .newInstance(name, failureDetector, List.of(nodes), pb0);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a stand-in", e);
    }
  }

  private static RequestContext along(StandInNode node) {
    assertThat(node.last().along()).hasSize(1);
    return node.last().along().get(0);
  }

  private void rollBack() {
    first.rollBack();
    second.rollBack();
  }

  private static void assertNotified(Runnable operation) {
    assertThatThrownBy(operation::run)
        .satisfies(thrown -> assertThat(thrown.getClass().getName()).isEqualTo(OBSOLETE))
        .hasMessageContaining("read again");
  }

  private static void assertUnreachable(Runnable operation, String why) {
    assertThatThrownBy(operation::run)
        .satisfies(thrown -> assertThat(thrown.getClass().getName()).isEqualTo(UNREACHABLE))
        .hasMessageContaining(why);
  }

  @Test
  void requestsSayWhoAsksInWhichEpochAndWhatIsKnown() {
    store.get("k");
    assertThat(along(first).getClient()).isEqualTo("c1");
    assertThat(along(first).hasEpoch()).isFalse();
    store.put("k");
    assertThat(along(first).getEpoch()).isZero();
    assertThat(HvcCodec.decode(along(first).getHvc().toByteArray()).get(0)).isEqualTo(10);
    store.getAll("k");
    assertThat(along(first).hasEpoch()).isTrue();
    store.getVersions("k");
    assertThat(along(first).hasEpoch()).isTrue();
    store.delete("k");
    assertThat(along(second).hasEpoch()).isTrue();
  }

  @Test
  void copiesNameTheNodeThatAcceptedFirst() {
    store.put("k");
    assertThat(along(first).hasOrigin()).isFalse();
    assertThat(second.last().request()).isEqualTo("copy k");
    assertThat(along(second).getOrigin()).isZero();
    assertThat(along(second).hasOrigin()).isTrue();
  }

  @Test
  void repairsNameTheNodeThatTheyWereReadAtAndNoneThatAcceptedFirst() {
    StandInNode third = new StandInNode(2, false);
    store("s", true, first, second, third).getAndRepair("k", 1);
    assertRepair(first.served.get(0));
    assertRepair(third.last());
    assertThat(second.served).isEmpty();
    assertThat(first.last().request()).isEqualTo("get k");
    assertThat(along(first).hasReadAt()).isFalse();
    store.put("k");
    assertThat(along(first).hasReadAt()).isFalse();
    assertThat(along(second).getOrigin()).isZero();
  }

  private static void assertRepair(StandInNode.Received received) {
    assertThat(received.request()).isEqualTo("put k");
    assertThat(received.along())
        .singleElement()
        .satisfies(
            along -> {
              assertThat(along.hasReadAt()).isTrue();
              assertThat(along.getReadAt()).isEqualTo(1);
              assertThat(along.hasOrigin()).isFalse();
            });
  }

  @Test
  void nodesThatKnowNothingOfItAreServedAsEver() {
    StandInNode stock = new StandInNode(0, true);
    StandInStore plain = store("s", true, stock);
    plain.put("k");
    plain.get("k");
    assertThat(stock.served)
        .extracting(StandInNode.Received::request)
        .containsExactly("put k", "get k");
  }

  @Test
  void aThreadIsNotifiedOnceOfARollbackAndEntersTheNewEpoch() {
    store.get("k");
    rollBack();
    assertNotified(() -> store.put("k"));
    assertThat(first.served).hasSize(1);
    store.put("k");
    assertThat(along(first).getEpoch()).isEqualTo(1);
    assertThat(along(second).getEpoch()).isEqualTo(1);
  }

  @Test
  void whatAThreadHasReadIsNotWrittenAfterItsEpochThoughAnotherThreadIsInTheNewOne()
      throws Exception {
    store.get("k");
    rollBack();
    other
        .submit(
            () -> {
              assertNotified(() -> store.get("k"));
              store.get("k");
            })
        .get();
    int served = first.served.size();
    assertNotified(() -> store.put("k"));
    assertThat(first.served).hasSize(served);
  }

  @Test
  void aReadBeforeAnyEpochIsKnownBelongsToTheFirstKnownEpoch() throws Exception {
    store.get("k");
    rollBack();
    other.submit(() -> assertNotified(() -> store.get("k"))).get();
    assertNotified(() -> store.put("k"));
  }

  @Test
  void anOperationWaitsForTheEndOfAPauseAndIsNotified() {
    store.get("k");
    first.pause(4);
    assertNotified(() -> store.put("k"));
    assertThat(first.refused).hasValue(4);
    store.get("k");
    assertThat(along(first).getEpoch()).isEqualTo(1);
  }

  @Test
  void aPauseIsWaitedForSoLongOnly() {
    attach(Duration.ofMillis(20));
    store.get("k");
    first.pause(Integer.MAX_VALUE / 2);
    assertUnreachable(() -> store.put("k"), "for too long");
  }

  @Test
  void anInterruptEndsTheWaitWithoutAResultAndIsKept() {
    store.get("k");
    first.pause(Integer.MAX_VALUE / 2);
    Thread.currentThread().interrupt();
    assertUnreachable(() -> store.put("k"), "interrupted");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aNodeThatDoesNotServeTheClientsEpochYetIsAsOneThatIsAway() {
    store.get("k");
    first.rollBack();
    second.lag();
    assertNotified(() -> store.put("k"));
    store.put("k");
    assertThat(first.served).extracting(StandInNode.Received::request).endsWith("put k", "hint k");
    assertThat(along(first).getEpoch()).isEqualTo(1);
    assertThat(second.served).isEmpty();
    assertUnreachable(() -> store.delete("k"), "fenced");
    assertUnreachable(() -> store("s", true, second).get("k"), "fenced");
  }

  @Test
  void aHintIsOfTheEpochOfTheCopyThatFailed() throws Exception {
    store.get("k");
    store.put("k");
    other.submit(store::copyTimesOut).get();
    assertThat(first.last().request()).isEqualTo("hint");
    assertThat(along(first).getEpoch()).isZero();
    rollBack();
    int served = first.served.size();
    assertThatThrownBy(() -> other.submit(store::copyTimesOut).get())
        .rootCause()
        .hasMessageContaining("read again");
    assertThat(first.served).hasSize(served);
  }

  @Test
  void aHintOfACopyThatWasNeverSentIsOfItsEpochToo() throws Exception {
    store.get("k");
    store.put("k");
    other.submit(() -> store.copyIsNotSent(() -> {})).get();
    assertThat(first.last().request()).isEqualTo("hint");
    assertThat(along(first).hasEpoch()).isTrue();
    assertThat(along(first).getEpoch()).isZero();
  }

  @Test
  void aHintIsOfTheFailedCopysEpochAlsoWhereAnOperationOfANewerOneFindsThatOut() throws Exception {
    store.get("k");
    store.put("k");
    rollBack();
    other
        .submit(
            () -> {
              assertNotified(() -> store.get("k"));
              store.getWhile("k", () -> assertNotified(() -> store.copyIsNotSent(() -> {})));
            })
        .get();
    assertThat(first.last().request()).isEqualTo("get k");
    assertThat(first.served).extracting(StandInNode.Received::request).doesNotContain("hint");
    assertThat(along(first).getEpoch()).isEqualTo(1);
  }

  @Test
  void aFailureThatIsDealtWithDuringAnotherOnesDoesNotEndThat() throws Exception {
    store.get("k");
    store.put("k");
    other.submit(() -> store.copyIsNotSent(store::copyTimesOut)).get();
    assertThat(first.served).extracting(StandInNode.Received::request).endsWith("hint", "hint");
    assertThat(along(first).hasEpoch()).isTrue();
  }

  @Test
  void otherProtocolsAndTheSystemsOwnStoresCarryNothing() {
    StandInNode native1 = new StandInNode(0, false);
    store("s", false, native1).get("k");
    assertThat(native1.last().along()).isEmpty();
    StandInNode system = new StandInNode(0, false);
    store("voldsys$_x", true, system).get("k");
    assertThat(system.last().along()).isEmpty();
  }

  @Test
  void theApplicationsListenerIsNotifiedOnce() {
    store.get("k");
    rollBack();
    assertNotified(() -> store.get("k"));
    store.get("k");
    await().until(() -> !Listener.NOTICES.isEmpty());
    assertThat(Listener.NOTICES)
        .containsExactly(
            Map.of(
                "fromEpoch", 0L,
                "toEpoch", 1L,
                "target", "1000000",
                "targetMicros", 1_000_000L,
                "restart", false));
  }
}
