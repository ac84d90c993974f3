package io.palinode.wire.signing;

import io.palinode.wire.KafkaSecurity;
import io.palinode.wire.RecordReader;
import io.palinode.wire.v1.ControlRecord;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Whether a decision of the control log comes from an orchestrator, and for the first time. One
 * check reads one log from its beginning. Not thread-safe. About 0.05 ms for each decision.
 *
 * <p>Acknowledgements and reports of nodes need no signature.
 */
public final class DecisionCheck implements RecordReader.Origin<ControlRecord> {
  private final DecisionKeys keys;

  /** One entry for each run of an orchestrator; only orchestrators can add one. */
  private final Map<UUID, Long> sequences = new HashMap<>();

  private DecisionCheck(DecisionKeys keys) {
    this.keys = keys;
  }

  /**
   * With the keys that the settings name. Throws {@link IllegalArgumentException} if they cannot be
   * read.
   */
  public static DecisionCheck of(KafkaSecurity security) {
    return of(DecisionKeys.of(security));
  }

  public static DecisionCheck of(DecisionKeys keys) {
    return new DecisionCheck(keys);
  }

  /** Throws {@link IllegalArgumentException} if the record is a decision without a signature. */
  @Override
  public void require(ConsumerRecord<byte[], byte[]> inKafka, ControlRecord record) {
    if (inKafka.offset() < keys.unsignedUntil() || !isDecision(record)) {
      return;
    }
    Header header = inKafka.headers().lastHeader(SignedBytes.HEADER);
    if (header == null) {
      throw new IllegalArgumentException(
          "a decision must be signed by an orchestrator: " + record.getStepCase());
    }
    SignedBytes signed = SignedBytes.of(header.value());
    byte[] bytes =
        SignedBytes.toSign(
            signed.writer(), signed.sequence(), inKafka.topic(), inKafka.key(), inKafka.value());
    boolean isKnown =
        keys.keys().stream()
            .filter(each -> inKafka.offset() < each.until())
            .anyMatch(each -> isSigned(each.key(), bytes, signed.signature()));
    if (!isKnown) {
      throw new IllegalArgumentException(
          "the signature of a decision must be of an orchestrator: " + record.getStepCase());
    }
    long last = sequences.getOrDefault(signed.writer(), 0L);
    if (signed.sequence() <= last) {
      throw new IllegalArgumentException(
          "a decision must be new: sequence %d, after %d".formatted(signed.sequence(), last));
    }
    sequences.put(signed.writer(), signed.sequence());
  }

  static boolean isSigned(PublicKey key, byte[] bytes, byte[] signature) {
    try {
      Signature check = Signature.getInstance(DecisionKeys.SIGNATURE);
      check.initVerify(key);
      check.update(bytes);
      return check.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /** Whether only an orchestrator writes such a record. */
  static boolean isDecision(ControlRecord record) {
    return switch (record.getStepCase()) {
      case PLAN_OPENED,
          PAUSE,
          RESTORE,
          CONVERGE,
          RESUME,
          HALTED,
          SAFE_POINT,
          RETRY,
          ABANDON,
          CANCEL,
          GATE,
          COVERAGE ->
          true;
      case PAUSED,
          RESTORED,
          CONTRIBUTION,
          CONVERGED,
          NODE_JOINED,
          WATCHING,
          NAMED,
          ACCESSED,
          NODE_REPORT,
          DUTY_FAILED,
          SERVING,
          STEP_NOT_SET ->
          false;
      case SNAPSHOT -> !record.getSnapshot().hasProgress() && !record.getSnapshot().hasTaken();
      case EFFECT -> record.getEffect().hasAsked();
    };
  }
}
