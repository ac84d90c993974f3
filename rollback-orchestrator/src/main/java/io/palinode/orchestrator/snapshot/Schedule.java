package io.palinode.orchestrator.snapshot;

import io.palinode.wire.v1.SnapshotSchedule;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When the orchestrator takes snapshots by itself, and how many it keeps. Immutable.
 *
 * @param every null: none by time; at most {@link #LONGEST}, as is {@code ageMax}
 * @param onViolation whether to take one of the time right before a found violation, at most one
 *     per 10 s
 * @param keep how many of each kind are kept
 * @param ageMax older ones are removed; null: no limit
 */
public record Schedule(
    @Nullable Duration every, boolean onViolation, int keep, @Nullable Duration ageMax) {
  /** Takes no snapshot. Existing ones stay. */
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
          "the number of kept snapshots must be in [1, %d]: keep=%d".formatted(KEEP_MAX, keep));
    }
    if (ageMax != null && ageMax.toSeconds() < 1) {
      throw new IllegalArgumentException(
          "snapshots must be kept for at least 1 s: maxAge=" + ageMax);
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

  /** The schedule of a record. Old logs hold any duration; the nearest allowed one counts. */
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
