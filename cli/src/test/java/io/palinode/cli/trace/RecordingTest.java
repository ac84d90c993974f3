package io.palinode.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Closed;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.Progress;
import io.palinode.wire.v1.VariableVersion;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Candidates as lines of a trace. */
class RecordingTest {
  private static final VariableVersion X =
      VariableVersion.newBuilder()
          .setStore("s")
          .setKey(ByteString.copyFromUtf8("x"))
          .setValue(ByteString.copyFromUtf8("1"))
          .setClock(ByteString.copyFromUtf8("A"))
          .setTimestampMs(7)
          .build();

  private static final String CHANGED =
      "the predicate changed to version 2 at 2026-11-21T12:00:00.000000Z, and the trace has version"
          + " %d only%s";
  private static final String OTHERS =
      "; record version %d with --predicate-version, and judge each with the predicate as it was"
          + " then";

  private final Recording recording = new Recording("p", 0, 3);

  RecordingTest() {
    recording.applied(2, 1_795_262_400_000_000L);
  }

  @Test
  void anOpeningAndItsEndAreOneLineWithTheValueTheVersionAndTheOrigin() throws IOException {
    recording.read(0, opened(1, 1, 0, 5, 100));
    recording.read(0, closed(1, 1, 0, 5, 100, 200));
    assertThat(lines())
        .containsExactly(
            "{\"predicate\":\"p\",\"clause\":0,\"term\":1,\"node\":1,\"seq\":1,"
                + "\"binding\":\"a=3\",\"start\":[\"90\",\"100\"],\"end\":[\"90\",\"200\"],"
                + "\"version\":\"x@41@7\",\"origin\":0,\"values\":{\"x\":\"1\"}}");
  }

  /** Detection of clauses with {@code for} joins the next version's interval by it. */
  @Test
  void theVersionThatEndedAnIntervalIsNamed() throws IOException {
    recording.read(0, opened(1, 1, 0, 5, 100));
    CandidateRecord.Builder ended = closed(1, 1, 0, 5, 100, 200).toBuilder();
    ended.getClosedBuilder().setEndedBy(X.toBuilder().setTimestampMs(8));
    recording.read(0, ended.build());
    assertThat(lines().get(0)).contains("\"version\":\"x@41@7\",\"endedBy\":\"x@41@8\",");
  }

  @Test
  void whatIsOpenWhenANodeRestartsOrAnEpochBeginsEndsWithTheLastOfItsRun() throws IOException {
    recording.read(0, opened(1, 1, 0, 1, 100));
    recording.read(1, progress(1, 1, 0, 150));
    assertThat(lines().get(0)).as("open").doesNotContain("\"end\"");
    recording.read(1, progress(1, 1, 1, 400));
    assertThat(lines().get(0)).contains("\"end\":[\"90\",\"150\"]");
    recording.read(1, opened(1, 1, 1, 2, 300));
    recording.read(1, progress(1, 2, 1, 500));
    assertThat(lines().get(1)).contains("\"end\":[\"90\",\"400\"]");
    assertThat(lines()).extracting(line -> line.contains("\"seq\":1")).containsExactly(true, false);
  }

  @Test
  void anEndWhoseOpeningIsTooOldIsALineWithoutAValue() throws IOException {
    recording.read(0, closed(1, 1, 0, 9, 100, 200));
    assertThat(lines().get(0)).contains("\"start\":[\"90\",\"100\"]").doesNotContain("values");
  }

  @Test
  void onlyTheNewestVersionOfThePredicateIsRecorded() throws IOException {
    recording.read(0, opened(1, 1, 0, 1, 100));
    recording.read(0, of(1, 1, 0).setSequence(2).setOpened(opened(2, 110)).build());
    recording.read(0, opened(1, 1, 0, 3, 120));
    assertThat(lines()).hasSize(1);
    assertThat(recording.version()).isEqualTo(2);
  }

  @Test
  void aChangeOfThePredicateIsNamedWithItsTimeAndEachVersionCanBeRecorded() throws IOException {
    Recording first = new Recording("p", 1, 3);
    first.applied(1, 5);
    for (Recording each : List.of(first, recording)) {
      each.read(0, opened(1, 1, 0, 1, 100));
      assertThat(each.otherVersions()).isEqualTo(each == first ? null : CHANGED.formatted(1, ""));
      each.applied(2, 1_795_262_400_000_000L);
      each.read(0, of(1, 1, 0).setSequence(2).setOpened(opened(2, 110)).build());
      each.read(0, of(1, 1, 0).setSequence(3).setOpened(opened(2, 120)).build());
    }
    assertThat(first.intervals()).hasSize(1);
    assertThat(first.otherVersions()).isEqualTo(CHANGED.formatted(1, OTHERS.formatted(2)));
    assertThat(recording.intervals()).hasSize(2);
    assertThat(recording.otherVersions()).isEqualTo(CHANGED.formatted(2, OTHERS.formatted(1)));
  }

  @Test
  void aVersionThatWasNotAppliedReplacesNothing() throws IOException {
    recording.read(0, opened(1, 1, 0, 1, 100));
    CandidateRecord forged =
        of(1, 1, 0).setSequence(2).setOpened(opened(Long.MAX_VALUE, 110)).build();
    assertThat(recording.isAhead(forged)).isTrue();
    assertThatThrownBy(() -> recording.read(0, forged))
        .hasMessage("the newest version of p is 2: predicate_version=" + Long.MAX_VALUE);
    recording.read(0, opened(1, 1, 0, 3, 120));
    assertThat(lines()).hasSize(2);
    assertThat(recording.version()).isEqualTo(1);
  }

  @Test
  void theNumberOfIntervalsIsBounded() {
    for (int i = 1; i <= 3; i++) {
      recording.read(0, opened(1, 1, 0, i, 100 + i));
    }
    assertThatThrownBy(() -> recording.read(0, opened(1, 1, 0, 4, 200)))
        .hasMessage("more than 3 intervals of p");
  }

  private List<String> lines() throws IOException {
    StringWriter out = new StringWriter();
    new TraceWriter().write(recording.intervals().iterator(), out);
    return out.toString().lines().toList();
  }

  private static CandidateRecord opened(
      int node, long incarnation, long epoch, long sequence, long start) {
    return of(node, incarnation, epoch).setSequence(sequence).setOpened(opened(1, start)).build();
  }

  private static Opened opened(long version, long start) {
    return Opened.newBuilder()
        .setInterval(ref(version))
        .setStart(clock(start))
        .addValues(X)
        .setOrigin(0)
        .build();
  }

  private static CandidateRecord closed(
      int node, long incarnation, long epoch, long opened, long start, long end) {
    return of(node, incarnation, epoch)
        .setClosed(
            Closed.newBuilder()
                .setInterval(ref(1))
                .setOpenedSequence(opened)
                .setStart(clock(start))
                .setEnd(clock(end))
                .setOpenedBy(X))
        .build();
  }

  private static CandidateRecord progress(int node, long incarnation, long epoch, long at) {
    return of(node, incarnation, epoch)
        .setProgress(Progress.newBuilder().setHvc(clock(at)))
        .build();
  }

  private static CandidateRecord.Builder of(int node, long incarnation, long epoch) {
    return CandidateRecord.newBuilder().setNode(node).setIncarnation(incarnation).setEpoch(epoch);
  }

  private static IntervalRef ref(long version) {
    return IntervalRef.newBuilder()
        .setPredicate("p")
        .setPredicateVersion(version)
        .setBinding("a=3")
        .setTerm(1)
        .build();
  }

  private static ByteString clock(long own) {
    return CandidateRecords.encode(Hvc.of(1, Hlc.ofMicros(90), Hlc.ofMicros(own)));
  }
}
