package io.palinode.retroscope;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Appends, trims, rewriting, differences and their closing, all at once. Change i happens at time
 * i, of key i mod {@link #KEYS}, whose value until then was i − {@link #KEYS}. A reader thus knows
 * the expected values.
 */
class WindowLogStressTest {
  private static final int KEYS = 97;
  private static final int APPENDS = 400_000;
  private static final int READERS = 3;

  private final AtomicLong appended = new AtomicLong();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

  @Test
  void everyReaderSeesExactlyTheChangesOfItsInterval() throws InterruptedException {
    for (long seed = 0; seed < 4; seed++) {
      run(seed, log(seed, 20_000, Runnable::run));
    }
  }

  @Test
  void everyReaderSeesItsChangesWhileAnotherThreadRewrites() throws InterruptedException {
    ExecutorService rewriter = Executors.newSingleThreadExecutor();
    for (long seed = 0; seed < 4; seed++) {
      run(seed, log(seed, 20_000, rewriter));
    }
    rewriter.shutdown();
    assertThat(rewriter.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
  }

  private static WindowLog log(long seed, long bytesMax, Executor executor) {
    Random random = new Random(seed);
    LogLayout layout =
        new LogLayout(64 << random.nextInt(5), 1_000L << random.nextInt(5), ByteBuffer::allocate);
    return new WindowLog(
        new WindowLogConfig(Duration.ofHours(1), bytesMax), 0, executor, layout, null);
  }

  private void run(long seed, WindowLog log) throws InterruptedException {
    appended.set(0);
    List<Thread> threads = new ArrayList<>();
    threads.add(thread("appender", () -> append(log)));
    for (int r = 0; r < READERS; r++) {
      Random random = new Random(seed * READERS + r);
      threads.add(thread("reader-" + r, () -> readUntilTheEnd(log, random)));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failures).as("seed=" + seed).isEmpty();
  }

  private Thread thread(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setUncaughtExceptionHandler((where, failure) -> failures.add(failure));
    return thread;
  }

  private void append(WindowLog log) {
    try {
      for (long i = 1; i <= APPENDS; i++) {
        byte[] old = i <= KEYS ? null : number(i - KEYS);
        log.append(i, number(i % KEYS), old);
        appended.set(i);
      }
    } finally {
      appended.set(APPENDS);
    }
  }

  private void readUntilTheEnd(WindowLog log, Random random) {
    List<Held> held = new ArrayList<>();
    long last;
    do {
      last = appended.get();
      long start = log.reach() + random.nextInt(50);
      long end = Math.min(last, start + random.nextInt(500));
      if (start > end) {
        continue;
      }
      try {
        Held read = new Held(log.diffBetween(start, end), start, end);
        read.check();
        held.add(read);
      } catch (OutOfReachException trimmedMeanwhile) {
        continue;
      }
      if (held.size() > 10) {
        Held again = held.remove(random.nextInt(held.size()));
        again.check();
        if (random.nextBoolean()) {
          again.diff.close();
        }
      }
    } while (last < APPENDS);
    held.forEach(Held::check);
  }

  private record Held(Diff diff, long start, long end) {
    void check() {
      long changes = Math.min(KEYS, end - start);
      if (diff.size() != changes || diff.entries() != end - start) {
        throw new AssertionError(
            "%s has %d keys, %d entries".formatted(this, diff.size(), diff.entries()));
      }
      diff.forEach(
          (key, value) -> {
            long first = start + 1 + Math.floorMod(number(key) - start - 1, (long) KEYS);
            long expected = Math.max(0, first - KEYS);
            if (first > end || expected != (value == null ? 0 : number(value))) {
              throw new AssertionError(
                  "%s: key %d must have %d".formatted(this, number(key), expected));
            }
          });
    }
  }

  private static byte[] number(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private static long number(byte[] bytes) {
    return ByteBuffer.wrap(bytes).getLong();
  }
}
