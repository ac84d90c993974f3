package io.palinode.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.health.NodeReports;
import io.palinode.store.order.PeerLeads;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.NodeReport;
import io.palinode.wire.v1.PeerClock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The nodes' and the orchestrator's side of the measure of clocks, against clocks that are known.
 *
 * <p>Clocks have any offset, drift and are set; reports take any time, are read late and in bursts,
 * and the orchestrator's own clock is wrong. The true offset always lies in the reported interval,
 * except for some time after a clock was set.
 */
class ClockBoundsTest {
  private static final int SEEDS = Math.min(2_000, 2 * Integer.getInteger("palinode.seeds", 200));
  private static final long SECOND = 1_000_000;
  private static final long EPSILON = 10_000;
  private static final long END = 300 * SECOND;

  /** The window of a node, the age of a report, and the delay of the log. */
  private static final long AFTER_A_STEP = 60 * SECOND + 35 * SECOND + 20 * SECOND;

  /** Something happens at a true time. */
  private record Event(long at, Runnable what) {}

  private static final class World {
    final Random random;
    final int nodes;
    final long[] offset;
    final double[] drift;
    final List<PeerLeads> leads = new ArrayList<>();
    final NodeReports reports;
    final PriorityQueue<Event> events = new PriorityQueue<>(Comparator.comparingLong(Event::at));
    final List<Alert> alerts = new ArrayList<>();
    final long delayLeast;
    final long ownOffset;
    double error = 2;
    long now;
    long steppedAt = Long.MIN_VALUE / 2;
    long known;

    World(long seed) {
      random = new Random(seed);
      nodes = 2 + random.nextInt(4);
      offset = new long[nodes];
      drift = new double[nodes];
      delayLeast = random.nextLong(20_000);
      ownOffset = random.nextLong(-SECOND, SECOND);
      reports = new NodeReports(nodes);
      for (int node = 0; node < nodes; node++) {
        leads.add(new PeerLeads());
      }
    }

    long clock(int node) {
      return 1_000_000 * SECOND + now + offset[node] + (long) Math.floor(drift[node] * now);
    }

    double lead(int node, int other) {
      return offset[node] - offset[other] + (drift[node] - drift[other]) * now;
    }

    void run() {
      for (int node = 0; node < nodes; node++) {
        int of = node;
        events.add(new Event(random.nextLong(10 * SECOND), () -> report(of)));
      }
      while (!events.isEmpty() && now < END) {
        Event next = events.remove();
        now = next.at();
        next.what().run();
      }
    }

    private void report(int node) {
      NodeReport.Builder report =
          NodeReport.newBuilder()
              .setNode(node)
              .setEpsilonMicros(EPSILON)
              .setMaxDriftMicros(500_000);
      leads
          .get(node)
          .at(now * 1_000)
          .forEach(
              (peer, ahead) ->
                  report.addPeers(PeerClock.newBuilder().setNode(peer).setAheadMicrosMax(ahead)));
      long sent = clock(node);
      ControlRecord record =
          ControlRecord.newBuilder().setAtMicros(sent).setNodeReport(report).build();
      for (int reader = 0; reader < nodes; reader++) {
        if (reader != node) {
          int of = reader;
          later(() -> leads.get(of).received(node, sent, clock(of), now * 1_000));
        }
      }
      later(
          () -> {
            alerts.addAll(reports.read(record, wall()));
            check();
          });
      events.add(new Event(now + random.nextLong(1_000, 11 * SECOND), () -> report(node)));
    }

    private void later(Runnable received) {
      long delay =
          switch (random.nextInt(10)) {
            case 0 -> random.nextLong(15 * SECOND);
            case 1, 2, 3 -> delayLeast + random.nextLong(200_000);
            default -> delayLeast + random.nextLong(2_000);
          };
      events.add(new Event(now + delay, received));
    }

    long wall() {
      return 1_000_000 * SECOND + now + ownOffset;
    }

    private void check() {
      if (now - steppedAt < AFTER_A_STEP) {
        return;
      }
      for (int node = 0; node < nodes; node++) {
        for (int other = node + 1; other < nodes; other++) {
          double least = reports.pairSeconds(node, other, false, wall()) * 1e6;
          double most = reports.pairSeconds(node, other, true, wall()) * 1e6;
          if (!Double.isNaN(least)) {
            known++;
            assertThat(lead(node, other)).isBetween(least - error, most + error);
          }
        }
      }
    }
  }

  @Test
  void theTrueOffsetIsInTheIntervalExceptAfterAStep() {
    long known = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      World world = new World(seed);
      long most = seed % 3 == 0 ? SECOND : 30_000;
      for (int node = 0; node < world.nodes; node++) {
        world.offset[node] = world.random.nextLong(-most, most);
        world.drift[node] = world.random.nextDouble(-50e-6, 50e-6);
      }
      if (seed % 2 == 0) {
        int stepped = world.random.nextInt(world.nodes);
        long by = world.random.nextLong(-most, most);
        world.events.add(
            new Event(
                world.random.nextLong(END / 2),
                () -> {
                  world.offset[stepped] += by;
                  world.steppedAt = world.now;
                }));
      }
      // The age of a late report is as wrong as the clocks are.
      world.error += most == SECOND ? 300 : 110;
      run(world, seed);
      known += world.known;
    }
    assertThat(known / SEEDS).isGreaterThan(50);
  }

  /** Whatever the delays, once the pairs are measured. */
  @Test
  void clocksWithinHalfOfEpsilonRaiseNoAlert() {
    for (long seed = 0; seed < SEEDS; seed++) {
      World world = new World(seed);
      for (int node = 0; node < world.nodes; node++) {
        world.offset[node] = world.random.nextLong(EPSILON / 2);
      }
      world.events.add(new Event(60 * SECOND, world.alerts::clear));
      run(world, seed);
      assertThat(world.alerts).as("seed %d", seed).allMatch(Alert::isEnded);
    }
  }

  /** If the log's least delay is below half of ε. */
  @Test
  void aClockTwiceBeyondEpsilonIsNamed() {
    for (long seed = 0; seed < SEEDS; seed++) {
      World world = new World(seed);
      if (world.delayLeast + 4_000 > EPSILON / 2 || world.nodes < 3) {
        continue;
      }
      int wrong = world.random.nextInt(world.nodes);
      world.offset[wrong] = (world.random.nextBoolean() ? 2 : -2) * EPSILON;
      run(world, seed);
      assertThat(standing(world)).as("seed %d", seed).containsExactly(Integer.toString(wrong));
    }
  }

  private static Set<String> standing(World world) {
    Set<String> nodes = new TreeSet<>();
    for (Alert alert : world.alerts) {
      String node = alert.labels().getOrDefault("node", "");
      boolean unused = alert.isEnded() ? nodes.remove(node) : nodes.add(node);
    }
    return nodes;
  }

  private static void run(World world, long seed) {
    try {
      world.run();
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed + " at " + world.now, e);
    }
  }
}
