package io.palinode.benchmarks.paper;

import java.util.List;

/**
 * Figures over a quantity, for a plot. Both axes are logarithmic, so points must be above 0.
 *
 * @param x the quantity with its unit; so is {@code y} the figure
 */
public record Curve(String title, String x, String y, List<Line> lines) {
  public Curve {
    lines = List.copyOf(lines);
  }

  /** One line, by its points. */
  public record Line(String name, List<Point> points) {
    public Line {
      points = List.copyOf(points);
    }
  }

  /** A point of a line. */
  public record Point(double x, double y) {
    public Point {
      if (!(x > 0 && y > 0)) {
        throw new IllegalArgumentException("a point must be above 0: x=" + x + " y=" + y);
      }
    }
  }
}
