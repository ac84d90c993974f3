package io.palinode.examples.graph.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.palinode.voldemort.client.link.LinkModel.Direction;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeldLinksTest {
  private final HeldLinks links = new HeldLinks();
  private final List<String> delivered = new ArrayList<>();

  @Test
  void messagesPassAtOnceUnlessHeld() {
    send(0, Direction.REQUEST, "a");
    links.hold(1);
    send(1, Direction.REQUEST, "b");
    send(1, Direction.RESPONSE, "c");
    send(0, Direction.RESPONSE, "d");
    assertThat(delivered).containsExactly("a", "d");
  }

  @Test
  void releaseDeliversInOrder() {
    links.hold(1);
    send(1, Direction.REQUEST, "a");
    send(1, Direction.REQUEST, "b");
    links.release(1);
    send(1, Direction.REQUEST, "c");
    assertThat(delivered).containsExactly("a", "b", "c");
  }

  @Test
  void messageSentByADeliveryComesAfterThoseThatWait() {
    links.hold(1);
    links.carry(1, Direction.REQUEST, () -> send(1, Direction.REQUEST, "c"));
    send(1, Direction.REQUEST, "b");
    links.release(1);
    assertThat(delivered).containsExactly("b", "c");
  }

  @Test
  void linkGoesOnAfterADeliveryThatThrew() {
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                links.carry(
                    1,
                    Direction.REQUEST,
                    () -> {
                      throw new IllegalStateException("broken");
                    }));
    send(1, Direction.REQUEST, "a");
    assertThat(delivered).containsExactly("a");
  }

  private void send(int node, Direction direction, String message) {
    links.carry(node, direction, () -> delivered.add(message));
  }
}
