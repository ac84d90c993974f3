package io.palinode.cli.options;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Bytes as an option's value: {@code 512m}, {@code 10g}, {@code 1t}, powers of 1024; or 0. */
public final class DiskSize implements ITypeConverter<Long> {
  private static final Pattern FORM = Pattern.compile("(\\d{1,6})([kmgt]?)");

  @Override
  public Long convert(String text) {
    Matcher matcher = FORM.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "a size must be a number with k, m, g or t, such as 10g: " + text);
    }
    String unit = matcher.group(2);
    int shift = unit.isEmpty() ? 0 : 10 * (1 + "kmgt".indexOf(unit));
    return Long.parseLong(matcher.group(1)) << shift;
  }
}
