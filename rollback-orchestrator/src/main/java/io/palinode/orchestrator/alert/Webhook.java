package io.palinode.orchestrator.alert;

import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.alert.Receiver.Answer;
import io.palinode.orchestrator.alert.Receiver.Outcome;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Posts batches to one URL. An answer names no path, which is often a password. */
final class Webhook implements Receiver.Sender {
  private final String named;
  private final Format format;
  private final URI url;
  private final HttpClient http;
  private final AlertSettings settings;
  private final Supplier<Format.About> about;

  /**
   * @param named the destination as it was configured
   */
  Webhook(String named, HttpClient http, AlertSettings settings, Supplier<Format.About> about) {
    Destination destination = Destination.of(named);
    this.named = named;
    this.format = destination.format();
    this.url = destination.endpoint();
    this.http = http;
    this.settings = settings;
    this.about = about;
  }

  @Override
  public CompletableFuture<Answer> send(List<Alert> batch) {
    // A name may resolve to another address than when its predicate was applied.
    String refusal = settings.refusal(named);
    if (refusal != null) {
      return CompletableFuture.completedFuture(new Answer(Outcome.REFUSED, refusal));
    }
    return status(request(batch))
        .handle(
            (status, failure) ->
                status == null
                    ? new Answer(Outcome.TRY_AGAIN, "no answer: " + reason(failure))
                    : new Answer(outcome(status), "HTTP status " + status));
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

  private static Outcome outcome(int status) {
    if (status / 100 == 2) {
      return Outcome.TAKEN;
    }
    boolean mayPass = status / 100 == 5 || status == 408 || status == 429;
    return mayPass ? Outcome.TRY_AGAIN : Outcome.REFUSED;
  }

  private static String reason(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause == null ? "unknown" : cause.getClass().getSimpleName();
  }

  private HttpRequest request(List<Alert> batch) {
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
