package io.palinode.agent.engine;

import static io.palinode.agent.stock.StandInServer.clock;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.palinode.agent.DigestsOfANode;
import io.palinode.agent.boot.Hooks;
import io.palinode.agent.stock.StandInServer;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads and writes of the server's engines. */
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
  void everyWriteIsPassedOnOnceWithTheVersionsThatItLeaves(String store) {
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

  /** Detection needs it, since a clock can repeat after a delete. */
  @ParameterizedTest
  @ValueSource(strings = {"disk", "memory"})
  void aWriteAfterADeleteHasItsTimestamp(String store) {
    server.put(store, "k", "a", clock(0, 1).withTimestamp(5));
    server.delete(store, "k", null);
    server.put(store, "k", "a", clock(0, 1).withTimestamp(9));
    assertThat(server.events)
        .extracting(WriteEvent::siblings)
        .extracting(siblings -> siblings.stream().map(Version::timestampMs).toList())
        .containsExactly(List.of(5L), List.of(), List.of(9L));
  }

  /** A converge compares nodes of both kinds. */
  @ParameterizedTest
  @ValueSource(strings = {"disk", "memory"})
  void theDigestOfAKeyEqualsThatOfAPalinodeNode(String store) throws RefusedException {
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
  void aWriteWithoutAChangeIsNotPassedOn(String store) {
    server.put(store, "k", "a", clock(0, 2));
    assertThatThrownBy(() -> server.put(store, "k", "b", clock(0, 1))).hasMessage("obsolete");
    server.delete(store, "k", clock(0, 1));
    server.delete(store, "absent", clock(0, 1));

    assertThat(server.events).hasSize(1);
    assertThat(server.get(store, "k")).containsExactly("a");
  }

  @Test
  void aReleasedLockBlocksNoWrite() {
    server.lockAndRelease("k");
    server.node.atomically(() -> {});
    assertThat(server.events).isEmpty();
  }

  @Test
  void aFailedCommitIsPassedOnAsItsReverse() {
    server.put("disk", "k", "a", clock(0, 1));
    server.failCommits(true);
    assertThatThrownBy(() -> server.put("disk", "k", "b", clock(0, 2)))
        .hasMessage("the commit failed");

    assertThat(server.get("disk", "k")).containsExactly("a");
    assertThat(server.passedOn("k")).containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(strings = {"disk", "memory"})
  void aPausedNodeRefusesAllAndARestoreRestoresTheCut(String store) {
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
    // The clock is restored too: a later one is accepted again.
    server.put(store, "k", "f", clock(0, 2));
    assertThat(server.get(store, "k")).containsExactly("f");
  }

  @ParameterizedTest
  @ValueSource(strings = {"disk", "memory"})
  void writesOfManyThreadsArePassedOnInKeyAndClockOrder(String store) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(THREADS);
    List<Thread> threads = new ArrayList<>();
    for (int writer = 0; writer < THREADS; writer++) {
      int id = writer;
      Thread thread = new Thread(() -> write(store, id, done));
      threads.add(thread);
      thread.start();
    }
    while (done.getCount() > 0) {
      // Neither action may miss a write or wait for ever.
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
    assertThat(server.passedOn("k")).containsExactlyElementsOf(server.get(store, "k"));
  }

  private void write(String store, int writer, CountDownLatch done) {
    for (int i = 1; i <= WRITES; i++) {
      server.put(store, "k", "v" + i, clock(writer, i));
    }
    done.countDown();
  }

  /** The engine locks records only, so it does not order first writes. */
  @Test
  void firstWritesOfAKeyArePassedOnInCommitOrder() throws InterruptedException {
    Thread second = new Thread(() -> server.put("disk", "k", "b", clock(1, 1)));
    server.beforeFirstCommit(
        () -> {
          second.start();
          // It waits for the first write; without a lock it would have overtaken it.
          await()
              .until(
                  () ->
                      second.getState() == Thread.State.WAITING
                          || second.getState() == Thread.State.TERMINATED);
        });
    server.put("disk", "k", "a", clock(0, 1));
    second.join();

    assertThat(server.passedOn("k")).containsExactlyElementsOf(server.get("disk", "k"));
  }

  @Test
  void aDeleteOfAllVersionsBlocksNoWriteOfOtherKeys() throws RefusedException {
    server.put("disk", "k", "a", clock(0, 1));
    server.node.hosted().enter(Caller.STOCK);
    Thread deleting = new Thread(() -> server.delete("disk", "k", null));
    deleting.start();
    await().until(() -> deleting.getState() == Thread.State.TERMINATED);
    server.node.hosted().leave();
    assertThat(server.passedOn("k")).isEmpty();
  }

  /** The client's context is invalid; a Palinode node refuses it too. */
  @ParameterizedTest
  @ValueSource(strings = {"disk", "memory"})
  void aRequestWithAnInvalidContextIsRefusedAndChangesNothing(String store) {
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

  /** A thread without requests, as a job's, is refused only during the pause. */
  @ParameterizedTest
  @ValueSource(strings = {"disk", "memory"})
  void aThreadThatWasRefusedWhilePausedMayRetry(String store) {
    long from = server.node.pause(1);
    assertThatThrownBy(() -> server.put(store, "k", "a", clock(0, 1)))
        .hasMessageContaining("is paused");
    server.node.resume(1, from, 0);
    server.put(store, "k", "a", clock(0, 1));
    assertThat(server.get(store, "k")).containsExactly("a");
  }

  /** Its client knows of the failure, and the key still exists. */
  @Test
  void aFailedDeleteCoversNoVersionInAConverge() {
    server.put("disk", "k", "a", clock(0, 1));
    server.failCommits(true);
    assertThatThrownBy(() -> server.delete("disk", "k", clock(0, 1)))
        .hasMessage("the commit failed");
    server.failCommits(false);
    assertThat(server.passedOn("k")).containsExactly("a");

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
}
