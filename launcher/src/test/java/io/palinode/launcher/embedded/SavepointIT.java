package io.palinode.launcher.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.hvc.Hlc;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import io.palinode.wire.v1.ViolationGrade;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The job's jar on a cluster of processes, stopped with a savepoint and started from it, as an
 * upgrade does. With -Pnightly only.
 */
@Timeout(300)
@EnabledIfSystemProperty(named = "palinode.flink.managers", matches = ".+")
class SavepointIT {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String PREDICATE = "saved";
  private static final int PAIRS = 100;

  @TempDir Path folder;

  /** Without the state, the second job would read all again and repeat the first violations. */
  @Test
  void aJobFromASavepointFindsWhatEndsItsOpenIntervalsAndRepeatsNothing() throws Exception {
    try (EmbeddedKafka broker =
        EmbeddedKafka.start(folder.resolve("kafka"), EmbeddedKafka.ANY_PORT)) {
      KafkaSettings kafka = KafkaSettings.of(broker.bootstrapServers());
      try (TopicsAdmin admin = new TopicsAdmin(kafka, Topics.DEFAULT)) {
        admin.createAbsent(TopicLayout.DEFAULT.withCandidatePartitions(FakeNodes.PARTITIONS));
      }
      PairPredicate.send(kafka, PREDICATE, 1, false);
      Path home = Files.createDirectories(folder.resolve("standalone"));
      try (FakeNodes nodes = new FakeNodes(kafka, Topics.DEFAULT.candidates());
          ViolationLog log = new ViolationLog(kafka, Topics.DEFAULT.violations());
          StandaloneFlink flink = StandaloneFlink.start(home, StandaloneFlink.jobJar(), 2)) {
        flink.startTaskManager();
        await().atMost(SOON).until(() -> flink.taskManagers() == 1);
        flink.submit(options(kafka));
        await().atMost(SOON).until(flink::isRunning);
        open(nodes, 0, 0, 2 * PAIRS);
        open(nodes, 1, 0, PAIRS);
        // No grade rises after this one, so no violation of these is published again.
        await().atMost(SOON).until(() -> definite(log) == PAIRS);
        Set<String> found = log.idsSince(PREDICATE, 0);
        assertThat(found).hasSize(PAIRS);
        int reports = log.reports(PREDICATE);

        String savepoint = flink.stop();
        open(nodes, 1, PAIRS, PAIRS + PAIRS / 2);
        flink.submitFrom(savepoint, options(kafka));
        await().atMost(SOON).until(flink::isRunning);
        open(nodes, 1, PAIRS + PAIRS / 2, 2 * PAIRS);
        awaitJudged(log);
        assertThat(log.idsSince(PREDICATE, reports))
            .hasSize(PAIRS)
            .doesNotContainAnyElementsOf(found);
        assertThat(log.losses()).isEmpty();
      }
    }
  }

  private static String[] options(KafkaSettings kafka) {
    return new String[] {
      "--bootstrap-servers",
      kafka.bootstrapServers(),
      "--nodes",
      Integer.toString(FakeNodes.NODES),
      "--epsilon",
      "10ms",
      "--parallelism",
      "2"
    };
  }

  private static void open(FakeNodes nodes, int node, int from, int to) {
    for (int i = from; i < to; i++) {
      nodes.open(node, FakeNodes.ref(PREDICATE, 1, "a=" + i, node));
    }
  }

  private static long definite(ViolationLog log) {
    return log.of(PREDICATE).stream()
        .filter(violation -> violation.getGrade() == ViolationGrade.DEFINITE)
        .count();
  }

  private static void awaitJudged(ViolationLog log) {
    long now = Hlc.ofMicros(FakeNodes.nowMicros());
    await().atMost(SOON).until(() -> log.judged() >= now);
  }
}
