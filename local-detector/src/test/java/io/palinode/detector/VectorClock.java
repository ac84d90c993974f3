package io.palinode.detector;

import io.palinode.detector.binding.Version;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Counters of writers, as the bytes that a {@link Version} carries. */
public record VectorClock(long[] counters) {
  public static VectorClock zero(int writers) {
    return new VectorClock(new long[writers]);
  }

  public static VectorClock of(byte[] bytes) {
    long[] counters = new long[bytes.length / Long.BYTES];
    ByteBuffer.wrap(bytes).asLongBuffer().get(counters);
    return new VectorClock(counters);
  }

  public byte[] bytes() {
    ByteBuffer bytes = ByteBuffer.allocate(counters.length * Long.BYTES);
    bytes.asLongBuffer().put(counters);
    return bytes.array();
  }

  public VectorClock increment(int writer) {
    long[] next = counters.clone();
    next[writer]++;
    return new VectorClock(next);
  }

  public VectorClock merge(VectorClock other) {
    long[] merged = counters.clone();
    for (int i = 0; i < merged.length; i++) {
      merged[i] = Math.max(merged[i], other.counters[i]);
    }
    return new VectorClock(merged);
  }

  public boolean isAtMost(VectorClock other) {
    for (int i = 0; i < counters.length; i++) {
      if (counters[i] > other.counters[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof VectorClock other && Arrays.equals(counters, other.counters);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(counters);
  }
}
