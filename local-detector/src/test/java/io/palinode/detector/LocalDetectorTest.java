package io.palinode.detector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.ring.CandidateEncoder;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.VariableVersion;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Intervals that writes open and close. */
class LocalDetectorTest extends DetectorFixture {
  @Test
  void aTermThatTurnsTrueOpensAtOnceAndAfterTheWrite() {
    long before = store.clock().last().own();
    store.put("x", "1");
    Opened opened = (Opened) only(drain());
    assertThat(opened.instance()).isEqualTo("exact|");
    assertThat(opened.epoch()).isEqualTo(7);
    assertThat(opened.sequence()).isEqualTo(1);
    assertThat(opened.interval().start().own()).isGreaterThan(before);
    assertThat(opened.values()).containsExactly(store.siblings(MemoryNode.key("x")).get(0));
    assertThat(opened.interval().source().writer()).isEqualTo("client");
    assertThat(opened.interval().source().origin()).isZero();
    assertThat(detector.openIntervals()).isEqualTo(1);
  }

  @Test
  void aTermThatTurnsFalseClosesRightBeforeTheWrite() {
    store.put("x", "1");
    Opened opened = (Opened) only(drain());
    store.put("x", "0");
    Closed closed = (Closed) only(drain());
    assertThat(closed.interval()).isEqualTo(opened.interval());
    assertThat(closed.sequence()).isEqualTo(2);
    assertThat(closed.end().own())
        .isGreaterThan(opened.interval().start().own())
        .isLessThan(store.clock().last().own());
    assertThat(closed.endedBy()).isEqualTo(store.siblings(MemoryNode.key("x")).get(0));
    assertThat(detector.openIntervals()).isZero();
  }

  @Test
  void aDeleteClosesWithoutAVersion() {
    store.put("x", "1");
    store.delete("x");
    Closed closed = (Closed) drain().get(1);
    assertThat(closed.endedBy()).isNull();
  }

  @Test
  void aSupersedingVersionThatAlsoHoldsClosesAndOpensAgain() {
    store.put("x", "1");
    store.put("x", "1");
    List<Emission> out = drain();
    Closed closed = (Closed) out.get(1);
    Opened again = (Opened) out.get(2);
    assertThat(closed.end().own()).isLessThan(again.interval().start().own());
    assertThat(again.values()).containsExactly(closed.endedBy());
    assertThat(out).hasSize(3);
  }

  @Test
  void eachSiblingThatHoldsHasItsInterval() {
    store.put("x", "1");
    store.putConcurrently("x", "1", 1);
    store.putConcurrently("x", "0", 2);
    List<Emission> out = drain();
    assertThat(out).hasSize(2);
    Opened second = (Opened) out.get(1);
    assertThat(second.values()).hasSize(2);
    assertThat(second.values().get(0)).isEqualTo(second.interval().holding().version());
    store.put("x", "0");
    assertThat(drain()).hasSize(2).allMatch(e -> e instanceof Closed);
  }

  @Test
  void capturesInValuesBindOneInstanceASibling() {
    detector.setPredicates(List.of(Watched.properColouring(1)));
    store.put("cs_1_2_1", "c3");
    store.putConcurrently("cs_1_2_1", "c4", 1);
    assertThat(drain())
        .extracting(e -> ((Opened) e).instance())
        .containsExactly("proper-colouring|a=1,b=2,k=3", "proper-colouring|a=1,b=2,k=4");
  }

  @Test
  void aVariableOfATotalNamesItsMemberAndOnACutItsValue() {
    watch(
        """
        forEach: {bank: "{bank}"}
        violation:
          - sum: {of: {var: "balance_{bank}_{account}"}, distinct: account, count: 2, notEquals: 9}
        """);
    store.put("balance_a_1", "4");
    store.put("balance_a_2", "5.0");
    store.put("balance_a_3", "none");
    assertThat(drain())
        .extracting(e -> new CandidateEncoder(0, 1).opened((Opened) e).getOpened().getInterval())
        .extracting(ref -> ref.getBinding() + " " + ref.getMember())
        .containsExactly("bank=a account=1", "bank=a account=2");
    assertThat(detector.holding())
        .extracting(ref -> ref.getMember() + " " + ref.getAmount())
        .containsExactlyInAnyOrder("account=1 4", "account=2 5.0");
  }

  /** A member that does not hold has no interval, so it costs nothing. */
  @Test
  void bindingsOfADistinctCaptureShareAnInstance() {
    watch(
        """
        forEach: {lock: "{l}"}
        violation:
          - atLeast: {count: 2, of: {var: "lock_{l}_{client}", equals: held}, distinct: client}
        """);
    store.put("lock_7_ann", "held");
    store.put("lock_7_bob", "held");
    store.put("lock_8_eve", "held");
    store.put("lock_7_idle", "free");
    List<Emission> out = drain();
    CandidateEncoder encoder = new CandidateEncoder(0, 1);
    assertThat(out)
        .extracting(e -> encoder.opened((Opened) e).getOpened().getInterval())
        .extracting(ref -> ref.getBinding() + " " + ref.getMember())
        .containsExactly("l=7 client=ann", "l=7 client=bob", "l=8 client=eve");
    assertThat(out.get(0)).extracting(e -> ((Opened) e).instance()).asString().endsWith("|l=7");
    assertThat(detector.openIntervals()).isEqualTo(3);

    store.put("lock_7_ann", "free");
    Closed closed = (Closed) only(drain());
    assertThat(encoder.closed(closed).getClosed().getInterval().getMember())
        .isEqualTo("client=ann");
    assertThat(detector.holding())
        .extracting(ref -> ref.getBinding() + " " + ref.getMember())
        .containsExactlyInAnyOrder("l=7 client=bob", "l=8 client=eve");
  }

  @Test
  void aValueThatIsNoTextIsCountedAndHoldsNothing() {
    detector.setPredicates(List.of(Watched.properColouring(1)));
    store.put(
        MemoryNode.key("cs_1_2_1"),
        new byte[] {'c', (byte) 0xFF},
        VectorClock.zero(9).increment(0),
        "",
        null);
    assertThat(drain()).isEmpty();
    assertThat(detector.valuesRefused()).isEqualTo(1);
  }

  @Test
  void everyVersionHasItsIntervalThoughTheTermHoldsThroughout() {
    watch("violation: [{all: [{var: load, above: 80}]}]");
    store.put("load", "81");
    store.put("load", "95.5");
    store.put("load", "80");
    List<Emission> out = drain();
    assertThat(out).hasSize(4);
    Opened first = (Opened) out.get(0);
    Closed superseded = (Closed) out.get(1);
    Opened second = (Opened) out.get(2);
    assertThat(superseded.interval()).isEqualTo(first.interval());
    assertThat(superseded.endedBy()).isEqualTo(second.interval().holding().version());
    assertThat(superseded.end().own()).isLessThan(second.interval().start().own());
    assertThat(((Closed) out.get(3)).interval()).isEqualTo(second.interval());
  }

  @Test
  void aKeyWithoutAValueSatisfiesNothingAndAnySiblingIsEnough() {
    watch("violation: [{all: [{var: leader, notEquals: n1}]}]");
    assertThat(detector.holding()).isEmpty();
    store.put("leader", "n1");
    assertThat(drain()).isEmpty();
    store.putConcurrently("leader", "n2", 1);
    assertThat(((Opened) only(drain())).values()).hasSize(1);
    store.delete("leader");
    assertThat(only(drain())).isInstanceOf(Closed.class);
  }

  @Test
  void aValueThatIsNoDecimalIsCountedOnceAWriteAndHoldsNothing() {
    watch("violation: [{any: [{var: x, below: 1}, {var: x, atLeast: 1}, {var: x, equals: y}]}]");
    store.put("x", "one");
    store.put("x", "1e999999999");
    assertThat(drain()).isEmpty();
    assertThat(detector.valuesRefused()).isEqualTo(2);
    store.put("x", "y");
    assertThat(drain()).hasSize(1);
    assertThat(detector.failures()).isZero();
  }

  @Test
  void aValueThatIsNoTextSatisfiesNotEvenNotEquals() {
    watch("violation: [{all: [{var: x, notEquals: 1}]}]");
    VectorClock clock = VectorClock.zero(9).increment(0);
    store.put(MemoryNode.key("x"), new byte[] {(byte) 0xFF}, clock, "", null);
    assertThat(drain()).isEmpty();
    assertThat(detector.valuesRefused()).isEqualTo(1);
  }

  @Test
  void aBindingThatBreaksAConditionOpensNothing() {
    watch(
        """
        forEach: {edge: "{a}_{b}"}
        where: ["{a} < {b}"]
        violation:
          - all: [{var: "cs_{a}_{b}", equals: "1"}, {var: "ct_{a}", equals: "{b}"}]
        """);
    store.put("cs_2_1", "1");
    store.put("ct_2", "1");
    assertThat(drain()).isEmpty();
    assertThat(detector.valuesRefused()).isZero();
    store.put("cs_2_10", "1");
    store.put("ct_2", "10");
    assertThat(drain())
        .extracting(e -> ((Opened) e).instance())
        .containsOnly("watched|a=2,b=10")
        .hasSize(2);
    store.put("cs_2_x", "1");
    assertThat(drain()).isEmpty();
    assertThat(detector.valuesRefused()).isEqualTo(1);
  }

  @Test
  void aValueTooLongToMatchIsGivenUpAndCounted() {
    watch("violation: [{all: [{var: x, matches: '(a|b)*'}]}]");
    store.put("x", "a".repeat(1_000));
    assertThat(drain()).hasSize(1);
    store.put("x", "a".repeat(1_000_000));
    assertThat(only(drain())).isInstanceOf(Closed.class);
    assertThat(detector.matchesGivenUp()).isEqualTo(1);
  }

  @Test
  void theBeginningAndTheLengthOfALongValueArePublished() {
    watch("violation: [{all: [{var: x, notEquals: '0'}]}]");
    String longest = "1".repeat(600_000);
    store.put("x", longest);
    store.put("x", longest + "2");
    List<Emission> out = drain();
    CandidateEncoder encoder = new CandidateEncoder(0, 1);
    VariableVersion published = encoder.opened((Opened) out.get(0)).getOpened().getValues(0);
    assertThat(published.getValue().size()).isEqualTo(IntervalPublisher.VALUE_PUBLISHED_MAX);
    assertThat(published.getValueBytes()).isEqualTo(600_000);
    Closed closed = (Closed) out.get(1);
    assertThat(encoder.closed(closed).getSerializedSize()).isLessThan(1_000);
    assertThat(closed.interval()).isEqualTo(((Opened) out.get(0)).interval());
  }

  @Test
  void holdingNamesEachTermAndBindingOnce() {
    detector.setPredicates(List.of(Watched.exact(4), Watched.edgeMutex(5)));
    store.put("x", "1");
    store.putConcurrently("x", "1", 1);
    store.put("cs_1_2_2", "1");
    assertThat(detector.holding())
        .containsExactlyInAnyOrder(
            IntervalRef.newBuilder().setPredicate("exact").setPredicateVersion(4).build(),
            IntervalRef.newBuilder()
                .setPredicate("edge-mutex")
                .setPredicateVersion(5)
                .setBinding("a=1,b=2")
                .setTerm(1)
                .build());
  }

  @Test
  void valuesAreComparedAsBytes() {
    store.put(
        MemoryNode.key("x"), "1 ".getBytes(UTF_8), VectorClock.zero(9).increment(0), "", null);
    assertThat(drain()).isEmpty();
  }
}
