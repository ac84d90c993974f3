package io.palinode.orchestrator.alert;

import io.palinode.orchestrator.Alert;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
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
  private final Supplier<String> externalUrl;
  private final AlertCounts consoleCounts = new AlertCounts();
  private final AlertCounts webhookCounts = new AlertCounts();
  private final AlertQueue console;
  private final Map<String, AlertQueue> webhooks = new LinkedHashMap<>();
  private final HttpClient http;

  /**
   * @param console receives one line per alert, from one thread
   * @param externalUrl a link for operators in webhook payloads; may be empty
   */
  public AlertDispatcher(
      AlertSettings settings, Consumer<String> console, Supplier<String> externalUrl) {
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

  /** Starts the operators' destinations: webhooks of predicates cannot take their place. */
  public void start() {
    console.start();
    settings.operators().stream()
        .filter(operator -> !operator.equals(AlertSettings.CONSOLE))
        .forEach(operator -> queue(AlertSettings.url(operator)));
  }

  /** Returns at once. */
  public void raise(Alert alert) {
    List<String> destinations =
        alert.destinations().isEmpty() ? settings.operators() : alert.destinations();
    for (String destination : destinations) {
      if (destination.equals(AlertSettings.CONSOLE)) {
        var unused = console.offer(alert);
      } else {
        post(AlertSettings.url(destination), alert);
      }
    }
  }

  /**
   * Sends one test alert to each of the operators' destinations, once, and returns their answers.
   * Takes as long as one post at most. May be called from any thread.
   */
  public List<TestedDestination> test(long nowMicros) {
    Alert alert =
        Alert.toOperator(Alert.Kind.TEST, Map.of(), "a test by 'palinode alert test'", nowMicros);
    return settings.operators().stream().map(operator -> test(operator, alert)).toList().stream()
        .map(CompletableFuture::join)
        .toList();
  }

  private CompletableFuture<TestedDestination> test(String operator, Alert alert) {
    if (!operator.equals(AlertSettings.CONSOLE)) {
      return webhook(AlertSettings.url(operator)).test(alert, webhookCounts);
    }
    boolean isTaken = console.offer(alert);
    return CompletableFuture.completedFuture(
        new TestedDestination(
            operator,
            isTaken,
            isTaken ? "see the output of the orchestrator" : "its queue is full"));
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
    AlertQueue queue = queue(url);
    if (queue == null) {
      webhookCounts.addDropped(1);
      log.warn("webhooks={} is the limit; dropping alerts of one more webhook", WEBHOOKS_MAX);
    } else {
      var unused = queue.offer(alert);
    }
  }

  /** Returns null if there are too many. */
  private @Nullable AlertQueue queue(String url) {
    synchronized (webhooks) {
      AlertQueue queue = webhooks.get(url);
      if (queue == null && webhooks.size() < WEBHOOKS_MAX) {
        queue = open(url);
        webhooks.put(url, queue);
      }
      return queue;
    }
  }

  private AlertQueue open(String url) {
    AlertQueue queue =
        new AlertQueue(
            "palinode-alerts-webhook-" + webhooks.size(),
            settings.queueMax(),
            webhookCounts,
            webhook(url));
    queue.start();
    return queue;
  }

  private Webhook webhook(String url) {
    return new Webhook(URI.create(url), http, settings, externalUrl);
  }

  private static boolean print(List<Alert> batch, Consumer<String> console) {
    batch.forEach(alert -> console.accept(ConsoleLine.of(alert)));
    return true;
  }
}
