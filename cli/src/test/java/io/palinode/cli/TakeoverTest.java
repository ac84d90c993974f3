package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.cli.options.Opened;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Outage;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Another orchestrator takes over while a command waits for what it opened. */
class TakeoverTest {
  private ApiStub api;

  @BeforeEach
  void start() throws IOException {
    api = new ApiStub();
  }

  @AfterEach
  void stop() {
    api.close();
  }

  @Test
  void aCommandFollowsItsRollbackUntilAnOrchestratorAnswersAgain() throws Exception {
    api.answer("/api/v1/rollbacks", rollback("pausing", "null"));
    api.answer("/api/v1/rollbacks/7", rollback("converging", "null"));
    AtomicInteger exit = new AtomicInteger(-1);
    Thread command = new Thread(() -> exit.set(api.run("repair", "--yes")));
    command.start();
    await().until(() -> api.out().contains("converging"));
    api.close();
    await().until(() -> api.err().contains("rollback 7 continues"));
    api.answer("/api/v1/rollbacks/7", rollback("cancelled", "5.0"));
    api.restart();
    command.join();
    assertThat(exit).hasValue(0);
    assertThat(api.err()).contains("answers again");
    assertThat(api.out())
        .as("no write is undone, so its plan ends as cancelled")
        .doesNotContain("cancelled")
        .endsWith("all replicas are equal on all keys, after 5 ms\n");
  }

  /** An orchestrator may end between two reads. */
  @Test
  void anUndoIsNotReadAgainAfterItsEnd() {
    String target = "1795262399999999";
    api.answer(
        "/api/v1/rollbacks/plan",
        """
        {"plan":"p","scope":"all","whyAll":null,"firstWrites":0,"snapshot":null,"target":"%s",
         "time":"2026-11-21T12:00:00Z","safePoint":"%s","beforeSafePoint":false,"unknown":null,
         "writes":0,"keys":0,"bytes":0,"clients":[],"clientsTotal":0,"clientsKnownSince":null,
         "expectedPauseMs":1.0,"before":null,"nodes":[]}"""
            .formatted(target, target));
    api.answer("/api/v1/rollbacks", rollback("pausing", "null"));
    api.answer("/api/v1/rollbacks/7", rollback("resumed", "5.0"));
    assertThat(api.run("rollback", "undo", "6", "--yes")).isZero();
    assertThat(api.requests()).as("plan, open, read").isEqualTo(3);
    api.answer("/api/v1/rollbacks/7", rollback("resumed", "5.0").replace(target, "17952623"));
    assertThat(api.run("rollback", "undo", "6", "--yes")).as("the target moved").isOne();
  }

  @Test
  void aCommandFollowsItsSnapshotUntilAnOrchestratorAnswersAgain() throws Exception {
    api.answer("/api/v1/snapshots", snapshot("taking"));
    api.answer("/api/v1/snapshots/daily", snapshot("taking"));
    AtomicInteger exit = new AtomicInteger(-1);
    Thread command = new Thread(() -> exit.set(api.run("snapshot", "take", "--name", "daily")));
    command.start();
    await().until(() -> api.err().contains("node 0: taking"));
    api.close();
    await().until(() -> api.err().contains("snapshot daily continues"));
    api.answer("/api/v1/snapshots/daily", snapshot("complete"));
    api.restart();
    command.join();
    assertThat(exit).hasValue(0);
    assertThat(api.err()).contains("answers again");
    assertThat(api.out()).startsWith("snapshot daily is complete");
  }

  @Test
  void aCommandThatIsInterruptedWhileNoOrchestratorAnswersEndsWithWhatItKnows() {
    api.close();
    CommandSpec spec = new CommandLine(CommandSpec.create()).getCommandSpec();
    Opened opened =
        new Opened(ApiClient.at(api.url()), spec, "snapshot daily", "/x", new CountDownLatch(0));
    assertThatThrownBy(() -> opened.read())
        .isInstanceOf(Outage.class)
        .hasMessageStartingWith("it is not known whether snapshot daily continues");
  }

  private static String rollback(String state, String totalMs) {
    return """
        {"epoch":7,"state":"%s","predicate":"","violationIds":[],"target":"1795262399999999",
         "attempts":1,"undoneWrites":0,"convergedKeys":2,"openedMicros":1795262401000000,
         "endedMicros":null,"totalMs":%s,"pauseMs":1.0,"judgementMs":2.0,"restoreMs":3.0,
         "convergeMs":4.0,"haltReason":null,"snapshot":null,"acts":[],"byHand":true,
         "request":null,"undoes":null,"undoneBy":null,"reason":null,"moves":[],"scope":"all","givenUp":null,
         "keys":null,"clients":null,"before":null,"nodes":[]}"""
        .formatted(state, totalMs);
  }

  private static String snapshot(String state) {
    return """
        {"id":"daily","number":3,"state":"%s","kind":"instant","at":"1795262400500000",
         "time":"2026-11-21T12:00:00.500Z","base":null,"atOnce":0,"scheduled":false,"keys":1,
         "bytes":10,"openedMicros":1795262401000000,"endedMicros":null,"roll":null,"nodes":[
         {"node":0,"state":"taking","keys":1,"changed":1,"bytes":10,"from":null,
          "checksum":null,"durationMs":1.0,"failure":null}]}"""
        .formatted(state);
  }
}
