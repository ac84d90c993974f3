package io.palinode.demo.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.truth.SectionLog;
import io.palinode.examples.graph.truth.Truth;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.ReplicaRule;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReportsTest {
  private static final Edge EDGE = new Edge(3, 7);

  private final SectionLog a = new SectionLog(0);
  private final SectionLog b = new SectionLog(1);
  private final FirstAcceptances acceptances = new FirstAcceptances();

  /** The first two overlap; the second of a is over before the second of b begins. */
  @BeforeEach
  void twoSectionsAtEachEnd() {
    a.wrote(EDGE, 3, "1", 10, 11, 100);
    b.wrote(EDGE, 7, "1", 12, 13, 110);
    b.wrote(EDGE, 7, "c1", 14, 15, 120);
    a.wrote(EDGE, 3, "c0", 20, 21, 130);
    a.wrote(EDGE, 3, "1", 30, 31, 200);
    a.wrote(EDGE, 3, "c2", 32, 33, 210);
    b.wrote(EDGE, 7, "1", 40, 41, 220);
    b.wrote(EDGE, 7, "c3", 42, 43, 230);
  }

  @Test
  void eachGradeHasThePrecisionOfItsOwnAndTheRecallOfItAndGreater() {
    RuleResult result =
        first(
                report(ViolationGrade.POSSIBLE, at(3, 100), at(7, 110)),
                report(ViolationGrade.UNCERTAIN, at(3, 200), at(7, 220)))
            .result(null);
    assertThat(result.grades())
        .containsExactly(
            new RuleResult.GradeResult("definite", 0, null, 0.0),
            new RuleResult.GradeResult("possible", 1, 1.0, 1.0),
            new RuleResult.GradeResult("uncertain", 1, 0.0, 1.0));
  }

  @Test
  void aLateCopyIsTakenForTheWriteThatItIsACopyOf() {
    acceptances.add(accepted(3, 200, "v2"));
    // Copied to another node when a was outside again: by its own time it would be c2's.
    Witness copy = witness(3, 1, 215, "v2");
    Reports any = any(report(ViolationGrade.DEFINITE, copy, at(7, 220)));
    assertThat(any.precision()).isZero();
    assertThat(any.phantomsBeside(first())).isOne();
    assertThat(any.phantomsBeside(first(report(ViolationGrade.UNCERTAIN, at(3, 200), at(7, 220)))))
        .isZero();
  }

  /** A key's clock starts again after a delete. */
  @Test
  void aCopyOfWhatWasWrittenAfterADeleteIsNoneOfWhatWasThereBefore() {
    acceptances.add(accepted(3, 100, "v1", 5));
    acceptances.add(accepted(3, 200, "v1", 9));
    Witness copy = witness(3, 1, 215, "v1").toBuilder().setValues(0, version(3, "v1", 9)).build();
    assertThat(acceptances.startOf(copy, 1)).isEqualTo(200);
  }

  @Test
  void aReportOfWhatHappenedIsNoPhantomThoughFirstMissedIt() {
    Reports any = any(report(ViolationGrade.POSSIBLE, at(3, 100), at(7, 110)));
    assertThat(any.phantomsBeside(first())).isZero();
    assertThat(any.precision()).isOne();
  }

  @Test
  void nothingReportedHasNoPrecisionAndMissesAll() {
    assertThat(first().precision()).isNull();
    assertThat(first().recall()).isZero();
  }

  @Test
  void predicatesOfTheUsersOwnAreCountedAndNotCompared() {
    Witness other =
        at(3, 100).toBuilder()
            .clearValues()
            .addValues(VariableVersion.newBuilder().setKey(ByteString.copyFromUtf8("stock_1")))
            .build();
    Reports reports = first(report(ViolationGrade.POSSIBLE, other, other));
    assertThat(reports.count()).isOne();
    assertThat(reports.precision()).isNull();
    assertThat(reports.atLeast(Grade.DEFINITE).count()).isZero();
  }

  private Reports first(Violation... violations) {
    return reports(ReplicaRule.FIRST, violations);
  }

  private Reports any(Violation... violations) {
    return reports(ReplicaRule.ANY, violations);
  }

  private Reports reports(ReplicaRule rule, Violation... violations) {
    return Reports.of(rule, List.of(violations), acceptances, Truth.of(List.of(a, b)));
  }

  private static Violation report(ViolationGrade grade, Witness... witnesses) {
    return Violation.newBuilder()
        .setGrade(grade)
        .setEpoch(1)
        .addAllWitnesses(List.of(witnesses))
        .build();
  }

  private static Witness at(int end, long start) {
    return witness(end, 0, start, "of " + start);
  }

  private static Witness witness(int end, int node, long start, String version) {
    return Witness.newBuilder()
        .setNode(node)
        .setStart(CandidateRecords.encode(clock(node, start)))
        .addValues(version(end, version))
        .build();
  }

  private static CandidateRecord accepted(int end, long start, String version) {
    return accepted(end, start, version, 0);
  }

  private static CandidateRecord accepted(int end, long start, String version, long timestampMs) {
    return CandidateRecord.newBuilder()
        .setNode(0)
        .setEpoch(1)
        .setOpened(
            Opened.newBuilder()
                .setOrigin(0)
                .setStart(CandidateRecords.encode(clock(0, start)))
                .addValues(version(end, version, timestampMs)))
        .build();
  }

  private static VariableVersion version(int end, String version) {
    return version(end, version, 0);
  }

  private static VariableVersion version(int end, String version, long timestampMs) {
    return VariableVersion.newBuilder()
        .setKey(ByteString.copyFromUtf8("cs_3_7_" + end))
        .setValue(ByteString.copyFromUtf8("1"))
        .setClock(ByteString.copyFromUtf8(version))
        .setTimestampMs(timestampMs)
        .build();
  }

  private static Hvc clock(int node, long own) {
    long[] entries = new long[2];
    entries[node] = own;
    return Hvc.of(node, entries);
  }
}
