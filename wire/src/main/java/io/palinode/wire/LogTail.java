package io.palinode.wire;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a topic in its own thread, and notifies its listener once it has passed on all records
 * that were there at the start. No consumer group: each tail reads its whole source, from the
 * beginning or from the end.
 *
 * <p>The listener is called in the tail's thread only, in the order of each partition. The tail
 * ends when it is closed, or when the listener or Kafka throws; {@link #failure} then has the
 * reason. It waits for a broker that does not answer, and 30 s for a topic that the broker does not
 * have. If the broker no longer has records that the tail has handed over, the tail ends: another
 * history would begin in the same listener. Records that were deleted before the tail read them are
 * skipped, and so are those of a batch that is as it was sent, but not readable.
 */
public final class LogTail implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LogTail.class);

  /** The wait of one poll; a record or a close ends it. */
  private static final Duration POLL = Duration.ofMillis(500);

  private static final long CHECK_MILLIS = 100;
  private static final long TOPIC_POLL_MILLIS = 10;
  private static final Duration TOPIC_WAIT_MAX = Duration.ofSeconds(30);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(5);

  /** Kafka's exception names the partition in its text only. */
  private static final String UNREADABLE = "Received exception when fetching the next record from ";

  private static final Duration CONSUMER_CLOSE_MAX = Duration.ofSeconds(1);

  private final Source source;
  private final Listener listener;
  private final Thread thread;
  private final Supplier<Consumer<byte[], byte[]>> consumers;
  private final CountDownLatch caughtUp = new CountDownLatch(1);
  private volatile boolean closed;
  private volatile @Nullable Consumer<byte[], byte[]> consumer;
  private volatile @Nullable RuntimeException failure;
  private volatile long lag;

  /** {@code name} names the thread and the Kafka client. */
  public LogTail(String name, KafkaSettings settings, Source source, Listener listener) {
    this(name, () -> settings.newTailConsumer(name), source, listener);
  }

  LogTail(
      String name, Supplier<Consumer<byte[], byte[]>> consumers, Source source, Listener listener) {
    this.source = source;
    this.listener = listener;
    this.consumers = consumers;
    this.thread = new Thread(this::run, name);
    this.thread.setDaemon(true);
  }

  /** Where a tail starts. */
  public enum From {
    BEGINNING,
    END
  }

  /**
   * What a tail follows: one partition of a topic, or all of them when {@code partition} is null.
   */
  public record Source(String topic, @Nullable Integer partition, From from) {
    public static Source all(String topic, From from) {
      return new Source(topic, null, from);
    }

    public static Source partition(String topic, int partition, From from) {
      return new Source(topic, partition, from);
    }
  }

  /** Receives the records of a tail, in the tail's thread. */
  public interface Listener {
    void onRecord(ConsumerRecord<byte[], byte[]> record);

    /**
     * Once: every record that was in the log when the tail started has been handed over (from the
     * end: none had to be).
     */
    default void onCaughtUp() {}

    /** After the records of each poll, also when there were none: at least twice a second. */
    default void onPolled() {}

    /** The tail skips a record of a batch that no consumer can read. */
    default void onUnreadable(TopicPartition partition, long offset, KafkaException why) {}

    /** The tail has ended by an error and will hand over nothing more. */
    default void onFailure(RuntimeException failure) {}
  }

  /** Returns at once. A tail starts once. */
  public void start() {
    thread.start();
  }

  /** Whether everything that was in the log at the start has been handed over. */
  public boolean isCaughtUp() {
    return caughtUp.getCount() == 0;
  }

  /**
   * Whether it caught up in time; false also when the tail ended before. Never from the listener.
   */
  public boolean awaitCaughtUp(Duration timeout) throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (!isCaughtUp() && System.nanoTime() - deadline < 0) {
      if (caughtUp.await(CHECK_MILLIS, TimeUnit.MILLISECONDS) || !thread.isAlive()) {
        break;
      }
    }
    return isCaughtUp();
  }

  /** Records in Kafka that have not been handed over, as of the latest poll. */
  public long lag() {
    return lag;
  }

  /** Whether it follows its topic; an error of the virtual machine may end it without a failure. */
  public boolean isRunning() {
    return thread.isAlive() && failure == null;
  }

  /** Why the tail has ended; null while it runs and after an orderly close. */
  public @Nullable RuntimeException failure() {
    return failure;
  }

  /**
   * Ends the tail: no call of the listener begins after this returns, unless the listener itself
   * blocks longer than 5 s. May be called from the listener, from any thread, and twice.
   */
  @Override
  public void close() {
    closed = true;
    Consumer<byte[], byte[]> current = consumer;
    if (current != null) {
      current.wakeup();
    }
    if (Thread.currentThread() == thread || !thread.isAlive()) {
      return;
    }
    try {
      thread.join(CLOSE_MAX.toMillis());
      thread.interrupt();
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    Consumer<byte[], byte[]> mine = null;
    try {
      mine = consumers.get();
      consumer = mine;
      if (!closed) {
        follow(mine);
      }
    } catch (WakeupException | InterruptException e) {
      endUnlessClosed(e);
    } catch (RuntimeException e) {
      // The one catch-all: any exception of the listener or Kafka ends this thread.
      end(e);
    } catch (Error e) {
      end(new IllegalStateException("the tail ran into " + e, e));
      throw e;
    } finally {
      consumer = null;
      if (mine != null) {
        closeQuietly(mine);
      }
    }
  }

  private void follow(Consumer<byte[], byte[]> from) {
    List<TopicPartition> partitions = awaitPartitions(from);
    from.assign(partitions);
    Map<TopicPartition, Long> ends = new HashMap<>(answer(() -> from.endOffsets(partitions)));
    if (source.from() == From.BEGINNING) {
      from.seekToBeginning(partitions);
    } else {
      // Not seekToEnd, which is lazy: a record written right after the start would be skipped.
      ends.forEach(from::seek);
    }
    while (!closed) {
      noteCaughtUp(from, ends);
      for (ConsumerRecord<byte[], byte[]> record : poll(from)) {
        if (closed) {
          return;
        }
        listener.onRecord(record);
      }
      lag = partitions.stream().mapToLong(each -> from.currentLag(each).orElse(0)).sum();
      listener.onPolled();
    }
  }

  /** A wake-up while the tail is not closed is a stray one: it polls again. */
  private Iterable<ConsumerRecord<byte[], byte[]>> poll(Consumer<byte[], byte[]> from) {
    try {
      return from.poll(POLL);
    } catch (WakeupException stray) {
      return List.of();
    } catch (OffsetOutOfRangeException e) {
      e.offsetOutOfRangePartitions().forEach((partition, at) -> skipDeleted(from, partition, at));
      return List.of();
    } catch (KafkaException e) {
      skipUnreadable(from, e);
      return List.of();
    }
  }

  /** The checksum of the batch is right, so its producer wrote it so. Throws all other errors. */
  private void skipUnreadable(Consumer<byte[], byte[]> from, KafkaException e) {
    if (!(e.getCause() instanceof InvalidRecordException)) {
      throw e;
    }
    for (TopicPartition partition : from.assignment()) {
      if (String.valueOf(e.getMessage()).startsWith(UNREADABLE + partition + ".")) {
        long offset = from.position(partition);
        listener.onUnreadable(partition, offset, e);
        from.seek(partition, offset + 1);
        return;
      }
    }
    throw e;
  }

  /** The broker refuses the offset, or has other records before it. */
  private void skipDeleted(Consumer<byte[], byte[]> from, TopicPartition partition, long at) {
    Set<TopicPartition> one = Set.of(partition);
    long beginning = answer(() -> from.beginningOffsets(one)).getOrDefault(partition, 0L);
    if (at >= beginning) {
      long end = answer(() -> from.endOffsets(one)).getOrDefault(partition, 0L);
      throw new KafkaException(
          ("topic %s lost records that were read: the reader is at offset %d of partition %d, and"
                  + " Kafka's log ends at %d; stop all parts, give Kafka the files of its log back"
                  + " if there are any, then start all parts")
              .formatted(partition.topic(), at, partition.partition(), end));
    }
    from.seek(partition, beginning);
  }

  private void noteCaughtUp(Consumer<byte[], byte[]> from, Map<TopicPartition, Long> ends) {
    if (isCaughtUp()) {
      return;
    }
    ends.entrySet().removeIf(end -> answer(() -> from.position(end.getKey())) >= end.getValue());
    if (ends.isEmpty()) {
      listener.onCaughtUp();
      // Last: a waiting thread relies on the listener's actions.
      caughtUp.countDown();
    }
  }

  /** A topic that was created just now may not be known to the broker that answers. */
  private List<TopicPartition> awaitPartitions(Consumer<byte[], byte[]> from) {
    long deadline = System.nanoTime() + TOPIC_WAIT_MAX.toNanos();
    while (true) {
      List<TopicPartition> partitions = partitions(from);
      if (!partitions.isEmpty()) {
        return partitions;
      }
      if (System.nanoTime() - deadline > 0) {
        throw new KafkaException(
            "a tail needs its topic: topic=" + source.topic() + " partition=" + source.partition());
      }
      pause();
    }
  }

  private List<TopicPartition> partitions(Consumer<byte[], byte[]> from) {
    Collection<TopicPartition> known = new ArrayList<>();
    try {
      answer(() -> from.partitionsFor(source.topic()))
          .forEach(info -> known.add(new TopicPartition(source.topic(), info.partition())));
    } catch (UnknownTopicOrPartitionException notYet) {
      return List.of();
    }
    return known.stream()
        .filter(p -> source.partition() == null || source.partition() == p.partition())
        .toList();
  }

  /** Asks again while Kafka does not answer. */
  private <T> T answer(Supplier<T> question) {
    while (true) {
      try {
        return question.get();
      } catch (TimeoutException silent) {
        pause();
      }
    }
  }

  private void pause() {
    try {
      // Not Thread.sleep only: a close while waiting for the topic must end the wait.
      for (int i = 0; i < 10 && !closed; i++) {
        TimeUnit.MILLISECONDS.sleep(TOPIC_POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
    if (closed) {
      throw new WakeupException();
    }
  }

  private void endUnlessClosed(RuntimeException e) {
    if (!closed) {
      end(e);
    }
  }

  private void end(RuntimeException e) {
    failure = e;
    log.error("topic={} phase=ENDED reason={}", source.topic(), e.toString(), e);
    listener.onFailure(e);
  }

  private static void closeQuietly(Consumer<byte[], byte[]> done) {
    // An interrupted thread cannot close a consumer; the flag comes back afterwards.
    boolean interrupted = Thread.interrupted();
    try {
      done.close(CloseOptions.timeout(CONSUMER_CLOSE_MAX));
    } catch (KafkaException ignored) {
      // Nothing is committed and no group is left: there is nothing that closing could lose.
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
