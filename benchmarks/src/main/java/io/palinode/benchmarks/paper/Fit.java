package io.palinode.benchmarks.paper;

import java.util.List;

/** The exponent k of y = c·x^k, fitted to points by least squares of their logarithms. */
public final class Fit {
  private Fit() {}

  /** Throws {@link IllegalArgumentException} if fewer than two different x are given. */
  public static double exponent(List<Curve.Point> points) {
    double meanX = points.stream().mapToDouble(p -> Math.log(p.x())).average().orElse(0);
    double meanY = points.stream().mapToDouble(p -> Math.log(p.y())).average().orElse(0);
    double covariance = 0;
    double variance = 0;
    for (Curve.Point point : points) {
      double x = Math.log(point.x()) - meanX;
      covariance += x * (Math.log(point.y()) - meanY);
      variance += x * x;
    }
    if (variance == 0) {
      throw new IllegalArgumentException("an exponent needs two different x: " + points);
    }
    return covariance / variance;
  }
}
