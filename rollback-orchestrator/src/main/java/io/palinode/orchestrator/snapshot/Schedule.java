package io.palinode.orchestrator.snapshot;

import io.palinode.wire.v1.SnapshotSchedule;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When the orchestrator takes snapshots by itself, and how many it keeps.
 *
 * @param every null: none by time; at most {@link #LONGEST}, as is {@code ageMax}
 * @param onViolation one of the time right before each violation that is found, some seconds apart
 * @param keep so many of either kind are kept
 * @param ageMax older ones are removed; null: however old
 */
public record Schedule(
    @Nullable Duration every, boolean onViolation, int keep, @Nullable Duration ageMax) {
  /** None is taken; those that there are stay. */
  public static final Schedule OFF = new Schedule(null, false, 1, null);

  /** Ten years. */
  public static final Duration LONGEST = Duration.ofDays(3_650);

  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final int KEEP_MAX = 100;

  public Schedule {
    requireShort("the time between snapshots", every);
    requireShort("the greatest age of a snapshot", ageMax);
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

  private static void requireShort(String what, @Nullable Duration duration) {
    if (duration != null && duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "%s must be at most %d days (%d seconds): %d seconds"
              .formatted(what, LONGEST.toDays(), LONGEST.toSeconds(), duration.toSeconds()));
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

  /** Old logs hold any duration: a shorter or longer one counts as the nearest that is allowed. */
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
    return micros == 0
        ? null
        : Duration.of(
            Math.max(micros(SHORTEST), Math.min(micros(LONGEST), micros)), ChronoUnit.MICROS);
  }

  private static long micros(Duration duration) {
    return TimeUnit.SECONDS.toMicros(duration.toSeconds()) + duration.toNanosPart() / 1_000;
  }
}
