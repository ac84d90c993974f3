package io.palinode.benchmarks.paper;

import io.palinode.benchmarks.paper.PaperReport.Figures;
import java.util.Locale;

/**
 * A report as one page of HTML: tables and plots, in light and dark, without scripts and without
 * anything from elsewhere.
 */
public final class HtmlPage {
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8"/>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <meta name="color-scheme" content="light dark"/>
      <title>Palinode beside the papers</title>
      <style>
      :root { --back: #ffffff; --text: #1b1f24; --dim: #59636e; --line: #d1d9e0; --soft: #f6f8fa;
        --good: #1a7f37; --bad: #c62828; --same: #0757b3; --a: #0757b3; --b: #b35900; --c: #1a7f37;
        --d: #8250df; }
      @media (prefers-color-scheme: dark) {
        :root { --back: #0d1117; --text: #e6edf3; --dim: #9198a1; --line: #3d444d; --soft: #151b23;
          --good: #3fb950; --bad: #ff7b72; --same: #79c0ff; --a: #79c0ff; --b: #ffa657;
          --c: #3fb950; --d: #d2a8ff; }
      }
      body { background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif;
        max-width: 76rem; margin: 0 auto; padding: 1rem 1.5rem 4rem; }
      h1 { font-size: 1.7rem; margin: 1rem 0 .3rem; }
      h2 { font-size: 1.25rem; margin: 2.5rem 0 .3rem; }
      p.dim, span.dim, figcaption { color: var(--dim); font-size: .9rem; }
      .wide { overflow-x: auto; }
      table { border-collapse: collapse; font-size: .92rem; margin: 1rem 0; width: 100%; }
      th, td { padding: .35rem .7rem; text-align: right; border-bottom: 1px solid var(--line);
        font-variant-numeric: tabular-nums; white-space: nowrap; }
      th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 15rem; }
      th { background: var(--soft); }
      .better { color: var(--good); font-weight: 600; }
      .worse { color: var(--bad); font-weight: 600; }
      .as_paper { color: var(--same); font-weight: 600; }
      .noise, .not_here, .not_printed { color: var(--dim); }
      .problem { border-left: 4px solid var(--bad); padding-left: .8rem; }
      figure { margin: 1rem 0; }
      figure.curve { max-width: 45rem; }
      svg { width: 100%; height: auto; display: block; }
      svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
      svg .dim { fill: var(--dim); }
      svg .grid { stroke: var(--line); }
      svg .paper { stroke: var(--dim); stroke-width: 2; stroke-dasharray: 5 4; }
      svg .mark { stroke-width: 2; fill: none; }
      </style>
      </head>
      <body>
      <main>
      <h1>Palinode beside the papers</h1>
      """;

  private static final String LEGEND =
      """
      <p class="dim">A row compares the whole interval of its repetitions with the printed figure.
      <b>better</b> and <b>worse</b>: the interval lies on one side of it. <b>as the paper</b>: it
      holds it. <b>noise</b>: repetitions differ by more than what is measured, so no figure is
      shown. <b>not here</b>: the note has the reason. The interval holds the true median fifteen
      times in sixteen, from five repetitions on.</p>
      """;

  private HtmlPage() {}

  public static String of(PaperReport report) {
    StringBuilder html = new StringBuilder(HEAD);
    html.append("<p class=\"dim\">")
        .append(escaped(report.environment().text()))
        .append("<br/>")
        .append(
            escaped("%s; size %s; seed %d".formatted(report.began(), report.size(), report.seed())))
        .append("</p>\n")
        .append(LEGEND);
    report.tables().forEach(table -> section(table, html));
    return html.append("</main>\n</body>\n</html>\n").toString();
  }

  private static void section(TableResult table, StringBuilder html) {
    html.append("<section>\n<h2>")
        .append(escaped(table.title()))
        .append("</h2>\n<p class=\"dim\">")
        .append(
            escaped(
                String.format(
                    Locale.ROOT,
                    "%s: %s (%.0f s)",
                    table.name(),
                    table.setting(),
                    table.seconds())))
        .append("</p>\n");
    if (!table.problem().isEmpty()) {
      html.append("<p class=\"problem\">Rows are missing: ")
          .append(escaped(table.problem()))
          .append("</p>\n");
    }
    html.append(
        """
        <div class="wide"><table>
        <thead><tr><th>what</th><th>unit</th><th>paper</th><th>ours</th><th>from … to</th>\
        <th>repetitions</th><th>ratio</th><th>verdict</th></tr></thead>
        <tbody>
        """);
    table.rows().forEach(row -> row(row, html));
    html.append("</tbody>\n</table></div>\n");
    RatioPlot.of(table.rows()).ifPresent(html::append);
    table.curves().forEach(curve -> html.append(CurvePlot.of(curve)));
    html.append("</section>\n");
  }

  private static void row(Row row, StringBuilder html) {
    html.append("<tr><td>").append(escaped(row.what()));
    if (!row.note().isEmpty()) {
      html.append("<br/><span class=\"dim\">").append(escaped(row.note())).append("</span>");
    }
    html.append("</td>");
    cell(row.unit(), html);
    Printed paper = row.paper();
    html.append("<td")
        .append(paper == null ? "" : " title=\"" + escaped(paper.source()) + "\"")
        .append('>')
        .append(escaped(Figures.paper(row)))
        .append("</td>");
    cell(Figures.ours(row), html);
    cell(Figures.interval(row), html);
    cell(Integer.toString(row.values().size()), html);
    cell(Figures.ratio(row), html);
    Verdict verdict = row.verdict();
    html.append("<td class=\"")
        .append(styleOf(verdict))
        .append("\">")
        .append(verdict.text())
        .append("</td></tr>\n");
  }

  private static void cell(String text, StringBuilder html) {
    html.append("<td>").append(escaped(text)).append("</td>");
  }

  static String styleOf(Verdict verdict) {
    return verdict.name().toLowerCase(Locale.ROOT);
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
