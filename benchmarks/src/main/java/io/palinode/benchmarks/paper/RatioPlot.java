package io.palinode.benchmarks.paper;

import io.palinode.benchmarks.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Ours by the printed figure, a line a row: the interval, and the median as a dot. */
final class RatioPlot {
  private static final int WIDTH = 900;
  private static final int NAMES = 380;
  private static final int RIGHT = 860;
  private static final int LINE = 26;
  private static final int TOP = 30;

  private RatioPlot() {}

  private record Bar(String name, String style, double from, double median, double to) {}

  /** Empty if no row has both figures above 0. */
  static Optional<String> of(List<Row> rows) {
    List<Bar> bars = new ArrayList<>();
    for (Row row : rows) {
      Spread ours = row.ours();
      Printed paper = row.paper();
      Double ratio = row.ratio();
      if (ours != null && paper != null && ratio != null && ours.from() > 0 && ratio > 0) {
        double by = paper.middle();
        bars.add(
            new Bar(
                row.what(),
                HtmlPage.styleOf(row.verdict()),
                ours.from() / by,
                ratio,
                ours.to() / by));
      }
    }
    return bars.isEmpty() ? Optional.empty() : Optional.of(draw(bars));
  }

  private static String draw(List<Bar> bars) {
    double[] values =
        bars.stream()
            .flatMapToDouble(bar -> java.util.stream.DoubleStream.of(bar.from, bar.to, 1))
            .toArray();
    Axis axis = Axis.holding(values, NAMES, RIGHT);
    int bottom = TOP + LINE * bars.size();
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<figure>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Ours by the printed figure\">\n"
            .formatted(WIDTH, bottom + 30));
    for (double mark : axis.marks()) {
      line(svg, "grid", axis.at(mark), TOP - 8, axis.at(mark), bottom);
      text(svg, "dim", axis.at(mark), bottom + 18, "middle", Axis.text(mark));
    }
    line(svg, "paper", axis.at(1), TOP - 8, axis.at(1), bottom);
    text(svg, "dim", axis.at(1), TOP - 14, "middle", "paper");
    for (int i = 0; i < bars.size(); i++) {
      Bar bar = bars.get(i);
      double y = TOP + LINE * (i + 0.5);
      text(svg, "", NAMES - 12, y + 4, "end", bar.name);
      svg.append(
          String.format(
              Locale.ROOT,
              "<g class=\"%s\"><line class=\"mark\" stroke=\"currentColor\" x1=\"%.1f\" y1=\"%.1f\""
                  + " x2=\"%.1f\" y2=\"%.1f\"/><circle fill=\"currentColor\" cx=\"%.1f\""
                  + " cy=\"%.1f\" r=\"5\"/></g>%n",
              bar.style,
              axis.at(bar.from),
              y,
              axis.at(bar.to),
              y,
              axis.at(bar.median),
              y));
    }
    return svg.append("</svg>\n<figcaption>Ours by the printed figure (the middle of a range);")
        .append(" the line is the interval.</figcaption>\n</figure>\n")
        .toString();
  }

  static void line(StringBuilder svg, String style, double x1, double y1, double x2, double y2) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n",
            style,
            x1,
            y1,
            x2,
            y2));
  }

  static void text(
      StringBuilder svg, String style, double x, double y, String anchor, String text) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
            style,
            x,
            y,
            anchor,
            HtmlPage.escaped(text)));
  }
}
