package io.palinode.orchestrator.kafka;

import com.google.protobuf.Parser;
import io.palinode.orchestrator.Event;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.wire.ControlRecordCheck;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.LogTail;
import io.palinode.wire.RecordChecks;
import io.palinode.wire.RecordReader;
import io.palinode.wire.RefusedRecords;
import io.palinode.wire.Topics;
import io.palinode.wire.signing.DecisionCheck;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.PredicateRecord;
import io.palinode.wire.v1.ViolationRecord;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Reads the three logs from the beginning, and then follows them. Predicates come first, so that
 * each violation finds its policy. The control log comes next, then the violations that the topic
 * retains. The machine acts after it has read all.
 */
final class Logs implements AutoCloseable {
  private static final long MICROS_PER_MS = 1_000;

  private final Topics topics;
  private final RollbackLoop loop;
  private final ControlRecords others;
  private final PredicateRegistry registry;
  private final RefusedRecords refused;
  private final LongSupplier wallMicros;
  private final Consumer<RuntimeException> onFailure;
  private final JobRecords jobRecords;
  private final LogTail predicates;
  private final LogTail control;
  private final LogTail violations;

  /**
   * {@code others} read each record of the control log before the machine does. {@code onFailure}
   * receives the failure of a log. {@code jobRecords} receives every record of the job first.
   */
  Logs(
      KafkaSettings kafka,
      Topics topics,
      RollbackLoop loop,
      ControlRecords others,
      Runnable onControlCaughtUp,
      PredicateRegistry registry,
      RefusedRecords refused,
      LongSupplier wallMicros,
      Consumer<RuntimeException> onFailure,
      JobRecords jobRecords) {
    this.topics = topics;
    this.loop = loop;
    this.others = others;
    this.registry = registry;
    this.refused = refused;
    this.wallMicros = wallMicros;
    this.onFailure = onFailure;
    this.jobRecords = jobRecords;
    predicates =
        tail(
            kafka,
            topics.predicates(),
            reader(PredicateRecord.parser(), RecordChecks::predicate, (inKafka, record) -> {}),
            this::predicate,
            this::predicatesCaughtUp);
    control =
        tail(
            kafka,
            topics.control(),
            reader(
                ControlRecord.parser(),
                ControlRecordCheck::require,
                DecisionCheck.of(kafka.security())),
            this::control,
            onControlCaughtUp);
    violations =
        tail(
            kafka,
            topics.violations(),
            reader(ViolationRecord.parser(), RecordChecks::violation, (inKafka, record) -> {}),
            this::violation,
            this::violationsCaughtUp);
  }

  /** Receives each record of the violations topic, which the job wrote at {@code writtenMicros}. */
  interface JobRecords {
    void read(ViolationRecord record, long writtenMicros);
  }

  /** Receives each record of the control topic, with its Kafka key. */
  interface ControlRecords {
    void read(byte @Nullable [] key, ControlRecord record);
  }

  /** Takes one record of Kafka, received at this time. */
  private interface Taker<M> {
    void take(M record, ConsumerRecord<byte[], byte[]> inKafka, long atMicros);
  }

  private <M> RecordReader<M> reader(
      Parser<M> parser, RecordReader.Check<M> check, RecordReader.Origin<M> origin) {
    return new RecordReader<>(parser, check, origin, loop.state().settings().nodes(), refused);
  }

  /** Returns when the machine acts. Throws {@link UnavailableException} after the limit. */
  void replay(Duration max) throws InterruptedException {
    for (LogTail tail : List.of(predicates, control, violations)) {
      tail.start();
      if (!tail.awaitCaughtUp(max)) {
        RuntimeException failure = tail.failure();
        throw new UnavailableException(
            "the logs could not be replayed"
                + (failure == null ? " within " + max : ": " + failure.getMessage()),
            failure);
      }
    }
    if (!loop.awaitLive(max)) {
      throw new UnavailableException("the machine did not read the replayed records within " + max);
    }
  }

  /** By topic, the records in Kafka that have not been read, as of the latest poll. */
  Map<String, LongSupplier> lags() {
    return Map.of(
        topics.predicates(),
        predicates::lag,
        topics.control(),
        control::lag,
        topics.violations(),
        violations::lag);
  }

  @Override
  public void close() {
    predicates.close();
    control.close();
    violations.close();
  }

  private void predicate(
      PredicateRecord record, ConsumerRecord<byte[], byte[]> inKafka, long atMicros) {
    Policy policy = registry.read(record);
    if (policy != null && predicates.isCaughtUp()) {
      loop.put(new Event.PolicyChanged(policy, atMicros));
    }
  }

  private void predicatesCaughtUp() {
    loop.put(new Event.PoliciesKnown(registry.policies(), wallMicros.getAsLong()));
  }

  private void control(
      ControlRecord record, ConsumerRecord<byte[], byte[]> inKafka, long atMicros) {
    others.read(inKafka.key(), record);
    loop.put(new Event.ControlRead(record, atMicros));
  }

  private void violation(
      ViolationRecord record, ConsumerRecord<byte[], byte[]> inKafka, long atMicros) {
    jobRecords.read(record, inKafka.timestamp() * MICROS_PER_MS);
    @Nullable Event event =
        switch (record.getRecordCase()) {
          case VIOLATION -> new Event.ViolationFound(record.getViolation(), atMicros);
          case JUDGED -> new Event.Judged(record.getJudged().getHlc(), atMicros);
          case COVERAGE_LOST -> new Event.CoverageLost(record.getCoverageLost(), atMicros);
          case PHANTOM ->
              new Event.PhantomFound(
                  record.getPhantom().getId(), record.getPhantom().getPredicate(), atMicros);
          case ENDED ->
              new Event.ViolationEnded(
                  record.getEnded().getId(), record.getEnded().getHlc(), atMicros);
          case DETECTING, RECORD_NOT_SET -> null;
        };
    if (event != null) {
      loop.put(event);
    }
  }

  private void violationsCaughtUp() {
    loop.put(new Event.CaughtUp(wallMicros.getAsLong()));
  }

  private <M> LogTail tail(
      KafkaSettings kafka,
      String topic,
      RecordReader<M> reader,
      Taker<M> taker,
      Runnable onCaughtUp) {
    return new LogTail(
        "palinode-orchestrator-" + topic,
        kafka,
        LogTail.Source.partition(topic, 0, LogTail.From.BEGINNING),
        new LogTail.Listener() {
          @Override
          public void onRecord(ConsumerRecord<byte[], byte[]> record) {
            // Before all else: detection latency ends here.
            long atMicros = wallMicros.getAsLong();
            reader.read(record, message -> taker.take(message, record, atMicros));
          }

          @Override
          public void onUnreadable(TopicPartition partition, long offset, KafkaException why) {
            reader.refuseUnreadable(partition, offset, why);
          }

          @Override
          public void onCaughtUp() {
            onCaughtUp.run();
          }

          @Override
          public void onFailure(RuntimeException failure) {
            Logs.this.onFailure.accept(failure);
          }
        });
  }
}
