package io.palinode.orchestrator.alert;

import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.alert.OpenAlerts.Due;
import io.palinode.predicate.OnViolation;
import io.palinode.wire.KafkaSettings;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends each alert, and its end, to its destinations. Each destination has a bounded queue and a
 * thread. A further thread looks twice per second which causes have ended. Thread-safe.
 */
public final class AlertDispatcher implements AutoCloseable {
  /** Each URL has a thread. Predicates that name more URLs in one run are a mistake. */
  static final int WEBHOOKS_MAX = 16;

  private static final Logger log = LoggerFactory.getLogger(AlertDispatcher.class);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration LOOK = Duration.ofMillis(500);

  private final AlertSettings settings;
  private final Supplier<String> apiUrl;
  private final LongSupplier wallMicros;
  private final AlertCounts consoleCounts = new AlertCounts();
  private final Map<Format, AlertCounts> counts = new EnumMap<>(Format.class);
  private final AlertQueue console;

  /** In the order of their last use. */
  private final Map<String, AlertQueue> webhooks = new LinkedHashMap<>(16, 0.75f, true);

  private final OpenAlerts open = new OpenAlerts();
  private final HttpClient http;
  private final AlertTopics topics;
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "palinode-alerts-open");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * @param kafka has the topics of destinations
   * @param console receives one line per alert, from one thread
   * @param apiUrl the address of the API, which serves the console; may be empty
   */
  public AlertDispatcher(
      AlertSettings settings,
      KafkaSettings kafka,
      Consumer<String> console,
      Supplier<String> apiUrl,
      LongSupplier wallMicros) {
    this.settings = settings;
    this.topics = new AlertTopics(kafka, settings.posts().requestTimeout());
    this.apiUrl = apiUrl;
    this.wallMicros = wallMicros;
    for (Format format : Format.values()) {
      counts.put(format, new AlertCounts());
    }
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
            AlertQueue.PRINTED_MAX,
            consoleCounts,
            (batch, pause) -> print(batch, console));
  }

  /** Starts the operators' destinations: webhooks of predicates cannot take their place. */
  public void start() {
    console.start();
    settings.operators().stream()
        .filter(operator -> !operator.equals(AlertSettings.CONSOLE))
        .forEach(this::queue);
  }

  /**
   * From now on sends the ends of alerts, and sends again what a destination would forget.
   *
   * @param causes must not block
   */
  public void watch(AlertCauses causes) {
    synchronized (open) {
      causes.earlier().forEach(alert -> open.resume(alert, wallMicros.getAsLong()));
    }
    var unused =
        watch.scheduleWithFixedDelay(() -> look(causes), 0, LOOK.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Returns at once. */
  public void raise(Alert alert) {
    synchronized (open) {
      open.raise(alert, wallMicros.getAsLong()).forEach(this::send);
    }
  }

  /** Raises an alert that repeats an earlier one, if the end of that was announced. */
  public void raiseAgain(Alert alert) {
    synchronized (open) {
      if (!open.isOpen(alert) && open.size() < OpenAlerts.OPEN_MAX) {
        raise(alert);
      }
    }
  }

  void look(OpenAlerts.Causes causes) {
    try {
      synchronized (open) {
        open.due(wallMicros.getAsLong(), causes).forEach(this::send);
      }
    } catch (RuntimeException e) {
      // A further look would not happen after a throw.
      log.warn("open alerts not examined", e);
    }
  }

  private void send(Due due) {
    Alert alert = due.alert();
    for (String destination :
        alert.destinations().isEmpty() ? settings.operators() : alert.destinations()) {
      boolean isForgetful =
          !destination.equals(AlertSettings.CONSOLE)
              && Destination.of(destination).format().isForgetful();
      boolean isMeant =
          switch (due.to()) {
            case ALL -> true;
            case FORGETFUL -> isForgetful;
            case OTHERS -> !isForgetful;
          };
      if (isMeant) {
        send(destination, alert);
      }
    }
  }

  private void send(String destination, Alert alert) {
    if (destination.equals(AlertSettings.CONSOLE)) {
      var unused = console.offer(alert);
    } else {
      post(destination, alert);
    }
  }

  /**
   * Sends one test alert to each of the operators' destinations, or to {@code only} this one, once,
   * and returns their answers. Takes as long as one post at most. May be called from any thread.
   *
   * @throws IllegalArgumentException if {@code only} is no destination, or refused
   */
  public List<TestedDestination> test(@Nullable String only, long nowMicros) {
    Alert alert =
        Alert.toOperator(Alert.Kind.TEST, Map.of(), "a test by 'palinode alert test'", nowMicros);
    List<String> destinations = only == null ? settings.operators() : List.of(allowed(only));
    return destinations.stream().map(one -> test(one, alert)).toList().stream()
        .map(CompletableFuture::join)
        .toList();
  }

  private String allowed(String destination) {
    String refusal = settings.refusal(OnViolation.requireAlert(destination));
    if (refusal != null) {
      throw new IllegalArgumentException(refusal);
    }
    return destination;
  }

  private CompletableFuture<TestedDestination> test(String destination, Alert alert) {
    if (!destination.equals(AlertSettings.CONSOLE)) {
      return receiver(destination).test(alert);
    }
    boolean isTaken = console.offer(alert);
    return CompletableFuture.completedFuture(
        new TestedDestination(
            destination,
            isTaken,
            isTaken ? "see the output of the orchestrator" : "its queue is full"));
  }

  /** The counts of each kind of destination: the console and each format. */
  public Map<String, AlertCounts> counts() {
    Map<String, AlertCounts> all = new LinkedHashMap<>();
    all.put(AlertSettings.CONSOLE, consoleCounts);
    counts.forEach((format, of) -> all.put(format.word(), of));
    return all;
  }

  AlertCounts consoleCounts() {
    return consoleCounts;
  }

  AlertCounts counts(Format format) {
    return Objects.requireNonNull(counts.get(format));
  }

  /** Stops all destinations, each after at most 2 s of delivery. */
  @Override
  public void close() {
    watch.shutdownNow();
    synchronized (webhooks) {
      webhooks.values().forEach(AlertQueue::beginClose);
      console.close();
      webhooks.values().forEach(AlertQueue::close);
    }
    topics.close();
  }

  private void post(String destination, Alert alert) {
    // A queue that is in use here must not be closed for another one.
    synchronized (webhooks) {
      AlertQueue queue = queue(destination);
      if (queue == null) {
        counts(Destination.of(destination).format()).addDropped(1);
        log.warn("webhooks={} is the limit; dropping alerts of one more webhook", WEBHOOKS_MAX);
      } else {
        var unused = queue.offer(alert);
      }
    }
  }

  /** Returns null if there are too many that have alerts to deliver. */
  private @Nullable AlertQueue queue(String destination) {
    AlertQueue queue = webhooks.get(destination);
    if (queue == null && (webhooks.size() < WEBHOOKS_MAX || closeIdle())) {
      queue = open(destination);
      webhooks.put(destination, queue);
    }
    return queue;
  }

  /** Closes the queue of a predicate's webhook that was not used for the longest time. */
  private boolean closeIdle() {
    for (Iterator<Map.Entry<String, AlertQueue>> each = webhooks.entrySet().iterator();
        each.hasNext(); ) {
      Map.Entry<String, AlertQueue> oldest = each.next();
      if (oldest.getValue().isIdle() && !settings.operators().contains(oldest.getKey())) {
        oldest.getValue().beginClose();
        each.remove();
        return true;
      }
    }
    return false;
  }

  private AlertQueue open(String destination) {
    Format format = Destination.of(destination).format();
    AlertQueue queue =
        new AlertQueue(
            "palinode-alerts-webhook-" + webhooks.size(),
            settings.queueMax(),
            format.batchMax(),
            counts(format),
            receiver(destination));
    queue.start();
    return queue;
  }

  private Receiver receiver(String named) {
    Destination destination = Destination.of(named);
    Supplier<Format.About> about = () -> new Format.About(links(), wallMicros.getAsLong());
    return new Receiver(
        destination,
        destination.isTopic()
            ? topics.topic(destination.address(), about)
            : new Webhook(named, http, settings, about),
        settings.posts(),
        counts(destination.format()));
  }

  private Links links() {
    return Links.of(settings.externalUrl(), apiUrl.get(), Links::machine);
  }

  private static boolean print(List<Alert> batch, Consumer<String> console) {
    batch.forEach(alert -> console.accept(ConsoleLine.of(alert)));
    return true;
  }
}
