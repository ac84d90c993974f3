package io.palinode.hvc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The order of intervals and the grade of what is concurrent, row by row. Clocks are of two nodes,
 * {@code entry of node 0 / entry of node 1}, in microseconds; I is of node 0, J of node 1, and ε is
 * 10 µs, if not said otherwise; {@code open} has no end.
 */
class CausalityTest {
  @ParameterizedTest(name = "{4} {5}: [{0}, {1}] and [{2}, {3}] are {6}")
  @CsvSource({
    // I is known at J's start, and 10 µs before it: ordered under every rule.
    "100/50, 110/50, 110/120, 110/150, 10us, conservative, BEFORE",
    "100/50, 110/50, 110/120, 110/150, 10us, causal, BEFORE",
    "100/50, 110/50, 110/120, 110/150, inf, conservative, BEFORE",
    // One microsecond closer than ε: only the paper's rule calls it concurrent.
    "100/50, 110/50, 110/119, 110/150, 10us, conservative, CONCURRENT",
    "100/50, 110/50, 110/119, 110/150, 10us, causal, BEFORE",
    "100/50, 110/50, 110/119, 110/150, inf, conservative, BEFORE",
    // ε = 0: a clock that reads the same is not too close.
    "100/50, 110/50, 110/110, 110/150, 0, conservative, BEFORE",
    // Far apart by clocks, but J's node received no message after I, so there is no order.
    "100/50, 110/50, 99/500, 99/600, 10us, conservative, CONCURRENT",
    "100/50, 110/50, 99/500, 99/600, 10us, causal, CONCURRENT",
    // More than 2ε apart: the floor of J's clock orders them without a message.
    "100/90, 110/100, 121/131, 121/140, 10us, conservative, BEFORE",
    // An end equal to a start in every entry is not before it.
    "100/50, 110/120, 110/120, 110/150, 10us, causal, CONCURRENT",
    // One entry less is enough, all others equal.
    "100/50, 110/119, 110/120, 110/150, inf, causal, BEFORE",
    // The other way round.
    "120/110, 150/110, 50/100, 50/110, 10us, conservative, AFTER",
    "119/110, 150/110, 50/100, 50/110, 10us, conservative, CONCURRENT",
    // What is open is before nothing, but something can be before it.
    "100/50, open, 500/600, 500/700, 10us, conservative, CONCURRENT",
    "100/50, 110/50, 110/120, open, 10us, conservative, BEFORE",
    "100/50, open, 50/100, open, inf, causal, CONCURRENT",
  })
  void orderOnDifferentNodes(
      String startI,
      String endI,
      String startJ,
      String endJ,
      String epsilon,
      String uncertainty,
      Order expected) {
    Causality causality = causality(epsilon, uncertainty);
    Interval i = interval(0, startI, endI);
    Interval j = interval(1, startJ, endJ);
    assertThat(causality.order(i, j)).isEqualTo(expected);
    assertThat(causality.order(j, i)).isEqualTo(mirrored(expected));
    assertThat(causality.isBefore(i, j)).isEqualTo(expected == Order.BEFORE);
  }

  @ParameterizedTest(name = "{1} µs after {0}, epsilon {2}")
  @CsvSource({
    // What is ε before has happened; what was known before stays known.
    "50/100, 1000, 10us, 1090/1100",
    "98/100, 5, 10us, 98/105",
    "0/3, 1, 10us, 0/4",
    "50/100, 1000, inf, 50/1100",
    "50/100, 1000, 0, 1100/1100",
  })
  void aStartThatCountsLater(String start, long micros, String epsilon, String expected) {
    Hvc delayed = causality(epsilon, "causal").delayed(interval(1, start, "open").start(), micros);
    assertThat(delayed).isEqualTo(interval(1, expected, "open").start());
  }

  @ParameterizedTest(name = "{0}, epsilon {1}")
  @CsvSource({"50/100, 10us, 90/100", "95/100, 10us, 95/100", "0/100, inf, 0/100"})
  void anEntryBelowTheFloorIsRaisedToIt(String clock, String epsilon, String expected) {
    Hvc floored = causality(epsilon, "causal").floored(interval(1, clock, "open").start());
    assertThat(floored).isEqualTo(interval(1, expected, "open").start());
  }

  @ParameterizedTest(name = "[{0}, {1}] and [{2}, {3}] are {4}")
  @CsvSource({
    // Own entries decide, whatever the others say, and ε has no part in it.
    "100/50, 110/50, 111/50, 120/50, BEFORE",
    "100/50, 110/90, 111/50, 120/50, BEFORE",
    "100/50, 110/50, 110/50, 120/50, CONCURRENT",
    "100/50, 110/50, 105/50, 120/50, CONCURRENT",
    "100/50, open, 105/50, 120/50, CONCURRENT",
    "111/50, 120/50, 100/50, 110/50, AFTER",
  })
  void orderOnOneNode(String startI, String endI, String startJ, String endJ, Order expected) {
    for (String uncertainty : new String[] {"conservative", "causal"}) {
      Causality causality = causality("10us", uncertainty);
      Interval i = interval(0, startI, endI);
      Interval j = interval(0, startJ, endJ);
      assertThat(causality.order(i, j)).isEqualTo(expected);
      if (expected == Order.CONCURRENT) {
        assertThat(causality.grade(i, j)).isEqualTo(Grade.DEFINITE);
      }
    }
  }

  @ParameterizedTest(name = "{4}: [{0}, {1}] and [{2}, {3}] are {5}")
  @CsvSource({
    // Each knew of the other's start at its end.
    "100/90, 200/130, 90/100, 130/200, 10us, DEFINITE",
    "100/90, 200/130, 90/100, 130/200, inf, DEFINITE",
    // No message, but each ends more than ε after the other's start.
    "100/0, 200/0, 0/150, 0/250, 10us, DEFINITE",
    "100/0, 200/0, 0/189, 0/250, 10us, DEFINITE",
    // Exactly ε is not more than ε.
    "100/0, 200/0, 0/190, 0/250, 10us, POSSIBLE",
    // Clocks say nothing without a bound.
    "100/0, 200/0, 0/150, 0/250, inf, POSSIBLE",
    // One start by message, the other by clocks.
    "100/0, 200/0, 110/150, 110/250, 10us, DEFINITE",
    // Ordered by messages, and only ε makes them concurrent.
    "100/50, 110/50, 110/119, 110/150, 10us, UNCERTAIN",
    // Neither ordered nor sure.
    "100/50, 110/50, 105/112, 105/115, 10us, POSSIBLE",
    // An open end is unbounded.
    "100/0, open, 0/150, open, 10us, DEFINITE",
    "100/0, open, 0/150, open, inf, DEFINITE",
    "100/0, open, 0/150, 0/160, 10us, DEFINITE",
    "155/0, open, 0/150, 0/160, 10us, POSSIBLE",
  })
  void grade(
      String startI, String endI, String startJ, String endJ, String epsilon, Grade expected) {
    Causality causality = causality(epsilon, "conservative");
    Interval i = interval(0, startI, endI);
    Interval j = interval(1, startJ, endJ);
    assertThat(causality.grade(i, j)).isEqualTo(expected);
    assertThat(causality.grade(j, i)).isEqualTo(expected);
  }

  @ParameterizedTest(name = "ended at node {1}: [100/50, {0}] and [{2}, open] are {3}")
  @CsvSource({
    // The interval of a version ends at the node that superseded it first: that node's clock
    // counts.
    "110/115, 1, 105/116, BEFORE",
    "110/115, 1, 110/115, CONCURRENT",
    "110/105, 0, 110/119, CONCURRENT",
    "110/105, 0, 110/120, BEFORE",
  })
  void anEndAtAnotherNodeCountsByThatNodesClock(
      String end, int endNode, String startJ, Order expected) {
    Interval joined = new Interval(hvc(0, "100/50"), hvc(endNode, end));
    Interval j = interval(1, startJ, "open");
    assertThat(causality("10us", "conservative").order(joined, j)).isEqualTo(expected);
  }

  private static Causality causality(String epsilon, String uncertainty) {
    return new Causality(
        Epsilon.parse(epsilon),
        uncertainty.equals("causal") ? Uncertainty.CAUSAL : Uncertainty.CONSERVATIVE);
  }

  private static Interval interval(int node, String start, String end) {
    return new Interval(hvc(node, start), end.equals("open") ? null : hvc(node, end));
  }

  private static Hvc hvc(int node, String entries) {
    return Hvc.of(
        node,
        Arrays.stream(entries.split("/"))
            .mapToLong(entry -> Hlc.ofMicros(Long.parseLong(entry)))
            .toArray());
  }

  private static Order mirrored(Order order) {
    return switch (order) {
      case BEFORE -> Order.AFTER;
      case AFTER -> Order.BEFORE;
      case CONCURRENT -> Order.CONCURRENT;
    };
  }
}
