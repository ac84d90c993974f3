package io.palinode.simulation.exhaustive;

/** 128 bits of what was added, in its order: two states with the same bits are taken for one. */
final class Fingerprint {
  private static final long P1 = 0x9E3779B97F4A7C15L;
  private static final long P2 = 0xC2B2AE3D27D4EB4FL;

  private long one = P2;
  private long two = P1;

  /** What it comes to. */
  record Bits(long one, long two) {}

  void add(long... values) {
    for (long value : values) {
      one = Long.rotateLeft((one ^ value) * P1, 29) + P2;
      two = Long.rotateLeft((two + value) * P2, 31) ^ (two >>> 17);
    }
  }

  Bits bits() {
    return new Bits(one, two);
  }
}
