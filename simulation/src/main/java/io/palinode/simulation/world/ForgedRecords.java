package io.palinode.simulation.world;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.simulation.environment.Dice;
import io.palinode.wire.ControlRecordCheck;
import io.palinode.wire.RecordReader;
import io.palinode.wire.RefusedRecords;
import io.palinode.wire.signing.DecisionCheck;
import io.palinode.wire.signing.DecisionKeys;
import io.palinode.wire.signing.DecisionSigner;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.NodeJoined;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.SafePoint;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.TimestampType;

/**
 * What a program with the rights of a node appends to the control log: decisions without the
 * signature of an orchestrator, and absurd records of nodes. Production code decides whether a
 * reader refuses such a record.
 */
final class ForgedRecords {
  private static final int PERCENT = 4;
  private static final String TOPIC = "control";

  /**
   * Made once, since it takes a while. What is refused does not depend on their values; short keys
   * sign sooner.
   */
  private static final class Keys {
    private static final int BITS = 1_024;

    static final KeyPair ORCHESTRATOR = make();
    static final KeyPair STRANGER = make();

    private static KeyPair make() {
      try {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(BITS);
        return generator.generateKeyPair();
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("each JDK has RSA", e);
      }
    }
  }

  private final Dice dice;
  private final RecordReader<ControlRecord> reader;
  private final Set<ControlRecord> all = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<ControlRecord> refused = Collections.newSetFromMap(new IdentityHashMap<>());

  ForgedRecords(Dice dice, int nodes) {
    this.dice = dice;
    DecisionKeys.Key key = new DecisionKeys.Key(Keys.ORCHESTRATOR.getPublic(), Long.MAX_VALUE);
    this.reader =
        new RecordReader<>(
            ControlRecord.parser(),
            ControlRecordCheck::require,
            DecisionCheck.of(new DecisionKeys(List.of(key), 0)),
            nodes,
            new RefusedRecords());
  }

  /** The records that come before the next one of the log; mostly none. */
  List<ControlRecord> next(ControlLogState truth, long offset, long nowMicros) {
    if (!dice.percent(PERCENT)) {
      return List.of();
    }
    ControlRecord forged = forged(truth, nowMicros);
    all.add(forged);
    if (reader.checked(inKafka(forged, offset, nowMicros)) == null) {
      refused.add(forged);
    }
    return List.of(forged);
  }

  boolean has(ControlRecord record) {
    return all.contains(record);
  }

  /** Whether production's readers pass over the record. */
  boolean isRefused(ControlRecord record) {
    return refused.contains(record);
  }

  private ControlRecord forged(ControlLogState truth, long nowMicros) {
    ControlRecord.Builder record =
        ControlRecord.newBuilder().setEpoch(truth.epoch()).setAtMicros(nowMicros);
    return switch (dice.below(5)) {
      case 0 ->
          record
              .setEpoch(truth.epoch() + 1)
              .setPlanOpened(
                  PlanOpened.newBuilder()
                      .setTarget(Hlc.ofMicros(nowMicros - 200_000))
                      .setRequest("forged"))
              .build();
      case 1 ->
          record
              .setEpoch(truth.epoch() + 1)
              .setResume(Resume.newBuilder().setTarget(Hlc.ofMicros(nowMicros)))
              .build();
      case 2 ->
          record
              .setEpoch(truth.epoch() + 1)
              .setHalted(Halted.newBuilder().setReason("forged"))
              .build();
      case 3 -> record.setSafePoint(SafePoint.newBuilder().setHlc(Hlc.ofMicros(nowMicros))).build();
      default ->
          record
              .setNodeJoined(
                  NodeJoined.newBuilder().setNode(0).setIncarnation(Long.MAX_VALUE).setReach(1))
              .build();
    };
  }

  /** Half of the records have the signature of a key that no orchestrator has. */
  private ConsumerRecord<byte[], byte[]> inKafka(
      ControlRecord forged, long offset, long nowMicros) {
    ProducerRecord<byte[], byte[]> sent = new ProducerRecord<>(TOPIC, forged.toByteArray());
    if (dice.percent(50)) {
      DecisionSigner.of(Keys.STRANGER.getPrivate()).sign(sent);
    }
    return new ConsumerRecord<>(
        TOPIC,
        0,
        offset,
        nowMicros / 1_000,
        TimestampType.CREATE_TIME,
        ConsumerRecord.NULL_SIZE,
        sent.value().length,
        null,
        sent.value(),
        sent.headers(),
        Optional.empty());
  }
}
