package io.palinode.orchestrator.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.Event;
import io.palinode.orchestrator.RollbackMachine;
import io.palinode.orchestrator.health.NodeReports;
import io.palinode.orchestrator.health.UnjudgedOperations;
import io.palinode.orchestrator.health.Wait;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.v1.Judged;
import io.palinode.wire.v1.JudgementReport;
import io.palinode.wire.v1.ViolationRecord;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class JudgementWatchTest {
  private static final NodeReports.Nodes NO_NODES =
      new NodeReports.Nodes(List.of(), Map.of(), Map.of(), Map.of(), Set.of(), Map.of());

  private final AtomicInteger looks = new AtomicInteger();

  @Test
  void aFailedLookDoesNotEndTheAlertsOfWaits() {
    try (JudgementWatch watch =
        new JudgementWatch(
            KafkaSettings.of("127.0.0.1:1"), this::look, () -> NO_NODES, () -> 1, alert -> {})) {
      watch.start(List::of);
      await().atMost(Duration.ofSeconds(30)).until(() -> looks.get() > 2);
    }
  }

  @Test
  void aNodeThatJudgesNoOperationsOfAPredicateIsAlerted() {
    Queue<Alert> raised = new ConcurrentLinkedQueue<>();
    MachineState live = MachineState.initial(RollbackSettings.of(1)).goLive();
    try (JudgementWatch watch =
        new JudgementWatch(
            KafkaSettings.of("127.0.0.1:1"), () -> live, () -> NO_NODES, () -> 1, raised::add)) {
      watch.start(
          () -> List.of(new UnjudgedOperations("p", "lostUpdate", 1, "node 1 is a stock server")));
      await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () ->
                  raised.stream()
                      .anyMatch(alert -> alert.kind() == Alert.Kind.OPERATIONS_NOT_JUDGED));
    }
  }

  @Test
  void aClockThatIsSetBackIsSeenUntilItIsRightAgain() {
    MachineState judged =
        RollbackMachine.step(
                MachineState.initial(RollbackSettings.of(1)).goLive(),
                new Event.Judged(Hlc.ofMicros(10_000_000), 10_000_000))
            .next();
    AtomicLong wallMicros = new AtomicLong(10_000_000);
    try (JudgementWatch watch =
        new JudgementWatch(
            KafkaSettings.of("127.0.0.1:1"),
            () -> judged,
            () -> NO_NODES,
            wallMicros::get,
            alert -> {})) {
      watch.start(List::of);
      assertThat(namesClock(watch)).isFalse();
      wallMicros.set(1_000_000);
      await().atMost(Duration.ofSeconds(30)).until(() -> namesClock(watch));
      wallMicros.set(10_000_000);
      await().atMost(Duration.ofSeconds(30)).until(() -> !namesClock(watch));
    }
  }

  @Test
  void whatIsOpenAtTheDetectionJobIsKnownUntilItsNextReport() {
    try (JudgementWatch watch =
        new JudgementWatch(
            KafkaSettings.of("127.0.0.1:1"), this::look, () -> NO_NODES, () -> 1, alert -> {})) {
      watch.read(reportThatNames("/metrics on 0.0.0.0 has no users\u001b[2J"), 1);
      assertThat(watch.open(List.of("node 1: no TLS")))
          .containsExactly("node 1: no TLS", "detection: /metrics on 0.0.0.0 has no users?[2J");
      watch.read(reportThatNames(""), 2);
      assertThat(watch.open(List.of())).isEmpty();
    }
  }

  private static ViolationRecord reportThatNames(String open) {
    return ViolationRecord.newBuilder()
        .setJudged(Judged.newBuilder().setReport(JudgementReport.newBuilder().setOpen(open)))
        .build();
  }

  private static boolean namesClock(JudgementWatch watch) {
    return watch.now().waits().stream().anyMatch(wait -> wait.reason() == Wait.Reason.CLOCK);
  }

  private MachineState look() {
    if (looks.incrementAndGet() == 1) {
      throw new IllegalStateException("a defect");
    }
    return MachineState.initial(RollbackSettings.of(1));
  }
}
