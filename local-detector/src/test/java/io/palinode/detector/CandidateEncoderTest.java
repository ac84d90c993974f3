package io.palinode.detector;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.detector.binding.Version;
import io.palinode.detector.ring.CandidateEncoder;
import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.Gap;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.detector.ring.Emission.Progress;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.detector.terms.Holding;
import io.palinode.detector.terms.OpenInterval;
import io.palinode.detector.terms.WatchedTerm;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.predicate.template.Binding;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.VariableVersion;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CandidateEncoderTest {
  private static final Hvc START = Hvc.of(1, 10, 20, 5);
  private static final Hvc END = Hvc.of(1, 10, 29, 7);
  private static final Version ONE = version("1", 1);
  private static final Version ZERO = version("0", 2);
  private static final OpenInterval INTERVAL = interval("client", 1);
  private static final IntervalRef REF =
      IntervalRef.newBuilder()
          .setPredicate("edge-mutex")
          .setPredicateVersion(4)
          .setBinding("a=1,b=2")
          .setTerm(1)
          .build();

  private final CandidateEncoder encoder = new CandidateEncoder(1, 6);

  @Test
  void anOpeningCarriesTheIntervalItsStartAndItsVersions() {
    CandidateRecord record = encoder.opened(new Opened(2, INTERVAL, List.of(ONE, ZERO)));
    assertThat(record)
        .isEqualTo(
            header(17)
                .setOpened(
                    io.palinode.wire.v1.Opened.newBuilder()
                        .setInterval(REF)
                        .setStart(bytes(START))
                        .addValues(variable(ONE))
                        .addValues(variable(ZERO))
                        .setWriter("client")
                        .setOrigin(1))
                .build());
  }

  /** The bytes of the reference, as first written: the member is field 8. */
  @Test
  void aMemberIsPublishedBesideTheBindingOfItsInstance() {
    ActivePredicate oneHolder =
        Watched.predicate(
            "one-holder",
            4,
            """
            forEach: {lock: "{l}"}
            violation:
              - atLeast: {count: 2, of: {var: "lock_{l}_{c}", equals: "1"}, distinct: c}
            """);
    Holding held =
        new Holding(
            new WatchedTerm(oneHolder, 0, 0), new Binding(Map.of("l", "7", "c", "ann")), ONE);
    IntervalRef ref = CandidateEncoder.onCut(held);
    assertThat(HexFormat.of().formatHex(ref.toByteArray()))
        .isEqualTo("0a0a6f6e652d686f6c64657210041a036c3d374205633d616e6e");
    assertThat(REF.hasMember()).isFalse();
  }

  @Test
  void anUnknownOriginIsAbsentNotZero() {
    CandidateRecord record = encoder.opened(new Opened(2, interval("", null), List.of(ONE)));
    assertThat(record.getOpened().hasOrigin()).isFalse();
    CandidateRecord known = encoder.opened(new Opened(2, interval("", 0), List.of(ONE)));
    assertThat(known.getOpened().hasOrigin()).isTrue();
  }

  @Test
  void aClosingNamesItsOpeningAndTheVersionThatEndedIt() {
    CandidateRecord record = encoder.closed(new Closed(2, 18, INTERVAL, END, ZERO, "other", 0));
    assertThat(record)
        .isEqualTo(
            header(18)
                .setClosed(
                    io.palinode.wire.v1.Closed.newBuilder()
                        .setInterval(REF)
                        .setOpenedSequence(17)
                        .setStart(bytes(START))
                        .setEnd(bytes(END))
                        .setOpenedBy(variable(ONE))
                        .setEndedBy(variable(ZERO))
                        .setWriter("other")
                        .setOrigin(0))
                .build());
  }

  /** Earlier releases omit the time; that differs from a writer whose clock is at 0. */
  @Test
  void theTimeOfAVersionIsPublishedEvenIfItIsZero() {
    for (long timestampMs : new long[] {0, 5, 1_700_000_000_123L}) {
      Version at = new Version(ONE.value(), ONE.clock(), timestampMs, 1);
      CandidateRecord record = encoder.opened(new Opened(2, INTERVAL, List.of(at)));
      VariableVersion published = record.getOpened().getValues(0);
      assertThat(published.hasTimestampMs()).isTrue();
      assertThat(published.getTimestampMs()).isEqualTo(timestampMs);
    }
  }

  @Test
  void aDeleteEndsWithoutAVersion() {
    CandidateRecord record = encoder.closed(new Closed(2, 18, INTERVAL, END, null, "", null));
    assertThat(record.getClosed().hasEndedBy()).isFalse();
    assertThat(record.getClosed().hasOrigin()).isFalse();
  }

  @Test
  void aGapReachesToItsLastSequence() {
    assertThat(encoder.gap(new Gap(2, 3, 5, 9, 100, 200)))
        .isEqualTo(
            header(9)
                .setGap(
                    io.palinode.wire.v1.Gap.newBuilder()
                        .setFirstSequence(5)
                        .setLastSequence(9)
                        .setFromHlc(100)
                        .setToHlc(200))
                .build());
  }

  @Test
  void progressRepeatsThePartitionsLastSequence() {
    assertThat(encoder.progress(new Progress(2, END, List.of(7L, 8L)), 1))
        .isEqualTo(
            header(8)
                .setProgress(io.palinode.wire.v1.Progress.newBuilder().setHvc(bytes(END)))
                .build());
  }

  @Test
  void aStopRepeatsThePartitionsLastSequenceToo() {
    assertThat(encoder.stopped(new Progress(2, END, List.of(7L, 8L)), 0))
        .isEqualTo(
            header(7)
                .setStopped(io.palinode.wire.v1.Stopped.newBuilder().setHvc(bytes(END)))
                .build());
  }

  private static CandidateRecord.Builder header(long sequence) {
    return CandidateRecord.newBuilder()
        .setNode(1)
        .setIncarnation(6)
        .setEpoch(2)
        .setSequence(sequence);
  }

  private static Version version(String value, int counter) {
    return new Version(
        value.getBytes(java.nio.charset.StandardCharsets.UTF_8),
        new byte[] {(byte) counter},
        1_000 + counter,
        null);
  }

  private static VariableVersion variable(Version version) {
    return VariableVersion.newBuilder()
        .setStore(MemoryNode.STORE)
        .setKey(ByteString.copyFromUtf8("cs_1_2_2"))
        .setValue(ByteString.copyFrom(version.value()))
        .setClock(ByteString.copyFrom(version.clock()))
        .setTimestampMs(version.timestampMs())
        .build();
  }

  private static ByteString bytes(Hvc hvc) {
    return ByteString.copyFrom(HvcCodec.encode(hvc));
  }

  private static OpenInterval interval(String writer, @Nullable Integer origin) {
    return new OpenInterval(
        MemoryNode.key("cs_1_2_2"),
        new Holding(
            new WatchedTerm(Watched.edgeMutex(4), 0, 1),
            new Binding(Map.of("a", "1", "b", "2")),
            ONE),
        "edge-mutex|a=1,b=2",
        3,
        17,
        START,
        new OpenInterval.Source(writer, origin));
  }
}
