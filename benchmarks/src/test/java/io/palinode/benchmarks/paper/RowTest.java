package io.palinode.benchmarks.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.palinode.benchmarks.Turns;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RowTest {
  private static final Printed FOUR = Printed.figure(4, "Table I");

  @Test
  void anIntervalOnOneSideOfThePrintedFigureIsBetterOrWorse() {
    assertThat(lower(FOUR, 1, 2, 3, 3.5, 3.9).verdict()).isEqualTo(Verdict.BETTER);
    assertThat(lower(FOUR, 4.1, 5, 6, 7, 8).verdict()).isEqualTo(Verdict.WORSE);
    assertThat(higher(FOUR, 4.1, 5, 6, 7, 8).verdict()).isEqualTo(Verdict.BETTER);
    assertThat(higher(FOUR, 1, 2, 3, 3.5, 3.9).verdict()).isEqualTo(Verdict.WORSE);
  }

  @Test
  void aPrintedRangeCountsAsAWhole() {
    Printed range = new Printed(4, 13, "Table II");
    assertThat(lower(range, 5, 6, 7, 8, 9).verdict()).isEqualTo(Verdict.AS_PAPER);
    assertThat(lower(range, 1, 2, 3).verdict()).isEqualTo(Verdict.BETTER);
    assertThat(lower(range, 14, 15, 16).verdict()).isEqualTo(Verdict.WORSE);
  }

  @Test
  void anIntervalThatHoldsThePrintedFigureIsAsThePaperUnlessItHoldsMuchElse() {
    assertThat(lower(FOUR, 3, 4, 5).verdict()).isEqualTo(Verdict.AS_PAPER);
    Row wide = lower(FOUR, -20, 4, 30);
    assertThat(wide.verdict()).isEqualTo(Verdict.NOISE);
    assertThat(wide.ratio()).isNull();
  }

  @Test
  void anEffectBelowTheNoiseHasNoFigure() {
    Turns.Effect effect = new Turns.Effect(List.of(0.5, 1.0, 0.7), List.of(-3.0, 2.0));
    Row row = Row.effect("a", "a", "%", Better.LOWER, FOUR, effect, "");
    assertThat(row.verdict()).isEqualTo(Verdict.NOISE);
    Turns.Effect clear = new Turns.Effect(List.of(0.5, 1.0, 0.7), List.of(-0.3, 0.2));
    assertThat(Row.effect("a", "a", "%", Better.LOWER, FOUR, clear, "").verdict())
        .isEqualTo(Verdict.BETTER);
  }

  @Test
  void oneRepetitionSaysNothing() {
    assertThat(lower(FOUR, 1).verdict()).isEqualTo(Verdict.NOISE);
  }

  @Test
  void theRatioIsOurMedianByTheMiddleOfWhatIsPrinted() {
    assertThat(lower(new Printed(4, 12, ""), 9, 10, 11).ratio()).isCloseTo(1.25, within(1e-12));
    assertThat(lower(null, 9, 10, 11).ratio()).isNull();
    assertThat(lower(null, 9, 10, 11).verdict()).isEqualTo(Verdict.NOT_PRINTED);
  }

  @Test
  void whatCannotBeMeasuredHereIsARowWithTheReason() {
    Row row = Row.notHere("r", "regions", "%", FOUR, "there is one machine");
    assertThat(row.verdict()).isEqualTo(Verdict.NOT_HERE);
    assertThat(row.ours()).isNull();
    assertThat(row.note()).isEqualTo("there is one machine");
  }

  @Test
  void aFigureMustBeFinite() {
    assertThatThrownBy(() -> lower(FOUR, Double.NaN)).hasMessageContaining("finite");
  }

  @Test
  void exponentsAreFittedByLogarithms() {
    List<Curve.Point> squares =
        List.of(new Curve.Point(1, 3), new Curve.Point(10, 300), new Curve.Point(100, 30_000));
    assertThat(Fit.exponent(squares)).isCloseTo(2, within(1e-9));
    assertThatThrownBy(() -> Fit.exponent(squares.subList(0, 1)))
        .hasMessageContaining("two different x");
  }

  static Row lower(@Nullable Printed paper, double... values) {
    return Row.of("id", "what", "ms", Better.LOWER, paper, boxed(values), "");
  }

  static Row higher(@Nullable Printed paper, double... values) {
    return Row.of("id", "what", "/s", Better.HIGHER, paper, boxed(values), "");
  }

  static List<Double> boxed(double... values) {
    return java.util.Arrays.stream(values).boxed().toList();
  }
}
