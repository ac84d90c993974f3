package io.palinode.launcher.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.hvc.Hlc;
import io.palinode.monitor.flink.job.DetectionJobConfig;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The job's jar on a cluster of processes, one of which is killed. {@code
 * -Dpalinode.flink.managers=2} runs it on so many task managers of two slots each.
 */
@Timeout(180)
@Tag("slow")
class TaskManagerKillIT {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String PREDICATE = "killed";
  private static final int PAIRS = 1_500;
  private static final int MANAGERS = Integer.getInteger("palinode.flink.managers", 1);
  private static final int SLOTS = 2;
  private static final int KILLED_AT = 500;
  private static final int REPLACED_AT = 700;

  @TempDir static Path folder;

  @Test
  void aKilledTaskManagerChangesNothingInWhatIsFound() throws Exception {
    try (EmbeddedKafka broker =
        EmbeddedKafka.start(folder.resolve("kafka"), EmbeddedKafka.ANY_PORT)) {
      KafkaSettings kafka = KafkaSettings.of(broker.bootstrapServers());
      try (TopicsAdmin admin = new TopicsAdmin(kafka, Topics.DEFAULT)) {
        admin.createAbsent(TopicLayout.DEFAULT.withCandidatePartitions(FakeNodes.PARTITIONS));
      }
      PairPredicate.send(kafka, PREDICATE, 1, false);
      try (FakeNodes nodes = new FakeNodes(kafka, Topics.DEFAULT.candidates());
          ViolationLog log = new ViolationLog(kafka, Topics.DEFAULT.violations())) {
        disturbed(kafka, nodes, log);
        Set<String> disturbed = log.idsSince(PREDICATE, 0);
        assertThat(disturbed).hasSize(PAIRS);
        int before = log.reports(PREDICATE);
        undisturbed(kafka, log);
        assertThat(log.idsSince(PREDICATE, before)).isEqualTo(disturbed);
        assertThat(log.losses()).isEmpty();
      }
    }
  }

  private static void disturbed(KafkaSettings kafka, FakeNodes nodes, ViolationLog log)
      throws IOException, InterruptedException {
    Path home = Files.createDirectories(folder.resolve("standalone"));
    try (StandaloneFlink flink = StandaloneFlink.start(home, StandaloneFlink.jobJar(), SLOTS)) {
      Process first = flink.startTaskManager();
      for (int manager = 1; manager < MANAGERS; manager++) {
        flink.startTaskManager();
      }
      await().atMost(SOON).until(() -> flink.taskManagers() == MANAGERS);
      flink.submit(
          "--bootstrap-servers", kafka.bootstrapServers(),
          "--nodes", Integer.toString(FakeNodes.NODES),
          "--epsilon", "10ms",
          "--parallelism", Integer.toString(SLOTS * MANAGERS),
          "--checkpoint-interval-ms", "500");
      await().atMost(SOON).until(flink::isRunning);
      for (int i = 0; i < PAIRS; i++) {
        if (i == KILLED_AT) {
          // SIGKILL, in the middle of what it does.
          first.destroyForcibly();
        }
        if (i == REPLACED_AT) {
          flink.startTaskManager();
        }
        nodes.open(0, FakeNodes.ref(PREDICATE, 1, "a=" + i, 0));
        nodes.open(1, FakeNodes.ref(PREDICATE, 1, "a=" + i, 1));
        LockSupport.parkNanos(Duration.ofMillis(4).toNanos());
      }
      awaitJudged(log);
      assertThat(first.isAlive()).isFalse();
      assertThat(flink.failures()).isPositive();
    }
  }

  private static void undisturbed(KafkaSettings kafka, ViolationLog log) throws IOException {
    DetectionJobConfig config =
        DetectionJobConfig.of(kafka, Topics.DEFAULT, FakeNodes.NODES, FakeNodes.EPSILON);
    try (EmbeddedFlink flink =
        EmbeddedFlink.start(folder.resolve("embedded"), config, new SimpleMeterRegistry())) {
      awaitJudged(log);
      assertThat(flink.failure()).isNull();
    }
  }

  private static void awaitJudged(ViolationLog log) {
    long now = Hlc.ofMicros(FakeNodes.nowMicros());
    await().atMost(SOON).until(() -> log.judged() >= now);
  }
}
