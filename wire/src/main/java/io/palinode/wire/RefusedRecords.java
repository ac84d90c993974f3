package io.palinode.wire;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records that a reader passed over: their counts, and the latest of them. Thread-safe.
 *
 * <p>A record stays in Kafka, so its topic, partition and offset are kept here, not its bytes. The
 * log has the first record of each topic and reason, then one line a minute with the count.
 */
public final class RefusedRecords {
  /** The latest that are kept. */
  public static final int KEPT_MAX = 100;

  private static final int TOPICS_MAX = 16;
  private static final int WHY_CHARS_MAX = 300;
  private static final long LOG_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final Logger log = LoggerFactory.getLogger(RefusedRecords.class);

  private final LongSupplier nanos;
  private final Map<String, EnumMap<Reason, Count>> counts = new ConcurrentHashMap<>();
  private final Deque<Refused> latest = new ArrayDeque<>();

  public RefusedRecords() {
    this(System::nanoTime);
  }

  RefusedRecords(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Why a record is passed over. */
  public enum Reason {
    /** It has no value. */
    EMPTY,
    /** It is no message of this topic. */
    UNREADABLE,
    /** It lacks the signature of its writer, or repeats a signed record. */
    UNSIGNED,
    /** A field is outside its bounds. */
    ABSURD,
    /** The reader threw; its state is as before the record. */
    FAILED;

    /** As a label of metrics. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** One record that was passed over. */
  public record Refused(String topic, int partition, long offset, Reason reason, String why) {}

  private static final class Count {
    private long total;
    private long logged;
    private long loggedAt;
  }

  /** Counts the record, keeps it aside, and logs it if its kind was not logged for a minute. */
  public void refuse(ConsumerRecord<?, ?> record, Reason reason, Throwable why) {
    refuse(
        new Refused(record.topic(), record.partition(), record.offset(), reason, text(why)), why);
  }

  /** Refuses a record that is not at hand. */
  public void refuse(TopicPartition of, long offset, Reason reason, Throwable why) {
    refuse(new Refused(of.topic(), of.partition(), offset, reason, text(why)), why);
  }

  /** Refuses a record of unknown offset, whose listener threw later. */
  public void refuse(String topic, RuntimeException why) {
    refuse(new Refused(topic, 0, -1, Reason.FAILED, text(why)), why);
  }

  private void refuse(Refused refused, Throwable why) {
    long more = add(refused);
    if (more == 0) {
      return;
    }
    String line = "topic={} partition={} offset={} state=REFUSED reason={} count={} why={}";
    Object[] values = {
      refused.topic(),
      refused.partition(),
      refused.offset(),
      refused.reason().label(),
      more,
      refused.why()
    };
    if (refused.reason() == Reason.FAILED) {
      log.error(line, append(values, why));
    } else {
      log.error(line, values);
    }
  }

  /** The number of records to log now, this one included; 0: not yet. */
  private synchronized long add(Refused refused) {
    latest.addLast(refused);
    if (latest.size() > KEPT_MAX) {
      latest.removeFirst();
    }
    String topic =
        counts.containsKey(refused.topic()) || counts.size() < TOPICS_MAX
            ? refused.topic()
            : "other";
    Count count =
        counts
            .computeIfAbsent(topic, t -> new EnumMap<>(Reason.class))
            .computeIfAbsent(refused.reason(), r -> new Count());
    long now = nanos.getAsLong();
    count.total++;
    if (count.logged > 0 && now - count.loggedAt < LOG_EVERY_NANOS) {
      return 0;
    }
    long more = count.total - count.logged;
    count.logged = count.total;
    count.loggedAt = now;
    return more;
  }

  public synchronized long count(String topic, Reason reason) {
    EnumMap<Reason, Count> ofTopic = counts.get(topic);
    Count count = ofTopic == null ? null : ofTopic.get(reason);
    return count == null ? 0 : count.total;
  }

  /** Of all topics and reasons. */
  public synchronized long total() {
    return counts.values().stream()
        .flatMap(ofTopic -> ofTopic.values().stream())
        .mapToLong(count -> count.total)
        .sum();
  }

  /** At most {@link #KEPT_MAX}, the latest first. */
  public synchronized List<Refused> latest() {
    List<Refused> reversed = new ArrayList<>(latest);
    Collections.reverse(reversed);
    return List.copyOf(reversed);
  }

  private static String text(Throwable why) {
    String message = String.valueOf(why.getMessage()).replaceAll("\\s+", " ");
    return message.length() <= WHY_CHARS_MAX ? message : message.substring(0, WHY_CHARS_MAX) + "…";
  }

  private static Object[] append(Object[] values, Throwable why) {
    Object[] longer = Arrays.copyOf(values, values.length + 1);
    longer[values.length] = why;
    return longer;
  }
}
