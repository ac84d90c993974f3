package io.palinode.benchmarks.windowlog;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.Diff;
import io.palinode.retroscope.Retroscope;
import io.palinode.retroscope.WindowLogConfig;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What is measured. */
final class SegmentLog implements RecentPast {
  private static final String NAME = "log";

  private final Retroscope retroscope;
  private final @Nullable ExecutorService rewriter;

  private SegmentLog(
      LongSupplier micros, WindowLogConfig config, @Nullable ExecutorService rewriter) {
    this.rewriter = rewriter;
    Executor executor = rewriter == null ? Runnable::run : rewriter;
    this.retroscope = new Retroscope(micros, Duration.ofSeconds(1), executor);
    retroscope.openLog(NAME, config, key -> null);
  }

  /** Full segments are rewritten by the thread that appends. */
  static SegmentLog alone(LongSupplier micros, WindowLogConfig config) {
    return new SegmentLog(micros, config, null);
  }

  /** Full segments are rewritten by a thread of their own. */
  static SegmentLog helped(LongSupplier micros, WindowLogConfig config) {
    return new SegmentLog(micros, config, Executors.newSingleThreadExecutor());
  }

  @Override
  public void append(byte[] key, byte[] old, byte[] now) {
    retroscope.appendToLog(NAME, key, old, now);
  }

  @Override
  public int diff(long pastMicros) {
    try (Diff diff = retroscope.computeDiff(NAME, endOf(pastMicros))) {
      return diff.size();
    }
  }

  @Override
  public long readDiff(long pastMicros) {
    long[] sum = {0};
    try (Diff diff = retroscope.computeDiff(NAME, endOf(pastMicros))) {
      diff.forEach((key, value) -> sum[0] += key[0] + (value == null ? 0 : value[0]));
    }
    return sum[0];
  }

  private static long endOf(long micros) {
    return Hlc.of(micros, Hlc.COUNTER_MAX);
  }

  @Override
  public void settle() {
    if (rewriter != null) {
      CompletableFuture.runAsync(() -> {}, rewriter).join();
    }
  }

  @Override
  public void close() {
    if (rewriter != null) {
      rewriter.shutdown();
    }
  }
}
