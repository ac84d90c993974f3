package io.palinode.orchestrator.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.orchestrator.history.Neighbourhood;
import io.palinode.orchestrator.kafka.candidates.CandidatesReader;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import java.nio.file.Path;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CandidatesReaderTest {
  private static final int PARTITIONS = 4;

  /** Recent: from 30 s after its start, Kafka deletes what is older than the retention. */
  private static final long VIOLATE_MS = System.currentTimeMillis() - 120_000;

  private static final long MICROS = 1_000;
  private static final Violation VIOLATION =
      Violation.newBuilder()
          .setPredicate("p")
          .setBinding("a=1")
          .setFirst(Hlc.ofMicros(VIOLATE_MS * MICROS))
          .setViolate(Hlc.ofMicros(VIOLATE_MS * MICROS))
          .build();
  private static final byte[] KEY =
      CandidateRecords.keyBytes(CandidateRecords.instanceKey("p", "a=1"));

  @TempDir static Path folder;
  private static TestBroker broker;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = TestBroker.start(folder);
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void candidatesOfTheSpanAreFoundInThePartitionOfTheInstance() {
    Topics topics = new Topics("near");
    KafkaSettings kafka = KafkaSettings.of(broker.bootstrapServers());
    try (TopicsAdmin admin = new TopicsAdmin(kafka, topics);
        Producer<byte[], byte[]> producer = kafka.newProducer("test")) {
      admin.createAbsent(TopicLayout.DEFAULT.withCandidatePartitions(PARTITIONS));
      send(producer, topics, 1, VIOLATE_MS - 60_000, KEY);
      send(producer, topics, 2, VIOLATE_MS, KEY);
      send(producer, topics, 3, VIOLATE_MS + 1_000, KEY);
      send(producer, topics, 4, VIOLATE_MS + 1_000, null);
      send(producer, topics, 5, VIOLATE_MS + 60_000, KEY);
    }
    Neighbourhood found = new CandidatesReader(kafka, topics).around(VIOLATION);
    assertThat(found.nearest()).extracting(Witness::getSequence).containsExactly(2L, 3L);
    assertThat(found.isComplete()).isTrue();
  }

  @Test
  void aTopicWithoutRecordsHasNone() {
    Topics topics = new Topics("empty");
    KafkaSettings kafka = KafkaSettings.of(broker.bootstrapServers());
    try (TopicsAdmin admin = new TopicsAdmin(kafka, topics)) {
      admin.createAbsent(TopicLayout.DEFAULT);
    }
    assertThat(new CandidatesReader(kafka, topics).around(VIOLATION).nearest()).isEmpty();
  }

  @Test
  void aBrokerThatDoesNotAnswerIsNamed() {
    CandidatesReader reader =
        new CandidatesReader(KafkaSettings.of("127.0.0.1:1"), new Topics("none"));
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> reader.around(VIOLATION))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("cannot read 'none.candidates.v1'");
    }
  }

  private static void send(
      Producer<byte[], byte[]> producer,
      Topics topics,
      long sequence,
      long atMs,
      byte @Nullable [] key) {
    long hlc = Hlc.ofMicros(atMs * MICROS);
    ByteString start = CandidateRecords.encode(Hvc.of(0, hlc, hlc));
    IntervalRef ref = IntervalRef.newBuilder().setPredicate("p").setBinding("a=1").build();
    CandidateRecord record =
        CandidateRecord.newBuilder()
            .setNode(0)
            .setIncarnation(1)
            .setSequence(sequence)
            .setOpened(Opened.newBuilder().setInterval(ref).setStart(start))
            .build();
    int partition = CandidateRecords.partition(KEY, PARTITIONS);
    var unused =
        producer.send(
            new ProducerRecord<>(topics.candidates(), partition, atMs, key, record.toByteArray()));
  }
}
