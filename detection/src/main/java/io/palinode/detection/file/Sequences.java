package io.palinode.detection.file;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The sequences that a node has had, in blocks of bits. Bounded: of sequences that are not near
 * each other the oldest blocks are forgotten, and a repeat of one in them is not noticed.
 */
final class Sequences {
  private static final int BLOCKS_MAX = 10_000;
  private static final int WORDS = 16;
  private static final int BLOCK_BITS = 10;

  private final Map<Long, long[]> blocks = new LinkedHashMap<>();
  private long lastBlock = -1;
  private long[] last = new long[WORDS];

  /** False when it was there. */
  boolean add(long sequence) {
    long block = sequence >>> BLOCK_BITS;
    if (block != lastBlock) {
      last = blocks.computeIfAbsent(block, key -> new long[WORDS]);
      lastBlock = block;
      forgetOldest();
    }
    int word = (int) (sequence >>> 6) & (WORDS - 1);
    boolean isNew = (last[word] & 1L << sequence) == 0;
    last[word] |= 1L << sequence;
    return isNew;
  }

  private void forgetOldest() {
    if (blocks.size() > BLOCKS_MAX) {
      Long oldest = blocks.keySet().iterator().next();
      blocks.remove(oldest);
    }
  }
}
