package io.palinode.detection.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detection.CandidateId;
import io.palinode.detection.ViolationId;
import io.palinode.detection.witness.PortableWitness.Finding;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Subject;
import io.palinode.detection.witness.WitnessCheck.Breach;
import io.palinode.detection.witness.WitnessCheck.Rule;
import io.palinode.hvc.Grade;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two clients that hold one lock at once. */
class DistinctCheckTest {
  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: one-holder}
      spec:
        replicas: any
        forEach: {lock: "{l}"}
        violation:
          - atLeast: {count: 2, of: {var: "lock_{l}_{client}", equals: held}, distinct: client}
      """;
  private static final HeldInterval ANN = held(1, 5, "lock_7_ann", "client=ann");
  private static final HeldInterval BOB = held(2, 9, "lock_7_bob", "client=bob");

  @Test
  void twoMembersOfOneInstanceAreAViolation() {
    assertThat(WitnessCheck.check(witness(ANN, BOB))).isEmpty();
  }

  @Test
  void theFileKeepsTheMembers() throws WitnessFormatException {
    PortableWitness witness = witness(ANN, BOB);
    String text = WitnessJson.write(witness);
    assertThat(text).contains("\"member\": \"client=ann\"");
    assertThat(WitnessJson.read(text, "w.json")).isEqualTo(witness);
  }

  @Test
  void anEmptyMemberIsNotWritten() {
    String empty = WitnessJson.write(witness(ANN, BOB)).replace("client=ann", "");
    assertThatThrownBy(() -> WitnessJson.read(empty, "w.json"))
        .hasMessageContaining("must be absent if it is empty");
  }

  @Test
  void oneMemberTwiceIsNone() {
    HeldInterval again = held(2, 9, "lock_7_ann", "client=ann");
    assertThat(rules(witness(ANN, again))).containsExactly(Rule.TERMS);
  }

  @Test
  void oneIntervalIsNotEnough() {
    assertThat(rules(witness(ANN))).containsExactly(Rule.TERMS);
  }

  @Test
  void aMemberThatTheKeyDoesNotBindIsRefused() {
    HeldInterval other = held(2, 9, "lock_7_bob", "client=eve");
    assertThat(rules(witness(ANN, other))).containsExactly(Rule.VALUES);
  }

  @Test
  void aMemberOfAnotherInstanceIsRefused() {
    HeldInterval other = held(2, 9, "lock_8_bob", "client=bob");
    assertThat(rules(witness(ANN, other))).containsExactly(Rule.VALUES);
  }

  @Test
  void aTotalIsTheSumOfItsMembers() {
    String total =
        YAML.replace(
            "atLeast: {count: 2, of: {var: \"lock_{l}_{client}\", equals: held}",
            "sum: {count: 2, notEquals: 9, of: {var: \"lock_{l}_{client}\", times: 2}");
    HeldInterval one = valued(ANN, "1");
    assertThat(rules(witness(total, one, valued(BOB, "3.50")))).containsExactly(Rule.VALUES);
    PortableWitness right = witness(total, one, valued(BOB, "3"));
    assertThat(rules(right)).isEmpty();
    assertThat(WitnessMeaning.of(right)).endsWith("; the sum is 8 (notEquals: 9)");
    assertThat(rules(witness(total, one, valued(BOB, "held")))).contains(Rule.VALUES);
    assertThat(rules(witness(total, one))).containsExactly(Rule.TERMS);
  }

  private static HeldInterval valued(HeldInterval held, String value) {
    return new HeldInterval(
        held.term(),
        held.id(),
        held.start(),
        held.end(),
        held.writer(),
        List.of(new HeldValue("default", held.values().get(0).key(), value, "0a")),
        held.member());
  }

  @Test
  void theDigestCoversTheMember() {
    PortableWitness witness = witness(ANN, BOB);
    HeldInterval other = held(2, 9, "lock_7_bob", "client=eve");
    assertThat(WitnessDigest.of(witness)).isNotEqualTo(WitnessDigest.of(witness(ANN, other)));
  }

  private static List<Rule> rules(PortableWitness witness) {
    return WitnessCheck.check(witness).stream().map(Breach::rule).toList();
  }

  private static PortableWitness witness(HeldInterval... intervals) {
    return witness(YAML, intervals);
  }

  private static PortableWitness witness(String yaml, HeldInterval... intervals) {
    List<HeldInterval> all = List.of(intervals);
    String id =
        ViolationId.of("one-holder", 3, "l=7", 0, all.stream().map(HeldInterval::id).toList());
    return PortableWitness.of(
        new Subject("one-holder", 3, yaml, "l=7", 0),
        Example.rules(),
        new Finding(
            id,
            all.size() == 1 ? Grade.DEFINITE : Grade.POSSIBLE,
            all.stream().mapToLong(each -> each.start().own()).min().orElseThrow(),
            all.stream().mapToLong(each -> each.start().own()).max().orElseThrow()),
        Example.circumstance(),
        all);
  }

  private static HeldInterval held(int node, long sequence, String key, String member) {
    String[] start = {"990", "990", "990"};
    String[] end = {"990", "990", "990"};
    start[node] = "1000";
    end[node] = "1200";
    return new HeldInterval(
        0,
        new CandidateId(node, 1, sequence),
        Example.hvc(node, start),
        Example.hvc(node, end),
        "",
        List.of(new HeldValue("default", key, "held", "0a")),
        member);
  }
}
