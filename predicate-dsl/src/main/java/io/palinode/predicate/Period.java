package io.palinode.predicate;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as they are written: {@code 500ms}, {@code 10s}, {@code 5m}, {@code 1h}. */
public final class Period {
  public static final Pattern TEXT = Pattern.compile("(\\d{1,9})\\s*(ms|s|m|h)");

  private Period() {}

  /** Throws {@link IllegalArgumentException} that names the text. */
  public static Duration parse(String text) {
    Matcher matcher = TEXT.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "a duration must be like 500ms, 10s, 5m or 1h: '" + text + "'");
    }
    long count = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      default -> Duration.ofHours(count);
    };
  }

  /** The inverse of {@link #parse} for whole milliseconds, in the largest unit that is exact. */
  public static String format(Duration duration) {
    long ms = duration.toMillis();
    if (ms % 3_600_000 == 0) {
      return ms / 3_600_000 + "h";
    }
    if (ms % 60_000 == 0) {
      return ms / 60_000 + "m";
    }
    return ms % 1_000 == 0 ? ms / 1_000 + "s" : ms + "ms";
  }
}
