package io.palinode.wire.signing;

import io.palinode.wire.KafkaSecurity;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.UUID;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Signs the decisions of one run of an orchestrator. Not thread-safe. About 1 ms a decision. */
public final class DecisionSigner {
  private final @Nullable PrivateKey key;
  private final UUID writer = UUID.randomUUID();
  private long sequence;

  private DecisionSigner(@Nullable PrivateKey key) {
    this.key = key;
  }

  /**
   * Signs nothing if the settings name no key. Throws {@link IllegalArgumentException} if they name
   * only one half, or if readers would not accept the key.
   */
  public static DecisionSigner of(KafkaSecurity security) {
    PrivateKey key = DecisionKeys.privateKey(security);
    DecisionKeys accepted = DecisionKeys.of(security);
    if ((key == null) != accepted.keys().isEmpty()) {
      throw new IllegalArgumentException(
          "an orchestrator must have both %s and %s, or neither"
              .formatted(KafkaSecurity.DECISION_KEY, KafkaSecurity.DECISION_KEYS));
    }
    DecisionSigner signer = new DecisionSigner(key);
    if (key != null && !signer.isAccepted(key, accepted)) {
      throw new IllegalArgumentException(
          "the public key of %s must be in %s, without a limit"
              .formatted(security.decisionKey(), security.decisionKeys()));
    }
    return signer;
  }

  /** Whether or not readers accept the key. */
  public static DecisionSigner of(PrivateKey key) {
    return new DecisionSigner(key);
  }

  /** Adds the signature. Records must be appended in the order of these calls. */
  public void sign(ProducerRecord<byte[], byte[]> record) {
    if (key == null) {
      return;
    }
    long next = ++sequence;
    byte[] bytes = SignedBytes.toSign(writer, next, record.topic(), record.key(), record.value());
    record
        .headers()
        .add(SignedBytes.HEADER, new SignedBytes(writer, next, signature(key, bytes)).toBytes());
  }

  private boolean isAccepted(PrivateKey own, DecisionKeys accepted) {
    byte[] probe = {1};
    byte[] signature = signature(own, probe);
    return accepted.keys().stream()
        .filter(each -> each.until() == Long.MAX_VALUE)
        .anyMatch(each -> DecisionCheck.isSigned(each.key(), probe, signature));
  }

  private static byte[] signature(PrivateKey key, byte[] bytes) {
    try {
      Signature signing = Signature.getInstance(DecisionKeys.SIGNATURE);
      signing.initSign(key);
      signing.update(bytes);
      return signing.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the decision could not be signed", e);
    }
  }
}
