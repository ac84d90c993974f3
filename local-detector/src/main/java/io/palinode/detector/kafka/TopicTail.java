package io.palinode.detector.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that reads a whole topic from its beginning, and goes on with what is added. */
final class TopicTail implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(TopicTail.class);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

  /** Takes what a tail reads, on the tail's thread. */
  interface Reader {
    void read(Iterable<ConsumerRecord<byte[], byte[]>> records);

    /** All that was in the topic when the tail began has been read. Called once. */
    void caughtUp();

    /** After each poll, also an empty one. */
    void polled();
  }

  private final Consumer<byte[], byte[]> consumer;
  private final String topic;
  private final Reader reader;
  private final CompletableFuture<Void> caughtUp = new CompletableFuture<>();
  private final Thread thread;
  private volatile boolean closing;

  /** Takes the consumer over and closes it. */
  TopicTail(Consumer<byte[], byte[]> consumer, String topic, String threadName, Reader reader) {
    this.consumer = consumer;
    this.topic = topic;
    this.reader = reader;
    this.thread = new Thread(this::run, threadName);
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler((ended, reason) -> stopped(reason));
  }

  void start() {
    thread.start();
  }

  /** Completes when the reader has caught up; exceptionally when the tail ended before. */
  CompletableFuture<Void> caughtUp() {
    return caughtUp;
  }

  private void run() {
    try (consumer) {
      tail(assignAll());
    } catch (WakeupException | InterruptException closed) {
      caughtUp.completeExceptionally(closed);
    }
  }

  private void stopped(Throwable reason) {
    log.error("thread={} topic={} state=STOPPED", thread.getName(), topic, reason);
    caughtUp.completeExceptionally(reason);
  }

  /** False when the thread has ended, which it does by itself only after a failure. */
  boolean isRunning() {
    return thread.isAlive();
  }

  private Map<TopicPartition, Long> assignAll() {
    while (true) {
      try {
        List<PartitionInfo> found = consumer.partitionsFor(topic);
        if (found != null && !found.isEmpty()) {
          List<TopicPartition> partitions =
              found.stream().map(p -> new TopicPartition(topic, p.partition())).toList();
          consumer.assign(partitions);
          consumer.seekToBeginning(partitions);
          return consumer.endOffsets(partitions);
        }
      } catch (RetriableException notYet) {
        log.debug("topic={} waiting reason={}", topic, notYet.toString());
      }
      pauseBriefly();
    }
  }

  private void pauseBriefly() {
    if (closing) {
      throw new WakeupException();
    }
    try {
      Thread.sleep(POLL.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptException(e);
    }
  }

  private void tail(Map<TopicPartition, Long> ends) {
    while (!closing) {
      ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
      if (!records.isEmpty()) {
        reader.read(records);
      }
      if (!caughtUp.isDone() && hasReached(ends)) {
        reader.caughtUp();
        caughtUp.complete(null);
      }
      reader.polled();
    }
  }

  private boolean hasReached(Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream().allMatch(e -> consumer.position(e.getKey()) >= e.getValue());
  }

  @Override
  public void close() {
    closing = true;
    consumer.wakeup();
    try {
      thread.join(CLOSE_MAX.toMillis());
      thread.interrupt();
      thread.join(CLOSE_MAX.toMillis());
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
  }
}
