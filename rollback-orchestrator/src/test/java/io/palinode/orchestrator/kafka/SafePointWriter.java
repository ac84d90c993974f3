package io.palinode.orchestrator.kafka;

import io.palinode.wire.ControlRecordCheck;
import io.palinode.wire.KafkaSecurity;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.LogTail;
import io.palinode.wire.RecordReader;
import io.palinode.wire.RefusedRecords;
import io.palinode.wire.Topics;
import io.palinode.wire.signing.DecisionSigner;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.SafePoint;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Appends safe points as an orchestrator does, but more of them. */
final class SafePointWriter implements AutoCloseable {
  private static final Duration READ_MAX = Duration.ofSeconds(20);
  private static final int UNREAD_MAX = 100;

  private final KafkaSettings kafka;
  private final Topics topics;
  private final ControlWriter writer;
  private final LogTail tail;
  private final AtomicInteger unread = new AtomicInteger();
  private long last;

  SafePointWriter(KafkaSettings kafka, Topics topics) throws InterruptedException {
    this.kafka = kafka;
    this.topics = topics;
    writer =
        new ControlWriter(
            kafka.newProducer("safe-points"),
            topics.control(),
            record -> record,
            DecisionSigner.of(KafkaSecurity.NONE),
            (record, failure, reason) -> {
              throw new AssertionError(reason);
            });
    RecordReader<ControlRecord> reader =
        new RecordReader<>(
            ControlRecord.parser(), ControlRecordCheck::require, 3, new RefusedRecords());
    tail =
        tail(
            inKafka ->
                reader.read(
                    inKafka,
                    record -> {
                      writer.read(inKafka.key(), record);
                      unread.decrementAndGet();
                    }));
    unread.set(0);
  }

  /** Appends this many safe points after {@code hlc}; returns how many records the log has. */
  int write(long hlc, int count) throws InterruptedException {
    last = Math.max(last, hlc);
    for (int i = 0; i < count; i++) {
      while (unread.get() > UNREAD_MAX) {
        Thread.onSpinWait();
      }
      unread.incrementAndGet();
      last++;
      writer.append(
          ControlRecord.newBuilder()
              .setEpoch(1)
              .setAtMicros(SystemMicros.CLOCK.getAsLong())
              .setSafePoint(SafePoint.newBuilder().setHlc(last))
              .build());
    }
    AtomicInteger all = new AtomicInteger();
    tail(record -> all.incrementAndGet()).close();
    return all.get();
  }

  /** The last safe point. */
  long last() {
    return last;
  }

  private LogTail tail(LogTail.Listener listener) throws InterruptedException {
    LogTail made =
        new LogTail(
            "safe-points",
            kafka,
            LogTail.Source.partition(topics.control(), 0, LogTail.From.BEGINNING),
            listener);
    made.start();
    if (!made.awaitCaughtUp(READ_MAX)) {
      throw new AssertionError("not read in time", made.failure());
    }
    return made;
  }

  @Override
  public void close() {
    tail.close();
    writer.close();
  }
}
