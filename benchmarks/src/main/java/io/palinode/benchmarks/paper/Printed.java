package io.palinode.benchmarks.paper;

/**
 * What a paper printed: a figure, or a range of figures.
 *
 * @param source where it stands
 */
public record Printed(double from, double to, String source) {
  public Printed {
    if (!(from <= to)) {
      throw new IllegalArgumentException("from must be at most to: from=" + from + " to=" + to);
    }
  }

  public static Printed figure(double figure, String source) {
    return new Printed(figure, figure, source);
  }

  double middle() {
    return (from + to) / 2;
  }
}
