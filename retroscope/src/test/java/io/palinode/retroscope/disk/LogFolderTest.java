package io.palinode.retroscope.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.Diff;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.WindowLog;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.retroscope.disklog.DiskLog;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real files. Change i happens at time i, of key i mod {@link #KEYS}, whose value until then was i
 * − {@link #KEYS}. A reader thus knows the expected values.
 */
@Timeout(120)
class LogFolderTest {
  private static final int KEYS = 97;
  private static final int VALUE_BYTES = 1_000;
  private static final int FILE_BYTES_MAX = 2 << 20;

  @TempDir Path folder;
  private final List<String> reported = new ArrayList<>();

  private WindowLog open(long session, String boot, DiskBound bound) {
    try {
      LogFolder volume = boot.isEmpty() ? LogFolder.open(folder) : LogFolder.open(folder, boot);
      DiskLog disk = DiskLog.open(volume, bound, "test", session, reported::add);
      disk.begin(session + 1);
      WindowLogConfig small = new WindowLogConfig(Duration.ofHours(1), 1 << 20);
      return new WindowLog(small, disk.last(), Runnable::run, disk);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static DiskBound bytes(long bytesMax) {
    return new DiskBound(Duration.ofDays(1), bytesMax, 0);
  }

  private static void append(WindowLog log, long i) {
    log.append(i, number(i % KEYS), i <= KEYS ? null : value(i - KEYS));
  }

  private static byte[] value(long number) {
    return ByteBuffer.allocate(VALUE_BYTES).putLong(number).array();
  }

  @Test
  void aFileRemovedWhileTheLogIsOpenCutsOnlyEarlierTimes() throws IOException {
    try (WindowLog log = open(0, "", bytes(64 << 20))) {
      for (long i = 1; i <= 4_000; i++) {
        append(log, i);
      }
      try (Stream<Path> files = Files.list(folder)) {
        Files.delete(
            files.filter(file -> file.toString().endsWith("1.log")).findFirst().orElseThrow());
      }
      assertThatThrownBy(() -> log.diffTo(0)).isInstanceOf(OutOfReachException.class);
      assertThat(reported).singleElement().asString().contains("it is missing; times before ");
      assertThat(log.diskFailure()).isNull();
      assertThat(log.reach()).isBetween(1L, log.memoryReach() - 1);
      log.diffTo(log.reach()).close();
    }
  }

  private static byte[] number(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private static long number(byte[] bytes) {
    return ByteBuffer.wrap(bytes).getLong();
  }

  private static void check(WindowLog log, long start, long end) {
    try (Diff diff = log.diffBetween(start, end)) {
      check(diff, start, end);
    }
  }

  private static void check(Diff diff, long start, long end) {
    if (diff.size() != Math.min(KEYS, end - start) || diff.entries() != end - start) {
      throw new AssertionError(
          "(%d, %d] has %d keys, %d entries".formatted(start, end, diff.size(), diff.entries()));
    }
    diff.forEach(
        (key, old) -> {
          long first = start + 1 + Math.floorMod(number(key) - start - 1, (long) KEYS);
          long expected = Math.max(0, first - KEYS);
          if (first > end || expected != (old == null ? 0 : number(old))) {
            throw new AssertionError("(%d, %d]: key %d".formatted(start, end, number(key)));
          }
        });
  }

  @Test
  void aLogIsReadFurtherBackThanMemoryAndAfterItWasOpenedAgain() {
    WindowLog log = open(0, "a", bytes(64 << 20));
    for (long i = 1; i <= 20_000; i++) {
      append(log, i);
    }
    assertThat(log.reach()).isZero();
    assertThat(log.memoryReach()).isGreaterThan(18_000);
    assertThat(log.diskBytes()).isBetween(19L << 20, 24L << 20);
    check(log, 0, 20_000);
    check(log, 500, 19_500);
    log.close();
    WindowLog next = open(1, "b", bytes(64 << 20));
    assertThat(next.reach()).isZero();
    assertThat(next.memoryReach()).isEqualTo(20_000);
    for (long i = 20_001; i <= 22_000; i++) {
      append(next, i);
    }
    check(next, 0, 22_000);
    check(next, 19_000, 21_000);
    next.close();
    assertThat(reported).isEmpty();
  }

  @Test
  void filesBeyondTheBoundAreRemovedEvenWhileTheyAreReadAndFreeTheirSpace() throws IOException {
    WindowLog log = open(0, "a", bytes(8 << 20));
    for (long i = 1; i <= 5_000; i++) {
      append(log, i);
    }
    long reach = log.reach();
    Diff held = log.diffBetween(reach, 5_000);
    for (long i = 5_001; i <= 40_000; i++) {
      append(log, i);
    }
    assertThat(log.reach()).isBetween(40_000L - 8_400, 40_000L - 6_000);
    assertThat(allocated()).isLessThan((8 << 20) + FILE_BYTES_MAX);
    check(held, reach, 5_000);
    held.close();
    check(log, log.reach(), 40_000);
    log.close();
  }

  private long allocated() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      long bytes = 0;
      for (Path file : files.toList()) {
        bytes += Files.size(file);
      }
      return bytes;
    }
  }

  @Test
  void readersSeeExactlyTheirIntervalsWhileFilesAreAddedAndRemoved() throws InterruptedException {
    int appends = 60_000;
    WindowLog log = open(0, "a", bytes(8 << 20));
    AtomicLong appended = new AtomicLong();
    ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (int r = 0; r < 3; r++) {
      Random random = new Random(r);
      Thread reader = new Thread(() -> readUntil(appends, log, appended, random), "reader-" + r);
      reader.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure));
      threads.add(reader);
    }
    threads.forEach(Thread::start);
    for (long i = 1; i <= appends; i++) {
      append(log, i);
      appended.set(i);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failures).isEmpty();
    assertThat(reported).isEmpty();
  }

  private static void readUntil(long appends, WindowLog log, AtomicLong appended, Random random) {
    while (appended.get() < appends) {
      long last = appended.get();
      long start = log.reach() + random.nextInt(2_000);
      long end = Math.min(last, start + random.nextInt(3_000));
      if (start > end) {
        continue;
      }
      try {
        check(log, start, end);
      } catch (OutOfReachException trimmedMeanwhile) {
        // So it may be.
      }
    }
  }

  @Test
  void theAppendsOfAKilledProcessAreComplete() throws Exception {
    // The child's, then this one's.
    for (int session = 0; session < 4; session += 2) {
      long known = killed(session);
      reported.clear();
      WindowLog log = open(session + 1L, "", bytes(256 << 20));
      assertThat(reported).isEmpty();
      assertThat(log.last()).isGreaterThanOrEqualTo(known);
      assertThat(log.reach()).isZero();
      check(log, 0, log.last());
      check(log, log.last() / 2, log.last());
      assertThat(log.diskFailure()).isNull();
    }
  }

  /** Lets another process append until it is killed. Returns the last append it printed. */
  private long killed(long session) throws IOException, InterruptedException {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                Appender.class.getName(),
                folder.toString(),
                Long.toString(session))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    long known = 0;
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      for (int line = 0; line < 20 + 7 * session; line++) {
        String read = lines.readLine();
        assertThat(read).isNotNull();
        known = Long.parseLong(read);
      }
      // The process alone: its output is still to be read.
      child.toHandle().destroyForcibly();
      for (String read = lines.readLine(); read != null; read = lines.readLine()) {
        known = Long.parseLong(read);
      }
    }
    assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return known;
  }

  /** The other process. */
  static final class Appender {
    private Appender() {}

    public static void main(String[] args) {
      LogFolderTest test = new LogFolderTest();
      test.folder = Path.of(args[0]);
      WindowLog log = test.open(Long.parseLong(args[1]), "", bytes(256 << 20));
      for (long i = log.last() + 1; ; i++) {
        append(log, i);
        if (i % 500 == 0) {
          System.out.println(i);
          System.out.flush();
        }
      }
    }
  }

  @Test
  void anInterruptedThreadAppendsAndReadsNevertheless() {
    WindowLog log = open(0, "a", bytes(64 << 20));
    Thread.currentThread().interrupt();
    for (long i = 1; i <= 10_000; i++) {
      append(log, i);
    }
    check(log, 0, 10_000);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(reported).isEmpty();
    log.close();
  }

  @Test
  void aRemovedFolderCostsReachOnly() throws IOException {
    WindowLog log = open(0, "a", bytes(64 << 20));
    append(log, 1);
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
    for (long i = 2; i <= 10_000; i++) {
      append(log, i);
    }
    assertThat(log.reach()).isEqualTo(log.memoryReach());
    assertThat(log.diskFailure()).isNotNull();
    assertThat(reported).singleElement().asString().contains("cannot be written");
    check(log, log.reach(), 10_000);
    Files.createDirectories(folder);
    long later = 10_000 + Hlc.ofMicros(10_000_000);
    log.append(later, number(0), null);
    assertThat(log.diskFailure()).isNull();
    log.close();
  }
}
