package io.palinode.cli.options;

import io.palinode.hvc.PointInTime;
import io.palinode.voldemort.server.SystemMicros;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A time as an option's value: an HLC. What is so long ago counts from this machine's clock. */
public final class TimeText implements ITypeConverter<Long> {
  /** For the help of options that take one. */
  public static final String FORMS =
      "-30s (so long ago), 2026-11-21T12:00:00Z, or an HLC <microseconds>[.<counter>]";

  @Override
  public Long convert(String text) {
    try {
      return PointInTime.parse(text, new SystemMicros().getAsLong());
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
