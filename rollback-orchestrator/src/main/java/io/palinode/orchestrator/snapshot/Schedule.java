package io.palinode.orchestrator.snapshot;

import io.palinode.wire.v1.SnapshotSchedule;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Which snapshots are taken that nobody asks for.
 *
 * @param every null: none by time
 * @param onViolation one of the time right before each violation that is found, some seconds apart
 * @param keep so many of either kind are kept
 * @param ageMax older ones are removed; null: however old
 */
public record Schedule(
    @Nullable Duration every, boolean onViolation, int keep, @Nullable Duration ageMax) {
  /** None is taken; those that there are stay. */
  public static final Schedule OFF = new Schedule(null, false, 1, null);

  private static final int KEEP_MAX = 100;

  public Schedule {
    if (every != null && every.toSeconds() < 1) {
      throw new IllegalArgumentException(
          "snapshots must be at least a second apart: every=" + every);
    }
    if (keep < 1 || keep > KEEP_MAX) {
      throw new IllegalArgumentException(
          "the snapshots that are kept must be 1 to %d: keep=%d".formatted(KEEP_MAX, keep));
    }
    if (ageMax != null && ageMax.toSeconds() < 1) {
      throw new IllegalArgumentException(
          "snapshots must be kept for a second at least: maxAge=" + ageMax);
    }
  }

  public boolean isOff() {
    return every == null && !onViolation;
  }

  long everyMicros() {
    return every == null ? Long.MAX_VALUE : micros(every);
  }

  long ageMaxMicros() {
    return ageMax == null ? Long.MAX_VALUE : micros(ageMax);
  }

  static Schedule of(SnapshotSchedule step) {
    return new Schedule(
        duration(step.getEveryMicros()),
        step.getOnViolation(),
        Math.max(1, Math.min(KEEP_MAX, step.getKeep())),
        duration(step.getAgeMaxMicros()));
  }

  SnapshotSchedule toStep() {
    return SnapshotSchedule.newBuilder()
        .setEveryMicros(every == null ? 0 : micros(every))
        .setOnViolation(onViolation)
        .setKeep(keep)
        .setAgeMaxMicros(ageMax == null ? 0 : micros(ageMax))
        .build();
  }

  private static @Nullable Duration duration(long micros) {
    return micros == 0 ? null : Duration.ofNanos(Math.multiplyExact(micros, 1_000L));
  }

  /** As many years as a clock can tell. */
  private static long micros(Duration duration) {
    return Math.min(Long.MAX_VALUE / 1_000_000, duration.toSeconds()) * 1_000_000
        + duration.toNanosPart() / 1_000;
  }
}
