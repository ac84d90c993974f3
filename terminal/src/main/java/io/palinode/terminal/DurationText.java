package io.palinode.terminal;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How long, as an option's value: {@code 30s}, {@code 10m}, {@code 2h} or {@code 7d}. */
public final class DurationText implements ITypeConverter<Duration> {
  /** For the help of options that take one. */
  public static final String FORMS = "30s, 10m, 2h or 7d";

  /** Ten years. Nanoseconds in a long overflow after 292 years. */
  static final Duration LONGEST = Duration.ofDays(3_650);

  private static final Pattern TEXT = Pattern.compile("([0-9]{1,9})([smhd])");
  private static final Map<String, ChronoUnit> UNITS =
      Map.of(
          "s",
          ChronoUnit.SECONDS,
          "m",
          ChronoUnit.MINUTES,
          "h",
          ChronoUnit.HOURS,
          "d",
          ChronoUnit.DAYS);

  @Override
  public Duration convert(String text) {
    Matcher matcher = TEXT.matcher(text);
    ChronoUnit unit = matcher.matches() ? UNITS.get(matcher.group(2)) : null;
    if (unit == null) {
      throw new TypeConversionException("must be like " + FORMS + ": '" + text + "'");
    }
    Duration duration = Duration.of(Long.parseLong(matcher.group(1)), unit);
    if (duration.compareTo(LONGEST) > 0) {
      throw new TypeConversionException(
          "must be at most " + LONGEST.toDays() + "d: '" + text + "'");
    }
    return duration;
  }

  /** {@code 10m} for {@code 600}. */
  public static String of(long seconds) {
    for (String unit : new String[] {"d", "h", "m"}) {
      long length = Duration.of(1, UNITS.getOrDefault(unit, ChronoUnit.SECONDS)).toSeconds();
      if (seconds >= length && seconds % length == 0) {
        return seconds / length + unit;
      }
    }
    return seconds + "s";
  }
}
