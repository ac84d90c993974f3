package io.palinode.cassandra.record;

import java.util.Random;

/** Random writes of a cell, of few timestamps, so that many are equal. */
public final class Cells {
  private Cells() {}

  static CellRecord any(Random random) {
    return any(random, random.nextInt(3));
  }

  public static CellRecord any(Random random, long timestamp) {
    byte[] value = new byte[random.nextInt(2)];
    random.nextBytes(value);
    int ttl = 1 + random.nextInt(3);
    return switch (random.nextInt(3)) {
      case 0 -> CellRecord.live(timestamp, value);
      case 1 -> CellRecord.expiring(timestamp, ttl, 10 + random.nextInt(3), value);
      default -> CellRecord.deleted(timestamp, random.nextInt(3));
    };
  }
}
