package io.palinode.retroscope.segment;

import java.util.ArrayList;
import java.util.List;

/** Numbers in pieces: nothing is copied when it grows, and no array is great. */
public final class LongList {
  private static final int PIECE_SHIFT = 12;
  private static final int PIECE_MASK = (1 << PIECE_SHIFT) - 1;

  private final List<long[]> pieces = new ArrayList<>();
  private long[] last = new long[0];
  private int size;

  public void add(long value) {
    int at = size & PIECE_MASK;
    if (at == 0) {
      last = new long[1 << PIECE_SHIFT];
      pieces.add(last);
    }
    last[at] = value;
    size++;
  }

  public long get(int index) {
    return pieces.get(index >>> PIECE_SHIFT)[index & PIECE_MASK];
  }

  public int size() {
    return size;
  }
}
