package io.palinode.voldemort.client;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntFunction;

/**
 * Asks replicas until enough have answered; where one fails, the next in order takes its place.
 *
 * <p>Ends with the answers by node, in the order they came, or fails: with {@link
 * InsufficientNodesException} once every node has failed or answered, or at once with {@link
 * RefusedByFence}. Thread-safe; nothing is called with the lock held.
 */
final class Gather<T> {
  private final String operation;
  private final int needed;
  private final IntFunction<CompletableFuture<T>> question;
  private final CompletableFuture<Map<Integer, T>> result = new CompletableFuture<>();

  private final Map<Integer, T> answers = new LinkedHashMap<>();
  private final Map<Integer, String> failures = new LinkedHashMap<>();
  private final ArrayDeque<Integer> unasked = new ArrayDeque<>();
  private int asked;

  /**
   * @param operation for messages
   * @param needed how many answers end it
   */
  Gather(String operation, int needed, IntFunction<CompletableFuture<T>> question) {
    this.operation = operation;
    this.needed = needed;
    this.question = question;
  }

  /** Before the start: what is known already counts. */
  Gather<T> startingWith(Map<Integer, T> knownAnswers, Map<Integer, String> knownFailures) {
    answers.putAll(knownAnswers);
    failures.putAll(knownFailures);
    return this;
  }

  /** Asks the first {@code atOnce} nodes now, the others when they are needed. */
  CompletableFuture<Map<Integer, T>> start(List<Integer> nodes, int atOnce) {
    synchronized (this) {
      unasked.addAll(nodes);
    }
    endIfPossible();
    for (int i = 0; i < atOnce; i++) {
      askNext();
    }
    return result;
  }

  private void askNext() {
    Integer node;
    synchronized (this) {
      node = unasked.poll();
      if (node != null) {
        asked++;
      }
    }
    if (node != null) {
      int next = node;
      var unused =
          question.apply(next).whenComplete((answer, failure) -> heard(next, answer, failure));
    }
  }

  private void heard(int node, T answer, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof NodeException failed) {
      synchronized (this) {
        asked--;
        failures.put(node, failed.reason());
      }
      if (!result.isDone()) {
        askNext();
      }
      endIfPossible();
    } else if (cause != null) {
      result.completeExceptionally(cause);
    } else {
      synchronized (this) {
        asked--;
        // An answer to a node's second question, after its first one failed, makes up for it.
        failures.remove(node);
        answers.put(node, answer);
      }
      endIfPossible();
    }
  }

  private void endIfPossible() {
    Map<Integer, T> enough = null;
    InsufficientNodesException tooFew = null;
    synchronized (this) {
      if (answers.size() >= needed) {
        enough = new LinkedHashMap<>(answers);
      } else if (asked == 0 && unasked.isEmpty()) {
        tooFew = new InsufficientNodesException(operation, needed, answers.size(), failures);
      }
    }
    if (enough != null) {
      result.complete(enough);
    } else if (tooFew != null) {
      result.completeExceptionally(tooFew);
    }
  }
}
