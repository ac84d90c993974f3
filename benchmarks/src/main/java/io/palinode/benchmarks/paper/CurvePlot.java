package io.palinode.benchmarks.paper;

import io.palinode.benchmarks.paper.Curve.Line;
import io.palinode.benchmarks.paper.Curve.Point;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** A curve on logarithmic axes. */
final class CurvePlot {
  private static final int WIDTH = 720;
  private static final int LEFT = 80;
  private static final int RIGHT = 540;
  private static final int TOP = 20;
  private static final int BOTTOM = 300;
  private static final String[] COLOURS = {"--a", "--b", "--c", "--d"};

  private CurvePlot() {}

  static String of(Curve curve) {
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<figure class=\"curve\">\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n"
            .formatted(WIDTH, BOTTOM + 50, HtmlPage.escaped(curve.title())));
    if (curve.lines().stream().anyMatch(line -> !line.points().isEmpty())) {
      draw(curve, svg);
    }
    return svg.append("</svg>\n<figcaption>")
        .append(HtmlPage.escaped(curve.title()))
        .append("</figcaption>\n</figure>\n")
        .toString();
  }

  private static void draw(Curve curve, StringBuilder svg) {
    Axis x = Axis.holding(values(curve, Point::x), LEFT, RIGHT);
    Axis y = Axis.holding(values(curve, Point::y), BOTTOM, TOP);
    for (double mark : x.marks()) {
      RatioPlot.line(svg, "grid", x.at(mark), TOP, x.at(mark), BOTTOM);
      RatioPlot.text(svg, "dim", x.at(mark), BOTTOM + 18, "middle", Axis.text(mark));
    }
    for (double mark : y.marks()) {
      RatioPlot.line(svg, "grid", LEFT, y.at(mark), RIGHT, y.at(mark));
      RatioPlot.text(svg, "dim", LEFT - 8, y.at(mark) + 4, "end", Axis.text(mark));
    }
    RatioPlot.text(svg, "", (LEFT + RIGHT) / 2.0, BOTTOM + 40, "middle", curve.x());
    RatioPlot.text(svg, "", LEFT, TOP - 6, "start", curve.y());
    for (int i = 0; i < curve.lines().size(); i++) {
      line(curve.lines().get(i), i, x, y, svg);
    }
  }

  private static void line(Line line, int index, Axis x, Axis y, StringBuilder svg) {
    String colour = "var(" + COLOURS[index % COLOURS.length] + ")";
    String points =
        line.points().stream()
            .map(p -> String.format(Locale.ROOT, "%.1f,%.1f", x.at(p.x()), y.at(p.y())))
            .collect(Collectors.joining(" "));
    svg.append(
        "<polyline class=\"mark\" style=\"stroke: %s\" points=\"%s\"/>\n"
            .formatted(colour, points));
    for (Point point : line.points()) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<circle style=\"fill: %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>%n",
              colour,
              x.at(point.x()),
              y.at(point.y())));
    }
    int legend = TOP + 12 + 20 * index;
    svg.append(
        "<circle style=\"fill: %s\" cx=\"%d\" cy=\"%d\" r=\"5\"/>\n"
            .formatted(colour, RIGHT + 20, legend - 4));
    RatioPlot.text(svg, "", RIGHT + 32, legend, "start", line.name());
  }

  private static double[] values(Curve curve, ToDoubleFunction<Point> coordinate) {
    return curve.lines().stream()
        .flatMap(line -> line.points().stream())
        .mapToDouble(coordinate)
        .toArray();
  }
}
