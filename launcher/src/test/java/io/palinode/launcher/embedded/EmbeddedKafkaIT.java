package io.palinode.launcher.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.wire.KafkaSettings;
import io.palinode.wire.LogTail;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.CompressionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(300)
class EmbeddedKafkaIT {
  private static final int CLUSTERS = 30;
  private static final Topics TOPICS = Topics.DEFAULT;

  @TempDir Path folder;

  @Test
  void whatWasWrittenIsThereAfterARestart() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, EmbeddedKafka.ANY_PORT)) {
      KafkaSettings settings = KafkaSettings.of(kafka.bootstrapServers());
      createTopics(settings);
      try (Producer<byte[], byte[]> producer = settings.newProducer("test")) {
        byte[] value = "kept".getBytes(UTF_8);
        producer.send(new ProducerRecord<>(TOPICS.control(), value, value)).get();
      }
    }
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, EmbeddedKafka.ANY_PORT)) {
      KafkaSettings settings = KafkaSettings.of(kafka.bootstrapServers());
      createTopics(settings);
      assertThat(read(settings)).containsExactly("kept");
    }
  }

  @Test
  void aPortThatIsTakenIsNamed() throws IOException {
    try (ServerSocket other =
        new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
      assertThatThrownBy(() -> EmbeddedKafka.start(folder, other.getLocalPort()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("port must be free: port=" + other.getLocalPort());
    }
  }

  @Test
  void aFolderThatCannotBeMadeIsNamed() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");
    assertThatThrownBy(() -> EmbeddedKafka.start(file.resolve("kafka"), EmbeddedKafka.ANY_PORT))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("folder=" + file.resolve("kafka"));
  }

  @Test
  void aFolderThatAnotherBrokerUsesIsRefused() throws IOException {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, EmbeddedKafka.ANY_PORT)) {
      assertThat(kafka.bootstrapServers()).startsWith("127.0.0.1:");
      assertThatThrownBy(() -> EmbeddedKafka.start(folder, EmbeddedKafka.ANY_PORT))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(folder.toString());
    }
  }

  @Test
  void aTopicThatIsAbsentIsNamed() throws IOException {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, EmbeddedKafka.ANY_PORT);
        TopicsAdmin admin = new TopicsAdmin(KafkaSettings.of(kafka.bootstrapServers()), TOPICS)) {
      assertThatThrownBy(admin::candidatePartitions)
          .isInstanceOf(KafkaException.class)
          .hasMessageContaining("topic=" + TOPICS.candidates());
    }
  }

  @Test
  void anOrderedLogOfAnotherShapeIsRefused() throws IOException {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, EmbeddedKafka.ANY_PORT)) {
      KafkaSettings settings = KafkaSettings.of(kafka.bootstrapServers());
      Topics other = new Topics("other");
      try (var admin = settings.newAdmin("test")) {
        admin.createTopics(List.of(new NewTopic(other.violations(), 2, (short) 1))).all().get();
      } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
        throw new AssertionError(e);
      }
      try (TopicsAdmin admin = new TopicsAdmin(settings, other)) {
        assertThatThrownBy(() -> admin.createAbsent(TopicLayout.DEFAULT))
            .hasMessageContaining("topic=other.violations.v1 partitions=2");
      }
    }
  }

  /** As brokers before Kafka 4 do, this one takes any timestamp unless a topic has a limit. */
  @Test
  void aTopicRefusesARecordOfALaterYearWhateverTheBrokersDefault() throws Exception {
    Map<String, String> any =
        Map.of("log.message.timestamp.after.max.ms", Long.toString(Long.MAX_VALUE));
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, EmbeddedKafka.ANY_PORT, any)) {
      KafkaSettings settings = KafkaSettings.of(kafka.bootstrapServers());
      createTopics(settings);
      long later = Instant.parse("2041-01-01T00:00:00Z").toEpochMilli();
      byte[] value = "forged".getBytes(UTF_8);
      try (Producer<byte[], byte[]> producer = settings.newProducer("test")) {
        for (String topic : TOPICS.all()) {
          assertThatThrownBy(
                  () -> producer.send(new ProducerRecord<>(topic, 0, later, value, value)).get())
              .as(topic)
              .hasCauseInstanceOf(InvalidTimestampException.class);
        }
      }
      assertThat(read(settings)).isEmpty();
    }
  }

  /** With a damaged id, Kafka would begin an empty partition. */
  @Test
  void eachChangedBitOfThePartitionsIdIsFoundAndATopicThatIsMadeAgainStays() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, EmbeddedKafka.ANY_PORT)) {
      KafkaSettings settings = KafkaSettings.of(kafka.bootstrapServers());
      createTopics(settings);
      deleteControl(settings);
      createTopics(settings);
      try (Producer<byte[], byte[]> producer = settings.newProducer("test")) {
        await("the new topic has a leader")
            .atMost(Duration.ofMinutes(2))
            .until(() -> !producer.partitionsFor(TOPICS.control()).isEmpty());
        write(producer, "kept");
      }
    }
    Path file = folder.resolve(TOPICS.control() + "-0").resolve("partition.metadata");
    byte[] whole = Files.readAllBytes(file);
    int id = new String(whole, UTF_8).indexOf(':', "version:".length());
    for (int bit = 8 * id; bit < 8 * (whole.length - 1); bit++) {
      byte[] damaged = whole.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      Files.write(file, damaged);
      assertThatThrownBy(() -> EmbeddedKafka.start(folder, EmbeddedKafka.ANY_PORT))
          .as("bit %d", bit)
          .hasMessage(
              "Kafka's file %s is damaged; put back a copy, or see 'Repair a damaged node'", file);
    }
    Files.write(file, whole);
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, EmbeddedKafka.ANY_PORT)) {
      assertThat(read(KafkaSettings.of(kafka.bootstrapServers()))).containsExactly("kept");
    }
  }

  @Test
  void aReaderOfATopicThatIsMadeAgainEndsWithWhatIsMissing() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, EmbeddedKafka.ANY_PORT)) {
      KafkaSettings settings = KafkaSettings.of(kafka.bootstrapServers());
      createTopics(settings);
      List<String> values = new CopyOnWriteArrayList<>();
      try (Producer<byte[], byte[]> producer = settings.newProducer("test");
          LogTail tail =
              new LogTail(
                  "test",
                  settings,
                  LogTail.Source.all(TOPICS.control(), LogTail.From.BEGINNING),
                  record -> values.add(new String(record.value(), UTF_8)))) {
        tail.start();
        write(producer, "a");
        write(producer, "b");
        await().until(() -> values.size() == 2);
        deleteControl(settings);
        createTopics(settings);
        write(producer, "other");
        await().until(() -> !tail.isRunning());
        assertThat(tail.failure())
            .hasMessageStartingWith(
                "topic palinode.control.v1 lost records that were read: the reader is at offset 2"
                    + " of partition 0, and Kafka's log ends at ");
        assertThat(values).containsExactly("a", "b");
      }
    }
  }

  /** Kafka answers that a topic is made before each request finds it. */
  @Test
  void topicsThatWereMadeAreFound() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, EmbeddedKafka.ANY_PORT)) {
      KafkaSettings settings = KafkaSettings.of(kafka.bootstrapServers());
      for (int number = 0; number < CLUSTERS; number++) {
        try (TopicsAdmin admin = new TopicsAdmin(settings, new Topics("cluster-" + number))) {
          admin.createAbsent(TopicLayout.DEFAULT);
          assertThat(admin.candidatePartitions()).isEqualTo(4);
        }
      }
    }
  }

  /** The broker reads a compressed batch in part only, unless it changes the compression. */
  @ParameterizedTest
  @EnumSource(names = {"GZIP", "LZ4", "SNAPPY", "ZSTD"})
  void aBatchThatNoConsumerCanReadIsRefusedByEachTopic(CompressionType compression)
      throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, EmbeddedKafka.ANY_PORT)) {
      KafkaSettings settings = KafkaSettings.of(kafka.bootstrapServers());
      createTopics(settings);
      for (String topic : TOPICS.all()) {
        await("a right batch is accepted once the topic has a leader")
            .until(
                () ->
                    BadBatch.send(kafka.bootstrapServers(), topic, compression, 0) == Errors.NONE);
        for (int more : new int[] {1, -1, 1_000}) {
          assertThat(BadBatch.send(kafka.bootstrapServers(), topic, compression, more))
              .as("%s, declared %d more", topic, more)
              .isEqualTo(Errors.INVALID_RECORD);
        }
      }
    }
  }

  @Test
  void aReaderOfAnOlderTopicSkipsABatchThatItCannotRead() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, EmbeddedKafka.ANY_PORT)) {
      KafkaSettings settings = KafkaSettings.of(kafka.bootstrapServers());
      try (Admin admin = settings.newAdmin("test")) {
        admin.createTopics(List.of(new NewTopic(TOPICS.control(), 1, (short) 1))).all().get();
      }
      List<String> values = new CopyOnWriteArrayList<>();
      List<Long> unreadable = new CopyOnWriteArrayList<>();
      try (Producer<byte[], byte[]> producer = settings.newProducer("test");
          LogTail tail = tail(settings, values, unreadable)) {
        write(producer, "a");
        for (int more : new int[] {1, -1, 1_000}) {
          assertThat(
                  BadBatch.send(
                      kafka.bootstrapServers(), TOPICS.control(), CompressionType.GZIP, more))
              .isEqualTo(Errors.NONE);
        }
        write(producer, "b");
        tail.start();
        assertThat(tail.awaitCaughtUp(Duration.ofSeconds(20))).isTrue();
        assertThat(values).containsExactly("a", "bad", "bad", "bad", "b");
        assertThat(unreadable).containsExactly(2L, 3L, 5L, 6L, 8L, 9L);
      }
    }
  }

  private static LogTail tail(KafkaSettings settings, List<String> values, List<Long> unreadable) {
    return new LogTail(
        "test",
        settings,
        LogTail.Source.all(TOPICS.control(), LogTail.From.BEGINNING),
        new LogTail.Listener() {
          @Override
          public void onRecord(ConsumerRecord<byte[], byte[]> record) {
            values.add(new String(record.value(), UTF_8));
          }

          @Override
          public void onUnreadable(TopicPartition partition, long offset, KafkaException why) {
            unreadable.add(offset);
          }
        });
  }

  private static void write(Producer<byte[], byte[]> producer, String text) throws Exception {
    byte[] value = text.getBytes(UTF_8);
    producer.send(new ProducerRecord<>(TOPICS.control(), 0, value, value)).get();
  }

  private static void createTopics(KafkaSettings settings) {
    try (TopicsAdmin admin = new TopicsAdmin(settings, TOPICS)) {
      admin.createAbsent(TopicLayout.DEFAULT);
      assertThat(admin.candidatePartitions()).isEqualTo(4);
    }
  }

  /** Returns once the broker no longer lists it: a topic that is listed is not made again. */
  private static void deleteControl(KafkaSettings settings) throws Exception {
    try (Admin admin = settings.newAdmin("test")) {
      admin.deleteTopics(List.of(TOPICS.control())).all().get();
      await().until(() -> !admin.listTopics().names().get().contains(TOPICS.control()));
    }
  }

  private static List<String> read(KafkaSettings settings) throws InterruptedException {
    List<String> values = new CopyOnWriteArrayList<>();
    try (LogTail tail =
        new LogTail(
            "test",
            settings,
            LogTail.Source.all(TOPICS.control(), LogTail.From.BEGINNING),
            record -> values.add(new String(record.value(), UTF_8)))) {
      tail.start();
      assertThat(tail.awaitCaughtUp(Duration.ofSeconds(20))).isTrue();
    }
    return values;
  }
}
