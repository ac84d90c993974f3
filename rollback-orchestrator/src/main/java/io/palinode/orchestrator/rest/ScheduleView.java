package io.palinode.orchestrator.rest;

import io.palinode.orchestrator.snapshot.Schedule;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of a schedule.
 *
 * @param everySeconds null: not by time
 * @param maxAgeSeconds null: any age
 */
public record ScheduleView(
    @Nullable Long everySeconds, boolean onViolation, int keep, @Nullable Long maxAgeSeconds) {
  static ScheduleView of(Schedule schedule) {
    return new ScheduleView(
        seconds(schedule.every()),
        schedule.onViolation(),
        schedule.keep(),
        seconds(schedule.ageMax()));
  }

  Schedule toSchedule() {
    return new Schedule(duration(everySeconds), onViolation, keep, duration(maxAgeSeconds));
  }

  private static @Nullable Long seconds(@Nullable Duration duration) {
    return duration == null ? null : duration.toSeconds();
  }

  private static @Nullable Duration duration(@Nullable Long seconds) {
    return seconds == null ? null : Duration.ofSeconds(seconds);
  }
}
