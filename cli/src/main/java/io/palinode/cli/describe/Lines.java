package io.palinode.cli.describe;

import io.palinode.cli.options.TimeText;
import io.palinode.terminal.Wrap;

/** Labelled lines of a screen. */
final class Lines {
  private static final String LABEL = "%-12s";

  private final StringBuilder text = new StringBuilder();

  /** Adds a line, or several of at most 100 characters. */
  Lines add(String label, String value) {
    text.append(Wrap.paragraph(LABEL.formatted(label), value)).append('\n');
    return this;
  }

  /** Adds a time and its age; in a wide form also the HLC. */
  Lines time(String label, String hlc, boolean isWide) {
    return add(label, TimeText.withAge(hlc)).hlc(hlc, isWide);
  }

  /** Adds the HLC of the time in the line before, in a wide form only. */
  Lines hlc(String hlc, boolean isWide) {
    return isWide ? add("", "HLC " + hlc) : this;
  }

  /** Adds a block after an empty line. */
  Lines block(String block) {
    text.append('\n').append(block);
    return this;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
