package io.palinode.store.hosted;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExpiryQueueTest {
  private static final long TWENTY_YEARS = 20L * 365 * 24 * 3600;

  private final ExpiryQueue<String> queue = new ExpiryQueue<>(100);

  @Test
  void itemsBecomeDueInTheOrderOfTheirSeconds() {
    queue.add(7, "seven", 1);
    queue.add(5, "five", 1);
    queue.add(7, "another", 1);
    queue.add(8, "eight", 1);
    assertThat(queue.due(4)).isEmpty();
    assertThat(queue.due(7)).containsExactly("five", "seven", "another");
    assertThat(queue.due(7)).isEmpty();
    assertThat(queue.due(9)).containsExactly("eight");
  }

  @Test
  void farSecondsGiveTheirPlaceToNearOnes() {
    for (int i = 0; i < 1_000; i++) {
      queue.add(TWENTY_YEARS, "far", 10);
    }
    assertThat(queue.add(60, "near", 20)).isEqualTo(2);
    assertThat(queue.due(60)).containsExactly("near");
    assertThat(queue.due(TWENTY_YEARS)).hasSize(8);
  }

  @Test
  void theLimitIsOfBytesAndDueItemsGiveTheirBytesBack() {
    assertThat(queue.add(2, "too large", 101)).isEqualTo(1);
    assertThat(queue.due(9)).isEmpty();
    for (int second = 0; second < 1_000; second++) {
      assertThat(queue.add(second, "large", 100)).isZero();
      assertThat(queue.due(second)).hasSize(1);
    }
  }
}
