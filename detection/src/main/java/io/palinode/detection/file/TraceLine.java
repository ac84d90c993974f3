package io.palinode.detection.file;

import io.palinode.detection.Candidate;
import java.util.stream.Collectors;

/**
 * A line of a trace.
 *
 * @param binding empty when it names none
 * @param fields as they were written
 */
public record TraceLine(String binding, Candidate candidate, LineFields fields) {
  /** {@code x1 = 1, y1 = 0}; empty when the line has none. */
  public String values() {
    return fields.valueOf().entrySet().stream()
        .map(value -> value.getKey() + " = " + value.getValue())
        .collect(Collectors.joining(", "));
  }
}
