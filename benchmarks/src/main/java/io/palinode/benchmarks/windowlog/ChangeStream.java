package io.palinode.benchmarks.windowlog;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.function.LongSupplier;

/**
 * The changes that a log is given: keys at random from a seed, values from a small pool, one every
 * microsecond of a virtual clock. A window of n microseconds thus has n changes.
 */
final class ChangeStream {
  static final int KEYS = 100_000;

  private static final int VALUES = 1_024;
  private static final long BEGIN_MICROS = 1_700_000_000_000_000L;

  private final byte[][] keys;
  private final byte[][] values = new byte[VALUES][];
  private final int[] order;
  private final boolean fresh;
  private long changes;

  /**
   * @param fresh whether each change has new arrays, as after a request was read
   */
  ChangeStream(
      WindowLogBenchmark.Sizes sizes,
      int period,
      WindowLogBenchmark.Spread spread,
      boolean fresh,
      long seed) {
    Random random = new Random(seed);
    this.fresh = fresh;
    keys = new byte[KEYS][];
    for (int i = 0; i < KEYS; i++) {
      keys[i] =
          ByteBuffer.allocate(sizes.keyBytes())
              .putLong(sizes.keyBytes() - Long.BYTES, i * 0x9E3779B97F4A7C15L)
              .array();
    }
    for (int i = 0; i < VALUES; i++) {
      values[i] = new byte[sizes.valueBytes()];
      random.nextBytes(values[i]);
    }
    order = random.ints(period, 0, KEYS).toArray();
    for (int i = 0; spread == WindowLogBenchmark.Spread.EIGHTY_TWENTY && i < period; i++) {
      if (random.nextInt(4) < 3) {
        order[i] %= KEYS / 5;
      }
    }
  }

  void append(RecentPast log) {
    int i = (int) (changes++ % order.length);
    byte[] key = keys[order[i]];
    byte[] old = values[i & (VALUES - 1)];
    byte[] now = values[(i + 1) & (VALUES - 1)];
    if (fresh) {
      log.append(key.clone(), old.clone(), now.clone());
    } else {
      log.append(key, old, now);
    }
  }

  LongSupplier micros() {
    return this::nowMicros;
  }

  long nowMicros() {
    return BEGIN_MICROS + changes;
  }
}
