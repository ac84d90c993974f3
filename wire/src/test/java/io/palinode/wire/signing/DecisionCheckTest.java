package io.palinode.wire.signing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.wire.ControlRecordCheck;
import io.palinode.wire.KafkaSecurity;
import io.palinode.wire.RecordReader;
import io.palinode.wire.RefusedRecords;
import io.palinode.wire.RefusedRecords.Reason;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.NodeReport;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.SafePoint;
import io.palinode.wire.v1.SnapshotDeleted;
import io.palinode.wire.v1.SnapshotProgress;
import io.palinode.wire.v1.SnapshotStep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DecisionCheckTest {
  private static final String TOPIC = "palinode.control.v1";
  private static final ControlRecord DELETED =
      snapshot(SnapshotStep.newBuilder().setDeleted(SnapshotDeleted.newBuilder().setId("daily")));

  private static KeyPair pair;
  private static KeyPair next;

  @TempDir Path folder;
  private KafkaSecurity security;
  private DecisionSigner signer;
  private RefusedRecords refused;
  private RecordReader<ControlRecord> reader;

  /** A pair takes a second. */
  @BeforeAll
  static void makeKeys() throws Exception {
    pair = pair(2_048);
    next = pair(2_048);
  }

  @BeforeEach
  void start() throws Exception {
    security = security(pair, pem(pair));
    signer = DecisionSigner.of(security);
    read(security);
  }

  @Test
  void aSignedDecisionIsRead() {
    assertThat(reader.checked(signed(5, DELETED))).isEqualTo(DELETED);
    assertThat(refused.total()).isZero();
  }

  @Test
  void aDecisionWithANodesRightsIsRefused() {
    for (ControlRecord forged :
        List.of(
            DELETED,
            record().setPause(Pause.getDefaultInstance()).build(),
            record().setSafePoint(SafePoint.newBuilder().setHlc(1)).build())) {
      assertThat(reader.checked(unsigned(5, forged))).isNull();
    }
    assertThat(refused.count(TOPIC, Reason.UNSIGNED)).isEqualTo(3);
  }

  @Test
  void whatANodeWritesNeedsNoSignature() {
    for (ControlRecord own :
        List.of(
            record().setNodeReport(NodeReport.getDefaultInstance()).build(),
            snapshot(
                SnapshotStep.newBuilder().setProgress(SnapshotProgress.getDefaultInstance())))) {
      assertThat(reader.checked(unsigned(5, own))).isEqualTo(own);
    }
  }

  @Test
  void aChangedRecordIsRefused() {
    ConsumerRecord<byte[], byte[]> signed = signed(5, DELETED);
    byte[] other = record().setPause(Pause.getDefaultInstance()).build().toByteArray();
    byte[] value = signed.value();
    Headers headers = signed.headers();
    assertThat(reader.checked(inKafka(TOPIC, 5, signed.key(), other, headers))).isNull();
    assertThat(reader.checked(inKafka("other", 5, signed.key(), value, headers))).isNull();
    assertThat(reader.checked(inKafka(TOPIC, 5, new byte[0], value, headers))).isNull();
    byte[] short1 = {1};
    Headers broken = new RecordHeaders().add(SignedBytes.HEADER, short1);
    assertThat(reader.checked(inKafka(TOPIC, 5, signed.key(), value, broken))).isNull();
    assertThat(reader.checked(signed)).isEqualTo(DELETED);
  }

  /** An old delete of a snapshot would remove the new one of this name. */
  @Test
  void aCopyOfADecisionIsRefused() {
    ConsumerRecord<byte[], byte[]> first = signed(5, DELETED);
    ConsumerRecord<byte[], byte[]> second = signed(6, DELETED);
    assertThat(reader.checked(first)).isNotNull();
    assertThat(reader.checked(at(7, first))).isNull();
    assertThat(reader.checked(at(8, second))).isNotNull();
    assertThat(reader.checked(at(9, first))).isNull();
    assertThat(refused.count(TOPIC, Reason.UNSIGNED)).isEqualTo(2);
  }

  @Test
  void anotherRunOfTheOrchestratorBeginsItsOwnSequence() {
    assertThat(reader.checked(signed(5, DELETED))).isNotNull();
    signer = DecisionSigner.of(security);
    assertThat(reader.checked(signed(6, DELETED))).isNotNull();
  }

  @Test
  void aKeyIsReplacedAtAnOffset() throws Exception {
    DecisionSigner before = signer;
    KafkaSecurity both =
        security(next, "unsigned until 10\n# retired\nuntil 20\n" + pem(pair) + pem(next));
    read(both);
    assertThat(reader.checked(unsigned(9, DELETED))).isNotNull();
    assertThat(reader.checked(unsigned(10, DELETED))).isNull();
    assertThat(reader.checked(signed(19, DELETED))).isNotNull();
    signer = DecisionSigner.of(both);
    assertThat(reader.checked(signed(20, DELETED))).isNotNull();
    signer = before;
    assertThat(reader.checked(signed(21, DELETED))).isNull();
  }

  @Test
  void withoutKeysNothingIsSignedOrRefused() {
    signer = DecisionSigner.of(KafkaSecurity.NONE);
    read(KafkaSecurity.NONE);
    ConsumerRecord<byte[], byte[]> plain = signed(5, DELETED);
    assertThat(plain.headers()).isEmpty();
    assertThat(reader.checked(plain)).isEqualTo(DELETED);
  }

  @Test
  void filesThatCannotBeUsedAreRefusedWithTheRule() throws Exception {
    assertThatThrownBy(() -> DecisionSigner.of(security(pair, pem(next))))
        .hasMessageContaining("must be in " + folder.resolve("keys"));
    assertThatThrownBy(() -> DecisionSigner.of(security(pair, "until 7\n" + pem(pair))))
        .hasMessageContaining("without a limit");
    assertThatThrownBy(() -> DecisionKeys.of(security(pair, "until now\n" + pem(pair))))
        .hasMessageContaining("'until N' or 'unsigned until N': 'until now'");
    assertThatThrownBy(() -> DecisionKeys.of(security(pair, "")))
        .hasMessageContaining("must have a PUBLIC KEY");
    assertThatThrownBy(() -> DecisionKeys.of(security(pair, pem(pair(1_024)))))
        .hasMessageContaining("2,048 to 4,096 bits");
    KafkaSecurity half =
        new KafkaSecurity(Map.of(KafkaSecurity.DECISION_KEYS, folder.resolve("keys").toString()));
    security(pair, pem(pair));
    assertThatThrownBy(() -> DecisionSigner.of(half)).hasMessageContaining("or neither");
  }

  private void read(KafkaSecurity keys) {
    refused = new RefusedRecords();
    reader =
        new RecordReader<>(
            ControlRecord.parser(),
            ControlRecordCheck::require,
            DecisionCheck.of(keys),
            3,
            refused);
  }

  private ConsumerRecord<byte[], byte[]> signed(long offset, ControlRecord record) {
    ProducerRecord<byte[], byte[]> sent =
        new ProducerRecord<>(TOPIC, 0, "key".getBytes(UTF_8), record.toByteArray());
    signer.sign(sent);
    return inKafka(TOPIC, offset, sent.key(), sent.value(), sent.headers());
  }

  private static ConsumerRecord<byte[], byte[]> unsigned(long offset, ControlRecord record) {
    return inKafka(TOPIC, offset, "key".getBytes(UTF_8), record.toByteArray(), new RecordHeaders());
  }

  private static ConsumerRecord<byte[], byte[]> at(
      long offset, ConsumerRecord<byte[], byte[]> copied) {
    return inKafka(TOPIC, offset, copied.key(), copied.value(), copied.headers());
  }

  private static ConsumerRecord<byte[], byte[]> inKafka(
      String topic, long offset, byte[] key, byte[] value, Headers headers) {
    return new ConsumerRecord<>(
        topic,
        0,
        offset,
        1_000_000_000_000L,
        TimestampType.CREATE_TIME,
        0,
        value.length,
        key,
        value,
        headers,
        Optional.empty());
  }

  private KafkaSecurity security(KeyPair own, String keys) throws IOException {
    List<Path> files = new ArrayList<>();
    files.add(Files.writeString(folder.resolve("key"), pem("PRIVATE", own.getPrivate())));
    files.add(Files.writeString(folder.resolve("keys"), keys));
    return new KafkaSecurity(
        Map.of(
            KafkaSecurity.DECISION_KEY,
            files.get(0).toString(),
            KafkaSecurity.DECISION_KEYS,
            files.get(1).toString()));
  }

  private static KeyPair pair(int bits) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(bits);
    return generator.generateKeyPair();
  }

  private static String pem(KeyPair pair) {
    return pem("PUBLIC", pair.getPublic());
  }

  private static String pem(String kind, Key key) {
    String base64 = Base64.getMimeEncoder().encodeToString(key.getEncoded());
    return "-----BEGIN %s KEY-----\n%s\n-----END %s KEY-----\n".formatted(kind, base64, kind);
  }

  private static ControlRecord snapshot(SnapshotStep.Builder step) {
    return record().setSnapshot(step).build();
  }

  private static ControlRecord.Builder record() {
    return ControlRecord.newBuilder().setAtMicros(1);
  }
}
