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
import io.palinode.wire.v1.Violation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Flips a bit of a checkpoint, or cuts a file of it, and starts the job there. A violation whose
 * first interval is in the checkpoint alone is found, or its coverage is reported as lost. {@code
 * -Dpalinode.it.checkpoint.flips=N} makes N flips.
 */
@Tag("slow")
class CheckpointDamageIT {
  private static final int FLIPS = Integer.getInteger("palinode.it.checkpoint.flips", 1);
  private static final long SEED = Long.getLong("palinode.seed", 19);
  private static final Topics TOPICS = Topics.DEFAULT;
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String PREDICATE = "kept";

  /** Each start without a checkpoint reads, and finds again, all of its cluster's past. */
  private static final int FLIPS_OF_A_CLUSTER = 10;

  /** Enough for files beside the one of the checkpoint's metadata. */
  private static final int INSTANCES = 300;

  private enum Outcome {
    REFUSED,
    LOST,
    SAME,
    DIFFERENT
  }

  @TempDir Path folder;
  private final Random random = new Random(SEED);

  @Test
  @Timeout(7_200)
  void aDamagedCheckpointHidesNoViolation() throws Exception {
    Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    List<String> wrong = new ArrayList<>();
    for (int from = 0; from < FLIPS; from += FLIPS_OF_A_CLUSTER) {
      damageOneCluster(from, Math.min(FLIPS, from + FLIPS_OF_A_CLUSTER), outcomes, wrong);
    }
    System.out.printf("seed %d, %d flips and cuts: %s%n", SEED, FLIPS, outcomes);
    assertThat(wrong).as("seed %d", SEED).isEmpty();
  }

  private void damageOneCluster(
      int from, int to, Map<Outcome, Integer> outcomes, List<String> wrong) throws Exception {
    Path data = Files.createDirectory(folder.resolve("cluster-" + from));
    try (EmbeddedKafka broker =
        EmbeddedKafka.start(data.resolve("kafka"), EmbeddedKafka.ANY_PORT)) {
      KafkaSettings kafka = KafkaSettings.of(broker.bootstrapServers());
      try (TopicsAdmin admin = new TopicsAdmin(kafka, TOPICS)) {
        admin.createAbsent(TopicLayout.DEFAULT.withCandidatePartitions(FakeNodes.PARTITIONS));
      }
      PairPredicate.send(kafka, PREDICATE, 1, false);
      try (FakeNodes nodes = new FakeNodes(kafka, TOPICS.candidates());
          ViolationLog log = new ViolationLog(kafka, TOPICS.violations())) {
        openAndStop(kafka, nodes, log, data.resolve("image"));
        for (int i = from; i < to; i++) {
          String damage = damageCopy(data, i);
          Outcome outcome =
              outcome(
                  kafka, nodes, log, data.resolve("copy"), "damage %d, %s".formatted(i, damage));
          outcomes.merge(outcome, 1, Integer::sum);
          if (outcome == Outcome.DIFFERENT) {
            wrong.add(damage);
          }
        }
      }
    }
  }

  /** Leaves open intervals in the last checkpoint. */
  private static void openAndStop(
      KafkaSettings kafka, FakeNodes nodes, ViolationLog log, Path image) throws IOException {
    try (EmbeddedFlink flink = start(kafka, image)) {
      for (int i = 0; i < INSTANCES; i++) {
        nodes.open(0, FakeNodes.ref(PREDICATE, 1, "a=" + i, 0));
      }
      awaitJudged(log, flink, "no damage");
      assertThat(flink.failure()).isNull();
    }
  }

  private static EmbeddedFlink start(KafkaSettings kafka, Path data) throws IOException {
    return EmbeddedFlink.start(
        data,
        DetectionJobConfig.of(kafka, TOPICS, FakeNodes.NODES, FakeNodes.EPSILON),
        new SimpleMeterRegistry());
  }

  private static Outcome outcome(
      KafkaSettings kafka, FakeNodes nodes, ViolationLog log, Path copy, String damage) {
    int losses = log.losses().size();
    try (EmbeddedFlink flink = start(kafka, copy)) {
      await(damage).atMost(SOON).until(() -> flink.isRunning() || flink.failure() != null);
      List<FakeNodes.Interval> opened = new ArrayList<>();
      for (int i = 0; i < INSTANCES; i++) {
        opened.add(nodes.open(1, FakeNodes.ref(PREDICATE, 1, "a=" + i, 1)));
      }
      boolean judged = awaitJudged(log, flink, damage);
      opened.forEach(nodes::close);
      if (!judged) {
        return Outcome.REFUSED;
      }
      Set<String> asked =
          opened.stream()
              .map(interval -> interval.ref().getBinding() + "#" + interval.sequence())
              .collect(Collectors.toSet());
      Set<String> found =
          log.of(PREDICATE).stream()
              .flatMap(CheckpointDamageIT::witnesses)
              .filter(asked::contains)
              .collect(Collectors.toSet());
      if (found.size() == INSTANCES) {
        return Outcome.SAME;
      }
      return log.losses().size() > losses ? Outcome.LOST : Outcome.DIFFERENT;
    } catch (IOException refused) {
      return Outcome.REFUSED;
    }
  }

  private static Stream<String> witnesses(Violation violation) {
    return violation.getWitnessesList().stream()
        .filter(witness -> witness.getNode() == 1)
        .map(witness -> violation.getBinding() + "#" + witness.getSequence());
  }

  private static boolean awaitJudged(ViolationLog log, EmbeddedFlink flink, String after) {
    long now = Hlc.ofMicros(FakeNodes.nowMicros());
    await(after).atMost(SOON).until(() -> log.judged() >= now || flink.failure() != null);
    return log.judged() >= now;
  }

  /** Returns what was damaged. */
  private String damageCopy(Path data, int number) throws IOException {
    Path copy = data.resolve("copy");
    if (Files.exists(copy)) {
      Damage.delete(copy);
    }
    Damage.copy(data.resolve("image"), copy);
    List<Path> checkpoint;
    try (Stream<Path> files = Files.walk(copy)) {
      checkpoint =
          files
              .filter(Files::isRegularFile)
              .filter(file -> file.toString().contains("checkpoints"))
              .toList();
    }
    assertThat(checkpoint).isNotEmpty();
    Path file = checkpoint.get(random.nextInt(checkpoint.size()));
    return Damage.of(file, number % 4 == 3, random);
  }
}
