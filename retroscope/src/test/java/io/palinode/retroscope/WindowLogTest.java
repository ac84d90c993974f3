package io.palinode.retroscope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WindowLogTest {
  @Test
  void manyChangesOfOneTimeAreAllKept() {
    WindowLog log = new WindowLog(WindowLogConfig.DEFAULT, 0);
    for (int i = 0; i < 100_000; i++) {
      log.append(7, ("k" + i).getBytes(StandardCharsets.UTF_8), null);
    }
    log.append(8, new byte[] {1}, null);
    try (Diff diff = log.diffTo(0)) {
      assertThat(diff.entries()).isEqualTo(100_001);
    }
  }

  @Test
  void aDifferenceBetweenTwoTimesHasTheKeysThatChangedThenWithTheirValuesAtTheStart() {
    WindowLog log = new WindowLog(WindowLogConfig.DEFAULT, 0);
    log.append(10, bytes("x"), null);
    log.append(20, bytes("x"), bytes("1"));
    log.append(20, bytes("y"), bytes("7"));
    log.append(30, bytes("x"), bytes("2"));
    Map<String, String> seen = new TreeMap<>();
    log.diffBetween(10, 20).forEach((k, v) -> seen.put(text(k), v == null ? "absent" : text(v)));
    assertThat(seen).containsExactly(Map.entry("x", "1"), Map.entry("y", "7"));
    assertThat(log.diffBetween(30, 30).size()).isZero();
  }

  @Test
  void aLogThatBeginsAgainReachesNoEarlierTime() {
    WindowLog log = new WindowLog(WindowLogConfig.DEFAULT, 5);
    log.append(10, bytes("x"), null);
    log.beginAgain(20);
    assertThat(log.reach()).isEqualTo(20);
    assertThatThrownBy(() -> log.diffTo(15)).isInstanceOf(OutOfReachException.class);
    log.append(25, bytes("x"), bytes("1"));
    Map<String, String> seen = new TreeMap<>();
    log.diffTo(20).forEach((k, v) -> seen.put(text(k), v == null ? "absent" : text(v)));
    assertThat(seen).containsExactly(Map.entry("x", "1"));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 70_000, 600_000})
  void theBoundInBytesMovesTheReachAndNoTimeBeforeItIsAnswered(int valueBytes) {
    WindowLog log = new WindowLog(new WindowLogConfig(Duration.ofHours(1), 1 << 20), 5);
    byte[] old = new byte[valueBytes];
    int appends = 20 + (4 << 20) / (valueBytes + 5);
    for (int i = 1; i <= appends; i++) {
      log.append(5L + i, bytes("k" + i % 50), old);
    }
    assertThat(log.reach()).isGreaterThan(5).isLessThanOrEqualTo(5L + appends);
    assertThat(log.bytes()).isLessThanOrEqualTo((1 << 20) + valueBytes + LogLayout.SEGMENT_BYTES);
    assertThat(log.diffTo(log.reach()).entries()).isEqualTo(5L + appends - log.reach());
    assertThatThrownBy(() -> log.diffTo(log.reach() - 1))
        .isInstanceOf(OutOfReachException.class)
        .hasMessageContaining("reaches from " + PointInTime.format(log.reach()));
  }

  @Test
  void entriesOlderThanTheBoundInAgeAreDropped() {
    WindowLog log = new WindowLog(new WindowLogConfig(Duration.ofMillis(100), 1 << 30), 0);
    byte[] old = new byte[LogLayout.SEGMENT_BYTES / 4];
    for (int ms = 1; ms <= 1_000; ms++) {
      log.append(Hlc.ofMicros(ms * 1_000L), bytes("k"), old);
    }
    assertThat(Hlc.micros(log.reach())).isBetween(880_000L, 900_000L);
  }

  @Test
  void anEntryOutOfTheOrderOfTimeIsRefused() {
    WindowLog log = new WindowLog(WindowLogConfig.DEFAULT, Hlc.ofMicros(10));
    assertThatThrownBy(() -> log.append(Hlc.ofMicros(9), bytes("k"), null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("entries must be in the order of time: hlc=9 last=10");
  }

  @Test
  void aDiffSeesTheLogAsItWasDuringAppends() throws InterruptedException {
    WindowLog log = new WindowLog(new WindowLogConfig(Duration.ofHours(1), 64 << 20), 0);
    Thread appender =
        new Thread(
            () -> {
              for (int i = 1; i <= 200_000; i++) {
                log.append(i, bytes("k" + i), bytes(Integer.toString(i)));
              }
            },
            "appender");
    appender.start();
    List<String> wrong = new ArrayList<>();
    do {
      log.diffTo(0)
          .forEach(
              (k, v) -> {
                if (v == null || !text(k).equals("k" + text(v))) {
                  wrong.add(text(k));
                }
              });
    } while (appender.isAlive());
    appender.join();
    assertThat(wrong).isEmpty();
    assertThat(log.diffTo(0).size()).isEqualTo(200_000);
  }

  @Test
  void entriesRewrittenIntoADroppedSegmentAreNotLost() {
    List<Runnable> postponed = new ArrayList<>();
    ArrayDeque<Runnable> atAllocations = new ArrayDeque<>();
    IntFunction<ByteBuffer> memory =
        bytes -> {
          Runnable next = atAllocations.poll();
          if (next != null) {
            next.run();
          }
          return ByteBuffer.allocate(bytes);
        };
    WindowLog log =
        new WindowLog(
            new WindowLogConfig(Duration.ofHours(1), 16_000),
            0,
            postponed::add,
            new LogLayout(1_024, 1 << 20, memory),
            null);
    long[] time = {0};
    Runnable append =
        () -> {
          time[0]++;
          log.append(time[0], bytes("some rather long key " + time[0]), null);
        };
    while (postponed.size() < 10) {
      append.run();
    }
    // The third time it is for keys, when what follows the first segments is rewritten.
    atAllocations.add(() -> {});
    atAllocations.add(() -> {});
    atAllocations.add(
        () -> {
          while (log.reach() == 0) {
            append.run();
          }
        });
    postponed.get(0).run();
    assertThat(log.reach()).isPositive();
    assertThat(log.diffTo(log.reach()).entries()).isEqualTo(time[0] - log.reach());
    assertThat(log.diffTo(log.reach()).size()).isEqualTo((int) (time[0] - log.reach()));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
