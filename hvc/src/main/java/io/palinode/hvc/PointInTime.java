package io.palinode.hvc;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Times as a person writes and reads them:
 *
 * <ul>
 *   <li>{@code -30s}: so long ago ({@code us}, {@code ms}, {@code s}, {@code m}, {@code h}, {@code
 *       d}; parts may follow each other, as in {@code -1m30s})
 *   <li>{@code 2026-11-21T12:00:00.5Z}: ISO 8601 with a zone, to the microsecond
 *   <li>{@code 2026-11-21T12:00:00.500000Z.7}: the same, in UTC and with an HLC's counter
 *   <li>{@code 1700000000000000} or {@code 1700000000000000.7}: an HLC
 *   <li>{@code now}
 * </ul>
 */
public final class PointInTime {
  private static final Map<String, Long> MICROS_BY_UNIT =
      Map.of(
          "us",
          1L,
          "ms",
          1_000L,
          "s",
          1_000_000L,
          "m",
          60_000_000L,
          "h",
          3_600_000_000L,
          "d",
          86_400_000_000L);
  private static final Pattern PART = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,6})?)(us|ms|[smhd])");
  private static final Pattern AGO = Pattern.compile("-(?:" + PART.pattern() + ")+");
  private static final Pattern HLC = Pattern.compile("\\d+(?:\\.\\d+)?");
  private static final Pattern ISO_COUNTER = Pattern.compile("(.+Z)\\.(\\d{1,4})");
  private static final DateTimeFormatter ISO =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSX", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private PointInTime() {}

  /**
   * {@code 2026-11-21T12:00:00.500000Z}: ISO 8601 in UTC; {@link #parse} returns {@code hlc} again.
   * A counter that is not zero follows: {@code 2026-11-21T12:00:00.500000Z.7}.
   */
  public static String format(long hlc) {
    String iso = ISO.format(Instant.EPOCH.plus(Hlc.micros(hlc), ChronoUnit.MICROS));
    return Hlc.counter(hlc) == 0 ? iso : iso + "." + Hlc.counter(hlc);
  }

  /**
   * The HLC of {@code text}. Throws {@link IllegalArgumentException} with one sentence that names
   * the text and the forms.
   *
   * @param nowMicros what {@code -30s} counts from, microseconds since the Unix epoch
   */
  public static long parse(String text, long nowMicros) {
    if (text.equals("now")) {
      return Hlc.ofMicros(nowMicros);
    }
    if (HLC.matcher(text).matches()) {
      return Hlc.parse(text);
    }
    if (AGO.matcher(text).matches()) {
      return ago(text, nowMicros);
    }
    Matcher counted = ISO_COUNTER.matcher(text);
    boolean isCounted = counted.matches();
    try {
      Instant instant = OffsetDateTime.parse(isCounted ? counted.group(1) : text).toInstant();
      int counter = isCounted ? Integer.parseInt(counted.group(2)) : 0;
      return Hlc.of(ChronoUnit.MICROS.between(Instant.EPOCH, instant), counter);
    } catch (DateTimeException | ArithmeticException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "a time must be like -30s, 2026-11-21T12:00:00Z[.<counter>], or an HLC <microseconds>[.<counter>]: '%s'"
              .formatted(text),
          e);
    }
  }

  private static long ago(String text, long nowMicros) {
    BigDecimal micros = BigDecimal.ZERO;
    Matcher parts = PART.matcher(text);
    while (parts.find()) {
      long unit = MICROS_BY_UNIT.getOrDefault(parts.group(2), 1L);
      micros = micros.add(new BigDecimal(parts.group(1)).multiply(BigDecimal.valueOf(unit)));
    }
    if (micros.compareTo(BigDecimal.valueOf(nowMicros)) > 0) {
      throw new IllegalArgumentException("a time must not be before 1970: '" + text + "'");
    }
    return Hlc.ofMicros(nowMicros - micros.setScale(0, RoundingMode.HALF_UP).longValueExact());
  }
}
