package io.palinode.detection.witness;

import io.palinode.detection.CandidateId;
import io.palinode.detection.ViolationId;
import io.palinode.detection.witness.PortableWitness.Circumstance;
import io.palinode.detection.witness.PortableWitness.Finding;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Rules;
import io.palinode.detection.witness.PortableWitness.Subject;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ReplicaRule;
import java.util.List;

/** Two neighbours of an edge in their critical sections at once. */
final class Example {
  static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata:
        name: edge-mutex
      spec:
        type: conjunctive
        uncertainty: conservative
        replicas: any
        forEach:
          edge: "{a}_{b}"
        where: ["{a} < {b}"]
        violation:
          - all:
              - {var: "cs_{a}_{b}_{a}", equals: "1"}
              - {var: "cs_{a}_{b}_{b}", equals: "1"}
      """;

  private static final Subject SUBJECT = new Subject("edge-mutex", 3, YAML, "a=1,b=2", 0);
  private static final HeldInterval FIRST =
      new HeldInterval(
          0,
          new CandidateId(1, 2, 5),
          hvc(1, "990", "1000.3", "980"),
          hvc(1, "990", "1200", "985"),
          "client-7",
          List.of(new HeldValue("default", "cs_1_2_1", "1", "0a1b")));
  private static final HeldInterval SECOND =
      new HeldInterval(
          1,
          new CandidateId(2, 1, 17),
          hvc(2, "990", "995", "1100"),
          hvc(2, "990", "995", "1300"),
          "",
          List.of(
              new HeldValue("default", "cs_1_2_2", "1", "0c"),
              new HeldValue("default", "cs_1_2_2", "1", "0d")));

  private Example() {}

  static Subject subject() {
    return SUBJECT;
  }

  static Rules rules() {
    return new Rules(Epsilon.ofMicros(10_000), Uncertainty.CONSERVATIVE, ReplicaRule.ANY);
  }

  static Finding finding() {
    return new Finding(id(SUBJECT), Grade.POSSIBLE, FIRST.start().own(), SECOND.start().own());
  }

  static String id(Subject subject) {
    return ViolationId.of(
        subject.predicate(),
        subject.version(),
        subject.binding(),
        subject.clause(),
        List.of(FIRST.id(), SECOND.id()));
  }

  static Circumstance circumstance() {
    return new Circumstance(4, 1_400);
  }

  static List<HeldInterval> intervals() {
    return List.of(FIRST, SECOND);
  }

  static PortableWitness witness() {
    return PortableWitness.of(SUBJECT, rules(), finding(), circumstance(), intervals());
  }

  static Hvc hvc(int node, String... entries) {
    long[] clock = new long[entries.length];
    for (int i = 0; i < entries.length; i++) {
      clock[i] = Hlc.parse(entries[i]);
    }
    return Hvc.of(node, clock);
  }
}
