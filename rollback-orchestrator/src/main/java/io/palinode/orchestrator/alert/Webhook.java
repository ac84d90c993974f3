package io.palinode.orchestrator.alert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.orchestrator.Alert;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts batches to one URL, with retries. The log names only the host, as the path of a webhook is
 * often its password.
 */
final class Webhook implements AlertQueue.Delivery {
  private static final Logger log = LoggerFactory.getLogger(Webhook.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final URI url;
  private final HttpClient http;
  private final AlertSettings settings;
  private final Supplier<String> externalUrl;

  Webhook(URI url, HttpClient http, AlertSettings settings, Supplier<String> externalUrl) {
    this.url = url;
    this.http = http;
    this.settings = settings;
    this.externalUrl = externalUrl;
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
        log.warn("webhook={} alerts={} attempts={} failed", url.getHost(), batch.size(), attempt);
        return false;
      }
      backOff = backOff.multipliedBy(2);
    }
  }

  /** Posts {@code alert} once; the result is the answer. Counts it as sent or failed. */
  CompletableFuture<TestedDestination> test(Alert alert, AlertCounts counts) {
    return http.sendAsync(request(List.of(alert)), HttpResponse.BodyHandlers.discarding())
        .handle(
            (response, failure) -> {
              boolean isDelivered = response != null && response.statusCode() / 100 == 2;
              if (isDelivered) {
                counts.addSent(1);
              } else {
                counts.addFailed(1);
              }
              return new TestedDestination(
                  AlertSettings.WEBHOOK + url.getHost(),
                  isDelivered,
                  response == null
                      ? "no answer: " + reason(failure)
                      : "HTTP status " + response.statusCode());
            });
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
    String refusal = settings.refusal(url);
    if (refusal != null) {
      log.warn("webhook={} refused: {}", url.getHost(), refusal);
      return Answer.REFUSED;
    }
    try {
      int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      if (status / 100 == 2) {
        return Answer.TAKEN;
      }
      boolean mayPass = status / 100 == 5 || status == 408 || status == 429;
      if (!mayPass) {
        log.warn("webhook={} status={} refused", url.getHost(), status);
      }
      return mayPass ? Answer.TRY_AGAIN : Answer.REFUSED;
    } catch (IOException e) {
      log.debug("webhook={} unreachable", url.getHost(), e);
      return Answer.TRY_AGAIN;
    }
  }

  private HttpRequest request(List<Alert> batch) {
    try {
      byte[] body = JSON.writeValueAsBytes(Payload.of(batch, externalUrl.get()));
      HttpRequest.Builder request =
          HttpRequest.newBuilder(url)
              .timeout(settings.posts().requestTimeout())
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofByteArray(body));
      String secret = settings.secret();
      if (secret != null) {
        long seconds = Instant.now().getEpochSecond();
        request.header(Signature.HEADER, Signature.of(url, body, secret, seconds));
      }
      return request.build();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a payload of strings can always be written", e);
    }
  }
}
