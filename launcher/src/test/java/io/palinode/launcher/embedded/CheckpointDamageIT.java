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
import java.io.RandomAccessFile;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Flips a bit of a checkpoint, or cuts a file of it, and starts the job there. A violation whose
 * first interval is in the checkpoint alone is found, or its coverage is reported as lost. {@code
 * -Dpalinode.it.checkpoint.flips=N} makes N flips.
 */
class CheckpointDamageIT {
  private static final int FLIPS = Integer.getInteger("palinode.it.checkpoint.flips", 1);
  private static final long SEED = Long.getLong("palinode.seed", 19);
  private static final Topics TOPICS = Topics.DEFAULT;
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String PREDICATE = "kept";

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
  private final Path image = Path.of("image");

  @Test
  @Timeout(7_200)
  void aDamagedCheckpointHidesNoViolation() throws Exception {
    try (EmbeddedKafka broker =
        EmbeddedKafka.start(folder.resolve("kafka"), EmbeddedKafka.ANY_PORT)) {
      KafkaSettings kafka = KafkaSettings.of(broker.bootstrapServers());
      try (TopicsAdmin admin = new TopicsAdmin(kafka, TOPICS)) {
        admin.createAbsent(TopicLayout.DEFAULT.withCandidatePartitions(FakeNodes.PARTITIONS));
      }
      PairPredicate.send(kafka, PREDICATE, 1, false);
      try (FakeNodes nodes = new FakeNodes(kafka, TOPICS.candidates());
          ViolationLog log = new ViolationLog(kafka, TOPICS.violations())) {
        openAndStop(kafka, nodes, log);
        Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < FLIPS; i++) {
          String damage = damageCopy(i);
          Outcome outcome = outcome(kafka, nodes, log, "damage %d, %s".formatted(i, damage));
          outcomes.merge(outcome, 1, Integer::sum);
          if (outcome == Outcome.DIFFERENT) {
            wrong.add(damage);
          }
        }
        System.out.printf("seed %d, %d flips and cuts: %s%n", SEED, FLIPS, outcomes);
        assertThat(wrong).as("seed %d", SEED).isEmpty();
      }
    }
  }

  /** Leaves open intervals in the last checkpoint. */
  private void openAndStop(KafkaSettings kafka, FakeNodes nodes, ViolationLog log)
      throws IOException {
    try (EmbeddedFlink flink = start(kafka, image)) {
      for (int i = 0; i < INSTANCES; i++) {
        nodes.open(0, FakeNodes.ref(PREDICATE, 1, "a=" + i, 0));
      }
      awaitJudged(log, flink, "no damage");
      assertThat(flink.failure()).isNull();
    }
  }

  private EmbeddedFlink start(KafkaSettings kafka, Path data) throws IOException {
    return EmbeddedFlink.start(
        folder.resolve(data),
        DetectionJobConfig.of(kafka, TOPICS, FakeNodes.NODES, FakeNodes.EPSILON),
        new SimpleMeterRegistry());
  }

  private Outcome outcome(KafkaSettings kafka, FakeNodes nodes, ViolationLog log, String damage) {
    int losses = log.losses().size();
    try (EmbeddedFlink flink = start(kafka, Path.of("copy"))) {
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
  private String damageCopy(int number) throws IOException {
    Path copy = folder.resolve("copy");
    if (Files.exists(copy)) {
      try (var files = Files.walk(copy)) {
        for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
    List<Path> checkpoint = new ArrayList<>();
    Path from = folder.resolve(image);
    try (var files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path to = copy.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(to);
        } else {
          Files.copy(file, to);
          if (file.toString().contains("checkpoints")) {
            checkpoint.add(to);
          }
        }
      }
    }
    assertThat(checkpoint).isNotEmpty();
    Path file = checkpoint.get(random.nextInt(checkpoint.size()));
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      long at = random.nextLong(bytes.length());
      if (number % 4 == 3) {
        bytes.setLength(at);
        return "%s cut to %d bytes".formatted(file, at);
      }
      int bit = random.nextInt(8);
      bytes.seek(at);
      int was = bytes.read();
      bytes.seek(at);
      bytes.write(was ^ (1 << bit));
      return "bit %d of byte %d of %s".formatted(bit, at, file);
    }
  }
}
