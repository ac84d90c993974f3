package io.palinode.benchmarks.windowlog;

import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Sizes;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Spread;
import io.palinode.hvc.Hlc;
import io.palinode.retroscope.WindowLog;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.disk.LogFolder;
import io.palinode.retroscope.disklog.Compaction;
import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.retroscope.disklog.DiskLog;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * What it costs to keep a window-log on disk too, beside one in memory alone, and how far it
 * reaches.
 */
public final class DiskBenchmark {
  private static final Sizes SIZES = new Sizes(16, 100);
  private static final long WINDOW_BYTES = 64L << 20;
  private static final long DISK_BYTES = 256L << 20;
  private static final int WARM_UP_ROUNDS = 2;

  /** The long ones first: short ones are over before the compiler has seen to them. */
  private static final int[] DIFF_ENTRIES = {1_000_000, 100_000, 10_000};

  public static final Duration EXACT = Duration.ofMinutes(5);
  public static final Duration GRANULARITY = Duration.ofMinutes(1);

  private static final int COMPACTION_STEP = 100_000;

  private final Path folder;
  private final int entries;
  private final int rounds;
  private final long seed;
  private final LongSupplier nanos;
  private final Consumer<String> progress;
  private int folders;

  /** The compared logs. */
  public enum Kind {
    /** In memory alone. */
    MEMORY,
    /** On disk too. */
    DISK,
    /** In memory, and each change by a system call to a file: the simple way to the disk. */
    CALLS
  }

  /** Of one append. */
  public record AppendFigures(double nanos, double allocatedBytes) {}

  /** Of one change that a difference covers; for the disk's, the log was opened again. */
  public record DiffFigures(int entries, double memoryNanos, double diskNanos) {}

  /**
   * How far back a log reaches that takes so many changes a second, with each bound.
   *
   * @param openMillis to open the files again
   * @param compactedSeconds with what is older than {@link #EXACT} by steps of {@link #GRANULARITY}
   */
  public record ReachFigures(
      int changesASecond,
      long bytesMax,
      double memorySeconds,
      double diskSeconds,
      double openMillis,
      double compactedSeconds) {}

  public record Result(
      Map<Kind, AppendFigures> appends, List<DiffFigures> diffs, ReachFigures reach) {}

  /** Writes into {@code folder}. */
  public DiskBenchmark(
      Path folder,
      int entries,
      int rounds,
      long seed,
      LongSupplier nanos,
      Consumer<String> progress) {
    this.folder = folder;
    this.entries = entries;
    this.rounds = rounds;
    this.seed = seed;
    this.nanos = nanos;
    this.progress = progress;
  }

  public Result run(int changesASecond, long bytesMax) throws IOException {
    Map<Kind, AppendFigures> appends = appends();
    List<DiffFigures> diffs = diffs();
    return new Result(appends, diffs, reach(changesASecond, bytesMax));
  }

  private Map<Kind, AppendFigures> appends() throws IOException {
    Map<Kind, double[]> times = new EnumMap<>(Kind.class);
    Map<Kind, Double> allocated = new EnumMap<>(Kind.class);
    for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
      for (Kind kind : Kind.values()) {
        progress.accept("appending, " + kind);
        AppendFigures measured = append(kind);
        if (round >= 0) {
          times.computeIfAbsent(kind, k -> new double[rounds])[round] = measured.nanos();
          allocated.put(kind, measured.allocatedBytes());
        }
      }
    }
    Map<Kind, AppendFigures> figures = new EnumMap<>(Kind.class);
    times.forEach(
        (kind, all) ->
            figures.put(kind, new AppendFigures(median(all), allocated.getOrDefault(kind, 0.0))));
    return figures;
  }

  /** In a window that moves on. */
  private AppendFigures append(Kind kind) throws IOException {
    Path files = next();
    ChangeStream changes = new ChangeStream(SIZES, entries, Spread.UNIFORM, false, seed);
    try (RandomAccessFile file = new RandomAccessFile(files.resolve("calls").toFile(), "rw");
        WindowLog log = open(kind, files, DISK_BYTES, WINDOW_BYTES)) {
      RecentPast past = kind == Kind.CALLS ? called(log, changes, file) : direct(log, changes);
      for (int i = 0; i < entries; i++) {
        changes.append(past);
      }
      long allocated = Memory.allocatedByThisThread();
      long begin = nanos.getAsLong();
      for (int i = 0; i < entries; i++) {
        changes.append(past);
      }
      return new AppendFigures(
          (double) (nanos.getAsLong() - begin) / entries,
          (double) (Memory.allocatedByThisThread() - allocated) / entries);
    } finally {
      remove(files);
    }
  }

  private static RecentPast direct(WindowLog log, ChangeStream changes) {
    return new Appending(log, changes);
  }

  private static RecentPast called(WindowLog log, ChangeStream changes, RandomAccessFile file) {
    byte[] record = new byte[Long.BYTES + SIZES.keyBytes() + SIZES.valueBytes()];
    ByteBuffer into = ByteBuffer.wrap(record);
    return new Appending(log, changes) {
      @Override
      public void append(byte[] key, byte[] old, byte[] now) {
        try {
          into.clear().putLong(changes.nowMicros()).put(key).put(old);
          file.write(record);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        super.append(key, old, now);
      }
    };
  }

  private static class Appending implements RecentPast {
    private final WindowLog log;
    private final ChangeStream changes;

    Appending(WindowLog log, ChangeStream changes) {
      this.log = log;
      this.changes = changes;
    }

    @Override
    public void append(byte[] key, byte[] old, byte[] now) {
      log.append(Hlc.ofMicros(changes.nowMicros()), key, old);
    }

    @Override
    public int diff(long pastMicros) {
      throw new UnsupportedOperationException("it is appended to only");
    }

    @Override
    public long readDiff(long pastMicros) {
      throw new UnsupportedOperationException("it is appended to only");
    }
  }

  /** With its own clock. */
  private static final class Stepping extends Appending {
    private final WindowLog log;
    private final long step;
    private long micros;

    Stepping(WindowLog log, ChangeStream changes, long step) {
      super(log, changes);
      this.log = log;
      this.step = step;
    }

    @Override
    public void append(byte[] key, byte[] old, byte[] now) {
      micros += step;
      log.append(Hlc.ofMicros(micros), key, old);
    }
  }

  private WindowLog open(Kind kind, Path files, long diskBytes, long memoryBytes)
      throws IOException {
    WindowLogConfig config = new WindowLogConfig(Duration.ofDays(1), memoryBytes);
    return kind == Kind.DISK ? opened(disk(files, diskBytes, 0), config) : new WindowLog(config, 0);
  }

  private static DiskLog disk(Path files, long bytes, long session) throws IOException {
    return disk(files, new DiskBound(Duration.ofDays(1), bytes, 0), session);
  }

  private static DiskLog disk(Path files, DiskBound bound, long session) throws IOException {
    DiskLog disk =
        DiskLog.open(
            LogFolder.open(files.resolve("log")),
            bound,
            "bench",
            session,
            what -> {
              throw new IllegalStateException(what);
            });
    disk.begin(session + 1);
    return disk;
  }

  private static WindowLog opened(DiskLog disk, WindowLogConfig config) {
    return new WindowLog(config, disk.last(), Runnable::run, disk);
  }

  private List<DiffFigures> diffs() throws IOException {
    progress.accept("making differences");
    Path files = next();
    long room = 2L * entries * (SIZES.keyBytes() + SIZES.valueBytes() + 16);
    ChangeStream changes = new ChangeStream(SIZES, entries, Spread.UNIFORM, false, seed);
    WindowLog memory = open(Kind.DISK, files, room, room);
    RecentPast past = direct(memory, changes);
    for (int i = 0; i < entries; i++) {
      changes.append(past);
    }
    // What it knows can still be read.
    memory.close();
    WindowLogConfig config = new WindowLogConfig(Duration.ofDays(1), room);
    try (WindowLog disk = opened(disk(files, room, 1), config)) {
      return Arrays.stream(DIFF_ENTRIES)
          .filter(count -> count <= entries)
          .mapToObj(
              count ->
                  new DiffFigures(
                      count,
                      diff(memory, changes.nowMicros(), count),
                      diff(disk, changes.nowMicros(), count)))
          .toList();
    } finally {
      remove(files);
    }
  }

  private double diff(WindowLog log, long nowMicros, int count) {
    double[] times = new double[2 * rounds + 1];
    for (int round = -rounds; round < times.length; round++) {
      long begin = nanos.getAsLong();
      log.diffTo(Hlc.ofMicros(nowMicros - count)).close();
      if (round >= 0) {
        times[round] = (double) (nanos.getAsLong() - begin) / count;
      }
    }
    return median(times);
  }

  /** Appends, faster than real time, until both bounds have been met. */
  private ReachFigures reach(int changesASecond, long bytesMax) throws IOException {
    progress.accept("filling memory and disk");
    Path files = next();
    long step = 1_000_000L / changesASecond;
    ChangeStream changes = new ChangeStream(SIZES, entries, Spread.UNIFORM, false, seed);
    WindowLogConfig config = new WindowLogConfig(Duration.ofDays(365), bytesMax);
    WindowLog log = opened(disk(files, bytesMax, 0), config);
    Stepping past = new Stepping(log, changes, step);
    while (Math.min(log.memoryReach(), log.diskReach()) == 0) {
      changes.append(past);
    }
    long memory = past.micros - Hlc.micros(log.memoryReach());
    long written = past.micros - Hlc.micros(log.diskReach());
    log.close();
    long begin = nanos.getAsLong();
    disk(files, bytesMax, 1);
    double openMillis = (nanos.getAsLong() - begin) / 1e6;
    remove(files);
    return new ReachFigures(
        changesASecond,
        bytesMax,
        memory / 1e6,
        written / 1e6,
        openMillis,
        compactedReach(step, bytesMax) / 1e6);
  }

  /** The same, compacted as it grows. */
  private long compactedReach(long step, long bytesMax) throws IOException {
    progress.accept("filling a disk that is compacted");
    Path files = next();
    DiskBound bound =
        new DiskBound(Duration.ofDays(1), bytesMax, 0, new Compaction(EXACT, GRANULARITY));
    ChangeStream changes = new ChangeStream(SIZES, entries, Spread.UNIFORM, false, seed);
    WindowLogConfig config = new WindowLogConfig(Duration.ofDays(1), WINDOW_BYTES);
    try (WindowLog log = opened(disk(files, bound, 0), config)) {
      Stepping past = new Stepping(log, changes, step);
      while (log.diskReach() == 0) {
        for (int i = 0; i < COMPACTION_STEP; i++) {
          changes.append(past);
        }
        while (log.compact(() -> {})) {}
      }
      return past.micros - Hlc.micros(log.diskReach());
    } finally {
      remove(files);
    }
  }

  private Path next() throws IOException {
    folders++;
    return Files.createDirectory(folder.resolve("run-" + folders));
  }

  private static void remove(Path files) throws IOException {
    try (Stream<Path> all = Files.walk(files)) {
      for (Path each : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
