package io.palinode.examples.graph.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.palinode.voldemort.client.link.LinkModel;
import io.palinode.voldemort.client.link.LinkModel.Direction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DelayedLinksTest {
  private long now = Long.MAX_VALUE - 1_000_000; // wraps soon
  private final List<Long> dues = new ArrayList<>();

  @ParameterizedTest
  @EnumSource
  void messagesOfANodeAndDirectionKeepTheirOrder(Geography geography) {
    for (long seed = 0; seed < 20; seed++) {
      DelayedLinks links = links(geography, 1, seed);
      Random random = new Random(seed);
      Map<String, Long> last = new HashMap<>();
      for (int message = 0; message < 2_000; message++) {
        now += random.nextInt(300_000);
        int node = random.nextInt(3);
        Direction direction = random.nextBoolean() ? Direction.REQUEST : Direction.RESPONSE;
        links.carry(node, direction, () -> {});
        long due = dues.get(dues.size() - 1);
        Long before = last.put(node + " " + direction, due);
        assertThat(before == null || due - before >= 0).as("seed %d", seed).isTrue();
        assertThat(due - now).as("seed %d", seed).isPositive();
      }
    }
  }

  @Test
  void regionalDelaysAreHalfAMillisecondToOthersAndATenthOfThatToTheNearNode() {
    DelayedLinks links = links(Geography.REGIONAL, 2, 1);
    for (int message = 0; message < 500; message++) {
      assertThat(delayNanos(links, 2, Direction.REQUEST)).isEqualTo(50_000);
      assertThat(delayNanos(links, 0, Direction.REQUEST)).isBetween(400_000L, 600_000L);
      assertThat(delayNanos(links, 0, Direction.RESPONSE)).isBetween(400_000L, 600_000L);
    }
  }

  @Test
  void globalDelaysFollowTheTableInEachDirection() {
    DelayedLinks links = links(Geography.GLOBAL, 0, 1);
    for (int message = 0; message < 500; message++) {
      assertThat(delayNanos(links, 0, Direction.REQUEST)).isEqualTo(300_000);
      // Virginia to Tokyo and back, with jitter.
      assertThat(delayNanos(links, 2, Direction.REQUEST)).isBetween(110_000_000L, 120_000_000L);
      assertThat(delayNanos(links, 2, Direction.RESPONSE)).isBetween(104_000_000L, 114_000_000L);
    }
  }

  @Test
  void continentalDelaysAreAQuarterOfTheTable() {
    DelayedLinks links = links(Geography.CONTINENTAL, 0, 1);
    for (int message = 0; message < 500; message++) {
      assertThat(delayNanos(links, 0, Direction.REQUEST)).isEqualTo(300_000);
      assertThat(delayNanos(links, 2, Direction.REQUEST)).isBetween(27_500_000L, 37_500_000L);
      assertThat(delayNanos(links, 2, Direction.RESPONSE)).isBetween(26_000_000L, 36_000_000L);
    }
  }

  @Test
  void globalBasesAreAsymmetricAndWithinFortyToOneHundredAndFiftyMilliseconds() {
    Random still = new Random(1);
    int different = 0;
    for (int from = 0; from < Geography.REGIONS; from++) {
      for (int to = 0; to < Geography.REGIONS; to++) {
        long there = Geography.GLOBAL.delayNanos(from, to, still) / 1_000_000;
        long back = Geography.GLOBAL.delayNanos(to, from, still) / 1_000_000;
        if (from != to) {
          assertThat(there).isBetween(40L, 160L);
          different += there == back ? 0 : 1;
        }
      }
    }
    assertThat(different).isGreaterThan(40);
  }

  @Test
  void sameSeedGivesTheSameDelays() {
    DelayedLinks one = links(Geography.GLOBAL, 0, 9);
    DelayedLinks same = links(Geography.GLOBAL, 0, 9);
    DelayedLinks other = links(Geography.GLOBAL, 0, 10);
    long delay = delayNanos(one, 1, Direction.REQUEST);
    assertThat(delayNanos(same, 1, Direction.REQUEST)).isEqualTo(delay);
    assertThat(delayNanos(other, 1, Direction.REQUEST)).isNotEqualTo(delay);
  }

  @Test
  void unknownRegionsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> links(Geography.GLOBAL, 8, 1))
        .withMessage("region must be in [0, 7]: region=8");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> links(Geography.GLOBAL, 0, 1).carry(8, Direction.REQUEST, () -> {}))
        .withMessage("node must be in [0, 7]: node=8");
  }

  @Test
  void noNetworkIsDirect() {
    try (Network none = Network.none()) {
      assertThat(none.clientIn(2)).isSameAs(LinkModel.DIRECT);
    }
  }

  private DelayedLinks links(Geography geography, int region, long seed) {
    return new DelayedLinks(geography, region, seed, () -> now, (due, delivery) -> dues.add(due));
  }

  /** Of one message on an idle link. */
  private long delayNanos(DelayedLinks links, int node, Direction direction) {
    now += 1_000_000_000L;
    links.carry(node, direction, () -> {});
    return dues.get(dues.size() - 1) - now;
  }
}
