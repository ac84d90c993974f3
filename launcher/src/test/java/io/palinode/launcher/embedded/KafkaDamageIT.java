package io.palinode.launcher.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.wire.KafkaSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Flips a bit of one of the broker's files, or cuts one, and starts the broker there in another
 * process. It serves all records, or the partition is not served. {@code
 * -Dpalinode.it.kafka.flips=N} makes N flips.
 */
@Tag("slow")
class KafkaDamageIT {
  private static final int FLIPS = Integer.getInteger("palinode.it.kafka.flips", 2);
  private static final long SEED = Long.getLong("palinode.seed", 7);
  private static final String TOPIC = "watched";
  private static final int PARTITIONS = 2;
  private static final String PRINTED = "printed";

  /** Two segments of each partition. */
  private static final int RECORDS = 600;

  private static final int VALUE_BYTES = 6_000;
  private static final Map<String, String> SEGMENTS =
      Map.of("segment.bytes", "1048576", "index.interval.bytes", "512");

  private static final Duration UNDAMAGED_MAX = Duration.ofMinutes(5);

  /** A process that has not answered until then serves nothing. */
  private static final Duration DAMAGED_MAX = Duration.ofSeconds(60);

  private enum Outcome {
    WHOLE,
    REFUSED,
    DIFFERENT
  }

  @TempDir Path folder;
  private final Random random = new Random(SEED);

  @Test
  @Timeout(7_200)
  void noRecordIsLostWithoutAWord() throws Exception {
    Path killed = folder.resolve("killed");
    Path stopped = folder.resolve("stopped");
    fill(stopped, killed);
    String whole = served(killed, UNDAMAGED_MAX);
    assertThat(whole)
        .as("%s", Files.readString(folder.resolve(PRINTED), StandardCharsets.ISO_8859_1))
        .startsWith(Serving.RECORDS_READ);
    Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < FLIPS; i++) {
      Path image = random.nextBoolean() ? stopped : killed;
      Path copy = Files.createDirectory(folder.resolve("copy"));
      Damage.copy(image, copy);
      String damage = image.getFileName() + ": " + damage(copy, i % 4 == 3);
      Outcome outcome = outcome(served(copy, DAMAGED_MAX), whole);
      outcomes.merge(outcome, 1, Integer::sum);
      if (outcome == Outcome.DIFFERENT) {
        wrong.add(damage);
      }
      Damage.delete(copy);
    }
    System.out.printf("seed %d, %d flips and cuts: %s%n", SEED, FLIPS, outcomes);
    assertThat(wrong).as("seed %d", SEED).isEmpty();
  }

  private static Outcome outcome(String served, String whole) {
    if (served.equals(whole)) {
      return Outcome.WHOLE;
    }
    return served.startsWith(Serving.RECORDS_READ) ? Outcome.DIFFERENT : Outcome.REFUSED;
  }

  /** Leaves a broker's folder as an orderly stop does, and a copy of it as a kill does. */
  private static void fill(Path stopped, Path killed) throws Exception {
    try (EmbeddedKafka broker = EmbeddedKafka.start(stopped, EmbeddedKafka.ANY_PORT)) {
      KafkaSettings kafka = KafkaSettings.of(broker.bootstrapServers());
      try (Admin admin = kafka.newAdmin("admin")) {
        NewTopic topic = new NewTopic(TOPIC, PARTITIONS, (short) 1).configs(SEGMENTS);
        admin.createTopics(List.of(topic)).all().get();
      }
      try (Producer<byte[], byte[]> producer = kafka.newProducer("producer")) {
        for (int i = 0; i < RECORDS; i++) {
          byte[] key = Integer.toString(i).getBytes(StandardCharsets.UTF_8);
          byte[] value = Arrays.copyOf(key, VALUE_BYTES);
          producer.send(new ProducerRecord<>(TOPIC, i % PARTITIONS, key, value)).get();
        }
      }
      Path offsets = stopped.resolve("replication-offset-checkpoint");
      String written = " " + RECORDS / PARTITIONS + "\n";
      await("Kafka writes it every 5 s")
          .atMost(Duration.ofMinutes(1))
          .until(() -> Files.readString(offsets).split(written, -1).length == 1 + PARTITIONS);
      Damage.copy(stopped, killed);
    }
  }

  /** Returns what the process printed that serves the folder. */
  private String served(Path data, Duration max) throws Exception {
    Path printed = folder.resolve(PRINTED);
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Serving.class.getName(),
                data.toString())
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    process.waitFor(max.toSeconds(), TimeUnit.SECONDS);
    process.destroyForcibly().waitFor();
    try (Stream<String> lines = Files.lines(printed, StandardCharsets.ISO_8859_1)) {
      return lines.filter(line -> line.startsWith(Serving.RECORDS_READ)).findFirst().orElse("");
    }
  }

  /** Damages a file of a kind that is drawn first. Returns what was damaged. */
  private String damage(Path data, boolean cuts) throws IOException {
    Map<String, List<Path>> kinds = new TreeMap<>();
    try (Stream<Path> all = Files.walk(data)) {
      for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
        if (Files.size(file) > 0) {
          String kind = data.relativize(file).toString().replaceAll("[0-9]+", "");
          kinds.computeIfAbsent(kind, unused -> new ArrayList<>()).add(file);
        }
      }
    }
    List<List<Path>> drawnFrom = List.copyOf(kinds.values());
    List<Path> kind = drawnFrom.get(random.nextInt(drawnFrom.size()));
    Path file = kind.get(random.nextInt(kind.size()));
    return Damage.of(file, cuts, random);
  }

  /** Serves a folder, and prints what a reader gets that begins at some offsets. */
  static final class Serving {
    static final String RECORDS_READ = "records read: ";
    private static final long[] STARTS = {0, 57, 123, 251, 299};

    /** Kafka waits until the broker that was killed counts as gone. */
    private static final Map<String, String> SOON_GONE =
        Map.of("broker.session.timeout.ms", "2000", "broker.heartbeat.interval.ms", "500");

    private Serving() {}

    public static void main(String[] arguments) throws Exception {
      Path data = Path.of(arguments[0]);
      try (EmbeddedKafka broker = EmbeddedKafka.start(data, EmbeddedKafka.ANY_PORT, SOON_GONE);
          Consumer<byte[], byte[]> consumer =
              KafkaSettings.of(broker.bootstrapServers()).newConsumer("reader")) {
        int records = 0;
        long hash = 0;
        for (int i = 0; i < PARTITIONS; i++) {
          TopicPartition partition = new TopicPartition(TOPIC, i);
          consumer.assign(List.of(partition));
          long end = Objects.requireNonNull(consumer.endOffsets(List.of(partition)).get(partition));
          for (long start : STARTS) {
            consumer.seek(partition, start);
            while (consumer.position(partition) < end) {
              for (ConsumerRecord<byte[], byte[]> record :
                  consumer.poll(Duration.ofMillis(100)).records(partition)) {
                records++;
                hash = hash * 31 + Arrays.hashCode(record.value()) + record.offset();
              }
            }
          }
        }
        System.out.println(RECORDS_READ + records + ", hash " + hash);
      }
      // Kafka's threads may hang on a damaged folder.
      Runtime.getRuntime().halt(0);
    }
  }
}
