package io.palinode.benchmarks.online;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.benchmarks.StoreLoad.Request;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PacedTest {
  private static final Request REQUEST = new Request("x", null);
  private static final double PER_SECOND = 100;
  private static final long BETWEEN = 10_000_000;

  private final List<Long> madeAt = new ArrayList<>();
  private long now = 5;

  @Test
  void requestsAreMadeAtFixedTimes() {
    Paced paced = paced(BETWEEN);
    make(paced, 3);
    assertThat(madeAt).containsExactly(5L, 5 + BETWEEN, 5 + 2 * BETWEEN);
  }

  @Test
  void aWaitThatEndsEarlyIsContinued() {
    Paced paced = paced(BETWEEN / 4);
    make(paced, 3);
    assertThat(madeAt).containsExactly(5L, 5 + BETWEEN, 5 + 2 * BETWEEN);
  }

  @Test
  void lateRequestsAreMadeAtOnceAndTheNextOneInTime() {
    Paced paced = paced(BETWEEN);
    make(paced, 1);
    now += 2 * BETWEEN + BETWEEN / 2;
    long late = now;
    make(paced, 3);
    assertThat(madeAt).containsExactly(5L, late, late, 5 + 3 * BETWEEN);
  }

  private Paced paced(long parkMax) {
    return new Paced(
        () -> {
          madeAt.add(now);
          return REQUEST;
        },
        PER_SECOND,
        () -> now,
        nanos -> now += Math.min(nanos, parkMax));
  }

  private static void make(Paced paced, int requests) {
    for (int i = 0; i < requests; i++) {
      assertThat(paced.get()).isEqualTo(REQUEST);
    }
  }
}
