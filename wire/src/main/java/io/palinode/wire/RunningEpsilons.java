package io.palinode.wire;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.hvc.Epsilon;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.NodeReport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/** The ε of each node that runs, as the nodes have published it in the control log. */
public final class RunningEpsilons {
  /** Nodes publish it every 10 s. */
  private static final Duration SINCE = Duration.ofSeconds(15);

  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(5);
  private static final Duration READ_MAX = Duration.ofSeconds(10);
  private static final Duration POLL = Duration.ofMillis(100);

  private final Map<Integer, Epsilon> byNode;

  private RunningEpsilons(Map<Integer, Epsilon> byNode) {
    this.byNode = byNode;
  }

  /**
   * Throws {@link IllegalArgumentException} with both values if a node that runs has another ε.
   * Waits until the reports of stopped nodes no longer count, 17 s at most. If the control log
   * cannot be read, returns and reports that to {@code say}.
   *
   * @param except this node's own reports do not count; -1: all count
   * @param wayOut the end of the message
   */
  public static void require(
      KafkaSettings kafka,
      Topics topics,
      Epsilon own,
      int except,
      String wayOut,
      Consumer<String> say)
      throws InterruptedException {
    long deadline = System.nanoTime() + SINCE.toNanos() + PAUSE.toNanos();
    try {
      String others = others(kafka, topics, own, except);
      if (others != null) {
        say.accept(text(own, others, "waiting whether they stopped"));
      }
      while (others != null && System.nanoTime() < deadline) {
        Thread.sleep(PAUSE.toMillis());
        others = others(kafka, topics, own, except);
      }
      if (others != null) {
        throw new IllegalArgumentException(text(own, others, wayOut));
      }
    } catch (InterruptException stopped) {
      throw interrupted();
    } catch (KafkaException e) {
      say.accept("--epsilon is not compared with that of the nodes: " + e.getMessage());
    }
  }

  private static String text(Epsilon own, String others, String end) {
    return "--epsilon is %s, but others run with another one: %s; %s".formatted(own, others, end);
  }

  /** Without the flag that Kafka sets again: a consumer that closes would report errors. */
  private static InterruptedException interrupted() {
    var unused = Thread.interrupted();
    return new InterruptedException("while the epsilons of nodes were read");
  }

  private static @Nullable String others(
      KafkaSettings kafka, Topics topics, Epsilon own, int except) throws InterruptedException {
    return read(kafka, topics, System.currentTimeMillis()).others(own, except);
  }

  /**
   * Reads the reports of the last 15 s, within some seconds. Throws {@link
   * org.apache.kafka.common.KafkaException} if Kafka does not answer, or not this user.
   */
  private static RunningEpsilons read(KafkaSettings kafka, Topics topics, long nowMillis)
      throws InterruptedException {
    Map<Integer, Epsilon> byNode = new TreeMap<>();
    TopicPartition control = new TopicPartition(topics.control(), 0);
    try (var consumer = kafka.newConsumer(topics.prefix() + "-epsilons")) {
      consumer.assign(List.of(control));
      long end = consumer.endOffsets(List.of(control), ANSWER_MAX).getOrDefault(control, 0L);
      OffsetAndTimestamp start =
          consumer
              .offsetsForTimes(Map.of(control, nowMillis - SINCE.toMillis()), ANSWER_MAX)
              .get(control);
      consumer.seek(control, start == null ? end : start.offset());
      long deadline = System.nanoTime() + READ_MAX.toNanos();
      while (consumer.position(control, ANSWER_MAX) < end && System.nanoTime() < deadline) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          add(byNode, record.value());
        }
      }
    } catch (InterruptException stopped) {
      throw interrupted();
    }
    return new RunningEpsilons(byNode);
  }

  private static void add(Map<Integer, Epsilon> byNode, byte @Nullable [] value) {
    try {
      ControlRecord record = value == null ? null : ControlRecord.parseFrom(value);
      if (record != null && record.hasNodeReport()) {
        NodeReport report = record.getNodeReport();
        byNode.put(
            report.getNode(),
            report.hasEpsilonMicros()
                ? Epsilon.ofMicros(report.getEpsilonMicros())
                : Epsilon.INFINITE);
      }
    } catch (InvalidProtocolBufferException | IllegalArgumentException unreadable) {
      // The readers of the log count it.
    }
  }

  /**
   * The nodes with another ε, such as {@code node 0 at 10ms}; null: none.
   *
   * @param except this node's own reports do not count; -1: all count
   */
  private @Nullable String others(Epsilon own, int except) {
    String others =
        byNode.entrySet().stream()
            .filter(entry -> entry.getKey() != except && !entry.getValue().equals(own))
            .map(entry -> "node %d at %s".formatted(entry.getKey(), entry.getValue()))
            .collect(Collectors.joining(", "));
    return others.isEmpty() ? null : others;
  }
}
