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
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Of several orchestrators one is active: the one to which Kafka assigns the control log's only
 * partition. When Kafka has no heartbeat of it for six seconds, another is elected.
 *
 * <p>An elected one that loses Kafka does not know whether another is elected meanwhile. It keeps
 * its place and takes part again when Kafka answers: then it is elected again, or another one is,
 * and this election is over. What it appends until then is late, and counts by its place in the
 * log. Thread-safe.
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

  /** It was elected, lost Kafka, and does not know yet whether another one is. Of its thread. */
  private boolean inDoubt;

  private volatile @Nullable String ending;
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

  /** Whether another one is elected in its place, or it cannot take part any more. */
  public boolean isOver() {
    return ending != null;
  }

  /** Why it is over, in a few words; null: it is not. */
  public @Nullable String ending() {
    return ending;
  }

  private void takePart(String controlLog) {
    try (member) {
      member.subscribe(List.of(controlLog), new Assigned());
      while (!closed) {
        poll();
        member.pause(member.assignment());
      }
      over("the election is closed");
    } catch (WakeupException closing) {
      over("the election is closed");
    } catch (KafkaException e) {
      log.error("topic={} election=FAILED", controlLog, e);
      over("the election cannot go on: " + e.getMessage());
    } finally {
      // An error of the virtual machine says more in the log.
      over("the election has ended");
    }
  }

  /** Never any records: the one that is elected reads the whole log by itself. */
  private void poll() {
    try {
      var unused = member.poll(POLL);
    } catch (RetriableException e) {
      log.warn("election=WAITS {}", e.getMessage());
    }
  }

  /** The first reason is the one. */
  private void over(String reason) {
    if (ending == null) {
      ending = reason;
    }
  }

  private boolean wasElected() {
    return elected.getCount() == 0;
  }

  private final class Assigned implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      if (partitions.isEmpty() && inDoubt) {
        log.warn("election=LOST another orchestrator was elected while Kafka was away");
        over("another one has taken over");
      } else if (!partitions.isEmpty()) {
        member.pause(partitions);
        if (inDoubt) {
          log.warn("election=ELECTED again");
        }
        inDoubt = false;
        elected.countDown();
      }
    }

    /** Kafka hands the partition to another one, or this one leaves. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      if (!partitions.isEmpty()) {
        over(closed ? "the election is closed" : "another one has taken over");
      }
    }

    /** Kafka has not heard this one in time; perhaps because it was away itself. */
    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
      if (!partitions.isEmpty() && wasElected()) {
        inDoubt = true;
        log.warn("election=IN_DOUBT Kafka did not answer for too long; taking part again");
      }
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
