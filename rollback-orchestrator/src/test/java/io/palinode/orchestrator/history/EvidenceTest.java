package io.palinode.orchestrator.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Role;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.VersionRole;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import org.junit.jupiter.api.Test;

/** A witness of cut values would prove nothing. */
class EvidenceTest {
  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        violation:
          - all:
              - {var: "x", equals: "1"}
      """;

  @Test
  void aCutViolationHasNoWitness() {
    assertThatThrownBy(() -> Evidence.of(violation(value()).setWholeBytes(2_000_000).build(), YAML))
        .isInstanceOf(RefusedException.class)
        .hasMessage(
            "cannot make a witness of the violation: it had 2,000,000 bytes, too many for a"
                + " record, so it was published without whole values");
  }

  @Test
  void aValueThatItsNodeCutIsNamed() {
    Violation cut = violation(value().setValueBytes(20_000)).build();
    assertThatThrownBy(() -> Evidence.of(cut, YAML))
        .isInstanceOf(RefusedException.class)
        .hasMessageEndingWith("a value is too long for the record: x has 20,000 bytes");
  }

  @Test
  void ofALostUpdateTheVersionsAreTheEvidence() throws RefusedException {
    Violation.Builder violation = violation(value().setValueBytes(20_000));
    violation
        .getWitnessesBuilder(0)
        .addValues(value().setRole(VersionRole.LOST).setValueBytes(300))
        .addValues(value().clearValue().setRole(VersionRole.SEEN));
    PortableWitness witness = Evidence.of(violation.build(), YAML);
    assertThat(witness.intervals().get(0).values())
        .extracting(HeldValue::role)
        .containsExactly(Role.HOLDS, Role.LOST, Role.SEEN);
    assertThat(witness.finding().meaning())
        .contains(" a put that superseded a version ")
        .isEqualTo(Meaning.of(violation.build()));
  }

  @Test
  void aClauseThatThePredicateLacksIsNamed() {
    assertThatThrownBy(() -> Evidence.of(violation(value()).setClause(4).build(), YAML))
        .isInstanceOf(RefusedException.class)
        .hasMessageEndingWith("the predicate must have clause 4: it has 1 clauses");
  }

  private static VariableVersion.Builder value() {
    return VariableVersion.newBuilder()
        .setKey(ByteString.copyFromUtf8("x"))
        .setValue(ByteString.copyFromUtf8("1"));
  }

  private static Violation.Builder violation(VariableVersion.Builder value) {
    return Violation.newBuilder()
        .setId("v1")
        .setPredicate("p")
        .setPredicateVersion(3)
        .setEpsilon("10ms")
        .setGrade(ViolationGrade.DEFINITE)
        .setViolate(Hlc.ofMicros(10))
        .addWitnesses(
            Witness.newBuilder()
                .setStart(CandidateRecords.encode(Hvc.of(0, Hlc.ofMicros(10), Hlc.ofMicros(5))))
                .addValues(value));
  }
}
