package io.palinode.orchestrator.alert;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.palinode.orchestrator.Alert;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An alert as an event of CloudEvents 1.0. Source and id name one event: a repeated post has the
 * same id.
 */
record CloudEvent(
    String specversion,
    String id,
    String source,
    String type,
    String subject,
    String time,
    String datacontenttype,
    Data data) {
  record Data(
      String status,
      Map<String, String> labels,
      Map<String, String> annotations,
      String startsAt,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String endsAt,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) String link) {}

  static CloudEvent of(Alert alert, Links links) {
    String start = Payload.iso(alert.atMicros());
    String end = alert.isEnded() ? Payload.iso(alert.endMicros()) : null;
    String status = alert.isEnded() ? "ended" : "started";
    return new CloudEvent(
        "1.0",
        String.join("/", Payload.fingerprint(alert), version(alert), status, start),
        links.base().isEmpty() ? "palinode" : links.base(),
        "io.palinode.alert." + status,
        alert.kind().alertName(),
        end == null ? start : end,
        "application/json",
        new Data(status, Payload.labels(alert), alert.annotations(), start, end, links.of(alert)));
  }

  /** Two alerts of one cause differ in their annotations. */
  private static String version(Alert alert) {
    return "%08x".formatted(alert.annotations().hashCode());
  }
}
