package io.palinode.orchestrator.alert;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.palinode.orchestrator.Alert;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A message of Slack's incoming webhooks: one attachment an alert. */
record SlackMessage(String text, List<Attachment> attachments) {
  static final int ATTACHMENTS_MAX = 20;

  /** Slack shows about this much of a text without a fold. */
  private static final int TEXT_MAX = 700;

  private static final String RED = "#d63232";
  private static final String GREEN = "#2eb886";

  /**
   * @param fallback for notifications without colours
   * @param titleLink what a click on the title opens; may be empty
   * @param ts seconds since the Unix epoch
   */
  record Attachment(
      String fallback,
      String color,
      String title,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("title_link") String titleLink,
      String text,
      List<Field> fields,
      long ts) {}

  /** {@code isShort} fields stand beside each other. */
  record Field(String title, String value, @JsonProperty("short") boolean isShort) {}

  static SlackMessage of(List<Alert> batch, Links links) {
    String text =
        batch.size() == 1
            ? title(batch.get(0))
            : "%d alerts of Palinode: %s".formatted(batch.size(), title(batch.get(0)) + ", …");
    return new SlackMessage(
        plain(text), batch.stream().map(alert -> attachment(alert, links.of(alert))).toList());
  }

  private static Attachment attachment(Alert alert, String link) {
    String text = alert.annotations().getOrDefault("description", alert.summary());
    String meaning = alert.annotations().get("meaning");
    String runbook = alert.annotations().get(Links.RUNBOOK);
    List<Field> fields = new ArrayList<>();
    alert.labels().forEach((name, value) -> add(name, value, fields));
    add("started", Payload.iso(alert.atMicros()), fields);
    add("ended", alert.isEnded() ? Payload.iso(alert.endMicros()) : "", fields);
    for (String name : List.of("grade", "outcome")) {
      add(name, alert.annotations().getOrDefault(name, ""), fields);
    }
    String title = title(alert);
    return new Attachment(
        plain(title + ": " + alert.summary()),
        alert.isEnded() ? GREEN : RED,
        plain(title),
        link,
        plain(text)
            + (meaning == null ? "" : "\n" + plain(meaning))
            + (runbook == null ? "" : "\n<%s|Runbook>".formatted(runbook)),
        List.copyOf(fields),
        (alert.isEnded() ? alert.endMicros() : alert.atMicros()) / 1_000_000);
  }

  private static String title(Alert alert) {
    return "[%s] %s %s"
        .formatted(
            alert.isEnded() ? "ended" : "alert",
            alert.kind().alertName(),
            String.join(" ", identity(alert.labels())))
        .strip();
  }

  private static List<String> identity(Map<String, String> labels) {
    return labels.entrySet().stream()
        .filter(label -> !label.getValue().isEmpty())
        .filter(label -> !label.getKey().equals("violation") && !label.getKey().equals("clause"))
        .map(label -> label.getKey() + "=" + label.getValue())
        .toList();
  }

  private static void add(String name, String value, List<Field> to) {
    if (!value.isEmpty()) {
      to.add(new Field(name, plain(value), true));
    }
  }

  /** A value of a store must not name a channel, a user or a link. */
  private static String plain(String text) {
    String safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    return safe.length() <= TEXT_MAX ? safe : safe.substring(0, TEXT_MAX) + "…";
  }
}
