package io.palinode.orchestrator.alert;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.palinode.orchestrator.Alert;
import java.util.List;
import java.util.Map;

/** An alert as {@code POST /api/v2/alerts} of Alertmanager takes it. */
record AlertmanagerAlert(
    Map<String, String> labels,
    Map<String, String> annotations,
    String startsAt,
    String endsAt,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("generatorURL") String generatorUrl) {

  static List<AlertmanagerAlert> of(List<Alert> batch, Format.About about) {
    return batch.stream().map(alert -> of(alert, about)).toList();
  }

  /** A firing alert ends by itself, in case this process stops without a word. */
  private static AlertmanagerAlert of(Alert alert, Format.About about) {
    long expires = about.nowMicros() + OpenAlerts.EXPIRES.toMillis() * 1_000;
    return new AlertmanagerAlert(
        Payload.labels(alert),
        alert.annotations(),
        Payload.iso(alert.atMicros()),
        Payload.iso(alert.isEnded() ? alert.endMicros() : Math.max(expires, alert.atMicros())),
        about.links().of(alert));
  }
}
