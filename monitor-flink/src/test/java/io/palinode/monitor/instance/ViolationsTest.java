package io.palinode.monitor.instance;

import static io.palinode.monitor.Records.clock;
import static io.palinode.monitor.Records.interval;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Witness;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Uncertainty;
import io.palinode.monitor.Records;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class ViolationsTest {
  private static final DetectionSpec SPEC =
      new DetectionSpec(
          Records.NODES,
          List.of(ClauseShape.all(2)),
          new Causality(Epsilon.ofMicros(10), Uncertainty.CONSERVATIVE),
          ReplicaRule.ANY);

  private final Candidate early = candidate(0, 7, 0, 100);
  private final Candidate late = candidate(2, 9, 1, 130);

  @Test
  void aViolationHasItsWitnessesAndTheTimeWhenAllHeld() {
    Violation violation =
        Violations.of(
            interval("a=1", 0), SPEC, 3, new Witness(0, List.of(early, late), Grade.DEFINITE), 55);
    assertThat(violation.getEpsilon()).isEqualTo("10us");
    assertThat(violation.getPredicate()).isEqualTo("p");
    assertThat(violation.getBinding()).isEqualTo("a=1");
    assertThat(violation.getEpoch()).isEqualTo(3);
    assertThat(violation.getGrade()).isEqualTo(ViolationGrade.DEFINITE);
    assertThat(violation.getFirst()).isEqualTo(Hlc.ofMicros(100));
    assertThat(violation.getViolate()).isEqualTo(Hlc.ofMicros(130));
    assertThat(violation.getDetectedMicros()).isEqualTo(55);
    assertThat(violation.getWitnesses(1).getNode()).isEqualTo(2);
    assertThat(violation.getWitnesses(1).getSequence()).isEqualTo(9);
    assertThat(violation.getWitnesses(1).hasEnd()).isFalse();
    assertThat(violation.getWitnesses(1).getWriter()).isEqualTo("client");
  }

  @Test
  void aWitnessOfDistinctNamesItsMember() {
    DetectionSpec distinct =
        new DetectionSpec(
            Records.NODES,
            List.of(new ClauseShape(new ClauseRule.AtLeast(2, "c"), List.of(1))),
            SPEC.causality(),
            ReplicaRule.ANY);
    Candidate ann =
        Change.of(
                Records.opened(
                    0,
                    7,
                    interval("a=1", 0).toBuilder().setMember("c=ann").build(),
                    clock(0, 100, 10)),
                distinct)
            .candidate();
    assertThat(ann.member()).isEqualTo("c=ann");
    Violation violation =
        Violations.of(
            interval("a=1", 0), distinct, 3, new Witness(0, List.of(ann), Grade.DEFINITE), 55);
    assertThat(violation.getWitnesses(0).getMember()).isEqualTo("c=ann");
    assertThat(HexFormat.of().formatHex(violation.getWitnesses(0).toByteArray()))
        .as("field 9, as first written")
        .endsWith("4a05633d616e6e");
  }

  @Test
  void theIdDependsOnlyOnTheIdsOfTheWitnesses() {
    String id = id("a=1", Grade.DEFINITE, early, late);
    assertThat(id("a=1", Grade.POSSIBLE, late, early)).isEqualTo(id);
    assertThat(id("a=2", Grade.DEFINITE, early, late)).isNotEqualTo(id);
    assertThat(id("a=1", Grade.DEFINITE, early, candidate(2, 10, 1, 130))).isNotEqualTo(id);
  }

  @Test
  void theIdOfTheseWitnessesStaysTheSameFromVersionToVersion() {
    assertThat(id("a=1", Grade.DEFINITE, early, late))
        .isEqualTo("3971b181d85f7e9b533a842a29f8b197");
  }

  private static String id(String binding, Grade grade, Candidate... witnesses) {
    return Violations.id(interval(binding, 0), new Witness(0, List.of(witnesses), grade));
  }

  private static Candidate candidate(int node, long sequence, int term, long micros) {
    return Change.of(
            Records.opened(node, sequence, interval("a=1", term), clock(node, micros, 10)), SPEC)
        .candidate();
  }
}
