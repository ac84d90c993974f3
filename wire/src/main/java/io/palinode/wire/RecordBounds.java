package io.palinode.wire;

import io.palinode.hvc.Hlc;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Bounds of the numbers in a record, from its place in its log. Pure.
 *
 * <p>The place is the same for every reader and at every replay; a reader's clock is not. Two
 * readers of the control log therefore refuse the same records (ADR 0024).
 *
 * <ul>
 *   <li>A time is at most {@link #AHEAD_MAX_MS} after the record's Kafka timestamp. That is 120
 *       times {@code max-drift}.
 *   <li>A time in a step of a plan is at most {@link #STEP_AHEAD_MAX_MS} after it: a later record
 *       replaces a refused safe point, and none replaces a refused step.
 *   <li>A number that grows by one with each record of its topic (version, epoch, snapshot) is at
 *       most the record's offset + 1 + {@link #SLACK}. The slack allows for topics that were copied
 *       or made again. The next number thus always has room.
 * </ul>
 *
 * <p>Every method throws {@link IllegalArgumentException} that names the field, the value and the
 * limit.
 *
 * @param nodes of the cluster
 * @param timestampMs of the Kafka record; -1: none, which bounds times to 1970
 */
public record RecordBounds(int nodes, long offset, long timestampMs) {
  public static final long AHEAD_MAX_MS = 60_000;
  public static final long STEP_AHEAD_MAX_MS = TimeUnit.DAYS.toMillis(1);
  public static final long SLACK = 1_000_000;

  /** What is planned for later, such as the end of a budget's period. */
  static final long PLANNED_MAX_MS = TimeUnit.DAYS.toMillis(400);

  private static final long MS_MAX = Hlc.MICROS_MAX / 1_000 - PLANNED_MAX_MS;

  public RecordBounds {
    timestampMs = Math.max(0, Math.min(MS_MAX, timestampMs));
  }

  public static RecordBounds of(
      org.apache.kafka.clients.consumer.ConsumerRecord<?, ?> record, int nodes) {
    return new RecordBounds(nodes, record.offset(), record.timestamp());
  }

  /** An id of a node. */
  public void node(String field, int node) {
    range(field, node, nodes - 1L);
  }

  /** An HLC that some node's clock had reached. */
  public void hlc(String field, long hlc) {
    range(field, hlc, aheadMax(AHEAD_MAX_MS));
  }

  /** An HLC in a step of a plan that some node's clock had reached. */
  public void stepHlc(String field, long hlc) {
    range(field, hlc, aheadMax(STEP_AHEAD_MAX_MS));
  }

  /** An HLC that may be planned. */
  public void plannedHlc(String field, long hlc) {
    range(field, hlc, aheadMax(PLANNED_MAX_MS));
  }

  /** Microseconds of a wall clock that has been read. */
  public void micros(String field, long micros) {
    range(field, micros, (timestampMs + STEP_AHEAD_MAX_MS) * 1_000);
  }

  /** Microseconds of a wall clock, perhaps in the future. */
  public void plannedMicros(String field, long micros) {
    range(field, micros, (timestampMs + PLANNED_MAX_MS) * 1_000);
  }

  /** A duration in microseconds. */
  public void lasting(String field, long micros) {
    range(field, micros, PLANNED_MAX_MS * 1_000);
  }

  /** Grows by at most one with each record of the topic. */
  public void number(String field, long number) {
    range(field, number, offset + 1 + SLACK);
  }

  /** {@code value} is an unsigned number of protobuf, which Java reads as a signed one. */
  public static void range(String field, long value, long max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(
          "%s must be in [0, %d]: %s".formatted(field, max, Long.toUnsignedString(value)));
    }
  }

  public static void count(String field, int count, int max) {
    range("the count of " + field, count, max);
  }

  /** A text that has at least one character. */
  public static void text(String field, @Nullable String text, int charsMax) {
    if (text == null || text.isEmpty() || text.length() > charsMax) {
      throw new IllegalArgumentException(
          "%s must have 1 to %d characters: %d"
              .formatted(field, charsMax, text == null ? 0 : text.length()));
    }
  }

  private long aheadMax(long ms) {
    return Hlc.of((timestampMs + ms) * 1_000, Hlc.COUNTER_MAX);
  }
}
