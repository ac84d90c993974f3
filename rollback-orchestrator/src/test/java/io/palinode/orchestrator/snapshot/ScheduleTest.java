package io.palinode.orchestrator.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.wire.v1.SnapshotSchedule;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ScheduleTest {
  @Test
  void aScheduleThatIsTooLongIsRefusedWithItsLimit() {
    Duration tooLong = Duration.ofDays(200_000);
    assertThatThrownBy(() -> new Schedule(Duration.ofSeconds(Long.MAX_VALUE), false, 6, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 3650 days");
    assertThatThrownBy(() -> new Schedule(Duration.ofHours(1), false, 6, tooLong))
        .hasMessageContaining("the greatest age of a snapshot must be at most 3650 days");
  }

  @Test
  void aScheduleOfAnOldLogCountsAsTheLongest() {
    for (long micros : new long[] {Long.MAX_VALUE, 17_280_000_000_000_000L}) {
      Schedule read =
          Schedule.of(
              SnapshotSchedule.newBuilder().setEveryMicros(micros).setAgeMaxMicros(micros).build());
      assertThat(read.every()).isEqualTo(Schedule.LONGEST);
      assertThat(read.ageMax()).isEqualTo(Schedule.LONGEST);
      assertThat(Schedule.of(read.toStep())).isEqualTo(read);
    }
  }

  @Test
  void aNegativeDurationOfALogCountsAsTheShortest() {
    Schedule read =
        Schedule.of(
            SnapshotSchedule.newBuilder().setEveryMicros(Long.MIN_VALUE).setKeep(-1).build());
    assertThat(read.every()).isEqualTo(Duration.ofSeconds(1));
    assertThat(read.keep()).isEqualTo(1);
  }
}
