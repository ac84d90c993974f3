package io.palinode.orchestrator.alert;

import io.palinode.orchestrator.Alert;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts batches to one destination, with retries. The log names only the host, as the path of a
 * webhook is often its password.
 */
final class Webhook implements AlertQueue.Delivery {
  private static final Logger log = LoggerFactory.getLogger(Webhook.class);

  private final String named;
  private final Destination destination;
  private final URI url;
  private final HttpClient http;
  private final AlertSettings settings;
  private final AlertCounts counts;
  private final Supplier<Format.About> about;

  /**
   * @param named the destination as it was configured
   */
  Webhook(
      String named,
      HttpClient http,
      AlertSettings settings,
      AlertCounts counts,
      Supplier<Format.About> about) {
    this.named = named;
    this.destination = Destination.of(named);
    this.url = destination.endpoint();
    this.http = http;
    this.settings = settings;
    this.counts = counts;
    this.about = about;
  }

  @Override
  public boolean deliver(List<Alert> batch, AlertQueue.Pause pause) throws InterruptedException {
    HttpRequest request = request(batch);
    Duration backOff = settings.posts().backOff();
    for (int attempt = 1; ; attempt++) {
      Answer answer = post(request);
      if (answer != Answer.TRY_AGAIN) {
        return answer == Answer.TAKEN;
      }
      if (attempt == settings.posts().attemptsMax() || !pause.sleep(backOff)) {
        log.warn(
            "destination={} alerts={} attempts={} failed",
            destination.shown(),
            batch.size(),
            attempt);
        return false;
      }
      counts.addRetried();
      backOff = backOff.multipliedBy(2);
    }
  }

  /** Posts {@code alert} once; the result is the answer. Counts it as sent or failed. */
  CompletableFuture<TestedDestination> test(Alert alert) {
    return status(request(List.of(alert)))
        .handle(
            (status, failure) -> {
              boolean isDelivered = status != null && status / 100 == 2;
              if (isDelivered) {
                counts.addSent(1);
              } else {
                counts.addFailed(1);
              }
              return new TestedDestination(
                  destination.shown(),
                  isDelivered,
                  status == null ? "no answer: " + reason(failure) : "HTTP status " + status);
            });
  }

  /**
   * The status of a whole answer. Fails if it does not end in time: a request's own limit ends with
   * the headers.
   */
  private CompletableFuture<Integer> status(HttpRequest request) {
    CompletableFuture<HttpResponse<Void>> sent =
        http.sendAsync(request, HttpResponse.BodyHandlers.discarding());
    return sent.copy()
        .orTimeout(settings.posts().requestTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete((response, failure) -> sent.cancel(true))
        .thenApply(HttpResponse::statusCode);
  }

  private static String reason(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause == null ? "unknown" : cause.getClass().getSimpleName();
  }

  private enum Answer {
    TAKEN,
    REFUSED,
    TRY_AGAIN
  }

  private Answer post(HttpRequest request) throws InterruptedException {
    // A name may resolve to another address than when its predicate was applied.
    String refusal = settings.refusal(named);
    if (refusal != null) {
      log.warn("destination={} refused: {}", destination.shown(), refusal);
      return Answer.REFUSED;
    }
    try {
      int status = status(request).get();
      if (status / 100 == 2) {
        return Answer.TAKEN;
      }
      boolean mayPass = status / 100 == 5 || status == 408 || status == 429;
      if (!mayPass) {
        log.warn("destination={} status={} refused", destination.shown(), status);
      }
      return mayPass ? Answer.TRY_AGAIN : Answer.REFUSED;
    } catch (ExecutionException e) {
      log.debug("destination={} unreachable", destination.shown(), e);
      return Answer.TRY_AGAIN;
    }
  }

  private HttpRequest request(List<Alert> batch) {
    Format format = destination.format();
    byte[] body = format.body(batch, about.get());
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url)
            .timeout(settings.posts().requestTimeout())
            .header("Content-Type", format.contentType())
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    String secret = settings.secret();
    if (secret != null) {
      long seconds = Instant.now().getEpochSecond();
      request.header(Signature.HEADER, Signature.of(url, body, secret, seconds));
    }
    return request.build();
  }
}
