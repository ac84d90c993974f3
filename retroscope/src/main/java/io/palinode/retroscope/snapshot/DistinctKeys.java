package io.palinode.retroscope.snapshot;

/**
 * Estimates the number of different keys: each sets one bit, and the number of unset bits gives the
 * estimate (linear counting: Whang et al., ACM TODS 15(2), 1990). Holds no key, and 8 MiB at most.
 * For one thread.
 */
final class DistinctKeys {
  /** So the count is right to some percent even at a load of several keys a bit. */
  private static final long BITS_MAX = 1L << 26;

  private static final long BITS_MIN = 1 << 16;
  private static final int BITS_PER_KEY = 8;

  private final long[] words;
  private final long mask;
  private long set;

  /**
   * @param expected that many are counted well; above 0
   */
  DistinctKeys(long expected) {
    long wanted = Math.min(BITS_MAX / BITS_PER_KEY, expected) * BITS_PER_KEY;
    long bits = Math.max(BITS_MIN, Long.highestOneBit(wanted));
    words = new long[(int) (bits / Long.SIZE)];
    mask = bits - 1;
  }

  /**
   * @param store its place among the stores: keys of two stores differ
   */
  void add(int store, byte[] key) {
    long bit = hash(store, key) & mask;
    int word = (int) (bit / Long.SIZE);
    long one = 1L << bit;
    if ((words[word] & one) == 0) {
      words[word] |= one;
      set++;
    }
  }

  /** {@link Long#MAX_VALUE}: more than it can estimate. */
  long count() {
    double bits = (double) mask + 1;
    return set > mask ? Long.MAX_VALUE : Math.round(-bits * Math.log1p(-set / bits));
  }

  /** FNV-1a, and then every bit of it counts for the last ones too. */
  private static long hash(int store, byte[] key) {
    long hash = 0xcbf29ce484222325L ^ store;
    for (byte each : key) {
      hash = (hash ^ (each & 0xFF)) * 0x100000001b3L;
    }
    hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    return hash ^ (hash >>> 33);
  }
}
