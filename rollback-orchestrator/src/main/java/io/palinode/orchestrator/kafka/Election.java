package io.palinode.orchestrator.kafka;

import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Of several orchestrators one is active: the one to which Kafka assigns the control log's only
 * partition. When it is not heard of for six seconds, another is elected. One that was elected and
 * is not any more must end: what it still appends until then is late, and counts by its place in
 * the log like all that comes late. Thread-safe.
 */
public final class Election implements AutoCloseable {
  /** The least that brokers accept by default. */
  private static final Duration SILENCE_MAX = Duration.ofSeconds(6);

  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);
  private static final Logger log = LoggerFactory.getLogger(Election.class);

  private final Consumer<byte[], byte[]> member;
  private final CountDownLatch elected = new CountDownLatch(1);
  private final Thread thread;
  private volatile boolean over;
  private volatile boolean closed;

  private Election(KafkaSettings kafka, Topics topics) {
    String group = topics.prefix() + "-orchestrator";
    this.member = kafka.newMember(group + "-election", group, SILENCE_MAX);
    this.thread = new Thread(() -> takePart(topics.control()), group + "-election");
    thread.setDaemon(true);
  }

  /** Takes part from now on, until it is closed. */
  public static Election join(KafkaSettings kafka, Topics topics) {
    Election election = new Election(kafka, topics);
    election.thread.start();
    return election;
  }

  /** Whether this one is elected, or was, after {@code max} at most. */
  public boolean await(Duration max) throws InterruptedException {
    return elected.await(max.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Whether this one was elected and is not any more, or cannot take part any more. */
  public boolean isOver() {
    return over;
  }

  private void takePart(String controlLog) {
    try (member) {
      member.subscribe(List.of(controlLog), new Assigned());
      while (!closed) {
        // Never any records: whoever is elected reads the whole log by itself.
        var unused = member.poll(POLL);
        member.pause(member.assignment());
      }
    } catch (WakeupException closing) {
      // By close.
    } catch (KafkaException e) {
      log.error("topic={} state=ELECTION_FAILED", controlLog, e);
    } finally {
      over = true;
    }
  }

  private final class Assigned implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      if (!partitions.isEmpty()) {
        member.pause(partitions);
        elected.countDown();
      }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      over |= !partitions.isEmpty();
    }
  }

  /** Another can be elected at once. Idempotent. */
  @Override
  public void close() {
    closed = true;
    member.wakeup();
    try {
      thread.join(CLOSE_MAX.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
