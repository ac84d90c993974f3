package io.palinode.orchestrator.alert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.orchestrator.Alert;
import java.net.URI;
import java.util.List;
import java.util.Locale;

/** The JSON that a destination takes. Pure. */
enum Format {
  /** What Alertmanager posts to its webhook receivers. */
  WEBHOOK("application/json", 50),
  /** What Alertmanager takes. It forgets an alert that is not repeated. */
  ALERTMANAGER("application/json", 50),
  /** What incoming webhooks of Slack, and of products that copy them, take. */
  SLACK("application/json", SlackMessage.ATTACHMENTS_MAX),
  /** One event in structured mode: receivers need not take batches. */
  CLOUDEVENTS("application/cloudevents+json; charset=UTF-8", 1),
  /** The same event, as the value of a record. */
  KAFKA(CLOUDEVENTS.contentType, 1);

  private static final ObjectMapper JSON = new ObjectMapper();

  private final String contentType;
  private final int batchMax;

  Format(String contentType, int batchMax) {
    this.contentType = contentType;
    this.batchMax = batchMax;
  }

  /**
   * What a payload has besides its alerts.
   *
   * @param links for operators
   * @param nowMicros the time of the post, wall clock
   */
  record About(Links links, long nowMicros) {}

  static Format of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  /** The word before the colon in a destination. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  String contentType() {
    return contentType;
  }

  /** The greatest number of alerts in one body. */
  int batchMax() {
    return batchMax;
  }

  /** Whether the destination forgets an alert that is not repeated. */
  boolean isForgetful() {
    return this == ALERTMANAGER;
  }

  /** Alertmanager is named by its own address, as in a Prometheus configuration. */
  URI endpoint(URI url) {
    return this == ALERTMANAGER
        ? URI.create(url.toString().replaceAll("/+$", "") + "/api/v2/alerts")
        : url;
  }

  byte[] body(List<Alert> batch, About about) {
    try {
      List<Alert> all = batch.stream().map(about.links()::withRunbook).toList();
      return JSON.writeValueAsBytes(payload(all, about));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a payload of strings can always be written", e);
    }
  }

  private Object payload(List<Alert> batch, About about) {
    return switch (this) {
      case WEBHOOK -> Payload.of(batch, about.links());
      case ALERTMANAGER -> AlertmanagerAlert.of(batch, about);
      case SLACK -> SlackMessage.of(batch, about.links());
      case CLOUDEVENTS, KAFKA -> CloudEvent.of(batch.get(0), about.links());
    };
  }
}
