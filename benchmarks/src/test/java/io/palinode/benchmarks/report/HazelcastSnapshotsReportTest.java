package io.palinode.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.benchmarks.Rounds;
import io.palinode.benchmarks.Spread;
import io.palinode.benchmarks.hazelcast.HazelcastBenchmark.Size;
import io.palinode.benchmarks.hazelcast.HazelcastSnapshots.Kind;
import io.palinode.benchmarks.hazelcast.HazelcastSnapshots.Log;
import io.palinode.benchmarks.hazelcast.HazelcastSnapshots.Results;
import io.palinode.benchmarks.hazelcast.HazelcastSnapshots.Taken;
import io.palinode.benchmarks.stock.AgentBenchmark.Load;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HazelcastSnapshotsReportTest {
  private static final Setting SETTING =
      new Setting(new Load(1_000, List.of(100), 100, 4), new Rounds(5, 1), 1, 1);

  private static HazelcastSnapshotsReport report(Log log, Kind... kinds) {
    return HazelcastSnapshotsReport.of(
        SETTING, new Size(1, 1_024, 256), new Results(List.of(kinds), log));
  }

  private static Kind kind(@Nullable Integer secondsBack, double ms, Spread first) {
    return new Kind(secondsBack, new Taken(1_000, ms), 5_000, first, first);
  }

  @Test
  void theGoalIsOfTheFirstRoundAndOfTheTimeIfASnapshotGoesBackAnHour() {
    Log log = new Log(1_000, 200_000, 200);
    HazelcastSnapshotsReport report =
        report(
            log,
            kind(0, 90_000, new Spread(0.05, 0.03, 0.07)),
            kind(10, 90_000, new Spread(0.05, 0.03, 0.08)),
            kind(3_600, 44_000, new Spread(0.5, 0.4, 0.6)),
            kind(7_200, 46_000, new Spread(0.01, 0.01, 0.01)),
            kind(null, 0, new Spread(0.05, 0.03, 0.07)));
    assertThat(report.rows())
        .extracting(HazelcastSnapshotsReport.Row::goal)
        .containsExactly(Verdict.MET, Verdict.NOT_SURE, Verdict.MET, Verdict.MISSED, null);
  }

  @Test
  void theReachOfTwoGibibytesFollowsTheRateOfTheMemberWithMost() {
    HazelcastSnapshotsReport report = report(new Log(10_000, 2_000_000, 200));
    assertThat(report.reachSeconds()).isEqualTo((2L << 30) / 2e6);
    assertThat(report.table())
        .contains("200 bytes a change; at 10,000 changes/s a member's 2 GiB reach back 18 min")
        .contains("goal 60 min: missed, met up to 2,983 changes/s");
  }
}
