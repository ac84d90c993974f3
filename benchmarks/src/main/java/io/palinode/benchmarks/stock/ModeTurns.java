package io.palinode.benchmarks.stock;

import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * Modes of a server that take turns, forth and back, so that what slowly changes on the machine
 * meets all. For one thread.
 *
 * @param <M> the modes
 */
public final class ModeTurns<M> {
  private static final int WARM_UPS = 2;

  /** Of a round, before it is measured: connections open, predicates arrive. */
  private static final double RAMP = 0.25;

  private final Setting setting;
  private final List<M> modes;
  private final Round<M> round;
  private final Consumer<String> progress;
  private int loads;

  /**
   * How long one measurement takes.
   *
   * @param rampSeconds before it is measured
   * @param seed differs for each client of each measurement
   */
  public record Length(double rampSeconds, double seconds, long seed) {}

  /** Measures a mode once. */
  public interface Round<M> {
    Side measure(M mode, int writePercent, Length length)
        throws IOException, InterruptedException, ExecutionException;
  }

  /**
   * @param modes the first is the one that the others are compared with
   * @param progress is given a line a step
   */
  public ModeTurns(Setting setting, List<M> modes, Round<M> round, Consumer<String> progress) {
    this.setting = setting;
    this.modes = List.copyOf(modes);
    this.round = round;
    this.progress = progress;
  }

  /** Warms up, then measures each load. */
  public List<Comparison<M>> run() throws IOException, InterruptedException, ExecutionException {
    progress.accept("warming up");
    List<Integer> percents = setting.load().writePercents();
    for (int i = 0; i < WARM_UPS; i++) {
      for (int percent : percents) {
        double seconds = setting.warmUpSeconds() / WARM_UPS / percents.size();
        Map<M, Side> unused = roundOfEach(i, seconds, percent);
      }
    }
    List<Comparison<M>> results = new ArrayList<>();
    for (int percent : percents) {
      results.add(compare(percent));
    }
    return results;
  }

  private Comparison<M> compare(int percent)
      throws IOException, InterruptedException, ExecutionException {
    int count = setting.rounds().rounds();
    List<Map<M, Side>> rounds = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      progress.accept("%d %% writes: round %d of %d".formatted(percent, i + 1, count));
      rounds.add(roundOfEach(i, setting.rounds().roundSeconds(), percent));
    }
    return Comparison.of(percent, rounds, modes.get(0), modes.subList(1, modes.size()));
  }

  private Map<M, Side> roundOfEach(int number, double seconds, int percent)
      throws IOException, InterruptedException, ExecutionException {
    Map<M, Side> sides = new HashMap<>();
    for (int i = 0; i < modes.size(); i++) {
      M mode = modes.get(number % 2 == 0 ? i : modes.size() - 1 - i);
      long seed = setting.seed() + setting.load().clients() * (long) loads++;
      sides.put(mode, round.measure(mode, percent, new Length(RAMP * seconds, seconds, seed)));
    }
    return sides;
  }
}
