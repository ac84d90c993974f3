package io.palinode.orchestrator.alert;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.palinode.orchestrator.Alert;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The JSON that Alertmanager posts to webhooks, version "4". Receivers of Alertmanager can read it.
 */
record Payload(
    String version,
    String groupKey,
    int truncatedAlerts,
    String status,
    String receiver,
    Map<String, String> groupLabels,
    Map<String, String> commonLabels,
    Map<String, String> commonAnnotations,
    @JsonProperty("externalURL") String externalUrl,
    List<Firing> alerts) {
  private static final String FIRING = "firing";

  /** Alertmanager's end time of an alert that has not ended. */
  private static final String NEVER = "0001-01-01T00:00:00Z";

  record Firing(
      String status,
      Map<String, String> labels,
      Map<String, String> annotations,
      String startsAt,
      String endsAt,
      @JsonProperty("generatorURL") String generatorUrl,
      String fingerprint) {}

  static Payload of(List<Alert> batch, String externalUrl) {
    List<Firing> firing = batch.stream().map(alert -> firing(alert, externalUrl)).toList();
    return new Payload(
        "4",
        "palinode",
        0,
        FIRING,
        "palinode",
        Map.of(),
        common(firing.stream().map(Firing::labels).toList()),
        common(firing.stream().map(Firing::annotations).toList()),
        externalUrl,
        firing);
  }

  private static Firing firing(Alert alert, String externalUrl) {
    Map<String, String> labels = new TreeMap<>(alert.labels());
    labels.put("alertname", alert.kind().alertName());
    String startsAt = Instant.EPOCH.plus(alert.atMicros(), ChronoUnit.MICROS).toString();
    String fingerprint = String.format("%016x", fingerprint(labels));
    return new Firing(
        FIRING, labels, alert.annotations(), startsAt, NEVER, externalUrl, fingerprint);
  }

  private static Map<String, String> common(List<Map<String, String>> all) {
    Map<String, String> common = new TreeMap<>(all.get(0));
    all.forEach(one -> common.entrySet().retainAll(one.entrySet()));
    return common;
  }

  /** FNV-1a over the sorted labels: equal labels, equal fingerprint. */
  private static long fingerprint(Map<String, String> labels) {
    long hash = 0xcbf29ce484222325L;
    List<Map.Entry<String, String>> sorted =
        labels.entrySet().stream().sorted(Comparator.comparing(Map.Entry::getKey)).toList();
    for (Map.Entry<String, String> label : sorted) {
      String text = label.getKey() + '\u00ff' + label.getValue() + '\u00ff';
      for (int i = 0; i < text.length(); i++) {
        hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
      }
    }
    return hash;
  }
}
