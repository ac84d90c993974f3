package io.palinode.monitor.flink.detection;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.MemoryUsage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HeapRoomTest {
  private static final int SHORT = 300;
  private static final int LONG = 100_000;

  @Test
  void aFilledHeapHasNoRoom() {
    assertThat(room(850).isFor(SHORT)).isTrue();
    assertThat(room(851).isFor(SHORT)).isFalse();
  }

  @Test
  void longIntervalsLeaveRoomForShortOnes() {
    assertThat(room(680).isFor(LONG)).isTrue();
    assertThat(room(681).isFor(LONG)).isFalse();
    assertThat(room(681).isFor(SHORT)).isTrue();
  }

  @Test
  void thisProcessHasSuchAPool() {
    System.gc();
    assertThat(HeapRoom.ofProcess(1).isFor(LONG)).isTrue();
    assertThat(HeapRoom.ofProcess(0).isFor(SHORT)).isFalse();
  }

  @Test
  void itAsksForACollectionBeforeItRefuses() {
    AtomicLong used = new AtomicLong(900);
    HeapRoom room = new HeapRoom(() -> usage(used.get()), () -> used.set(100), 0.85);
    assertThat(room.isFor(SHORT)).isTrue();
  }

  private static HeapRoom room(long used) {
    return new HeapRoom(() -> usage(used), () -> {}, 0.85);
  }

  private static MemoryUsage usage(long used) {
    return new MemoryUsage(0, used, 1_000, 1_000);
  }
}
