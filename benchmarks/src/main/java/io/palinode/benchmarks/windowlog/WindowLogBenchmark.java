package io.palinode.benchmarks.windowlog;

import io.palinode.retroscope.WindowLogConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;

/**
 * What a window-log costs in time and memory, beside {@link LinkedLog}: the same changes from a
 * seed, in turns, in one run.
 */
public final class WindowLogBenchmark {
  /** What an object of the simple log may take, with the payload and what a round allocates. */
  private static final long HEAP_BYTES_AN_ENTRY = 700;

  private static final int WARM_UP_ENTRIES_MAX = 500_000;
  private static final int SLIDES = 3;
  private static final int[] DIFF_ENTRIES = {10_000, 100_000, 1_000_000};

  private final int entries;
  private final int rounds;
  private final long seed;
  private final LongSupplier nanos;
  private final Consumer<String> progress;

  /** In bytes. */
  public record Sizes(int keyBytes, int valueBytes) {}

  public static final List<Sizes> SIZES = List.of(new Sizes(16, 100), new Sizes(8, 8));

  /** Which keys change. */
  public enum Spread {
    UNIFORM,
    /** Four changes of five are of one key of five. */
    EIGHTY_TWENTY
  }

  /** The compared logs. */
  public enum Contestant {
    /** The simple log. */
    LINKED,
    /** The window-log; the thread that appends also rewrites full segments. */
    ALONE,
    /** The window-log; another thread rewrites full segments. */
    HELPED
  }

  /** Of one change. */
  public record AppendFigures(double fillNanos, double slideNanos, double worstPauseMillis) {}

  /**
   * Of one change, in a full window that has moved on.
   *
   * @param allocatedBytes by an append with the payload at hand
   * @param keptBytes on the heap and outside of it
   * @param bookkeepingBytes what of that is no payload: key and old value, and the new one where it
   *     is kept
   */
  public record MemoryFigures(double allocatedBytes, double keptBytes, double bookkeepingBytes) {}

  /**
   * Of one change that the difference covers.
   *
   * @param nanos to make it
   * @param sizedNanos the same, when the map of the simple log is made for the changes, not the log
   * @param readNanos to make it and look at every key and value
   */
  public record DiffFigures(
      Spread spread, int entries, int keys, double nanos, double sizedNanos, double readNanos) {}

  public record Figures(
      AppendFigures atHand, AppendFigures fresh, MemoryFigures memory, List<DiffFigures> diffs) {}

  public record Result(Sizes sizes, int entries, Map<Contestant, Figures> figures) {}

  public WindowLogBenchmark(
      int entries, int rounds, long seed, LongSupplier nanos, Consumer<String> progress) {
    if (entries < 1 || rounds < 1) {
      throw new IllegalArgumentException(
          "there must be an entry and a round: entries=" + entries + " rounds=" + rounds);
    }
    this.entries = entries;
    this.rounds = rounds;
    this.seed = seed;
    this.nanos = nanos;
    this.progress = progress;
  }

  /** The heap that so many entries need here, in bytes. */
  public static long heapBytes(int entries) {
    return HEAP_BYTES_AN_ENTRY * entries;
  }

  public Result run(Sizes sizes) {
    progress.accept("warming up");
    for (Contestant each : Contestant.values()) {
      for (boolean fresh : new boolean[] {false, true}) {
        fill(each, sizes, fresh, Math.min(entries, WARM_UP_ENTRIES_MAX));
      }
    }
    Map<Contestant, Double> atHand = fills(sizes, false);
    Map<Contestant, Double> fresh = fills(sizes, true);
    Map<Contestant, List<DiffFigures>> diffs = diffs(sizes);
    Map<Contestant, Figures> figures = new EnumMap<>(Contestant.class);
    for (Contestant each : Contestant.values()) {
      progress.accept("moving the window, " + each);
      Slide one = new Slide(each, sizes, false);
      Slide other = new Slide(each, sizes, true);
      figures.put(
          each,
          new Figures(
              one.figures(atHand.getOrDefault(each, 0.0)),
              other.figures(fresh.getOrDefault(each, 0.0)),
              new MemoryFigures(
                  one.allocatedBytes, other.keptBytes, other.keptBytes - payload(each, sizes)),
              diffs.getOrDefault(each, List.of())));
    }
    return new Result(sizes, entries, figures);
  }

  private static int payload(Contestant contestant, Sizes sizes) {
    int values = contestant == Contestant.LINKED ? 2 : 1;
    return sizes.keyBytes() + values * sizes.valueBytes();
  }

  private Map<Contestant, Double> fills(Sizes sizes, boolean fresh) {
    progress.accept("appending, payload " + (fresh ? "fresh" : "at hand"));
    Map<Contestant, double[]> times = new EnumMap<>(Contestant.class);
    for (int round = 0; round < rounds; round++) {
      for (Contestant each : Contestant.values()) {
        times.computeIfAbsent(each, key -> new double[rounds])[round] =
            fill(each, sizes, fresh, entries);
      }
    }
    Map<Contestant, Double> medians = new EnumMap<>(Contestant.class);
    times.forEach((each, all) -> medians.put(each, median(all)));
    return medians;
  }

  /** Nanoseconds an append to a log that keeps all. */
  private double fill(Contestant contestant, Sizes sizes, boolean fresh, int appends) {
    ChangeStream changes = new ChangeStream(sizes, appends, Spread.UNIFORM, fresh, seed);
    Memory.collect();
    try (RecentPast log = open(contestant, changes, sizes, Duration.ofHours(1))) {
      long begin = nanos.getAsLong();
      for (int i = 0; i < appends; i++) {
        changes.append(log);
      }
      double each = (double) (nanos.getAsLong() - begin) / appends;
      log.settle();
      return each;
    }
  }

  private RecentPast open(Contestant contestant, ChangeStream changes, Sizes sizes, Duration age) {
    long bytesMax = 2L * entries * (sizes.keyBytes() + sizes.valueBytes() + 16) + (8 << 20);
    WindowLogConfig config = new WindowLogConfig(age, bytesMax);
    return switch (contestant) {
      case LINKED -> new LinkedLog(changes.micros(), age.toNanos() / 1_000);
      case ALONE -> SegmentLog.alone(changes.micros(), config);
      case HELPED -> SegmentLog.helped(changes.micros(), config);
    };
  }

  /** A window of so many entries, filled and then moved on by some times its length. */
  private final class Slide {
    private final double nanosEach;
    private final double pauseMillis;
    private final double allocatedBytes;
    private final double keptBytes;

    Slide(Contestant contestant, Sizes sizes, boolean fresh) {
      ChangeStream changes = new ChangeStream(sizes, entries, Spread.UNIFORM, fresh, seed);
      Duration age = Duration.ofNanos(1_000L * entries);
      long before = Memory.collect();
      try (RecentPast log = open(contestant, changes, sizes, age)) {
        append(changes, log, 2 * entries);
        long allocated = Memory.allocatedByThisThread();
        long begin = nanos.getAsLong();
        append(changes, log, SLIDES * entries);
        nanosEach = (double) (nanos.getAsLong() - begin) / entries / SLIDES;
        allocatedBytes = (double) (Memory.allocatedByThisThread() - allocated) / entries / SLIDES;
        pauseMillis = worstPauseNanos(changes, log) / 1e6;
        log.settle();
        keptBytes = (double) (Memory.collect() - before) / entries;
        // Here it is still in use, or it would have been collected.
        append(changes, log, 1);
      }
    }

    private void append(ChangeStream changes, RecentPast log, int count) {
      for (int i = 0; i < count; i++) {
        changes.append(log);
      }
    }

    private double worstPauseNanos(ChangeStream changes, RecentPast log) {
      long worst = 0;
      long last = nanos.getAsLong();
      for (int i = 0; i < SLIDES * entries; i++) {
        changes.append(log);
        long now = nanos.getAsLong();
        worst = Math.max(worst, now - last);
        last = now;
      }
      return worst;
    }

    AppendFigures figures(double fillNanos) {
      return new AppendFigures(fillNanos, nanosEach, pauseMillis);
    }
  }

  private Map<Contestant, List<DiffFigures>> diffs(Sizes sizes) {
    List<DiffFigures> linked = new ArrayList<>();
    List<DiffFigures> segments = new ArrayList<>();
    for (Spread spread : Spread.values()) {
      progress.accept("making differences, keys " + spread);
      ChangeStream one = new ChangeStream(sizes, entries, spread, true, seed);
      ChangeStream other = new ChangeStream(sizes, entries, spread, true, seed);
      try (RecentPast simple = open(Contestant.LINKED, one, sizes, Duration.ofHours(1));
          RecentPast log = open(Contestant.ALONE, other, sizes, Duration.ofHours(1))) {
        for (int i = 0; i < entries; i++) {
          one.append(simple);
          other.append(log);
        }
        for (int count : DIFF_ENTRIES) {
          if (count <= entries) {
            List<DiffFigures> both = diffs(List.of(simple, log), one.nowMicros(), spread, count);
            linked.add(both.get(0));
            segments.add(both.get(1));
          }
        }
      }
    }
    // The other thread has nothing to do with differences.
    return Map.of(
        Contestant.LINKED, linked, Contestant.ALONE, segments, Contestant.HELPED, segments);
  }

  private List<DiffFigures> diffs(List<RecentPast> logs, long nowMicros, Spread spread, int count) {
    long past = nowMicros - count;
    double[] made = medians(logs, log -> log.diff(past));
    double[] sized = medians(logs, log -> log.diffSized(past, count));
    double[] read = medians(logs, log -> log.readDiff(past));
    List<DiffFigures> figures = new ArrayList<>();
    for (int i = 0; i < logs.size(); i++) {
      figures.add(
          new DiffFigures(
              spread,
              count,
              logs.get(i).diff(past),
              made[i] / count,
              sized[i] / count,
              read[i] / count));
    }
    return figures;
  }

  /** In turns; of more rounds than appends have, for these are short. */
  private double[] medians(List<RecentPast> logs, ToDoubleFunction<RecentPast> work) {
    int warmUp = 2 + rounds;
    double[][] times = new double[logs.size()][2 * rounds + 1];
    for (int round = -warmUp; round < times[0].length; round++) {
      for (int i = 0; i < times.length; i++) {
        long begin = nanos.getAsLong();
        double keys = work.applyAsDouble(logs.get(i));
        if (round >= 0 && !Double.isNaN(keys)) {
          times[i][round] = nanos.getAsLong() - begin;
        }
      }
    }
    return Arrays.stream(times).mapToDouble(WindowLogBenchmark::median).toArray();
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
