package io.palinode.cli.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.palinode.cli.Main;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.launcher.embedded.EmbeddedKafka;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.PredicateRecord;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A topic with candidates that no node wrote. */
class RecordIT {
  private static final long START = Hlc.ofMicros(1_700_000_000_000_000L);

  @TempDir private Path folder;
  private final StringWriter err = new StringWriter();

  @Test
  @Timeout(120)
  void aCandidateOfAVersionThatWasNeverAppliedReplacesNoInterval() throws Exception {
    try (EmbeddedKafka kafka =
        EmbeddedKafka.start(folder.resolve("kafka"), EmbeddedKafka.ANY_PORT)) {
      KafkaSettings settings = KafkaSettings.of(kafka.bootstrapServers());
      try (TopicsAdmin admin = new TopicsAdmin(settings, Topics.DEFAULT)) {
        admin.createAbsent(TopicLayout.DEFAULT);
      }
      try (Producer<byte[], byte[]> producer = settings.newProducer("test")) {
        send(producer, Topics.DEFAULT.predicates(), predicate(1));
        send(producer, Topics.DEFAULT.predicates(), predicate(Long.MAX_VALUE));
        send(producer, Topics.DEFAULT.candidates(), opened(1, 1, START));
        send(producer, Topics.DEFAULT.candidates(), opened(2, Long.MAX_VALUE, START));
        send(producer, Topics.DEFAULT.candidates(), opened(3, 2, START));
        send(producer, Topics.DEFAULT.candidates(), opened(4, 1, Long.MAX_VALUE));
        send(producer, Topics.DEFAULT.candidates(), opened(5, 1, START + 1));
      }
      Path trace = folder.resolve("trace.jsonl");
      assertThat(record(kafka, trace)).as(err.toString()).isZero();
      assertThat(trace).content().hasLineCount(2).contains("000\"]}\n").contains("000.1\"]}\n");
      assertThat(err.toString())
          .contains("p, version 1: 2 intervals")
          .contains("passed over: 4 records; the last: palinode.candidates.v1, partition 0");
    }
  }

  private int record(EmbeddedKafka kafka, Path trace) {
    String address = kafka.bootstrapServers();
    return Main.commandLine()
        .setErr(new PrintWriter(err, true))
        .execute("record", "--kafka", address, "--predicate", "p", "-o", trace.toString());
  }

  private static void send(Producer<byte[], byte[]> producer, String topic, MessageLite message)
      throws Exception {
    byte[] key = "p".getBytes(UTF_8);
    producer.send(new ProducerRecord<>(topic, 0, key, message.toByteArray())).get();
  }

  private static PredicateRecord predicate(long version) {
    return PredicateRecord.newBuilder().setName("p").setVersion(version).build();
  }

  private static CandidateRecord opened(long sequence, long version, long start) {
    ByteString clock = CandidateRecords.encode(Hvc.of(1, START, start));
    IntervalRef interval =
        IntervalRef.newBuilder()
            .setPredicate("p")
            .setPredicateVersion(version)
            .setBinding("")
            .build();
    return CandidateRecord.newBuilder()
        .setNode(1)
        .setIncarnation(1)
        .setSequence(sequence)
        .setOpened(Opened.newBuilder().setInterval(interval).setStart(clock))
        .build();
  }
}
