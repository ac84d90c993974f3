package io.palinode.agent;

import static io.palinode.agent.StandInServer.clock;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Operation;
import io.palinode.detector.StoreBinding.WriteListener;
import io.palinode.detector.StoreKey;
import io.palinode.detector.Version;
import io.palinode.detector.WriteEvent;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EngineHooksTest {
  private static final int THREADS = 4;
  private static final int WRITES = 500;

  @TempDir private Path folder;
  private StandInServer server;

  @BeforeEach
  void open() {
    server = new StandInServer(folder);
  }

  @AfterEach
  void close() {
    assertThat(server.fuse.failures()).describedAs(server.fuse.first()).isZero();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"disk", "memory"})
  void everyWriteIsToldOnceWithTheVersionsThatItLeaves(String store) {
    server.put(store, "k", "a", clock(0, 1));
    server.put(store, "k", "b", clock(1, 1));
    server.put(store, "k", "c", clock(0, 2, 1, 1));
    server.putAll(store, "k", "d", clock(2, 1));
    server.delete(store, "k", clock(0, 2, 1, 1));
    server.delete(store, "k", null);
    server.put(store, "l", "e", clock(0, 1));
    server.truncate(store);

    assertThat(server.events.stream().map(StandInServer::texts))
        .containsExactly(
            List.of("a"),
            List.of("a", "b"),
            List.of("c"),
            List.of("c", "d"),
            List.of("d"),
            List.of(),
            List.of("e"),
            List.of());
  }

  /** By which detection tells it from what had the same clock before. */
  @ParameterizedTest
  @ValueSource(strings = {"disk", "memory"})
  void whatIsWrittenAfterADeleteIsToldWithItsTime(String store) {
    server.put(store, "k", "a", clock(0, 1).withTimestamp(5));
    server.delete(store, "k", null);
    server.put(store, "k", "a", clock(0, 1).withTimestamp(9));
    assertThat(server.events)
        .extracting(WriteEvent::siblings)
        .extracting(siblings -> siblings.stream().map(Version::timestampMs).toList())
        .containsExactly(List.of(5L), List.of(), List.of(9L));
  }

  /** Nodes of both kinds are compared with each other. */
  @ParameterizedTest
  @ValueSource(strings = {"disk", "memory"})
  void theDigestOfAKeyIsThatOfANodeOfOurs(String store) throws RefusedException {
    server.put(store, "k", "earlier", clock(0, 1));
    DigestsOfANode watched = DigestsOfANode.of(server.node, store);
    DigestsOfANode ours = DigestsOfANode.ofOurs(server.config(), store);
    ours.put("earlier", clock(0, 1));
    server.put(store, "k", "a", clock(0, 2));
    ours.put("a", clock(0, 2));
    server.put(store, "k", "b", clock(0, 1, 3, 300));
    ours.put("b", clock(0, 1, 3, 300));
    server.put(store, "k", "", clock(0, 3, 3, 300));
    ours.put("", clock(0, 3, 3, 300));
    server.delete(store, "k", clock(0, 3, 3, 300));
    ours.delete(clock(0, 3, 3, 300));

    List<Long> digests = ours.take();
    assertThat(digests).hasSize(5).endsWith(0L).doesNotHaveDuplicates();
    assertThat(watched.take()).isEqualTo(digests);
  }

  @ParameterizedTest
  @ValueSource(strings = {"disk", "memory"})
  void whatChangesNothingIsNotTold(String store) {
    server.put(store, "k", "a", clock(0, 2));
    assertThatThrownBy(() -> server.put(store, "k", "b", clock(0, 1))).hasMessage("obsolete");
    server.delete(store, "k", clock(0, 1));
    server.delete(store, "absent", clock(0, 1));

    assertThat(server.events).hasSize(1);
    assertThat(server.get(store, "k")).containsExactly("a");
  }

  @Test
  void aLockThatIsLetGoKeepsNobodyOut() {
    server.lockAndRelease("k");
    server.node.atomically(() -> {});
    assertThat(server.events).isEmpty();
  }

  @Test
  void aWriteThatFailsInTheEndIsTakenBack() {
    server.put("disk", "k", "a", clock(0, 1));
    server.failCommits(true);
    assertThatThrownBy(() -> server.put("disk", "k", "b", clock(0, 2)))
        .hasMessage("the commit failed");

    assertThat(server.get("disk", "k")).containsExactly("a");
    assertThat(server.told("k")).containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(strings = {"disk", "memory"})
  void aPausedNodeRefusesAllAndARestoreBringsBackWhatWasThen(String store) {
    server.put(store, "k", "a", clock(0, 1));
    server.put(store, "gone", "b", clock(0, 1));
    long then = server.node.clock().last().own();
    server.put(store, "k", "c", clock(0, 2));
    server.delete(store, "gone", clock(0, 1));
    server.put(store, "new", "d", clock(0, 1));

    server.node.pause(1);
    assertThatThrownBy(() -> server.get(store, "k")).hasMessageContaining("is paused");
    assertThatThrownBy(() -> server.put(store, "k", "e", clock(0, 3)))
        .hasMessageContaining("is paused");
    assertThat(server.node.restore(1, 1, then).undoneWrites()).isEqualTo(3);
    server.node.resume(1, then, 0);

    assertThat(server.get(store, "k")).containsExactly("a");
    assertThat(server.get(store, "gone")).containsExactly("b");
    assertThat(server.get(store, "new")).isEmpty();
    // The clock is the old one too: a later one is accepted again.
    server.put(store, "k", "f", clock(0, 2));
    assertThat(server.get(store, "k")).containsExactly("f");
  }

  @ParameterizedTest
  @ValueSource(strings = {"disk", "memory"})
  void writesOfManyThreadsAreToldInTheOrderOfEachKeyAndOfTheClock(String store)
      throws InterruptedException {
    CountDownLatch done = new CountDownLatch(THREADS);
    List<Thread> threads = new ArrayList<>();
    for (int writer = 0; writer < THREADS; writer++) {
      int id = writer;
      Thread thread = new Thread(() -> write(store, id, done));
      threads.add(thread);
      thread.start();
    }
    while (done.getCount() > 0) {
      // Neither misses a write nor waits for ever.
      server.node.atomically(() -> {});
      server.node.ordered(() -> {});
    }
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(server.events).hasSize(THREADS * WRITES);
    long last = 0;
    Map<Integer, Integer> siblings = new HashMap<>();
    for (WriteEvent event : server.events) {
      assertThat(event.before().own()).isGreaterThan(last);
      assertThat(event.after().own()).isGreaterThan(event.before().own());
      last = event.after().own();
      // Each writer adds a sibling with its first write, and replaces it from then on.
      int now = event.siblings().size();
      assertThat(now).isBetween(siblings.getOrDefault(0, 0), siblings.getOrDefault(0, 0) + 1);
      siblings.put(0, now);
    }
    assertThat(server.told("k")).containsExactlyElementsOf(server.get(store, "k"));
  }

  private void write(String store, int writer, CountDownLatch done) {
    for (int i = 1; i <= WRITES; i++) {
      server.put(store, "k", "v" + i, clock(writer, i));
    }
    done.countDown();
  }

  /** Where there is no record yet, the engine's own lock keeps nobody apart. */
  @Test
  void firstWritesOfAKeyAreToldInTheOrderInWhichTheyAreCommitted() throws InterruptedException {
    Thread second = new Thread(() -> server.put("disk", "k", "b", clock(1, 1)));
    server.beforeFirstCommit(
        () -> {
          second.start();
          // It waits for the first, or, if nothing keeps it, has overtaken it.
          await()
              .until(
                  () ->
                      second.getState() == Thread.State.WAITING
                          || second.getState() == Thread.State.TERMINATED);
        });
    server.put("disk", "k", "a", clock(0, 1));
    second.join();

    assertThat(server.told("k")).containsExactlyElementsOf(server.get("disk", "k"));
  }

  @Test
  void aDeleteOfAllVersionsStopsNoWriteOfOtherKeys() throws RefusedException {
    server.put("disk", "k", "a", clock(0, 1));
    server.node.hosted().enter(Caller.STOCK);
    Thread deleting = new Thread(() -> server.delete("disk", "k", null));
    deleting.start();
    await().until(() -> deleting.getState() == Thread.State.TERMINATED);
    server.node.hosted().leave();
    assertThat(server.told("k")).isEmpty();
  }

  @Test
  void whoHasLockedARecordWhenTheFuseBlowsGetsOut() {
    Object kept = server.lock("k");
    Object written = server.lock("l");
    server.fuse.blow("a test");
    server.release(kept);
    server.putAndUnlock("l", written);

    // Nobody is in the node any more.
    server.node.atomically(() -> {});
    server.put("disk", "k", "unheard", clock(0, 1));
    assertThat(server.told("k")).isEmpty();
  }

  /** As for want of memory, which a failure is told with too. */
  @Test
  void whenAFailureCannotBeToldTheFuseBlowsAndWhoHasLockedARecordGetsOut() {
    server.node.listen(
        event -> {
          throw new OutOfMemoryError("a test");
        });
    server.tellsFailures(
        () -> {
          throw new OutOfMemoryError("another");
        });
    Object kept = server.lock("k");
    Object written = server.lock("l");
    assertThat(Hooks.isDeaf()).isFalse();
    server.put("disk", "other", "untold", clock(0, 1));

    assertThat(Hooks.isDeaf()).isTrue();
    server.release(kept);
    server.putAndUnlock("l", written);
    server.put("disk", "k", "unheard", clock(0, 1));
    assertThat(server.get("disk", "k")).containsExactly("unheard");
    assertThat(server.told("k")).isEmpty();
    WatchedServer.blowIfDeaf(server.fuse);
    assertThat(server.fuse.isBlown()).isTrue();

    // Closed only if nobody is in the node any more: else that would wait for ever.
    StandInServer deaf = server;
    server = new StandInServer(folder.resolve("other"));
    assertThat(Hooks.isDeaf()).isFalse();
    Thread alone = new Thread(() -> deaf.node.atomically(() -> {}));
    alone.setDaemon(true);
    alone.start();
    await().until(() -> alone.getState() == Thread.State.TERMINATED);
    deaf.node.close();
  }

  @Test
  void aMonitorOfWhichAThreadHasEndedTurnsTheAgentOffUnlessItIsStopped() {
    assertThat(WatchedServer.blowIfEnded(server.fuse, () -> true, () -> false)).isFalse();
    assertThat(WatchedServer.blowIfEnded(server.fuse, () -> false, () -> true)).isFalse();
    assertThat(server.fuse.isBlown()).isFalse();
    assertThat(WatchedServer.blowIfEnded(server.fuse, () -> false, () -> false)).isTrue();
    assertThat(server.fuse.first()).contains("a thread of its monitor has ended");
  }

  @Test
  void aStoreThatIsRemovedIsWatchedNoMoreAndTheOthersAre() {
    server.remove("slop");
    server.remove("disk");
    assertThat(server.fuse.isBlown()).isFalse();
    server.put("memory", "k", "observed", clock(0, 1));
    assertThat(server.told("k")).isNotEmpty();
  }

  @Test
  void theDeletionOfAStoreIsNotRefusedWhileANodeIsPaused() {
    server.put("disk", "k", "gone", clock(0, 1));
    server.node.pause(1);
    server.remove("disk");
    server.truncate("disk");
    assertThat(server.get("disk", "k")).isEmpty();
    assertThat(server.fuse.isBlown()).isFalse();
  }

  @Test
  void theDeletionOfAStoreEndsWhatHeldInIt() {
    server.put("disk", "k", "gone", clock(0, 1));
    server.remove("disk");
    server.truncate("disk");
    assertThat(server.told("k")).isEmpty();
    assertThat(server.events).hasSize(2);
  }

  @Test
  void aHookThatFailsHarmsNoWriteAndIsTurnedOffInTheEnd() {
    StandInServer watched = server;
    watched.node.listen(
        event -> {
          throw new IllegalStateException("a bug");
        });
    for (int i = 1; i <= 5; i++) {
      watched.put("disk", "k", "v" + i, clock(0, i));
    }

    assertThat(watched.get("disk", "k")).containsExactly("v5");
    assertThat(watched.fuse.isBlown()).isTrue();
    assertThat(watched.fuse.first()).contains("a bug");
    Hooks.listen(null);
    watched.close();
    server = new StandInServer(folder.resolve("other"));
  }

  /** Who tells of it may have to wait; progress is not to come first. */
  @Test
  void whatFailsIsKnownAsUnheardBeforeItIsTold() {
    List<String> order = new ArrayList<>();
    StandInServer watched = server;
    watched.node.listen(
        new WriteListener() {
          @Override
          public void written(WriteEvent event) {
            order.add("written");
            throw new IllegalStateException("a bug");
          }

          @Override
          public void unheard() {
            order.add("unheard");
          }
        });
    watched.tellsFailures(() -> order.add("told"));
    watched.put("disk", "k", "a", clock(0, 1));
    assertThat(order)
        .as("by the node, and by the hook")
        .containsExactly("written", "unheard", "unheard", "told");
    watched.close();
    server = new StandInServer(folder.resolve("other"));
  }

  /** Whose id, or node, no node knows: as ours refuse them. */
  @ParameterizedTest
  @ValueSource(strings = {"disk", "memory"})
  void whoCannotBeToldApartIsRefusedAndChangesNothing(String store) {
    server.put(store, "k", "a", clock(0, 1));
    List<RequestContext> unknown =
        List.of(
            RequestContext.newBuilder().setClient("c".repeat(Frames.CLIENT_ID_MAX + 1)).build(),
            RequestContext.newBuilder().setOrigin(1).build(),
            RequestContext.newBuilder().setHvc(ByteString.copyFromUtf8("no clock")).build());
    for (RequestContext context : unknown) {
      server.askedWith(context);
      assertRefused(() -> server.put(store, "k", "b", clock(0, 2)));
      assertRefused(() -> server.get(store, "k"));
      assertRefused(() -> server.delete(store, "k", clock(0, 1)));
      assertRefused(() -> server.truncate(store));
      assertRefused(() -> server.hint("k", store, 5));
      Hooks.requestEnded();
    }
    server.askedIn(0);
    assertThat(server.get(store, "k")).containsExactly("a");
    server.put(store, "k", "c", clock(0, 2));
    Hooks.requestEnded();
    assertThat(server.events).hasSize(2);
    assertThat(server.get("slop", "k")).isEmpty();
  }

  private static void assertRefused(ThrowingCallable asked) {
    assertThatThrownBy(asked)
        .satisfies(
            thrown ->
                assertThat(thrown.getClass().getSimpleName()).isEqualTo("VoldemortException"));
  }

  /** A thread that no request ends, as a job's, is refused for the time of a pause only. */
  @ParameterizedTest
  @ValueSource(strings = {"disk", "memory"})
  void whoWasRefusedWhilePausedMayAskAgain(String store) {
    long from = server.node.pause(1);
    assertThatThrownBy(() -> server.put(store, "k", "a", clock(0, 1)))
        .hasMessageContaining("is paused");
    server.node.resume(1, from, 0);
    server.put(store, "k", "a", clock(0, 1));
    assertThat(server.get(store, "k")).containsExactly("a");
  }

  /** Its client was told of the failure, and the key is still there. */
  @Test
  void aDeleteThatFailedDoesNotCoverItsKeyWhenReplicasAreMadeEqual() {
    server.put("disk", "k", "a", clock(0, 1));
    server.failCommits(true);
    assertThatThrownBy(() -> server.delete("disk", "k", clock(0, 1)))
        .hasMessage("the commit failed");
    server.failCommits(false);
    assertThat(server.told("k")).containsExactly("a");

    rollBackALaterPut("k");
    assertThat(server.get("disk", "k")).containsExactly("a");
  }

  private void rollBackALaterPut(String key) {
    long then = server.node.clock().last().own();
    server.put("disk", key, "late", clock(0, 2));
    server.node.pause(1);
    List<StoreKey> changed = server.node.restore(1, 1, then).changed();
    assertThat(changed).isNotEmpty();
    int unused = server.node.merge(server.node.read(changed));
    server.node.resume(1, then, 0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aHintOfAnEpochThatIsOverIsNotTaken(boolean inMemory) {
    server.close();
    server = new StandInServer(folder.resolve("other"), inMemory);
    server.hint("pushed", "disk", 5);
    long from = server.node.pause(1);
    assertThatThrownBy(() -> server.hint("k", "disk", 5)).hasMessageContaining("is paused");
    // One that was pushed goes, also now.
    assertThat(server.delete("slop", "pushed", clock(0, 1))).isTrue();
    server.node.resume(1, from, 0);
    server.askedIn(0);
    assertThatThrownBy(() -> server.hint("k", "disk", 5))
        .satisfies(
            thrown ->
                assertThat(thrown.getClass().getSimpleName())
                    .isEqualTo("UnreachableStoreException"));
    assertThat(server.get("slop", "k")).isEmpty();
    server.askedIn(1);
    server.hint("k", "disk", 5);
    assertThat(server.get("slop", "k")).isNotEmpty();
    Hooks.requestEnded();
  }

  private static Pb0.VectorClock hintOfTheJob() throws IOException {
    Pb0.VectorClock hint = Pb0.VectorClock.newBuilder().setTimestamp(7).build();
    return Pb0.VectorClock.parseFrom(delivered(hint));
  }

  /** In the request that begins a stream of them. */
  private static Pb0.VectorClock firstHintOfTheJob() throws IOException {
    Pb0.VectorClock hint = Pb0.VectorClock.newBuilder().setTimestamp(7).build();
    Pb0.Versioned request =
        Pb0.Versioned.newBuilder().setValue(ByteString.EMPTY).setVersion(hint).build();
    return Pb0.Versioned.parseFrom(delivered(request)).getVersion();
  }

  /** As the server's own thread sends it. */
  private static ByteBuffer delivered(Message message) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    DataOutputStream frame = new DataOutputStream(out);
    if (!Hooks.answers(message, frame)) {
      frame.writeInt(message.getSerializedSize());
      message.writeTo(frame);
    }
    ByteBuffer bytes = ByteBuffer.wrap(out.toByteArray());
    assertThat(bytes.getInt()).isEqualTo(bytes.remaining());
    return bytes;
  }

  private void take(Pb0.VectorClock hint, String key) {
    assertThat(hint.getTimestamp()).isEqualTo(7);
    Hooks.received(hint);
    try {
      server.put("disk", key, "hinted", clock(0, 1));
    } finally {
      Hooks.requestEnded();
    }
  }

  /** It is in no store of hints when the rollback drops those of what it undid. */
  @Test
  void aHintThatWasReadBeforeARollbackIsRefusedAfterIt() throws IOException {
    Hooks.pushes(true);
    take(firstHintOfTheJob(), "k");
    take(hintOfTheJob(), "l");
    long target = server.node.pause(1);
    server.node.resume(1, target, 0);
    Pb0.VectorClock first = firstHintOfTheJob();
    Pb0.VectorClock next = hintOfTheJob();
    Hooks.pushes(false);
    assertThatThrownBy(() -> take(first, "m")).hasMessageContaining("epoch");
    assertThatThrownBy(() -> take(next, "m")).hasMessageContaining("epoch");

    Hooks.pushes(true);
    take(firstHintOfTheJob(), "n");
    take(hintOfTheJob(), "o");
    Hooks.pushes(false);
    assertThat(server.events).hasSize(4);
    assertThat(server.get("disk", "m")).isEmpty();
  }

  @Test
  void whatIsReadWhilePausedIsRefusedToo() throws IOException {
    long target = server.node.pause(1);
    Hooks.pushes(true);
    server.node.resume(1, target, 0);
    Pb0.VectorClock hint = hintOfTheJob();
    assertThatThrownBy(() -> take(hint, "k")).hasMessageContaining("epoch");
    // Of two runs at once, the one that began first counts.
    Hooks.pushes(true);
    Hooks.pushes(false);
    Pb0.VectorClock again = hintOfTheJob();
    assertThatThrownBy(() -> take(again, "k")).hasMessageContaining("epoch");
    Hooks.pushes(false);
    // What another server sends that says nothing is taken, as ever.
    take(hintOfTheJob(), "k");
    assertThat(server.get("disk", "k")).containsExactly("hinted");
  }

  private Runnable jobThatPutsOneByOne(List<String> hints, Consumer<String> put) {
    return (Runnable)
        StockTypes.call(
            server.types.constructor(
                server.types.type("voldemort.server.scheduler.slop.BlockingSlopPusherJob"),
                Iterable.class,
                Consumer.class),
            hints,
            put);
  }

  /**
   * It may have read the next one before, and says in no protocol but pb0 of which epoch that is.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRunThatARollbackOvertakesEndsAndTheNextOneDeliversWhatStands(boolean isOver) {
    List<String> delivered = new ArrayList<>();
    Runnable job =
        jobThatPutsOneByOne(
            List.of("k", "l", "m"),
            hint -> {
              delivered.add(hint);
              if (delivered.size() == 2) {
                long target = server.node.pause(1);
                if (isOver) {
                  server.node.resume(1, target, 0);
                }
              }
            });
    job.run();
    assertThat(delivered).containsExactly("k", "l");
    if (!isOver) {
      server.node.resume(1, server.node.lastReading().own(), 0);
    }
    job.run();
    assertThat(delivered).containsExactly("k", "l", "k", "l", "m");
  }

  /** As what drops the hints of undone writes does. */
  @Test
  void whoReadsHintsToDeliverNoneIsNotDisturbed() throws InterruptedException {
    Thread job = new Thread(() -> Hooks.pushes(true));
    job.start();
    job.join();
    long target = server.node.pause(1);
    assertThat(Hooks.enter(Operation.HINT_TO_PUSH, this, null, null)).isNull();
    server.node.resume(1, target, 0);
  }

  private static Pb0.Error.Builder requestOfThisThread() {
    Pb0.Error request = Pb0.Error.newBuilder().setErrorCode(3).setErrorMessage("put").build();
    try {
      return Pb0.Error.parseFrom(delivered(request)).toBuilder();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aHintThatIsSentAsAClientsRequestIsRefusedInAnotherEpoch() {
    List<Pb0.Error.Builder> sent = new ArrayList<>();
    jobThatPutsOneByOne(List.of("k"), hint -> sent.add(requestOfThisThread())).run();
    Pb0.Error.Builder ofNoRun = requestOfThisThread();
    long target = server.node.pause(1);
    server.node.resume(1, target, 0);

    Hooks.received(sent.get(0));
    assertThatThrownBy(() -> server.put("disk", "k", "hinted", clock(0, 1)))
        .hasMessageContaining("epoch");
    Hooks.requestEnded();
    Hooks.received(ofNoRun);
    server.put("disk", "k", "of a client", clock(0, 1));
    assertThat(server.get("disk", "k")).containsExactly("of a client");
  }
}
