package io.palinode.orchestrator.alert;

import io.palinode.orchestrator.Alert;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/**
 * An alert, or its end, as one line of {@code key=value}; values with spaces or quotes are quoted.
 */
final class ConsoleLine {
  private ConsoleLine() {}

  static String of(Alert alert) {
    StringJoiner line = new StringJoiner(" ");
    String kind = alert.kind().name().toLowerCase(Locale.ROOT);
    line.add((alert.isEnded() ? "ended=" : "alert=") + kind);
    line.add("at=" + Payload.iso(alert.isEnded() ? alert.endMicros() : alert.atMicros()));
    for (Map.Entry<String, String> label : alert.labels().entrySet()) {
      line.add(label.getKey() + "=" + quoted(label.getValue()));
    }
    for (Map.Entry<String, String> annotation : alert.annotations().entrySet()) {
      line.add(annotation.getKey() + "=" + quoted(annotation.getValue()));
    }
    return line.toString();
  }

  /**
   * The value, quoted if needed. Store keys and values must not send control characters to a
   * terminal.
   */
  private static String quoted(String value) {
    String safe = value.replace("\\", "\\\\").replaceAll("\\p{Cntrl}", "?");
    boolean plain = !safe.isEmpty() && safe.indexOf(' ') < 0 && safe.indexOf('"') < 0;
    return plain ? safe : '"' + safe.replace("\"", "\\\"") + '"';
  }
}
