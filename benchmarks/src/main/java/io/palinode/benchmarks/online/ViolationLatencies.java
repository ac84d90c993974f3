package io.palinode.benchmarks.online;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.hvc.Hlc;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.LogTail;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * How long after the write that completes a violation a listener receives it, for each violation.
 * The write's time is the violation's {@code violate}, by its node's clock, so nodes and listener
 * must share one. Thread-safe.
 */
public final class ViolationLatencies implements AutoCloseable {
  private static final Duration JUDGED_MAX = Duration.ofSeconds(60);

  private final LongSupplier epochMicros;
  private final LogTail tail;
  private final Set<String> known = new HashSet<>();
  private List<Double> millis = new ArrayList<>();
  private long coverageLost;
  private long judged = Long.MIN_VALUE;

  /**
   * Listens from now on to the violations of {@code topic}.
   *
   * @param epochMicros the nodes' physical clock
   */
  public ViolationLatencies(KafkaSettings kafka, String topic, LongSupplier epochMicros) {
    this.epochMicros = epochMicros;
    this.tail =
        new LogTail(
            "bench-latencies",
            kafka,
            LogTail.Source.partition(topic, 0, LogTail.From.BEGINNING),
            this::received);
    tail.start();
  }

  /**
   * Waits until everything written until now is judged, and returns the latencies in milliseconds
   * since the last call, in the order of arrival.
   */
  public List<Double> take() throws InterruptedException {
    long now = Hlc.ofMicros(epochMicros.getAsLong());
    if (!Await.until(() -> isJudged(now), JUDGED_MAX)) {
      throw new IllegalStateException(
          "the detection job has not judged in " + JUDGED_MAX, tail.failure());
    }
    synchronized (this) {
      List<Double> taken = millis;
      millis = new ArrayList<>();
      return taken;
    }
  }

  /** Gaps since the start; with none, no violation was missed. */
  public synchronized long coverageLost() {
    return coverageLost;
  }

  private synchronized boolean isJudged(long hlc) {
    return judged >= hlc;
  }

  private void received(ConsumerRecord<byte[], byte[]> record) {
    long now = epochMicros.getAsLong();
    try {
      received(ViolationRecord.parseFrom(record.value()), now);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a violation record must be protobuf", e);
    }
  }

  /** A repeated id is a grade that rose: the violation has arrived before. */
  private synchronized void received(ViolationRecord record, long nowMicros) {
    if (record.hasViolation()) {
      Violation violation = record.getViolation();
      if (known.add(violation.getId())) {
        millis.add(Math.max(0, nowMicros - Hlc.micros(violation.getViolate())) / 1e3);
      }
    } else if (record.hasCoverageLost()) {
      coverageLost++;
    } else if (record.hasJudged()) {
      judged = Math.max(judged, record.getJudged().getHlc());
    }
  }

  @Override
  public void close() {
    tail.close();
  }
}
