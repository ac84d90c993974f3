package io.palinode.monitor.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Channel;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Sender;
import io.palinode.monitor.Stamp;
import io.palinode.monitor.instance.Instance;
import io.palinode.monitor.instance.InstanceState;
import io.palinode.monitor.sequence.KeptBack;
import io.palinode.monitor.sequence.SequenceCheck.Position;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of the job's checkpoints and of the records between its tasks. */
class StableSerializerTest {
  private static final byte[] AB = {(byte) 0xab};
  private static final Sender SENDER = new Sender(new Channel(1, 2), 3, 4);
  private static final Stamp STAMP = new Stamp(6, AB);

  record Golden<T>(StableSerializer<T> serializer, T value, String bytes) {
    @Override
    public String toString() {
      return serializer.getClass().getSimpleName();
    }
  }

  static List<Golden<?>> golden() {
    return List.of(
        new Golden<>(
            CandidateEventSerializer.INSTANCE,
            new CandidateEvent(SENDER, 5, CandidateEvent.Kind.CLOSED, STAMP, "p|é", AB),
            "01 00000001 00000002 0000000000000003 0000000000000004 0000000000000005 02"
                + " 0000000000000006 00000001ab 00000004707cc3a9 00000001ab"),
        new Golden<>(
            NoticeSerializer.INSTANCE,
            new Notice(Notice.Kind.RESTARTED, SENDER, AB),
            "01 03 00000001 00000002 0000000000000003 0000000000000004 00000001ab"),
        new Golden<>(
            VerdictSerializer.INSTANCE,
            new Verdict(Verdict.Kind.RELEASE, 7, AB),
            "01 03 0000000000000007 00000001ab"),
        new Golden<>(
            PositionSerializer.INSTANCE,
            new Position(SENDER, 5, STAMP, Position.State.STOPPED),
            "01 00000001 00000002 0000000000000003 0000000000000004 0000000000000005"
                + " 0000000000000006 00000001ab 01"),
        new Golden<>(
            KeptBackSerializer.INSTANCE,
            new KeptBack.State(
                SENDER.channel(),
                9,
                new KeptBack.Missing(3, 8, true, -1, List.of(new KeptBack.Hole(6, 7))),
                List.of(new CandidateEvent(SENDER, 8, CandidateEvent.Kind.OPENED, STAMP, "p", AB))),
            "01 00000001 00000002 0000000000000009 0000000000000003 0000000000000008 01"
                + " ffffffffffffffff 00000001 0000000000000006 0000000000000007 00000001"
                + " 01 00000001 00000002 0000000000000003 0000000000000004 0000000000000008 01"
                + " 0000000000000006 00000001ab 0000000170 00000001ab"),
        new Golden<>(
            InstanceSerializer.INSTANCE,
            Instance.of(new InstanceState(7, 2, 3, 0x1234, AB)),
            "01 0000001e 01 0000000000000007 0000000000000002 00000003 0000000000001234 ab"));
  }

  @ParameterizedTest
  @MethodSource("golden")
  <T> void itsBytesStayTheSameFromVersionToVersion(Golden<T> golden) throws IOException {
    byte[] bytes = bytes(golden.serializer(), golden.value());
    assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(golden.bytes().replace(" ", ""));
    T read = golden.serializer().deserialize(new DataInputDeserializer(bytes));
    assertThat(read).usingRecursiveComparison().isEqualTo(golden.value());
    DataOutputSerializer copied = new DataOutputSerializer(16);
    golden.serializer().copy(new DataInputDeserializer(bytes), copied);
    assertThat(copied.getCopyOfBuffer()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @MethodSource("golden")
  <T> void bytesOfAnotherVersionAreRefused(Golden<T> golden) throws IOException {
    byte[] bytes = bytes(golden.serializer(), golden.value());
    bytes[0] = 2;
    assertThatThrownBy(() -> golden.serializer().deserialize(new DataInputDeserializer(bytes)))
        .hasMessageContaining("version=2");
  }

  @ParameterizedTest
  @MethodSource("golden")
  <T> void itsSnapshotNamesItself(Golden<T> golden) {
    assertThat(golden.serializer().snapshotConfiguration().restoreSerializer())
        .isSameAs(golden.serializer());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CandidateEventSerializer",
        "InstanceSerializer",
        "KeptBackSerializer",
        "NoticeSerializer",
        "PositionSerializer"
      })
  void aCheckpointFindsTheSnapshotOfItsStateByName(String serializer) {
    String name = "io.palinode.monitor.flink." + serializer + "$Snapshot";
    assertThat(golden())
        .extracting(golden -> golden.serializer().snapshotConfiguration().getClass().getName())
        .contains(name);
  }

  @Test
  void theKeysOfTheStateStayTheSameFromVersionToVersion() {
    assertThat(SENDER).hasToString("1/2/3/4");
    assertThat(SENDER.channel()).hasToString("1/2");
  }

  @Test
  void everyKindHasItsOwnCode() {
    for (CandidateEvent.Kind kind : CandidateEvent.Kind.values()) {
      assertThat(CandidateEvent.Kind.of(kind.code())).isEqualTo(kind);
    }
    for (Notice.Kind kind : Notice.Kind.values()) {
      assertThat(Notice.Kind.of(kind.code())).isEqualTo(kind);
    }
    for (Verdict.Kind kind : Verdict.Kind.values()) {
      assertThat(Verdict.Kind.of(kind.code())).isEqualTo(kind);
    }
    assertThatThrownBy(() -> Notice.Kind.of(9)).hasMessageContaining("code=9");
  }

  private static <T> byte[] bytes(StableSerializer<T> serializer, T value) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(16);
    serializer.serialize(value, out);
    return out.getCopyOfBuffer();
  }
}
