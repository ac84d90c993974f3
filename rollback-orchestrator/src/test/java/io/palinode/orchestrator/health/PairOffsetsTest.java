package io.palinode.orchestrator.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.v1.PeerClock;
import java.util.List;
import org.junit.jupiter.api.Test;

class PairOffsetsTest {
  private final PairOffsets pairs = new PairOffsets();

  @Test
  void bothDirectionsTogetherAreAnInterval() {
    pairs.reported(0, List.of(peer(1, 23_000), peer(2, 2_000)), 0, 0);
    pairs.reported(1, List.of(peer(0, -18_000), peer(2, 1_000)), 0, 0);
    assertThat(pairs.at(0)).containsExactly(new PairOffset(0, 1, 17_999, 23_001));
    PairOffset pair = pairs.at(0).get(0);
    assertThat(pair.apartMicros()).isEqualTo(17_999);
    assertThat(pair.apartMicrosMax()).isEqualTo(23_001);
    assertThat(pair.inWords()).isEqualTo("18.0 to 23.0 ms ahead of node 1");
    assertThat(pair.reversed().inWords()).isEqualTo("18.0 to 23.0 ms behind node 0");
    assertThat(pair.reversed().apartMicros()).isEqualTo(17_999);
  }

  @Test
  void theClockOfThisProcessDoesNotMatter() {
    pairs.reported(0, List.of(peer(1, 3_000)), 1_000_000_000, 1_000_000_000);
    pairs.reported(1, List.of(peer(0, 2_000)), 1_000_000_000, 1_000_000_000);
    assertThat(pairs.pair(0, 1, 1_000_000_000)).isEqualTo(new PairOffset(0, 1, -2_001, 3_001));
    assertThat(pairs.pair(0, 1, 5)).isEqualTo(new PairOffset(0, 1, -2_001, 3_001));
  }

  @Test
  void boundsGrowWithTheirAgeAndEnd() {
    pairs.reported(0, List.of(peer(1, 3_000)), 0, 0);
    pairs.reported(1, List.of(peer(0, 2_000)), 10_000_000, 10_000_000);
    assertThat(pairs.pair(0, 1, 20_000_000)).isEqualTo(new PairOffset(0, 1, -3_001, 5_001));
    assertThat(pairs.at(PairOffsets.FORGET_MICROS)).hasSize(1);
    assertThat(pairs.at(PairOffsets.FORGET_MICROS + 1)).isEmpty();
  }

  @Test
  void aReportThatIsLateIsOlder() {
    pairs.reported(0, List.of(peer(1, 3_000)), 0, 20_000_000);
    pairs.reported(1, List.of(peer(0, 2_000)), 20_000_000, 20_000_000);
    assertThat(pairs.pair(0, 1, 20_000_000)).isEqualTo(new PairOffset(0, 1, -2_001, 5_001));
  }

  @Test
  void aClockThatWasSetLeavesAnEmptyIntervalThatShowsNothing() {
    pairs.reported(0, List.of(peer(1, -40_000)), 0, 0);
    pairs.reported(1, List.of(peer(0, 2_000)), 0, 0);
    PairOffset pair = pairs.at(0).get(0);
    assertThat(pair.isMoved()).isTrue();
    assertThat(pair.apartMicros()).isZero();
  }

  private static PeerClock peer(int node, long aheadMax) {
    return PeerClock.newBuilder().setNode(node).setAheadMicrosMax(aheadMax).build();
  }
}
