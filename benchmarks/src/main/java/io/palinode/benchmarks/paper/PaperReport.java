package io.palinode.benchmarks.paper;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.benchmarks.Spread;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;

/**
 * All tables of a run; its components are the JSON form.
 *
 * @param format the version of the JSON form
 * @param began by the wall clock, ISO 8601
 * @param size the name of the budget
 */
public record PaperReport(
    int format,
    String began,
    Environment environment,
    long seed,
    String size,
    List<TableResult> tables)
    implements Output.Report {
  public static final int FORMAT = 1;

  private static final ObjectMapper READER =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  public PaperReport {
    tables = List.copyOf(tables);
  }

  /** Throws {@link IllegalArgumentException} that says what is wrong with {@code json}. */
  public static PaperReport parse(String json) {
    try {
      int format = READER.readTree(json).path("format").asInt();
      if (format != FORMAT) {
        throw new IllegalArgumentException(
            "not a report of 'palinode bench paper' with format %d: format=%d"
                .formatted(FORMAT, format));
      }
      return READER.readValue(json, PaperReport.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "not a report of 'palinode bench paper': " + e.getOriginalMessage(), e);
    }
  }

  @Override
  public String table() {
    StringBuilder text = new StringBuilder();
    text.append(environment.text())
        .append(String.format(Locale.ROOT, "%n%s; size %s; seed %d%n", began, size, seed));
    tables.forEach(table -> text.append('\n').append(text(table)));
    return text.toString();
  }

  private static String text(TableResult table) {
    TextTable rows =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                table.name(),
                "unit",
                "paper",
                "ours",
                "from … to",
                "repetitions",
                "ratio",
                "verdict"));
    StringBuilder notes = new StringBuilder();
    for (Row row : table.rows()) {
      rows.row(
          List.of(
              row.what(),
              row.unit(),
              Figures.paper(row),
              Figures.ours(row),
              Figures.interval(row),
              Integer.toString(row.values().size()),
              Figures.ratio(row),
              row.verdict().text()));
      if (!row.note().isEmpty()) {
        notes.append("- ").append(row.what()).append(": ").append(row.note()).append('\n');
      }
    }
    if (!table.problem().isEmpty()) {
      notes.append("- rows are missing: ").append(table.problem()).append('\n');
    }
    return table.title() + "\n" + table.setting() + "\n\n" + rows.render() + notes;
  }

  /** Cells of a row, for a person. */
  static final class Figures {
    private static final String NO_FIGURE = "-";

    private Figures() {}

    static String paper(Row row) {
      Printed paper = row.paper();
      if (paper == null) {
        return NO_FIGURE;
      }
      return paper.from() == paper.to()
          ? exact(paper.from())
          : exact(paper.from()) + "–" + exact(paper.to());
    }

    /** All decimals that were printed. */
    private static String exact(double value) {
      return value == Math.rint(value)
          ? number(value)
          : BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }

    static String ours(Row row) {
      Spread ours = row.ours();
      return ours == null || row.verdict() == Verdict.NOISE ? NO_FIGURE : number(ours.median());
    }

    static String interval(Row row) {
      Spread ours = row.ours();
      return ours == null ? NO_FIGURE : number(ours.from()) + " … " + number(ours.to());
    }

    static String ratio(Row row) {
      Double ratio = row.ratio();
      return ratio == null ? NO_FIGURE : number(ratio);
    }

    /** Two decimals, one from 10 on, none from 1,000 on; a share near 100 has up to three. */
    static String number(double value) {
      double size = Math.abs(value);
      if (size >= 99 && size <= 100) {
        return BigDecimal.valueOf(value)
            .setScale(3, RoundingMode.HALF_UP)
            .stripTrailingZeros()
            .toPlainString();
      }
      boolean whole = size >= 1_000 || value == Math.rint(value);
      int decimals = whole ? 0 : size >= 10 ? 1 : 2;
      return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
  }
}
