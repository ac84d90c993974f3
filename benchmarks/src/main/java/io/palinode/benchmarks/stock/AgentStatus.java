package io.palinode.benchmarks.stock;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The status of an agent, from its {@code statusPort}. Thread-safe. */
public final class AgentStatus {
  private static final Pattern PREDICATES =
      Pattern.compile("^palinode_detector_predicates\\{[^}]*} ([0-9.]+)$", Pattern.MULTILINE);

  private static final Pattern BYTES = Pattern.compile("\"windowLogBytes\":([0-9]+)");
  private static final Pattern REACH = Pattern.compile("\"reach\":\"([^\"]+)\"");

  private final HttpClient http = HttpClient.newHttpClient();
  private final int port;

  public AgentStatus(int port) {
    this.port = port;
  }

  public boolean isCovered() {
    return text("status").contains("\"covered\":true");
  }

  /** Throws {@link IllegalStateException} unless it covers all, and has had no failure. */
  public void requireCovered() {
    String status = text("status");
    if (!status.contains("\"covered\":true") || !status.contains("\"failures\":0,")) {
      throw new IllegalStateException("the agent must cover all that is measured: " + status);
    }
  }

  /** Whether it watches for a predicate, or for none. */
  public boolean hasPredicate(boolean one) {
    Matcher matcher = PREDICATES.matcher(text("metrics"));
    return matcher.find() && Double.parseDouble(matcher.group(1)) == (one ? 1 : 0);
  }

  /** What its window-log takes. Throws {@link IllegalStateException} if it does not answer. */
  public long windowLogBytes() {
    return Long.parseLong(field(BYTES));
  }

  /** The earliest time that its window-log reaches. Throws as {@link #windowLogBytes}. */
  public String reach() {
    return field(REACH);
  }

  private String field(Pattern pattern) {
    String status = text("status");
    Matcher matcher = pattern.matcher(status);
    if (!matcher.find()) {
      throw new IllegalStateException("the agent must answer with its status: '" + status + "'");
    }
    return matcher.group(1);
  }

  /** Empty while it does not answer. */
  private String text(String path) {
    URI uri = URI.create("http://127.0.0.1:" + port + "/" + path);
    try {
      return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
    } catch (IOException notYet) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
