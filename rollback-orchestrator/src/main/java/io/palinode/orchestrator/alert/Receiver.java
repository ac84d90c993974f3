package io.palinode.orchestrator.alert;

import io.palinode.orchestrator.Alert;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends batches to one destination, with retries. The log has no password of a destination. */
final class Receiver implements AlertQueue.Delivery {
  private static final Logger log = LoggerFactory.getLogger(Receiver.class);

  private final Destination destination;
  private final Sender sender;
  private final AlertSettings.Posts posts;
  private final AlertCounts counts;

  Receiver(Destination destination, Sender sender, AlertSettings.Posts posts, AlertCounts counts) {
    this.destination = destination;
    this.sender = sender;
    this.posts = posts;
    this.counts = counts;
  }

  /** Sends a batch once; the answer always arrives, and never as an exception. */
  interface Sender {
    CompletableFuture<Answer> send(List<Alert> batch);
  }

  /**
   * What a destination answered.
   *
   * @param text in a few words, without what may be a password
   */
  record Answer(Outcome outcome, String text) {}

  enum Outcome {
    TAKEN,
    REFUSED,
    TRY_AGAIN
  }

  @Override
  public boolean deliver(List<Alert> batch, AlertQueue.Pause pause) throws InterruptedException {
    Duration backOff = posts.backOff();
    for (int attempt = 1; ; attempt++) {
      Answer answer = answer(batch);
      if (answer.outcome() == Outcome.TAKEN) {
        return true;
      }
      if (answer.outcome() == Outcome.REFUSED
          || attempt == posts.attemptsMax()
          || !pause.sleep(backOff)) {
        log.warn(
            "destination={} alerts={} attempts={} failed: {}",
            destination.shown(),
            batch.size(),
            attempt,
            answer.text());
        return false;
      }
      counts.addRetried();
      backOff = backOff.multipliedBy(2);
    }
  }

  /** Sends {@code alert} once; the result is the answer. Counts it as sent or failed. */
  CompletableFuture<TestedDestination> test(Alert alert) {
    return sender.send(List.of(alert)).thenApply(this::tested);
  }

  private TestedDestination tested(Answer answer) {
    boolean isDelivered = answer.outcome() == Outcome.TAKEN;
    if (isDelivered) {
      counts.addSent(1);
    } else {
      counts.addFailed(1);
    }
    return new TestedDestination(destination.shown(), isDelivered, answer.text());
  }

  private Answer answer(List<Alert> batch) throws InterruptedException {
    try {
      return sender.send(batch).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a sender answers with no exception", e);
    }
  }
}
