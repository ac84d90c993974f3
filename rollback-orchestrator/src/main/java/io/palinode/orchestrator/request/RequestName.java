package io.palinode.orchestrator.request;

import java.util.regex.Pattern;

/** The rule for names of operators' requests in the control log. */
public final class RequestName {
  public static final int CHARS_MAX = 64;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._:-]{1," + CHARS_MAX + "}");

  private RequestName() {}

  /** Returns the name. Throws {@link IllegalArgumentException} with the rule and the fault. */
  public static String require(String name) {
    if (name.length() > CHARS_MAX) {
      throw new IllegalArgumentException(
          "the name of a request must have at most %d characters: it has %d"
              .formatted(CHARS_MAX, name.length()));
    }
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "the name of a request must be 1 to %d of A-Z, a-z, 0-9, '.', '_', ':' and '-': '%s'"
              .formatted(CHARS_MAX, name));
    }
    return name;
  }
}
