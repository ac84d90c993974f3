package io.palinode.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.wire.LogTail.From;
import io.palinode.wire.LogTail.Source;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class LogTailTest {
  private static final String TOPIC = "log";
  private static final TopicPartition P0 = new TopicPartition(TOPIC, 0);
  private static final TopicPartition P1 = new TopicPartition(TOPIC, 1);

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
  private final Seen seen = new Seen();

  LogTailTest() {
    Node node = new Node(0, "localhost", 1);
    Node[] nodes = {node};
    consumer.updatePartitions(
        TOPIC,
        List.of(
            new PartitionInfo(TOPIC, 0, node, nodes, nodes),
            new PartitionInfo(TOPIC, 1, node, nodes, nodes)));
    consumer.updateBeginningOffsets(Map.of(P0, 0L, P1, 0L));
    consumer.updateEndOffsets(Map.of(P0, 0L, P1, 0L));
  }

  @Test
  void everyRecordIsHandedOverInOrder() {
    try (LogTail tail = tail(Source.partition(TOPIC, 0, From.BEGINNING))) {
      tail.start();
      whenPolling(() -> add(P0, 0, "a"), () -> add(P0, 1, "b"), () -> add(P0, 2, "c"));
      await().untilAsserted(() -> assertThat(seen.values).containsExactly("a", "b", "c"));
      assertThat(consumer.assignment()).containsExactly(P0);
    }
  }

  @Test
  void itHasCaughtUpOnceAllThatWasThereAtTheStartIsHandedOver() throws InterruptedException {
    consumer.updateEndOffsets(Map.of(P0, 2L, P1, 1L));
    try (LogTail tail = tail(Source.all(TOPIC, From.BEGINNING))) {
      tail.start();
      whenPolling(() -> add(P0, 0, "a"), () -> add(P1, 0, "b"));
      await().until(() -> seen.values.size() == 2);
      assertThat(tail.awaitCaughtUp(Duration.ofMillis(300))).isFalse();
      whenPolling(() -> add(P0, 1, "c"));
      assertThat(tail.awaitCaughtUp(Duration.ofSeconds(5))).isTrue();
      assertThat(seen.valuesWhenCaughtUp).containsExactlyInAnyOrder("a", "b", "c");
    }
  }

  @Test
  void anEmptyLogIsCaughtUpAtOnce() throws InterruptedException {
    try (LogTail tail = tail(Source.all(TOPIC, From.BEGINNING))) {
      tail.start();
      assertThat(tail.awaitCaughtUp(Duration.ofSeconds(5))).isTrue();
    }
  }

  @Test
  void kafkaThatDoesNotAnswerAtTheStartIsAskedAgain() throws InterruptedException {
    consumer.setOffsetsException(new TimeoutException("no answer"));
    try (LogTail tail = tail(Source.all(TOPIC, From.BEGINNING))) {
      tail.start();
      assertThat(tail.awaitCaughtUp(Duration.ofSeconds(5))).isTrue();
    }
    assertThat(seen.failures).isEmpty();
  }

  @Test
  void fromTheEndOnlyWhatComesLaterIsHandedOver() throws InterruptedException {
    consumer.updateEndOffsets(Map.of(P0, 7L, P1, 0L));
    try (LogTail tail = tail(Source.partition(TOPIC, 0, From.END))) {
      tail.start();
      assertThat(tail.awaitCaughtUp(Duration.ofSeconds(5))).isTrue();
      whenPolling(() -> add(P0, 7, "new"));
      await().untilAsserted(() -> assertThat(seen.values).containsExactly("new"));
    }
  }

  @Test
  void aListenerThatThrowsEndsTheTailAndIsReported() throws InterruptedException {
    RuntimeException bug = new IllegalStateException("bug");
    LogTail tail =
        new LogTail(
            "tail",
            () -> consumer,
            Source.partition(TOPIC, 0, From.BEGINNING),
            new LogTail.Listener() {
              @Override
              public void onRecord(ConsumerRecord<byte[], byte[]> record) {
                throw bug;
              }

              @Override
              public void onFailure(RuntimeException failure) {
                seen.failures.add(failure);
              }
            });
    try (tail) {
      tail.start();
      whenPolling(() -> add(P0, 0, "a"));
      await().untilAsserted(() -> assertThat(seen.failures).containsExactly(bug));
      assertThat(tail.failure()).isSameAs(bug);
      assertThat(tail.isRunning()).isFalse();
      await().until(consumer::closed);
    }
  }

  @Test
  void aLogThatEndsBeforeWhatWasReadEndsTheTail() {
    try (LogTail tail = tail(Source.partition(TOPIC, 0, From.BEGINNING))) {
      tail.start();
      whenPolling(() -> add(P0, 0, "a"), () -> add(P0, 1, "b"), () -> add(P0, 2, "c"));
      await().until(() -> seen.values.size() == 3);
      consumer.updateEndOffsets(Map.of(P0, 1L));
      whenPolling(() -> refuse(P0, 3));
      await().untilAsserted(() -> assertThat(seen.failures).hasSize(1));
      assertThat(tail.isRunning()).isFalse();
      assertThat(seen.failures.get(0))
          .hasMessage(
              "topic log lost records that were read: the reader is at offset 3 of partition 0, and"
                  + " Kafka's log ends at 1; stop all parts, give Kafka the files of its log back"
                  + " if there are any, then start all parts");
      assertThat(seen.values).containsExactly("a", "b", "c");
    }
  }

  @Test
  void recordsThatWereDeletedBeforeTheyWereReadAreSkipped() {
    try (LogTail tail = tail(Source.partition(TOPIC, 0, From.BEGINNING))) {
      tail.start();
      whenPolling(() -> add(P0, 0, "a"));
      await().until(() -> seen.values.size() == 1);
      whenPolling(
          () -> {
            consumer.updateBeginningOffsets(Map.of(P0, 5L));
            consumer.updateEndOffsets(Map.of(P0, 6L));
            refuse(P0, 1);
          },
          () -> add(P0, 5, "f"));
      await().untilAsserted(() -> assertThat(seen.values).containsExactly("a", "f"));
      assertThat(seen.failures).isEmpty();
    }
  }

  @Test
  void closeEndsTheThreadWithoutAFailure() throws InterruptedException {
    LogTail tail = tail(Source.all(TOPIC, From.BEGINNING));
    tail.start();
    tail.awaitCaughtUp(Duration.ofSeconds(5));
    tail.close();
    tail.close();
    assertThat(consumer.closed()).isTrue();
    assertThat(tail.failure()).isNull();
    assertThat(seen.failures).isEmpty();
  }

  @Test
  void aListenerMayCloseItsTail() throws InterruptedException {
    CountDownLatch closedByListener = new CountDownLatch(1);
    LogTail[] tail = new LogTail[1];
    tail[0] =
        new LogTail(
            "tail",
            () -> consumer,
            Source.partition(TOPIC, 0, From.BEGINNING),
            record -> {
              seen.onRecord(record);
              tail[0].close();
              closedByListener.countDown();
            });
    tail[0].start();
    whenPolling(() -> add(P0, 0, "a"), () -> add(P0, 1, "b"));
    closedByListener.await();
    await().until(consumer::closed);
    assertThat(seen.values).containsExactly("a");
    assertThat(tail[0].failure()).isNull();
  }

  @Test
  void aTailThatIsClosedBeforeItsTopicExistsEnds() {
    LogTail tail = tail(Source.all("absent", From.BEGINNING));
    tail.start();
    tail.close();
    await().until(consumer::closed);
    assertThat(tail.failure()).isNull();
  }

  private LogTail tail(Source source) {
    return new LogTail("tail", () -> consumer, source, seen);
  }

  /** While the tail polls, so that what comes is not taken for what was there at its start. */
  private void whenPolling(Runnable... steps) {
    for (Runnable step : steps) {
      consumer.schedulePollTask(step);
    }
  }

  /** As a broker refuses an offset that its log does not have. */
  private void refuse(TopicPartition partition, long offset) {
    consumer.setPollException(new OffsetOutOfRangeException(Map.of(partition, offset)));
  }

  private void add(TopicPartition partition, long offset, String value) {
    consumer.addRecord(
        new ConsumerRecord<>(TOPIC, partition.partition(), offset, null, value.getBytes(UTF_8)));
  }

  private static final class Seen implements LogTail.Listener {
    final List<String> values = new CopyOnWriteArrayList<>();
    final List<RuntimeException> failures = new CopyOnWriteArrayList<>();
    volatile List<String> valuesWhenCaughtUp = List.of();

    @Override
    public void onRecord(ConsumerRecord<byte[], byte[]> record) {
      values.add(new String(record.value(), UTF_8));
    }

    @Override
    public void onCaughtUp() {
      valuesWhenCaughtUp = List.copyOf(values);
    }

    @Override
    public void onFailure(RuntimeException failure) {
      failures.add(failure);
    }
  }
}
