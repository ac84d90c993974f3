package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Message;
import io.micrometer.core.instrument.FunctionCounter;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.snapshot.Schedule;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Judged;
import io.palinode.wire.v1.PredicateRecord;
import io.palinode.wire.v1.SnapshotSchedule;
import io.palinode.wire.v1.SnapshotStep;
import io.palinode.wire.v1.ViolationRecord;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Poison in every topic of a running cluster, and a restart of every part after each batch. Each
 * bad record is counted, and a violation is found and rolled back afterwards. {@code
 * -Dpalinode.it.poison=N} sets the records of a topic in a batch, {@code palinode.it.seed} the
 * seed.
 */
class PoisonIT {
  private static final int RECORDS = Integer.getInteger("palinode.it.poison", 300);
  private static final int BATCHES = 2;
  private static final String NAME = "watched";
  private static final String PREDICATE =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: watched}
      spec:
        violation:
          - all:
              - {var: x, equals: "bad"}
        onViolation:
          rollback: {scope: all, to: before-violation}
      """;

  @TempDir private Path folder;

  @Test
  @Timeout(1_200)
  void theLoopWorksAfterPoisonInEveryTopicAndARestart() throws Exception {
    long seed = Long.getLong("palinode.it.seed", System.nanoTime());
    System.out.println("PoisonIT seed=" + seed);
    Random random = new Random(seed);
    System.out.printf("PoisonIT records=%d%n", 4 * BATCHES * RECORDS);
    long rollbacks = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
      try (RealParts parts = RealParts.start(folder)) {
        if (batch == 0) {
          parts.plane().orchestrator().apply(PREDICATE, "test");
        }
        Poison poison = new Poison(random, List.of("", "x", NAME, "../../x", "y".repeat(5_000)));
        Map<String, Integer> empty = poison(parts, poison);
        parts.plane().orchestrator().snapshots().schedule(Schedule.OFF);
        parts.plane().orchestrator().operator().acknowledge(Long.MAX_VALUE, "");
        requireThatTheLoopWorks(parts, batch, ++rollbacks);
        requireCounted(parts, empty);
      }
    }
    try (RealParts parts = RealParts.start(folder)) {
      parts.plane().orchestrator().operator().acknowledge(Long.MAX_VALUE, "");
      requireThatTheLoopWorks(parts, BATCHES, ++rollbacks);
      assertThat(parts.plane().orchestrator().status().failure()).isNull();
    }
  }

  /** Returns how many records of each topic have no value. */
  private static Map<String, Integer> poison(RealParts parts, Poison poison) throws Exception {
    Map<String, Integer> empty = new LinkedHashMap<>();
    Map<String, Message> types = new LinkedHashMap<>();
    types.put(Topics.DEFAULT.control(), ControlRecord.getDefaultInstance());
    types.put(Topics.DEFAULT.predicates(), PredicateRecord.getDefaultInstance());
    types.put(Topics.DEFAULT.violations(), ViolationRecord.getDefaultInstance());
    types.put(Topics.DEFAULT.candidates(), CandidateRecord.getDefaultInstance());
    // Not the name of the predicate: compaction would let the poison replace it.
    byte[] key = "poison".getBytes(StandardCharsets.UTF_8);
    try (Producer<byte[], byte[]> producer =
        KafkaSettings.of(parts.plane().kafkaAddress()).newProducer("poison")) {
      var unused = producer.send(new ProducerRecord<>(Topics.DEFAULT.control(), 0, key, tooLong()));
      unused =
          producer.send(new ProducerRecord<>(Topics.DEFAULT.violations(), 0, key, farJudged()));
      for (int i = 0; i < RECORDS; i++) {
        for (Map.Entry<String, Message> type : types.entrySet()) {
          byte[] value = poison.of(type.getValue());
          empty.merge(type.getKey(), value == null ? 1 : 0, Integer::sum);
          unused =
              producer.send(
                  new ProducerRecord<>(type.getKey(), 0, poison.timestampMs(), key, value));
        }
      }
      // Before: the broker refuses all records of a batch.
      producer.flush();
      requireRefused(producer, types.keySet(), key);
    }
    return empty;
  }

  /** A forged time of a later year passes the bounds if its record has such a timestamp too. */
  private static void requireRefused(
      Producer<byte[], byte[]> producer, Set<String> topics, byte[] key) {
    long later = Instant.parse("2041-01-01T00:00:00Z").toEpochMilli();
    for (String topic : topics) {
      assertThatThrownBy(
              () -> producer.send(new ProducerRecord<>(topic, 0, later, key, farJudged())).get())
          .as(topic)
          .hasCauseInstanceOf(InvalidTimestampException.class);
    }
  }

  /** As an earlier release accepted it: it ended the orchestrator, then each start. */
  private static byte[] tooLong() {
    return ControlRecord.newBuilder()
        .setSnapshot(
            SnapshotStep.newBuilder()
                .setSchedule(
                    SnapshotSchedule.newBuilder()
                        .setEveryMicros(Long.MAX_VALUE)
                        .setAgeMaxMicros(17_280_000_000_000_000L)
                        .setKeep(6)))
        .build()
        .toByteArray();
  }

  private static byte[] farJudged() {
    return ViolationRecord.newBuilder()
        .setJudged(Judged.newBuilder().setHlc(Long.MAX_VALUE))
        .build()
        .toByteArray();
  }

  private static void requireThatTheLoopWorks(RealParts parts, int batch, long rollbacks) {
    try (StoreClient client = parts.client("client")) {
      Store store = client.store(RealParts.STORE);
      String good = "good" + batch;
      store.put("x", good);
      parts.awaitEverywhere("x", good);
      long written = Hlc.ofMicros(new io.palinode.voldemort.server.SystemMicros().getAsLong());
      await("the safe point passes a write")
          .atMost(RealParts.BOUND.multipliedBy(2))
          .until(() -> safePoint(parts) >= written);
      assertThat(safePoint(parts)).isLessThan(written + Hlc.ofMicros(3_600_000_000L));
      store.put("x", "bad");
      await("the violation is rolled back")
          .atMost(RealParts.BOUND)
          .until(() -> ended(parts) == rollbacks);
      parts.awaitEverywhere("x", good);
    }
    assertThat(parts.ended()).allMatch(r -> r.state() == Rollback.State.RESUMED);
  }

  private static long ended(RealParts parts) {
    return parts.ended().size();
  }

  private static long safePoint(RealParts parts) {
    return parts.plane().orchestrator().status().safePoint();
  }

  /** Of every topic by one of its readers; the control log and the predicates also by the nodes. */
  private static void requireCounted(RealParts parts, Map<String, Integer> empty) {
    for (String topic : empty.keySet()) {
      String job = "palinode.job.candidates.unused";
      if (topic.equals(Topics.DEFAULT.candidates())) {
        assertThat(count(parts, job, "reason", "malformed"))
            .as(topic)
            .isGreaterThanOrEqualTo(empty.get(topic));
        continue;
      }
      requireCounted(parts, "palinode.records.refused", topic, empty.get(topic));
      if (!topic.equals(Topics.DEFAULT.violations())) {
        requireCounted(parts, "palinode.detector.records.refused", topic, empty.get(topic));
      }
    }
  }

  private static void requireCounted(RealParts parts, String name, String topic, int empty) {
    assertThat(count(parts, name, "topic", topic, "reason", "empty"))
        .as("%s of %s without a value", name, topic)
        .isGreaterThanOrEqualTo(empty);
    for (String reason : List.of("unreadable", "absurd")) {
      assertThat(count(parts, name, "topic", topic, "reason", reason))
          .as("%s of %s, %s", name, topic, reason)
          .isPositive();
    }
  }

  private static double count(RealParts parts, String name, String... tags) {
    return parts.plane().registry().find(name).tags(tags).functionCounters().stream()
        .mapToDouble(FunctionCounter::count)
        .sum();
  }
}
