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
 * Elects one active orchestrator: the one to which Kafka assigns the control log's only partition.
 * Thread-safe. After six seconds without a heartbeat, Kafka elects another.
 *
 * <p>An elected orchestrator that loses Kafka cannot know whether another is elected. It keeps its
 * role and joins again when Kafka answers. It is then elected again, or another one is and this
 * election ends. Its appends until then are late, and count by their place in the log.
 */
public final class Election implements AutoCloseable {
  /** The least value that brokers accept by default. */
  private static final Duration SILENCE_MAX = Duration.ofSeconds(6);

  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);
  private static final Logger log = LoggerFactory.getLogger(Election.class);

  private final Consumer<byte[], byte[]> member;
  private final CountDownLatch elected = new CountDownLatch(1);
  private final Thread thread;

  /** Set while it is elected but has lost Kafka. Only for the election's thread. */
  private boolean inDoubt;

  private volatile @Nullable String ending;
  private volatile boolean closed;

  private Election(KafkaSettings kafka, Topics topics) {
    String group = topics.election();
    this.member = kafka.newMember(group + "-election", group, SILENCE_MAX);
    this.thread = new Thread(() -> takePart(topics.control()), group + "-election");
    thread.setDaemon(true);
  }

  /** Joins the election, until it is closed. */
  public static Election join(KafkaSettings kafka, Topics topics) {
    Election election = new Election(kafka, topics);
    election.thread.start();
    return election;
  }

  /** Waits at most {@code max}; returns whether this orchestrator is, or was, elected. */
  public boolean await(Duration max) throws InterruptedException {
    return elected.await(max.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Whether another one is elected instead, or this one can no longer take part. */
  public boolean isOver() {
    return ending != null;
  }

  /** Why the election is over; null: it is not. */
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
      over("the election has failed: " + e.getMessage());
    } finally {
      // The log holds an error of the virtual machine.
      over("the election has ended");
    }
  }

  /** Reads no records: the elected orchestrator reads the whole log separately. */
  private void poll() {
    try {
      var unused = member.poll(POLL);
    } catch (RetriableException e) {
      log.warn("election=WAITS {}", e.getMessage());
    }
  }

  /** Ends the election; the first reason counts. */
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

    /** Kafka assigns the partition to another member, or this one leaves. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      if (!partitions.isEmpty()) {
        over(closed ? "the election is closed" : "another one has taken over");
      }
    }

    /** Kafka has missed heartbeats of this member, perhaps because Kafka was down. */
    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
      if (!partitions.isEmpty() && wasElected()) {
        inDoubt = true;
        log.warn("election=IN_DOUBT Kafka did not answer for too long; taking part again");
      }
    }
  }

  /** Leaves, so that another can be elected at once. Idempotent. */
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
