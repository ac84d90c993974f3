package io.palinode.detection.shiviz;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.shiviz.EventClocks.Counted;
import io.palinode.detection.shiviz.EventClocks.Event;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Counting clocks against what the hybrid clocks say, pair by pair, on random runs. */
class EventClocksTest {
  private static final int SEEDS = 500;

  @Test
  void clocksAreWellFormedAndOrderWhatHappenedBefore() {
    for (int seed = 0; seed < SEEDS; seed++) {
      int nodes = 1 + seed % 5;
      List<Counted> counted = EventClocks.count(nodes, run(nodes, new Random(seed)));
      checkWellFormed(nodes, counted, seed);
      for (Counted one : counted) {
        for (Counted other : counted) {
          boolean before = one.event().clock().isBefore(other.event().clock());
          assertThat(isBefore(one, other)).as("seed=%d", seed).isEqualTo(before);
        }
      }
    }
  }

  @Test
  void clocksThatGoBackStillMakeWellFormedOnes() {
    for (int seed = 0; seed < SEEDS; seed++) {
      int nodes = 2 + seed % 4;
      Random random = new Random(seed);
      List<Event> muddled =
          run(nodes, random).stream().map(event -> muddled(event, random)).toList();
      checkWellFormed(nodes, EventClocks.count(nodes, muddled), seed);
    }
  }

  /** As vector clocks order: the later one knows of the earlier one. */
  private static boolean isBefore(Counted one, Counted other) {
    return !one.equals(other) && one.clock()[one.node()] <= other.clock()[one.node()];
  }

  private static void checkWellFormed(int nodes, List<Counted> counted, int seed) {
    int[] own = new int[nodes];
    int[][] last = new int[nodes][nodes];
    int[] total = new int[nodes];
    counted.forEach(each -> total[each.node()]++);
    for (Counted each : counted) {
      int node = each.node();
      assertThat(each.clock()[node]).as("seed=%d own", seed).isEqualTo(++own[node]);
      for (int other = 0; other < nodes; other++) {
        assertThat(each.clock()[other])
            .as("seed=%d", seed)
            .isBetween(last[node][other], total[other]);
      }
      checkKnowsWhatThoseKnew(each, counted, seed);
      last[node] = each.clock();
    }
  }

  /** Transitive: an event that follows another one also follows its causes. */
  private static void checkKnowsWhatThoseKnew(Counted each, List<Counted> counted, int seed) {
    for (Counted earlier : counted) {
      if (isBefore(earlier, each)) {
        for (int node = 0; node < each.clock().length; node++) {
          assertThat(each.clock()[node])
              .as("seed=%d", seed)
              .isGreaterThanOrEqualTo(earlier.clock()[node]);
        }
      }
    }
  }

  /** Nodes tick at the times of events, and receive messages of each other. */
  private static List<Event> run(int nodes, Random random) {
    long[][] clocks = new long[nodes][nodes];
    List<Event> events = new ArrayList<>();
    long now = 1_000;
    for (int i = 0; i < 30; i++) {
      now += 1 + random.nextInt(50);
      int node = random.nextInt(nodes);
      int from = random.nextInt(nodes);
      for (int each = 0; each < nodes && random.nextBoolean(); each++) {
        clocks[node][each] = Math.max(clocks[node][each], clocks[from][each]);
      }
      clocks[node][node] = Hlc.ofMicros(now);
      if (random.nextInt(3) > 0) {
        events.add(new Event(Hvc.of(node, clocks[node]), "e" + i));
      }
    }
    return events;
  }

  private static Event muddled(Event event, Random random) {
    Hvc clock = event.clock();
    long[] entries = new long[clock.nodes()];
    for (int node = 0; node < entries.length; node++) {
      boolean keeps = node == clock.owner() || random.nextBoolean();
      entries[node] = keeps ? clock.get(node) : random.nextLong(Hlc.ofMicros(3_000));
    }
    return new Event(Hvc.of(clock.owner(), entries), event.text());
  }
}
