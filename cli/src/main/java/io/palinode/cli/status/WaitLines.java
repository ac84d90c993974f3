package io.palinode.cli.status;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What {@code status} prints of judgement, from the JSON of the API. */
public final class WaitLines {
  private static final double MS_PER_SECOND = 1_000.0;

  private WaitLines() {}

  static String safePoint(JsonNode status) {
    String safePoint = status.path("safePoint").asText();
    String unjudged = isJudged(status) ? "" : unjudged(status);
    if (safePoint.equals("0")) {
      return "none" + (unjudged.isEmpty() ? " yet" : ": " + unjudged);
    }
    return "%s, %.0f ms behind%s"
        .formatted(
            safePoint,
            status.path("safePointLagMs").asDouble(),
            unjudged.isEmpty() ? "" : "; this epoch is " + unjudged);
  }

  static String coverage(JsonNode status) {
    int gaps = status.path("coverageLosses").asInt();
    if (gaps > 0) {
      return gaps + " coverage gaps not acknowledged";
    }
    return isJudged(status) ? "complete" : "not judged yet";
  }

  /** One line for each: what, for how long, what to do. */
  static List<String> waits(JsonNode status) {
    List<String> lines = new ArrayList<>();
    for (JsonNode wait : status.path("waits")) {
      lines.add(
          "%s, for %.1f s; %s"
              .formatted(
                  wait.path("what").asText(),
                  wait.path("forMs").asDouble() / MS_PER_SECOND,
                  wait.path("wayOut").asText()));
    }
    return lines;
  }

  static boolean standStill(JsonNode status) {
    for (JsonNode wait : status.path("waits")) {
      if (wait.path("standsStill").asBoolean()) {
        return true;
      }
    }
    return false;
  }

  /** Of an orchestrator of an earlier release that is not known. */
  private static boolean isJudged(JsonNode status) {
    return status.path("epochJudged").asBoolean(true);
  }

  private static String unjudged(JsonNode status) {
    JsonNode since = status.path("unjudgedSinceMicros");
    if (!waitsForJob(status)) {
      return "not judged yet, since " + second(since);
    }
    JsonNode published = status.path("jobPublishedMicros");
    return "not judged yet: the detection job has not published since "
        + second(published.isNumber() ? published : since);
  }

  private static boolean waitsForJob(JsonNode status) {
    for (JsonNode wait : status.path("waits")) {
      if (wait.path("reason").asText().equals("job")) {
        return true;
      }
    }
    return false;
  }

  private static Instant second(JsonNode micros) {
    return Instant.ofEpochSecond(micros.asLong() / 1_000_000);
  }

  /** What to do about a halted rollback, of which this is the view or the status. */
  public static String waysOut(JsonNode halted) {
    String id = halted.path("openEpoch").asText(halted.path("epoch").asText());
    return "rollback %s is halted: %s; 'palinode rollback retry %s' tries again, 'palinode rollback abandon %s' continues without it"
        .formatted(id, halted.path("haltReason").asText(), id, id);
  }
}
