package io.palinode.orchestrator.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.health.Clocks.Level;
import io.palinode.wire.v1.NodeReport;
import io.palinode.wire.v1.PeerClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClocksTest {
  private static final long EPSILON = 10_000;
  private static final long ROUND = 10_000_000;

  private final Clocks clocks = new Clocks();
  private final List<Alert> alerts = new ArrayList<>();
  private long delay = 3_000;
  private long now;

  @Test
  void aClockBeyondEpsilonIsNamedOnce() {
    rounds(0, 0, 2 * EPSILON);
    assertThat(alerts).hasSize(1);
    assertThat(alerts.get(0).labels()).isEqualTo(Map.of("node", "2"));
    assertThat(alerts.get(0).annotations()).containsEntry("severity", "warning");
    assertThat(alerts.get(0).summary())
        .isEqualTo(
            "the clock of node 2 is 17.0 to 23.0 ms ahead of node 0, epsilon is 10 ms, and nodes"
                + " refuse messages that are 500 ms ahead: correct that clock");
    assertThat(clocks.wrongInWords(Level.BEYOND_EPSILON))
        .isEqualTo(Map.of(2, "17.0 to 23.0 ms ahead of node 0"));
    assertThat(ClockFindings.of(clocks))
        .extracting(Finding::what)
        .containsExactly(
            "node 0 is -3.0 to 3.0 ms ahead of node 1; epsilon is 10.0 ms",
            "node 2 is 17.0 to 23.0 ms ahead of node 0; epsilon is 10.0 ms",
            "node 2 is 17.0 to 23.0 ms ahead of node 1; epsilon is 10.0 ms");
    assertThat(ClockFindings.of(clocks))
        .extracting(Finding::fix)
        .containsExactly(
            "",
            "set the clock of node 2 right, and run a time service",
            "set the clock of node 2 right, and run a time service");
  }

  @Test
  void aClockNearEpsilonIsNamedBeforeAVerdictIsWrong() {
    rounds(0, -8_500, 0);
    assertThat(alerts)
        .extracting(Alert::summary)
        .containsExactly(
            "the clock of node 1 is 5.5 to 11.5 ms behind node 0, epsilon is 10 ms: correct that"
                + " clock before verdicts are wrong");
    assertThat(ClockFindings.of(clocks))
        .extracting(Finding::level)
        .containsExactly(Finding.Level.FAULT, Finding.Level.OK, Finding.Level.FAULT);
  }

  @Test
  void theAlertEndsBelowAQuarterOfEpsilonOnly() {
    rounds(0, 9_000, 0);
    round(0, 6_000, 0);
    assertThat(alerts).hasSize(1);
    round(0, 4_000, 0);
    assertThat(alerts).hasSize(2);
    assertThat(alerts.get(1).isEnded()).isTrue();
    assertThat(clocks.level(1)).isEqualTo(Level.RIGHT);
  }

  @Test
  void ofTwoClocksTheOneFartherFromTheMedianIsNamed() {
    round(0, -2 * EPSILON);
    round(0, -2 * EPSILON);
    assertThat(alerts).isEmpty();
    round(0, -2 * EPSILON);
    assertThat(alerts).extracting(Alert::labels).containsExactly(Map.of("node", "1"));
  }

  @Test
  void aSlowLogRaisesNoAlertAndIsANote() {
    delay = 400_000;
    round(0, 2 * EPSILON, 0);
    round(0, 2 * EPSILON, 0);
    assertThat(alerts).isEmpty();
    assertThat(ClockFindings.of(clocks))
        .extracting(Finding::level)
        .containsOnly(Finding.Level.NOTE);
    assertThat(ClockFindings.of(clocks).get(1).what())
        .isEqualTo(
            "node 0 is -400.0 to 400.0 ms ahead of node 2; epsilon is 10.0 ms, so they may differ"
                + " by more");
  }

  /** The bounds of before and after the change contradict each other for a minute. */
  @Test
  void aClockThatIsBeingSetKeepsItsAlertUntilItIsMeasured() {
    rounds(0, 2 * EPSILON);
    now += ROUND;
    report(0, now, peer(1, delay - 2 * EPSILON));
    report(1, now, peer(0, delay));
    assertThat(alerts).hasSize(1);
    assertThat(ClockFindings.of(clocks))
        .extracting(Finding::what)
        .containsExactly(
            "the clock of node 0 or 1 was set by more than 14.0 ms; epsilon is 10.0 ms");
    round(0, 0);
    assertThat(alerts).hasSize(2);
    assertThat(alerts.get(1).isEnded()).isTrue();
  }

  @Test
  void anInfiniteEpsilonIsNeverExceeded() {
    for (int node = 0; node < 2; node++) {
      NodeReport.Builder report = NodeReport.newBuilder().setNode(node).setMaxDriftMicros(500_000);
      report.addPeers(peer(1 - node, node == 0 ? -100_000 : 101_000));
      alerts.addAll(clocks.read(report.build(), now, now, false));
    }
    assertThat(alerts).isEmpty();
    assertThat(ClockFindings.of(clocks))
        .extracting(Finding::what)
        .containsExactly("node 0 is -101.0 to -100.0 ms ahead of node 1; epsilon is infinite");
  }

  @Test
  void ofManyPairsTheWorstOfEachNodeIsListed() {
    rounds(0, 0, 0, 2 * EPSILON, 0, 0, 0, 0);
    assertThat(ClockFindings.of(clocks))
        .hasSize(7)
        .extracting(Finding::what)
        .allMatch(what -> what.startsWith("node 3 is 17.0 to 23.0 ms ahead of node "));
  }

  private void rounds(long... ahead) {
    for (int i = 0; i < ClockOffsets.SAMPLES; i++) {
      round(ahead);
    }
  }

  /** All nodes report, with clocks that are so far ahead. */
  private void round(long... ahead) {
    now += ROUND;
    for (int node = 0; node < ahead.length; node++) {
      List<PeerClock> peers = new ArrayList<>();
      for (int peer = 0; peer < ahead.length; peer++) {
        if (peer != node) {
          peers.add(peer(peer, delay + ahead[node] - ahead[peer] - 1));
        }
      }
      report(node, now + ahead[node] - delay, peers.toArray(PeerClock[]::new));
    }
  }

  private void report(int node, long sent, PeerClock... peers) {
    NodeReport report =
        NodeReport.newBuilder()
            .setNode(node)
            .setEpsilonMicros(EPSILON)
            .setMaxDriftMicros(500_000)
            .addAllPeers(List.of(peers))
            .build();
    alerts.addAll(clocks.read(report, sent, now, false));
  }

  private static PeerClock peer(int node, long aheadMax) {
    return PeerClock.newBuilder().setNode(node).setAheadMicrosMax(aheadMax).build();
  }
}
