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
import java.util.List;
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
  private final String externalUrl;

  Webhook(URI url, HttpClient http, AlertSettings settings, String externalUrl) {
    this.url = url;
    this.http = http;
    this.settings = settings;
    this.externalUrl = externalUrl;
  }

  @Override
  public boolean deliver(List<Alert> batch, AlertQueue.Pause pause) throws InterruptedException {
    HttpRequest request = request(batch);
    Duration backOff = settings.backOff();
    for (int attempt = 1; ; attempt++) {
      Answer answer = post(request);
      if (answer != Answer.TRY_AGAIN) {
        return answer == Answer.TAKEN;
      }
      if (attempt == settings.attemptsMax() || !pause.sleep(backOff)) {
        log.warn("webhook={} alerts={} attempts={} failed", url.getHost(), batch.size(), attempt);
        return false;
      }
      backOff = backOff.multipliedBy(2);
    }
  }

  private enum Answer {
    TAKEN,
    REFUSED,
    TRY_AGAIN
  }

  private Answer post(HttpRequest request) throws InterruptedException {
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
      return HttpRequest.newBuilder(url)
          .timeout(settings.requestTimeout())
          .header("Content-Type", "application/json")
          .POST(
              HttpRequest.BodyPublishers.ofByteArray(
                  JSON.writeValueAsBytes(Payload.of(batch, externalUrl))))
          .build();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a payload of strings can always be written", e);
    }
  }
}
