package io.palinode.cassandra.memtable;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.schema.TableId;
import org.jspecify.annotations.Nullable;

/** Gives the mutations of a partition one order. Thread-safe. */
final class Turns {
  private static final int STRIPES = 1 << 12;
  private static final long LOOK_MILLIS = 10;

  private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];

  Turns() {
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new ReentrantLock();
    }
  }

  /**
   * Waits for the mutation's turn. Returns the lock to release, or null if {@code urgent} became
   * true: a flush waits for this mutation, and perhaps the holder of the turn waits for that flush.
   */
  @Nullable ReentrantLock take(TableId table, DecoratedKey partition, BooleanSupplier urgent) {
    int hash = 31 * table.hashCode() + partition.hashCode();
    ReentrantLock turn = stripes[(hash ^ hash >>> 16) & (STRIPES - 1)];
    boolean isInterrupted = false;
    boolean isTaken = turn.tryLock();
    while (!isTaken && !urgent.getAsBoolean()) {
      try {
        isTaken = turn.tryLock(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    return isTaken ? turn : null;
  }
}
