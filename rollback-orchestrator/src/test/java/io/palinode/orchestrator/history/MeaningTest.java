package io.palinode.orchestrator.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.VersionRole;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MeaningTest {
  private static final Violation MOMENT =
      violation(104_900, witness(0, 0, 100_000, 108_000L), witness(1, 1, 104_900, null));

  @Test
  void itNamesTheTimesAndTheBoundOfTheClocks() {
    assertThat(Meaning.of(MOMENT))
        .isEqualTo(
            "definite: term 1 on node 1 began at 1970-01-01T00:00:00.104900Z, 3.1 ms before term 0"
                + " on node 0 ended; clocks differ by at most 1ms, so both held at the same time");
  }

  @Test
  void membersOfOneTermAreNamed() {
    Violation distinct =
        violation(
            104_900,
            witness(0, 0, 100_000, 108_000L).toBuilder().setMember("client=ann").build(),
            witness(0, 0, 104_900, null).toBuilder().setMember("client=bob").build());
    assertThat(Meaning.of(distinct))
        .startsWith(
            "definite: term 0 (client=bob) on node 0 began at 1970-01-01T00:00:00.104900Z, 3.1 ms"
                + " before term 0 (client=ann) on node 0 ended;");
  }

  @Test
  void whatIsViolatedLaterThanItsLastStartHeldForThatLong() {
    assertThat(Meaning.of(MOMENT.toBuilder().setViolate(Hlc.ofMicros(106_900)).build()))
        .startsWith("definite: term 1 on node 1 had held for 2ms at 1970-01-01T00:00:00.106900Z,")
        .endsWith("so both held together for 2ms");
  }

  @Test
  void aTriggerWithoutAnAnswerNamesTheTimeOfItsClause() {
    Violation unanswered =
        violation(5_101_000, witness(0, 1, 100_000, null)).toBuilder()
            .setFirst(Hlc.ofMicros(100_000))
            .setWithinMicros(5_000_000)
            .build();
    assertThat(Meaning.of(unanswered))
        .isEqualTo(
            "definite: term 0 on node 1 began at 1970-01-01T00:00:00.100000Z, and term 1 held on"
                + " no node within 5s after that, by clocks that differ by at most 1ms");
    assertThat(Meaning.of(unanswered.toBuilder().setWithinMicros(7).build())).isNull();
  }

  @Test
  void replicasThatDivergedAreNamedWithTheirTime() {
    Violation diverged =
        violation(5_101_000, witness(0, 1, 100_000, null), witness(0, 0, 104_900, null)).toBuilder()
            .setFirst(Hlc.ofMicros(100_000))
            .build();
    assertThat(Meaning.of(diverged))
        .isEqualTo(
            "definite: the replicas on nodes 0 and 1 disagreed from 1970-01-01T00:00:00.100000Z for"
                + " longer than 5s, by clocks that differ by at most 1ms");
    assertThat(Meaning.of(diverged.toBuilder().setEpsilon("inf").build()))
        .startsWith("possible: the replicas on nodes 0 and 1 disagreed")
        .endsWith("if clocks do not differ, which may be by any time");
  }

  @Test
  void anOperationIsDecidedByTheClocksOfItsVersions() {
    assertThat(Meaning.of(operation(VersionRole.LOST)))
        .isEqualTo(
            "definite: at 1970-01-01T00:00:00.100000Z, node 1 accepted a put that superseded a"
                + " version which its client had not seen, as the node judged by the clocks of the"
                + " versions");
    assertThat(Meaning.of(operation(VersionRole.WRITTEN)))
        .contains(
            " a read that returned an older version than its client had written, as the client"
                + " judged by the clocks of the versions");
    assertThat(Meaning.of(operation(VersionRole.READ)))
        .contains(
            " a read that returned an older version than its client had read, as the client judged"
                + " by the clocks of the versions");
  }

  private static Violation operation(VersionRole role) {
    return violation(
        100_000,
        witness(0, 1, 100_000, 100_000L).toBuilder()
            .addValues(VariableVersion.newBuilder().setRole(VersionRole.HOLDS))
            .addValues(VariableVersion.newBuilder().setRole(role))
            .build());
  }

  @Test
  void recordsOfAnEarlierReleaseAndUnreadableClocksHaveNone() {
    assertThat(Meaning.of(MOMENT.toBuilder().clearEpsilon().build())).isNull();
    Violation.Builder unreadable = MOMENT.toBuilder();
    unreadable.getWitnessesBuilder(0).setStart(ByteString.copyFrom(new byte[] {9}));
    assertThat(Meaning.of(unreadable.build())).isNull();
  }

  private static Violation violation(long violateMicros, Witness... witnesses) {
    return Violation.newBuilder()
        .setGrade(ViolationGrade.DEFINITE)
        .setEpsilon("1ms")
        .setViolate(Hlc.ofMicros(violateMicros))
        .addAllWitnesses(List.of(witnesses))
        .build();
  }

  private static Witness witness(int term, int node, long start, @Nullable Long end) {
    Witness.Builder witness =
        Witness.newBuilder()
            .setTerm(term)
            .setNode(node)
            .setStart(CandidateRecords.encode(clock(node, start)));
    if (end != null) {
      witness.setEnd(CandidateRecords.encode(clock(node, end)));
    }
    return witness.build();
  }

  private static Hvc clock(int node, long micros) {
    long[] entries = new long[2];
    entries[node] = Hlc.ofMicros(micros);
    return Hvc.of(node, entries);
  }
}
