package io.palinode.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.TopicsAdmin.BrokerDisks;
import io.palinode.wire.TopicsAdmin.BrokerDisks.Answer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

/** Answers of brokers about their disks. */
class BrokerDisksTest {
  private static final Duration ANSWER_MAX = Duration.ofMillis(300);

  private final Map<Integer, KafkaFuture<Map<String, LogDirDescription>>> answers = new HashMap<>();

  @Test
  void aBrokerWithoutAnAnswerHidesNoOther() {
    answers.put(0, new KafkaFutureImpl<>());
    answers.put(1, KafkaFuture.completedFuture(Map.of("a", disk(9), "b", disk(7))));
    answers.put(2, KafkaFuture.completedFuture(Map.of("a", new LogDirDescription(null, Map.of()))));
    KafkaFutureImpl<Map<String, LogDirDescription>> refused = new KafkaFutureImpl<>();
    refused.completeExceptionally(new ClusterAuthorizationException("refused"));
    answers.put(3, refused);
    assertThat(TopicsAdmin.disks(answers, ANSWER_MAX))
        .containsExactly(
            new BrokerDisks(0, Answer.ABSENT, 0),
            new BrokerDisks(1, Answer.KNOWN, 7),
            new BrokerDisks(2, Answer.WITHOUT_SIZES, 0),
            new BrokerDisks(3, Answer.REFUSED, 0));
  }

  @Test
  void allBrokersHaveTheTimeOfOneAnswer() {
    for (int broker = 0; broker < 20; broker++) {
      answers.put(broker, new KafkaFutureImpl<>());
    }
    long started = System.nanoTime();
    assertThat(TopicsAdmin.disks(answers, ANSWER_MAX)).hasSize(20);
    assertThat(Duration.ofNanos(System.nanoTime() - started))
        .isLessThan(ANSWER_MAX.multipliedBy(5));
  }

  private static LogDirDescription disk(long free) {
    return new LogDirDescription(null, Map.of(), 100, free);
  }
}
