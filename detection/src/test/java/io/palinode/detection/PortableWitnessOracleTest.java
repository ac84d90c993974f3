package io.palinode.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.PortableWitness.Circumstance;
import io.palinode.detection.witness.PortableWitness.Finding;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Rules;
import io.palinode.detection.witness.PortableWitness.Subject;
import io.palinode.detection.witness.WitnessCheck;
import io.palinode.predicate.ReplicaRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** All that detection reports, when it is reported and when its grade rises, passes the check. */
class PortableWitnessOracleTest {
  @Test
  void everyReportOfEveryGradeHolds() {
    Seeds.each(
        Seeds.count() / 2,
        random -> {
          Computation run =
              random.nextBoolean()
                  ? Computation.random(random)
                  : ReplicatedComputation.random(random);
          Delivery delivery =
              new Delivery(random, run.spec(), run.events(), detector -> detector).run();
          List<Witness> told = new ArrayList<>(delivery.reports());
          told.addAll(delivery.raised());
          for (Witness witness : told) {
            assertThat(WitnessCheck.check(portable(run.spec(), witness))).isEmpty();
          }
        });
  }

  private static PortableWitness portable(DetectionSpec spec, Witness witness) {
    Subject subject = new Subject("p", 1, yaml(spec), "", witness.clause());
    List<CandidateId> ids = witness.candidates().stream().map(Candidate::id).toList();
    return PortableWitness.of(
        subject,
        new Rules(spec.causality().epsilon(), spec.causality().uncertainty(), spec.replicas()),
        new Finding(
            ViolationId.of("p", 1, "", witness.clause(), ids),
            witness.grade(),
            witness.first(),
            witness.violate()),
        new Circumstance(0, 0),
        witness.candidates().stream().map(PortableWitnessOracleTest::held).toList());
  }

  private static HeldInterval held(Candidate candidate) {
    HeldValue value = new HeldValue("s", key(candidate.clause(), candidate.term()), "1", "");
    return new HeldInterval(
        candidate.term(),
        candidate.id(),
        candidate.interval().start(),
        candidate.interval().end(),
        "",
        List.of(value));
  }

  private static String key(int clause, int term) {
    return "x" + clause + "_" + term;
  }

  private static String yaml(DetectionSpec spec) {
    StringBuilder yaml =
        new StringBuilder(
            """
            apiVersion: palinode.io/v1
            kind: Predicate
            metadata: {name: p}
            spec:
              epsilon: %s
              uncertainty: %s
              replicas: %s
              violation:
            """
                .formatted(
                    spec.causality().epsilon(),
                    spec.causality().uncertainty().name().toLowerCase(Locale.ROOT),
                    spec.replicas() == ReplicaRule.ANY ? "any" : "first"));
    for (int clause = 0; clause < spec.termsPerClause().size(); clause++) {
      yaml.append("    - all:\n");
      for (int term = 0; term < spec.termsPerClause().get(clause); term++) {
        yaml.append("        - {var: ").append(key(clause, term)).append(", equals: \"1\"}\n");
      }
    }
    return yaml.toString();
  }
}
