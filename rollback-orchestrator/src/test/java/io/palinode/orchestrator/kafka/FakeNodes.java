package io.palinode.orchestrator.kafka;

import io.palinode.hvc.Hlc;
import io.palinode.wire.ControlKeys;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.LogTail;
import io.palinode.wire.Topics;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.EffectReported;
import io.palinode.wire.v1.EffectStep;
import io.palinode.wire.v1.Ended;
import io.palinode.wire.v1.Judged;
import io.palinode.wire.v1.JudgementReport;
import io.palinode.wire.v1.NodeJoined;
import io.palinode.wire.v1.NodeReport;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Phantom;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Serving;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.ViolationRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Nodes that carry out each step at once, and a monitor that publishes violations on demand. */
final class FakeNodes implements AutoCloseable {
  private final int nodes;
  private final Topics topics;
  private final Producer<byte[], byte[]> producer;
  private final ControlKeys keys = new ControlKeys();
  private final LogTail tail;
  private final List<ControlRecord> control = new CopyOnWriteArrayList<>();
  private volatile boolean obeying = true;
  private volatile boolean announcing;

  FakeNodes(String bootstrapServers, Topics topics, int nodes) {
    this.nodes = nodes;
    this.topics = topics;
    KafkaSettings kafka = KafkaSettings.of(bootstrapServers);
    this.producer = kafka.newProducer("fake-nodes");
    this.tail =
        new LogTail(
            "fake-nodes",
            kafka,
            LogTail.Source.partition(topics.control(), 0, LogTail.From.BEGINNING),
            this::read);
    tail.start();
    for (int node = 0; node < nodes; node++) {
      control(
          record(0).setNodeJoined(NodeJoined.newBuilder().setNode(node).setIncarnation(1)).build());
    }
  }

  /** While they do not obey, no step is answered; what was missed is answered later. */
  void obey(boolean newObeying) {
    List<ControlRecord> missed = newObeying && !obeying ? List.copyOf(control) : List.of();
    obeying = newObeying;
    missed.forEach(this::answer);
  }

  /** From now on they announce that they will acknowledge when they serve. */
  void announceServing() {
    announcing = true;
  }

  void serves(long epoch, int node) {
    control(record(epoch).setServing(Serving.newBuilder().setNode(node)).build());
  }

  List<ControlRecord> control() {
    return new ArrayList<>(control);
  }

  void violation(String id, String predicate, long violateMicros, long epoch) {
    violation(of(id, predicate, violateMicros, epoch).build());
  }

  void violation(Violation violation) {
    send(ViolationRecord.newBuilder().setViolation(violation).build());
  }

  static Violation.Builder of(String id, String predicate, long violateMicros, long epoch) {
    return Violation.newBuilder()
        .setId(id)
        .setPredicate(predicate)
        .setPredicateVersion(1)
        .setEpoch(epoch)
        .setGrade(ViolationGrade.POSSIBLE)
        .setFirst(Hlc.ofMicros(violateMicros - 10))
        .setViolate(Hlc.ofMicros(violateMicros));
  }

  void ended(String id, long micros) {
    send(
        ViolationRecord.newBuilder()
            .setEnded(Ended.newBuilder().setId(id).setHlc(Hlc.ofMicros(micros)))
            .build());
  }

  void phantom(String id, String predicate) {
    send(
        ViolationRecord.newBuilder()
            .setPhantom(Phantom.newBuilder().setId(id).setPredicate(predicate))
            .build());
  }

  void judged(long micros) {
    send(
        ViolationRecord.newBuilder()
            .setJudged(Judged.newBuilder().setHlc(Hlc.ofMicros(micros)))
            .build());
  }

  /** The job's report and node 1's, with an ε each. */
  void epsilons(long nowMicros, String ofJob, long ofNodeMicros) {
    JudgementReport report =
        JudgementReport.newBuilder().setAtMicros(nowMicros).setEpsilon(ofJob).build();
    send(ViolationRecord.newBuilder().setJudged(Judged.newBuilder().setReport(report)).build());
    control(
        ControlRecord.newBuilder()
            .setAtMicros(nowMicros)
            .setNodeReport(
                NodeReport.newBuilder()
                    .setNode(1)
                    .setIncarnation(1)
                    .setMaxDriftMicros(500_000)
                    .setEpsilonMicros(ofNodeMicros))
            .build());
  }

  void coverageLost(long fromMicros) {
    send(
        ViolationRecord.newBuilder()
            .setCoverageLost(
                CoverageLost.newBuilder()
                    .setNode(1)
                    .setFirstSequence(5)
                    .setLastSequence(7)
                    .setFromHlc(Hlc.ofMicros(fromMicros))
                    .setToHlc(Hlc.ofMicros(fromMicros + 1)))
            .build());
  }

  @Override
  public void close() {
    tail.close();
    producer.close();
  }

  private void read(ConsumerRecord<byte[], byte[]> bytes) {
    ControlRecord record;
    try {
      record = ControlRecord.parseFrom(bytes.value());
    } catch (com.google.protobuf.InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
    control.add(record);
    if (obeying) {
      answer(record);
    }
  }

  private void answer(ControlRecord record) {
    for (int node = 0; node < nodes; node++) {
      ControlRecord.Builder answer = record(record.getEpoch());
      switch (record.getStepCase()) {
        case PAUSE ->
            control(
                answer
                    .setPaused(Paused.newBuilder().setNode(node).setAcknowledgesServing(announcing))
                    .build());
        case RESTORE ->
            control(
                answer
                    .setRestored(
                        Restored.newBuilder()
                            .setNode(node)
                            .setAttempt(record.getRestore().getAttempt())
                            .setUndoneWrites(3)
                            .setLast(true))
                    .build());
        case CONVERGE ->
            control(
                answer
                    .setConverged(
                        Converged.newBuilder()
                            .setNode(node)
                            .setAttempt(record.getConverge().getAttempt())
                            .setChangedKeys(2)
                            .setLast(true))
                    .build());
        case EFFECT -> reportEffect(answer, node, record.getEffect());
        default -> {}
      }
    }
  }

  private void reportEffect(ControlRecord.Builder answer, int node, EffectStep step) {
    if (step.hasAsked()) {
      EffectReported reported =
          EffectReported.newBuilder()
              .setRequest(step.getAsked().getRequest())
              .setNode(node)
              .setNow(Hlc.ofMicros(SystemMicros.CLOCK.getAsLong()))
              .build();
      control(answer.setEffect(EffectStep.newBuilder().setReported(reported)).build());
    }
  }

  private void send(ViolationRecord record) {
    send(topics.violations(), null, record.toByteArray());
  }

  private void control(ControlRecord record) {
    send(topics.control(), keys.of(record), record.toByteArray());
  }

  private void send(String topic, byte @Nullable [] key, byte[] value) {
    try {
      producer.send(new ProducerRecord<>(topic, 0, key, value)).get(10, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static ControlRecord.Builder record(long epoch) {
    return ControlRecord.newBuilder().setEpoch(epoch).setAtMicros(SystemMicros.CLOCK.getAsLong());
  }
}
