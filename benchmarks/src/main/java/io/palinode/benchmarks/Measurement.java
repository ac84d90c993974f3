package io.palinode.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What one candidate costs: the median of several rounds, the quickest and the slowest of them.
 *
 * @param allocatedBytes by the measuring thread; the garbage collector's own work is in the times
 */
public record Measurement(
    double medianNanos, double leastNanos, double greatestNanos, double allocatedBytes) {

  /** How long to measure. */
  public record Effort(double warmUpSeconds, int rounds, double roundSeconds) {
    public Effort {
      if (warmUpSeconds < 0 || rounds < 1 || roundSeconds < 0) {
        throw new IllegalArgumentException(
            "there must be a round, and no time less than 0: rounds=" + rounds);
      }
    }
  }

  /**
   * The same work, done by one of those that are compared, in steps. What it takes to make a step,
   * before it runs, is not measured.
   */
  record Contender(Supplier<Iterator<Runnable>> work, int candidates) {}

  public double candidatesPerSecond() {
    return 1e9 / medianNanos;
  }

  /**
   * In the order of {@code contenders}, whose rounds take turns: so what disturbs, disturbs all.
   */
  static List<Measurement> compare(Effort effort, LongSupplier nanos, List<Contender> contenders) {
    double[][] times = new double[contenders.size()][effort.rounds()];
    double[] bytes = new double[contenders.size()];
    contenders.forEach(each -> new Round(nanos).run(each, effort.warmUpSeconds()));
    for (int round = 0; round < effort.rounds(); round++) {
      for (int i = 0; i < times.length; i++) {
        Round done = new Round(nanos).run(contenders.get(i), effort.roundSeconds());
        times[i][round] = done.nanosEach;
        bytes[i] = done.bytesEach;
      }
    }
    Measurement[] measured = new Measurement[times.length];
    Arrays.setAll(measured, i -> of(times[i], bytes[i]));
    return List.of(measured);
  }

  private static Measurement of(double[] times, double bytes) {
    Arrays.sort(times);
    return new Measurement(times[times.length / 2], times[0], times[times.length - 1], bytes);
  }

  /** The work once, and again until the time is up. */
  private static final class Round {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final LongSupplier nanos;
    private double nanosEach;
    private double bytesEach;

    Round(LongSupplier nanos) {
      this.nanos = nanos;
    }

    Round run(Contender contender, double seconds) {
      long spent = 0;
      long allocated = 0;
      long candidates = 0;
      do {
        Iterator<Runnable> steps = contender.work().get();
        while (steps.hasNext()) {
          Runnable step = steps.next();
          long bytes = allocatedBytes();
          long begin = nanos.getAsLong();
          step.run();
          spent += nanos.getAsLong() - begin;
          allocated += allocatedBytes() - bytes;
        }
        candidates += contender.candidates();
      } while (spent < seconds * 1e9);
      nanosEach = spent / (double) candidates;
      bytesEach = allocated / (double) candidates;
      return this;
    }

    private static long allocatedBytes() {
      return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    }
  }
}
