package io.palinode.retroscope.snapshot;

import org.jspecify.annotations.Nullable;

/** A key and its record; null: the key is absent. The arrays are nobody's to change. */
public record Entry(byte[] key, byte @Nullable [] record) {
  int bytes() {
    return key.length + (record == null ? 0 : record.length);
  }
}
