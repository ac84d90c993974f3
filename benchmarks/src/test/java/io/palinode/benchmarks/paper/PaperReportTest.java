package io.palinode.benchmarks.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.palinode.benchmarks.paper.Comparison.Change;
import io.palinode.benchmarks.paper.Comparison.Outcome;
import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class PaperReportTest {
  private static final Environment HERE =
      new Environment("palinode 1", "VM 17", "Linux", 2, 8L << 30, 2L << 30);

  @Test
  void aReportIsReadAsItWasWritten() throws Exception {
    PaperReport report = report(1, row("a", Better.LOWER, 1, 2, 3, 4));
    assertThat(PaperReport.parse(report.json())).isEqualTo(report);
    assertThat(report.json()).contains("\"verdict\" : \"BETTER\"", "\"ratio\" : 0.5");
  }

  @Test
  void whatIsNoReportIsRefused() {
    assertThatThrownBy(() -> PaperReport.parse("{\"format\": 7}")).hasMessageContaining("format=7");
    assertThatThrownBy(() -> PaperReport.parse("<html>")).hasMessageContaining("not a report");
    assertThatThrownBy(() -> PaperReport.parse("[]")).hasMessageContaining("format=0");
  }

  @Test
  void theTableHasBothFiguresTheVerdictAndTheNotes() {
    PaperReport report =
        report(
            1,
            row("a", Better.LOWER, 1, 2, 3, 4),
            Row.notHere("b", "regions", "%", null, "there is one machine"));
    Row printed =
        Row.notHere("c", "c", "%", new Printed(0.9, 13_000, "Table II"), "there is one machine");
    assertThat(PaperReport.Figures.paper(printed)).isEqualTo("0.9–13,000");
    assertThat(report.table())
        .contains("Linux", "2 cores", "8,192 MiB", "seed 1", "1 … 4", "better", "not here")
        .contains("- regions: there is one machine");
  }

  @Test
  void aFigureThatBecameWorseBeyondChanceIsWorse() {
    Comparison slower =
        Comparison.of(
            report(1, row("a", Better.LOWER, 1, 2, 3, 4)),
            report(1, row("a", Better.LOWER, 5, 6, 7, 8)),
            0.05);
    Change change = slower.changes().get(0);
    assertThat(change.outcome()).isEqualTo(Outcome.WORSE);
    assertThat(change.p()).isCloseTo(2.0 / 70, within(1e-12));
    assertThat(slower.isWorse()).isTrue();
    assertThat(slower.table()).contains("WORSE", "+4", "0.029");
    assertThat(outcome(Better.HIGHER, 0.05)).isEqualTo(Outcome.BETTER);
    assertThat(outcome(Better.LOWER, 0.01)).isEqualTo(Outcome.TOO_FEW);
  }

  private static Outcome outcome(Better better, double level) {
    return Comparison.of(
            report(1, row("a", better, 1, 2, 3, 4)), report(1, row("a", better, 5, 6, 7, 8)), level)
        .changes()
        .get(0)
        .outcome();
  }

  @Test
  void aDifferenceThatChanceExplainsIsNotSignificant() {
    Comparison comparison =
        Comparison.of(
            report(1, row("a", Better.LOWER, 1, 3, 5, 7)),
            report(1, row("a", Better.LOWER, 2, 4, 6, 8)),
            0.05);
    assertThat(comparison.changes().get(0).outcome()).isEqualTo(Outcome.NOT_SIGNIFICANT);
    assertThat(comparison.isWorse()).isFalse();
  }

  @Test
  void rowsOfOneReportAndOtherSettingsAreNamed() {
    Comparison comparison =
        Comparison.of(
            report(1, row("a", Better.LOWER, 1, 2), Row.notHere("c", "c", "%", null, "why")),
            report(2, row("b", Better.LOWER, 1, 2), Row.notHere("c", "c", "%", null, "why")),
            0.05);
    assertThat(comparison.changes())
        .extracting(Change::id, Change::outcome)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("a", Outcome.NOT_IN_BOTH),
            org.assertj.core.groups.Tuple.tuple("b", Outcome.NOT_IN_BOTH));
    assertThat(comparison.differences()).containsExactly("seed: 1, now 2");
  }

  @Test
  void thePageIsWellFormedAndNeedsNothingFromElsewhere() throws Exception {
    Curve curve =
        new Curve(
            "Cost & nodes",
            "nodes",
            "ns",
            List.of(
                new Curve.Line(
                    "2 terms", List.of(new Curve.Point(3, 500), new Curve.Point(10, 900)))));
    TableResult table =
        new TableResult(
            "scale",
            "Nodes <and> terms",
            "seed 1",
            3,
            List.of(
                row("a", Better.LOWER, 1, 2, 3, 4),
                Row.notHere("b", "regions", "%", null, "one \"machine\"")),
            List.of(curve),
            "interrupted");
    String html = HtmlPage.of(new PaperReport(1, "now", HERE, 1, "quick", List.of(table)));
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    Document page = factory.newDocumentBuilder().parse(new InputSource(new StringReader(html)));
    assertThat(page.getElementsByTagName("svg").getLength()).isEqualTo(2);
    assertThat(page.getElementsByTagName("circle").getLength()).isEqualTo(4);
    assertThat(html)
        .contains("Nodes &lt;and&gt; terms", "prefers-color-scheme: dark", "interrupted")
        .doesNotContain("<script", "http:", "https:", "src=", "@import", "url(");
  }

  @Test
  void theEndsOfAnAxisAreMarks() {
    Axis axis = Axis.holding(new double[] {0.3, 7}, 100, 300);
    assertThat(axis.least()).isCloseTo(0.2, within(1e-9));
    assertThat(axis.greatest()).isCloseTo(10, within(1e-9));
    assertThat(axis.at(0.2)).isCloseTo(100, within(1e-6));
    assertThat(axis.at(10)).isCloseTo(300, within(1e-6));
    assertThat(axis.marks()).hasSize(6);
    assertThat(axis.marks().stream().map(Axis::text))
        .containsExactly("0.2", "0.5", "1", "2", "5", "10");
    assertThat(Axis.text(0.005)).isEqualTo("0.005");
    assertThat(Axis.text(20_000)).isEqualTo("20,000");
  }

  @Test
  void figuresHaveFewDigitsAndSharesNearAHundredThree() {
    assertThat(
            java.util.stream.DoubleStream.of(0, -0.742, 51.84, 1234.4, 99.944, 99.9, 100, 13_000)
                .mapToObj(PaperReport.Figures::number))
        .containsExactly("0", "-0.74", "51.8", "1,234", "99.944", "99.9", "100", "13,000");
  }

  private static PaperReport report(long seed, Row... rows) {
    TableResult table =
        new TableResult("latency", "Latency", "3 nodes", 1.5, List.of(rows), List.of(), "");
    return new PaperReport(
        PaperReport.FORMAT, "2030-01-01T00:00:00Z", HERE, seed, "quick", List.of(table));
  }

  private static Row row(String id, Better better, double... values) {
    return Row.of(
        id, "what " + id, "ms", better, Printed.figure(5, "Table I"), RowTest.boxed(values), "");
  }
}
