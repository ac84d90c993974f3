package io.palinode.retroscope.snapshot.file;

import org.jspecify.annotations.Nullable;

/** A key and its record; null: the key is absent. The arrays must not be changed. */
public record Entry(byte[] key, byte @Nullable [] record) {
  /** What an entry of a sorted map takes beside its bytes, roughly. */
  private static final int HEAP_BYTES = 160;

  int bytes() {
    return key.length + (record == null ? 0 : record.length);
  }

  /** In a sorted map. */
  public int heapBytes() {
    return HEAP_BYTES + bytes();
  }
}
