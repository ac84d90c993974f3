package io.palinode.orchestrator.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Grade;
import io.palinode.orchestrator.Command;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.violations.SeenViolations.Novelty;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A violation that stands is one, however often epochs and restarts report it. */
class EpisodesTest {
  private static final int KEPT = 100;

  private final Episodes episodes = new Episodes(KEPT, Long.MAX_VALUE);

  @Test
  void everyLaterEpochReportsTheSameEpisode() {
    assertThat(episodes.add(report("first", 3, witness(0, 0, "x1"), witness(1, 1, "y1"))))
        .isEqualTo("first");
    for (long epoch = 4; epoch < 31; epoch++) {
      String id = "of" + epoch;
      // On which replica an interval is seen first differs.
      assertThat(episodes.add(report(id, epoch, witness(1, 2, "y1"), witness(0, 1, "x1"))))
          .isEqualTo("first");
      assertThat(episodes.first(id)).isEqualTo("first");
    }
  }

  @Test
  void anotherVersionBeginsAnEpisode() {
    episodes.add(report("first", 3, witness(0, 0, "x1"), witness(1, 1, "y1")));
    assertThat(episodes.add(report("written", 4, witness(0, 0, "x1"), witness(1, 1, "y2"))))
        .isEqualTo("written");
    assertThat(episodes.add(report("again", 5, witness(0, 0, "x1"), witness(1, 1, "y2"))))
        .isEqualTo("written");
  }

  @Test
  void anotherPredicateVersionBindingOrClauseBeginsAnEpisode() {
    Violation first = report("first", 3, witness(0, 0, "x1"));
    episodes.add(first);
    for (Violation.Builder other :
        List.of(
            first.toBuilder().setPredicate("q"),
            first.toBuilder().setPredicateVersion(9),
            first.toBuilder().setBinding("a=2"),
            first.toBuilder().setClause(1))) {
      assertThat(episodes.add(other.setId("other").setEpoch(4).build())).isEqualTo("other");
    }
  }

  @Test
  void violationsOfTheFirstEpochStayApart() {
    episodes.add(report("first", 3, witness(0, 0, "x1"), witness(1, 0, "y1")));
    assertThat(episodes.add(report("replica", 3, witness(0, 1, "x1"), witness(1, 1, "y1"))))
        .isEqualTo("replica");
    assertThat(episodes.add(report("later", 4, witness(0, 1, "x1"), witness(1, 1, "y1"))))
        .isEqualTo("first");
  }

  @Test
  void aRestartedNodeReportsTheSameEpisode() {
    episodes.add(report("first", 3, witness(0, 0, "x1"), witness(1, 1, "y1")));
    Witness restarted = witness(0, 0, "x1").toBuilder().setIncarnation(8).build();
    assertThat(episodes.add(report("again", 3, restarted, witness(1, 1, "y1")))).isEqualTo("first");
  }

  @Test
  void withoutAVersionNothingSaysThatItIsTheSame() {
    Witness absent = witness(0, 0, "");
    episodes.add(report("first", 3, absent));
    assertThat(episodes.add(report("second", 4, absent))).isEqualTo("second");
  }

  @Test
  void aReplicaWithoutAVersionIsNamedByItsNode() {
    episodes.add(report("first", 3, witness(0, 0, "x1"), witness(0, 1, "")));
    assertThat(episodes.add(report("again", 4, witness(0, 0, "x1"), witness(0, 1, ""))))
        .isEqualTo("first");
    assertThat(episodes.add(report("other", 4, witness(0, 0, "x1"), witness(0, 2, ""))))
        .isEqualTo("other");
  }

  @Test
  void theHistoryHasOneEntryWithTheGreatestGradeAndTheNewestEpoch() {
    ApiHistory history = new ApiHistory(1);
    Witness x = witness(0, 0, "x1");
    assertThat(history.received(graded("first-of-all", 3, ViolationGrade.POSSIBLE, x), 10, false))
        .isEqualTo(Novelty.NEW);
    history.classified(report("first-of-all", 3, x), Command.Outcome.NO_ROLLBACK);
    assertThat(history.received(graded("lower", 4, ViolationGrade.UNCERTAIN, x), 20, false))
        .isEqualTo(Novelty.REPEAT);
    assertThat(history.received(graded("higher", 5, ViolationGrade.DEFINITE, x), 30, false))
        .isEqualTo(Novelty.RISEN);
    assertThat(history.received(graded("as-high", 6, ViolationGrade.DEFINITE, x), 40, false))
        .isEqualTo(Novelty.REPEAT);
    assertThat(history.violationsTotal()).isEqualTo(1);
    ReceivedViolation only = history.violations(10).get(0);
    assertThat(only.violation().getId()).isEqualTo("first-of-all");
    assertThat(only.violation().getGrade()).as("of its witness").isEqualTo(ViolationGrade.POSSIBLE);
    assertThat(only.grade()).isEqualTo(Grade.DEFINITE);
    assertThat(only.latest().getEpoch()).isEqualTo(6);
    assertThat(only.receivedMicros()).isEqualTo(10);
    assertThat(history.violation("as-high")).isSameAs(only);
    assertThat(history.classified(report("as-high", 6, x), Command.Outcome.STANDS))
        .isEqualTo(Command.Outcome.NO_ROLLBACK);
    assertThat(history.violations(1).get(0).outcome()).isEqualTo(Command.Outcome.STANDS);
  }

  @Test
  void anEpisodeThatAnotherEpochReportsHoldsAgain() {
    ApiHistory history = new ApiHistory(1);
    Witness x = witness(0, 0, "x1");
    history.received(report("first", 3, x), 10, false);
    history.ended("first", 100);
    assertThat(history.violations(1).get(0).ended()).isEqualTo(100);
    history.received(report("again", 4, x), 20, false);
    assertThat(history.violations(1).get(0).ended()).isZero();
    history.ended("first", 110);
    assertThat(history.violations(1).get(0).ended()).as("of an earlier report").isZero();
    history.ended("again", 200);
    assertThat(history.violations(1).get(0).ended()).isEqualTo(200);
  }

  @Test
  void anEpisodeWhoseFirstReportIsDroppedBeginsAgain() {
    ApiHistory history = new ApiHistory(1);
    Witness x = witness(0, 0, "x1");
    history.received(report("first", 3, x), 10, false);
    for (int i = 0; i < ApiHistory.KEPT_MAX; i++) {
      history.received(Violation.newBuilder().setId("v" + i).build(), 10, false);
    }
    assertThat(history.received(report("again", 4, x), 20, false)).isEqualTo(Novelty.NEW);
    history.classified(report("again", 4, x), Command.Outcome.STANDS);
    assertThat(history.violations(1).get(0).violation().getId()).isEqualTo("again");
    assertThat(history.violations(1).get(0).outcome()).isEqualTo(Command.Outcome.STANDS);
    assertThat(history.violation("again")).isNotNull();
  }

  private static Violation report(String id, long epoch, Witness... witnesses) {
    return graded(id, epoch, ViolationGrade.POSSIBLE, witnesses);
  }

  private static Violation graded(
      String id, long epoch, ViolationGrade grade, Witness... witnesses) {
    return Violation.newBuilder()
        .setId(id)
        .setPredicate("p")
        .setPredicateVersion(2)
        .setBinding("a=1")
        .setEpoch(epoch)
        .setGrade(grade)
        .addAllWitnesses(List.of(witnesses))
        .build();
  }

  /** Empty {@code clock}: the replica has no version. */
  private static Witness witness(int term, int node, String clock) {
    Witness.Builder witness =
        Witness.newBuilder().setTerm(term).setNode(node).setIncarnation(7).setSequence(1);
    return clock.isEmpty()
        ? witness.build()
        : witness
            .addValues(
                VariableVersion.newBuilder()
                    .setStore("s")
                    .setKey(ByteString.copyFromUtf8("k" + term))
                    .setValue(ByteString.copyFromUtf8("value"))
                    .setClock(ByteString.copyFromUtf8(clock))
                    .setTimestampMs(5))
            .build();
  }
}
