package io.palinode.benchmarks.paper;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A logarithmic axis: values from {@code least} to {@code greatest} at pixels from to to. */
record Axis(double least, double greatest, double from, double to) {
  private static final double[] STEPS = {1, 2, 5};

  /** The least axis with marks at both ends that holds all values, which are above 0. */
  static Axis holding(double[] values, double from, double to) {
    double least = Double.MAX_VALUE;
    double greatest = 0;
    for (double value : values) {
      least = Math.min(least, value);
      greatest = Math.max(greatest, value);
    }
    double low = least;
    double high = greatest;
    double begin =
        marksUpTo(greatest * 10).stream().filter(m -> m <= low).reduce((a, b) -> b).orElse(low);
    double end = marksUpTo(greatest * 10).stream().filter(m -> m >= high).findFirst().orElse(high);
    return new Axis(begin, end > begin ? end : begin * 2, from, to);
  }

  double at(double value) {
    return from + (to - from) * Math.log(value / least) / Math.log(greatest / least);
  }

  /**
   * Values for marks: 1, 2 and 5 times the powers of ten, or the powers alone if these are many.
   */
  List<Double> marks() {
    List<Double> all =
        marksUpTo(greatest * 1.001).stream().filter(m -> m >= least * 0.999).toList();
    boolean many = greatest / least > 1_000;
    return many ? all.stream().filter(Axis::isPower).toList() : all;
  }

  /** A mark has one digit that is not 0. */
  static String text(double mark) {
    BigDecimal exact = BigDecimal.valueOf(mark).round(new MathContext(1)).stripTrailingZeros();
    return mark >= 1 ? String.format(Locale.ROOT, "%,.0f", mark) : exact.toPlainString();
  }

  private static boolean isPower(double value) {
    double exponent = Math.log10(value);
    return Math.abs(exponent - Math.rint(exponent)) < 1e-9;
  }

  private static List<Double> marksUpTo(double greatest) {
    List<Double> marks = new ArrayList<>();
    for (int exponent = -12; exponent <= 15; exponent++) {
      for (double step : STEPS) {
        double mark = step * Math.pow(10, exponent);
        if (mark <= greatest) {
          marks.add(mark);
        }
      }
    }
    return marks;
  }
}
