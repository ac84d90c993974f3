package io.palinode.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.ToDoubleFunction;

/**
 * Two sides measured in turns A B B A A B …, so that what slowly changes on the machine meets both.
 *
 * @param base of each pair, in their order; so is {@code other}
 */
public record Turns<T>(List<T> base, List<T> other) {

  /** Which side is measured. */
  public enum Side {
    BASE,
    OTHER
  }

  /** Measures one side once. */
  @FunctionalInterface
  public interface Measure<T> {
    T measure(Side side) throws IOException, InterruptedException;
  }

  /**
   * A figure of each pair.
   *
   * @param alike the same figure of two neighbouring runs of one side
   */
  public record Effect(List<Double> values, List<Double> alike) {
    public Effect {
      values = List.copyOf(values);
      alike = List.copyOf(alike);
    }

    Effect map(DoubleUnaryOperator unit) {
      return new Effect(
          values.stream().map(unit::applyAsDouble).toList(),
          alike.stream().map(unit::applyAsDouble).toList());
    }
  }

  public Turns {
    base = List.copyOf(base);
    other = List.copyOf(other);
    if (base.isEmpty() || base.size() != other.size()) {
      throw new IllegalArgumentException(
          "turns need a pair: base=" + base.size() + " other=" + other.size());
    }
  }

  /** Measures {@code pairs} pairs, and one before them that does not count: it warms up. */
  public static <T> Turns<T> run(int pairs, Measure<T> measure)
      throws IOException, InterruptedException {
    return run(-1, pairs, measure);
  }

  /** Measures {@code pairs} pairs, in a process that is warm. */
  public static <T> Turns<T> runWarm(int pairs, Measure<T> measure)
      throws IOException, InterruptedException {
    return run(0, pairs, measure);
  }

  private static <T> Turns<T> run(int first, int pairs, Measure<T> measure)
      throws IOException, InterruptedException {
    List<T> base = new ArrayList<>();
    List<T> other = new ArrayList<>();
    for (int pair = first; pair < pairs; pair++) {
      boolean baseFirst = isBaseFirst(pair);
      T one = measure.measure(baseFirst ? Side.BASE : Side.OTHER);
      T two = measure.measure(baseFirst ? Side.OTHER : Side.BASE);
      if (pair >= 0) {
        base.add(baseFirst ? one : two);
        other.add(baseFirst ? two : one);
      }
    }
    return new Turns<>(base, other);
  }

  private static boolean isBaseFirst(int pair) {
    return pair % 2 == 0;
  }

  /** {@code figure} of the other side by that of the base. */
  public Effect ratios(ToDoubleFunction<T> figure) {
    List<Double> values = new ArrayList<>();
    List<Double> alike = new ArrayList<>();
    for (int i = 0; i < base.size(); i++) {
      values.add(figure.applyAsDouble(other.get(i)) / figure.applyAsDouble(base.get(i)));
      if (i > 0) {
        // What came last in the pair before comes first in this one.
        List<T> same = isBaseFirst(i) ? base : other;
        alike.add(figure.applyAsDouble(same.get(i)) / figure.applyAsDouble(same.get(i - 1)));
      }
    }
    return new Effect(values, alike);
  }

  /** Percents of {@code figure} that the other side loses. */
  public Effect lost(ToDoubleFunction<T> figure) {
    return ratios(figure).map(ratio -> 100 * (1 - ratio));
  }

  /** Percents of {@code figure} that the other side gains. */
  public Effect gained(ToDoubleFunction<T> figure) {
    return ratios(figure).map(ratio -> 100 * (ratio - 1));
  }
}
