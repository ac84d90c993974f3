package io.palinode.benchmarks.stock;

import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.Spread;
import io.palinode.benchmarks.stock.AgentBenchmark.Mode;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * One load, with the agent and without, which took turns.
 *
 * @param none without the agent
 * @param others beside that
 * @param noise the throughputs of neighbouring rounds without the agent, as a ratio
 */
public record Comparison(int writePercent, Side none, List<Beside> others, Spread noise) {
  /**
   * A mode beside none of the agent, of the same rounds.
   *
   * @param throughput as a share of that without the agent
   * @param cpu the same share of the processor's time for an operation
   */
  public record Beside(Mode mode, Side side, Spread throughput, Spread cpu) {}

  public Comparison {
    others = List.copyOf(others);
  }

  /**
   * @param rounds each with {@link Mode#NONE} and all of {@code others}; at least two
   */
  static Comparison of(int writePercent, List<Map<Mode, Side>> rounds, List<Mode> others) {
    double[] noise =
        IntStream.range(1, rounds.size())
            .mapToDouble(
                i ->
                    of(rounds.get(i), Mode.NONE, Side::operationsPerSecond)
                        / of(rounds.get(i - 1), Mode.NONE, Side::operationsPerSecond))
            .toArray();
    return new Comparison(
        writePercent,
        median(rounds, Mode.NONE),
        others.stream().map(mode -> beside(rounds, mode)).toList(),
        Spread.of(noise));
  }

  private static Beside beside(List<Map<Mode, Side>> rounds, Mode mode) {
    return new Beside(
        mode,
        median(rounds, mode),
        ratio(rounds, mode, Side::operationsPerSecond),
        ratio(rounds, mode, Side::cpuMicros));
  }

  private static Spread ratio(
      List<Map<Mode, Side>> rounds, Mode mode, ToDoubleFunction<Side> figure) {
    return Spread.of(
        rounds.stream()
            .mapToDouble(round -> of(round, mode, figure) / of(round, Mode.NONE, figure))
            .toArray());
  }

  private static double of(Map<Mode, Side> round, Mode mode, ToDoubleFunction<Side> figure) {
    return figure.applyAsDouble(of(round, mode));
  }

  private static Side of(Map<Mode, Side> round, Mode mode) {
    Side side = round.get(mode);
    if (side == null) {
      throw new IllegalStateException("a round must have every mode: " + round.keySet());
    }
    return side;
  }

  private static Side median(List<Map<Mode, Side>> rounds, Mode mode) {
    return Side.median(rounds.stream().map(round -> of(round, mode)).toList());
  }
}
