package io.palinode.cli.options;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.terminal.Age;
import io.palinode.voldemort.server.SystemMicros;
import java.time.Instant;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A time as an option's value, an HLC, and as commands print it. Ages count from this machine's
 * clock.
 */
public final class TimeText implements ITypeConverter<Long> {
  /** For the help of options that take one. */
  public static final String FORMS =
      "-30s (so long ago), 2026-11-21T12:00:00Z[.<counter>], or an HLC <microseconds>[.<counter>]";

  @Override
  public Long convert(String text) {
    try {
      return PointInTime.parse(text, nowMicros());
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }

  /** {@code 2026-11-21T12:00:00.500000Z} for the API's text of an HLC; empty for an empty one. */
  public static String of(String hlc) {
    return hlc.isEmpty() ? "" : PointInTime.format(Hlc.parse(hlc));
  }

  /** {@code 3 min ago} for the API's text of an HLC; empty for an empty one. */
  public static String age(String hlc) {
    return hlc.isEmpty() ? "" : Age.of(Hlc.micros(Hlc.parse(hlc)), nowMicros());
  }

  /** {@code 2026-11-21T12:00:00.500000Z (3 min ago)}. */
  public static String withAge(String hlc) {
    return "%s (%s)".formatted(of(hlc), age(hlc));
  }

  /** {@code 12 ms} for the API's text of two HLCs. */
  public static String between(String hlc, String later) {
    return Age.between(Hlc.micros(Hlc.parse(hlc)), Hlc.micros(Hlc.parse(later)));
  }

  /** {@code 2026-11-21T12:00:00Z (3 min ago)}, for a time of a wall clock. */
  public static String secondWithAge(long micros) {
    return "%s (%s)"
        .formatted(Instant.ofEpochSecond(micros / 1_000_000), Age.of(micros, nowMicros()));
  }

  private static long nowMicros() {
    return new SystemMicros().getAsLong();
  }
}
