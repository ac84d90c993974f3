package io.palinode.examples.graph.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.palinode.voldemort.client.link.LinkModel;
import io.palinode.voldemort.client.link.LinkModel.Direction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LinkTimerTest {
  private final List<Integer> delivered = Collections.synchronizedList(new ArrayList<>());

  @Test
  void messagesAreDeliveredInOrderOfTimeAndOfArrivalWhenTimesAreEqual() {
    try (LinkTimer timer = new LinkTimer()) {
      long due = System.nanoTime() + 20_000_000;
      timer.at(due + 1, () -> delivered.add(3));
      timer.at(due, () -> delivered.add(1));
      timer.at(due, () -> delivered.add(2));
      timer.start();
      await().until(() -> delivered.size() == 3);
      assertThat(delivered).containsExactly(1, 2, 3);
      assertThat(System.nanoTime() - due).isNotNegative();
    }
  }

  @Test
  void earlierMessageOvertakesTheOneThatTheTimerWaitsFor() {
    try (LinkTimer timer = new LinkTimer()) {
      timer.start();
      timer.at(System.nanoTime() + 3_600_000_000_000L, () -> delivered.add(2));
      timer.at(System.nanoTime(), () -> delivered.add(1));
      await().until(() -> delivered.equals(List.of(1)));
    }
  }

  @Test
  void networkDeliversAllMessagesOfALinkInOrder() {
    try (Network network = Network.regional(3)) {
      LinkModel links = network.clientIn(0);
      IntStream.range(0, 1_000)
          .forEach(i -> links.carry(1, Direction.REQUEST, () -> delivered.add(i)));
      await().until(() -> delivered.size() == 1_000);
      assertThat(delivered).isSorted();
    }
  }

  @Test
  void messagesInFlightAreBounded() {
    try (LinkTimer timer = new LinkTimer()) {
      for (int i = 0; i < LinkTimer.IN_FLIGHT_MAX; i++) {
        timer.at(System.nanoTime(), () -> {});
      }
      assertThatIllegalStateException()
          .isThrownBy(() -> timer.at(0, () -> {}))
          .withMessageContaining("at most " + LinkTimer.IN_FLIGHT_MAX);
    }
  }

  @Test
  void deliveryThatThrowsStopsTheNetworkAndTheNextSenderLearns() {
    try (LinkTimer timer = new LinkTimer()) {
      timer.start();
      timer.at(
          System.nanoTime(),
          () -> {
            throw new IllegalStateException("broken");
          });
      await()
          .untilAsserted(
              () ->
                  assertThatIllegalStateException()
                      .isThrownBy(() -> timer.at(System.nanoTime(), () -> {}))
                      .havingCause()
                      .withMessage("broken"));
    }
  }

  @Test
  void closedTimerDropsMessages() {
    LinkTimer timer = new LinkTimer();
    timer.start();
    timer.close();
    timer.at(System.nanoTime(), () -> delivered.add(1));
    assertThat(delivered).isEmpty();
  }
}
