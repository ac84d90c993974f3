package io.palinode.orchestrator.alert;

import io.palinode.orchestrator.Alert;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends each alert to its destinations. Each destination has a bounded queue and a thread. Call
 * {@link #raise} from one thread; any thread may read the counts.
 */
public final class AlertDispatcher implements AutoCloseable {
  /** Each URL has a thread. Predicates that name more URLs in one run are a mistake. */
  static final int WEBHOOKS_MAX = 16;

  private static final Logger log = LoggerFactory.getLogger(AlertDispatcher.class);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

  private final AlertSettings settings;
  private final String externalUrl;
  private final AlertCounts consoleCounts = new AlertCounts();
  private final AlertCounts webhookCounts = new AlertCounts();
  private final AlertQueue console;
  private final Map<String, AlertQueue> webhooks = new LinkedHashMap<>();
  private final HttpClient http;

  /**
   * @param console receives one line per alert, from one thread
   * @param externalUrl a link for operators in webhook payloads; may be empty
   */
  public AlertDispatcher(AlertSettings settings, Consumer<String> console, String externalUrl) {
    this.settings = settings;
    this.externalUrl = externalUrl;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_TIMEOUT)
            .build();
    this.console =
        new AlertQueue(
            "palinode-alerts-console",
            settings.queueMax(),
            consoleCounts,
            (batch, pause) -> print(batch, console));
  }

  public void start() {
    console.start();
  }

  /** Returns at once. */
  public void raise(Alert alert) {
    List<String> destinations =
        alert.destinations().isEmpty() ? settings.operators() : alert.destinations();
    for (String destination : destinations) {
      if (destination.equals(AlertSettings.CONSOLE)) {
        console.offer(alert);
      } else {
        post(destination.substring(AlertSettings.WEBHOOK.length()), alert);
      }
    }
  }

  public AlertCounts consoleCounts() {
    return consoleCounts;
  }

  public AlertCounts webhookCounts() {
    return webhookCounts;
  }

  /** Stops all destinations, each after at most 2 s of delivery. */
  @Override
  public void close() {
    synchronized (webhooks) {
      webhooks.values().forEach(AlertQueue::beginClose);
      console.close();
      webhooks.values().forEach(AlertQueue::close);
    }
  }

  private void post(String url, Alert alert) {
    synchronized (webhooks) {
      AlertQueue queue = webhooks.get(url);
      if (queue == null && webhooks.size() < WEBHOOKS_MAX) {
        queue = open(url);
        webhooks.put(url, queue);
      }
      if (queue == null) {
        webhookCounts.addDropped(1);
        log.warn("webhooks={} is the limit; dropping alerts of one more webhook", WEBHOOKS_MAX);
      } else {
        queue.offer(alert);
      }
    }
  }

  private AlertQueue open(String url) {
    AlertQueue queue =
        new AlertQueue(
            "palinode-alerts-webhook-" + webhooks.size(),
            settings.queueMax(),
            webhookCounts,
            new Webhook(URI.create(url), http, settings, externalUrl));
    queue.start();
    return queue;
  }

  private static boolean print(List<Alert> batch, Consumer<String> console) {
    batch.forEach(alert -> console.accept(ConsoleLine.of(alert)));
    return true;
  }
}
