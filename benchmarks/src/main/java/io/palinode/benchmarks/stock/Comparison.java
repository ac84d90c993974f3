package io.palinode.benchmarks.stock;

import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.Spread;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * One load, with a part of Palinode and without, which took turns.
 *
 * @param <M> the modes
 * @param none without it
 * @param others beside that
 * @param noise the throughputs of neighbouring rounds without it, as a ratio
 */
public record Comparison<M>(int writePercent, Side none, List<Beside<M>> others, Spread noise) {
  /**
   * A mode beside none of it, of the same rounds.
   *
   * @param throughput as a share of that without it
   * @param cpu the same share of the processor's time for an operation
   */
  public record Beside<M>(M mode, Side side, Spread throughput, Spread cpu) {}

  public Comparison {
    others = List.copyOf(others);
  }

  /**
   * @param rounds each with {@code none} and all of {@code others}; at least two
   */
  public static <M> Comparison<M> of(
      int writePercent, List<Map<M, Side>> rounds, M none, List<M> others) {
    double[] noise =
        IntStream.range(1, rounds.size())
            .mapToDouble(
                i ->
                    of(rounds.get(i), none, Side::operationsPerSecond)
                        / of(rounds.get(i - 1), none, Side::operationsPerSecond))
            .toArray();
    return new Comparison<>(
        writePercent,
        median(rounds, none),
        others.stream().map(mode -> beside(rounds, none, mode)).toList(),
        Spread.of(noise));
  }

  private static <M> Beside<M> beside(List<Map<M, Side>> rounds, M none, M mode) {
    return new Beside<>(
        mode,
        median(rounds, mode),
        ratio(rounds, none, mode, Side::operationsPerSecond),
        ratio(rounds, none, mode, Side::cpuMicros));
  }

  private static <M> Spread ratio(
      List<Map<M, Side>> rounds, M none, M mode, ToDoubleFunction<Side> figure) {
    return Spread.of(
        rounds.stream()
            .mapToDouble(round -> of(round, mode, figure) / of(round, none, figure))
            .toArray());
  }

  private static <M> double of(Map<M, Side> round, M mode, ToDoubleFunction<Side> figure) {
    return figure.applyAsDouble(of(round, mode));
  }

  private static <M> Side of(Map<M, Side> round, M mode) {
    Side side = round.get(mode);
    if (side == null) {
      throw new IllegalStateException("a round must have every mode: " + round.keySet());
    }
    return side;
  }

  private static <M> Side median(List<Map<M, Side>> rounds, M mode) {
    return Side.median(rounds.stream().map(round -> of(round, mode)).toList());
  }
}
