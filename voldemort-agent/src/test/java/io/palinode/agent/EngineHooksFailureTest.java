package io.palinode.agent;

import static io.palinode.agent.stock.StandInServer.clock;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.agent.boot.Hooks;
import io.palinode.agent.stock.StandInServer;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.binding.WriteFeed.WriteListener;
import io.palinode.store.hosted.JoinedDetector;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Failures of the hooks, and stores that are removed. */
class EngineHooksFailureTest {
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

  @Test
  void aThreadWithARecordLockLeavesTheNodeAfterTheFuseBlows() {
    Object kept = server.lock("k");
    Object written = server.lock("l");
    server.fuse.blow("a test");
    server.release(kept);
    server.putAndUnlock("l", written);

    // No thread is in the node any more.
    server.node.atomically(() -> {});
    server.put("disk", "k", "unobserved", clock(0, 1));
    assertThat(server.passedOn("k")).isEmpty();
  }

  /** As for lack of memory, which the report of a failure needs too. */
  @Test
  void ifAFailureCannotBeReportedTheFuseBlowsAndRecordLocksEnd() {
    server.node.listen(
        event -> {
          throw new OutOfMemoryError("a test");
        });
    server.reportsFailures(
        () -> {
          throw new OutOfMemoryError("another");
        });
    Object kept = server.lock("k");
    Object written = server.lock("l");
    assertThat(Hooks.isCutOff()).isFalse();
    server.put("disk", "other", "missed", clock(0, 1));

    assertThat(Hooks.isCutOff()).isTrue();
    server.release(kept);
    server.putAndUnlock("l", written);
    server.put("disk", "k", "unobserved", clock(0, 1));
    assertThat(server.get("disk", "k")).containsExactly("unobserved");
    assertThat(server.passedOn("k")).isEmpty();
    WatchedServer.blowIfCutOff(server.fuse);
    assertThat(server.fuse.isBlown()).isTrue();

    // Closed only if no thread is in the node any more: otherwise it would wait for ever.
    StandInServer failed = server;
    server = new StandInServer(folder.resolve("other"));
    assertThat(Hooks.isCutOff()).isFalse();
    Thread alone = new Thread(() -> failed.node.atomically(() -> {}));
    alone.setDaemon(true);
    alone.start();
    await().until(() -> alone.getState() == Thread.State.TERMINATED);
    failed.node.close();
  }

  @Test
  void anEndedDetectorThreadTurnsTheAgentOffUnlessItIsStopping() {
    assertThat(JoinedDetector.blowIfEnded(server.fuse, () -> true, () -> false)).isFalse();
    assertThat(JoinedDetector.blowIfEnded(server.fuse, () -> false, () -> true)).isFalse();
    assertThat(server.fuse.isBlown()).isFalse();
    assertThat(JoinedDetector.blowIfEnded(server.fuse, () -> false, () -> false)).isTrue();
    assertThat(server.fuse.first()).contains("a thread of its detector has ended");
  }

  @Test
  void aRemovedStoreIsNoLongerWatchedAndTheOthersAre() {
    server.remove("slop");
    server.remove("disk");
    assertThat(server.fuse.isBlown()).isFalse();
    server.put("memory", "k", "observed", clock(0, 1));
    assertThat(server.passedOn("k")).isNotEmpty();
  }

  @Test
  void theRemovalOfAStoreIsNotRefusedWhileANodeIsPaused() {
    server.put("disk", "k", "gone", clock(0, 1));
    server.node.pause(1);
    server.remove("disk");
    server.truncate("disk");
    assertThat(server.get("disk", "k")).isEmpty();
    assertThat(server.fuse.isBlown()).isFalse();
  }

  @Test
  void theRemovalOfAStoreEndsItsIntervals() {
    server.put("disk", "k", "gone", clock(0, 1));
    server.remove("disk");
    server.truncate("disk");
    assertThat(server.passedOn("k")).isEmpty();
    assertThat(server.events).hasSize(2);
  }

  @Test
  void aFailingHookHarmsNoWriteAndIsTurnedOff() {
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

  /** The report may wait; no progress may come before the missed write. */
  @Test
  void aFailureCountsAsAMissedWriteBeforeItIsReported() {
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
          public void missedWrite() {
            order.add("missed");
          }
        });
    watched.reportsFailures(() -> order.add("reported"));
    watched.put("disk", "k", "a", clock(0, 1));
    assertThat(order)
        .as("by the node, and by the hook")
        .containsExactly("written", "missed", "missed", "reported");
    watched.close();
    server = new StandInServer(folder.resolve("other"));
  }
}
