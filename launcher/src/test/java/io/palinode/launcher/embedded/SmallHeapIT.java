package io.palinode.launcher.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.monitor.flink.job.DetectionJobConfig;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job in a process whose heap has no room for all open intervals. */
@Timeout(600)
@Tag("slow")
class SmallHeapIT {
  private static final Topics TOPICS = Topics.DEFAULT;
  private static final Duration SOON = Duration.ofMinutes(4);
  private static final String HEAP = "-Xmx256m";

  private static final int CLOCK_BYTES = 64 << 10;

  /** Together twice the heap: one takes five times the bytes of its clock. */
  private static final int INTERVALS = 1_600;

  @TempDir Path folder;

  /** The two that Java selects, by the number of processors. */
  @ParameterizedTest
  @ValueSource(strings = {"-XX:+UseSerialGC", "-XX:+UseG1GC"})
  void longIntervalsBeyondTheHeapAreACoverageGapAndOthersAreJudged(String collector)
      throws Exception {
    try (EmbeddedKafka broker =
        EmbeddedKafka.start(folder.resolve("kafka"), EmbeddedKafka.ANY_PORT)) {
      KafkaSettings kafka = KafkaSettings.of(broker.bootstrapServers());
      try (TopicsAdmin admin = new TopicsAdmin(kafka, TOPICS)) {
        admin.createAbsent(TopicLayout.DEFAULT.withCandidatePartitions(FakeNodes.PARTITIONS));
      }
      Process job = job(collector, broker.bootstrapServers());
      try (FakeNodes nodes = new FakeNodes(kafka, TOPICS.candidates());
          ViolationLog log = new ViolationLog(kafka, TOPICS.violations())) {
        PairPredicate.send(kafka, "long", 1, false);
        PairPredicate.send(kafka, "short", 1, false);
        byte[] clock = new byte[CLOCK_BYTES];
        for (int i = 0; i < INTERVALS; i++) {
          nodes.open(0, FakeNodes.ref("long", 1, "a=" + i, 0), clock);
        }
        await()
            .atMost(SOON)
            .until(
                () ->
                    log.losses().stream()
                        .anyMatch(loss -> loss.getCause().contains("heap of the detection job")));
        nodes.open(0, FakeNodes.ref("short", 1, "a=1", 0));
        nodes.open(1, FakeNodes.ref("short", 1, "a=1", 1));
        await().atMost(SOON).until(() -> log.of("short").size() == 1);
        long now = io.palinode.hvc.Hlc.ofMicros(FakeNodes.nowMicros());
        await().atMost(SOON).until(() -> log.judged() >= now);
        assertThat(job.isAlive()).as("%s", Files.readString(folder.resolve("printed"))).isTrue();
      } finally {
        job.destroyForcibly().waitFor();
      }
    }
  }

  private Process job(String collector, String bootstrapServers) throws IOException {
    return new ProcessBuilder(
            ProcessHandle.current().info().command().orElseThrow(),
            HEAP,
            collector,
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            Job.class.getName(),
            bootstrapServers,
            folder.resolve("flink").toString())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("printed").toFile())
        .start();
  }

  /** Runs the job until the process is killed. Ends with an error if the job starts again. */
  static final class Job {
    private Job() {}

    public static void main(String[] arguments) throws Exception {
      DetectionJobConfig config =
          DetectionJobConfig.of(
              KafkaSettings.of(arguments[0]), TOPICS, FakeNodes.NODES, FakeNodes.EPSILON);
      EmbeddedFlink flink =
          EmbeddedFlink.start(Path.of(arguments[1]), config, new SimpleMeterRegistry());
      await().forever().until(() -> flink.failure() != null);
      System.out.println(flink.failure());
      Runtime.getRuntime().halt(1);
    }
  }
}
