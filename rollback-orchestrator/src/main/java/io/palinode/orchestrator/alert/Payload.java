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
    List<One> alerts) {
  private static final String FIRING = "firing";
  private static final String RESOLVED = "resolved";

  /** Alertmanager's end time of an alert that has not ended. */
  private static final String NEVER = "0001-01-01T00:00:00Z";

  record One(
      String status,
      Map<String, String> labels,
      Map<String, String> annotations,
      String startsAt,
      String endsAt,
      @JsonProperty("generatorURL") String generatorUrl,
      String fingerprint) {}

  static Payload of(List<Alert> batch, Links links) {
    List<One> all = batch.stream().map(alert -> one(alert, links)).toList();
    return new Payload(
        "4",
        "palinode",
        0,
        batch.stream().allMatch(Alert::isEnded) ? RESOLVED : FIRING,
        "palinode",
        Map.of(),
        common(all.stream().map(One::labels).toList()),
        common(all.stream().map(One::annotations).toList()),
        links.base(),
        all);
  }

  private static One one(Alert alert, Links links) {
    return new One(
        alert.isEnded() ? RESOLVED : FIRING,
        labels(alert),
        alert.annotations(),
        iso(alert.atMicros()),
        alert.isEnded() ? iso(alert.endMicros()) : NEVER,
        links.of(alert),
        fingerprint(alert));
  }

  /** The labels with {@code alertname}. */
  static Map<String, String> labels(Alert alert) {
    Map<String, String> labels = new TreeMap<>(alert.labels());
    labels.put("alertname", alert.kind().alertName());
    return labels;
  }

  /** ISO 8601 in UTC. */
  static String iso(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
  }

  /** Equal for equal labels. */
  static String fingerprint(Alert alert) {
    return String.format("%016x", fingerprint(labels(alert)));
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
