package io.palinode.monitor.flink.detection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.management.MemoryUsage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HeapRoomTest {
  private static final int SHORT = 300;
  private static final int LONG = 100_000;
  private static final long PERCENT = 10_000_000;

  @Test
  void aFilledHeapHasNoRoom() {
    assertThat(room(84).isFor(SHORT)).isTrue();
    assertThat(room(85).isFor(SHORT)).isFalse();
  }

  @Test
  void longIntervalsLeaveRoomForShortOnes() {
    assertThat(room(50).isFor(LONG)).isTrue();
    assertThat(room(51).isFor(LONG)).isFalse();
    assertThat(room(51).isFor(SHORT)).isTrue();
  }

  @Test
  void thisProcessHasSuchAPool() {
    System.gc();
    assertThat(HeapRoom.ofProcess(1).isFor(LONG)).isTrue();
    assertThat(HeapRoom.ofProcess(0).isFor(SHORT)).isFalse();
  }

  @Test
  void itAsksForACollectionBeforeItRefuses() {
    AtomicLong used = new AtomicLong(90 * PERCENT);
    AtomicLong collections = new AtomicLong();
    HeapRoom room =
        new HeapRoom(
            () -> usage(used.get()),
            collections::get,
            () -> {
              used.set(10 * PERCENT);
              collections.incrementAndGet();
            },
            0.85);
    assertThat(room.isFor(SHORT)).isTrue();
  }

  /** Until a collection, they are in no part of the heap that is looked at. */
  @Test
  void whatItAcceptedSinceTheLastCollectionCounts() {
    AtomicLong collections = new AtomicLong();
    HeapRoom room = new HeapRoom(() -> usage(43 * PERCENT), collections::get, () -> {}, 0.85);
    assertThat(accepted(room)).isEqualTo(133);
    assertThat(accepted(room)).isZero();
    collections.incrementAndGet();
    await().until(() -> room.isFor(LONG));
  }

  private static int accepted(HeapRoom room) {
    int accepted = 0;
    while (room.isFor(LONG)) {
      accepted++;
    }
    return accepted;
  }

  private static HeapRoom room(long percent) {
    return new HeapRoom(() -> usage(percent * PERCENT), () -> 0, () -> {}, 0.85);
  }

  private static MemoryUsage usage(long used) {
    return new MemoryUsage(0, used, 100 * PERCENT, 100 * PERCENT);
  }
}
