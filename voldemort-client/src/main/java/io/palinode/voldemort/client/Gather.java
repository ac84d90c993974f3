package io.palinode.voldemort.client;

import io.palinode.voldemort.client.session.InsufficientNodesException;
import io.palinode.voldemort.client.session.NodeException;
import io.palinode.voldemort.client.session.RefusedByFence;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntFunction;

/**
 * Asks replicas until enough have answered; where one fails, the next in order takes its place, as
 * long as fewer than the required ones have answered or may yet.
 *
 * <p>Ends with the answers by node, in the order they came: once the preferred number is there; or
 * the required number, and no asked node is still to answer, or {@link #preferNoMore} was called.
 * Fails with {@link InsufficientNodesException} once every node has failed or answered and that was
 * too little, or at once with {@link RefusedByFence}. Thread-safe; nothing is called with the lock
 * held.
 */
final class Gather<T> {
  private final String operation;
  private final Quorum quorum;
  private final IntFunction<CompletableFuture<T>> question;
  private final CompletableFuture<Map<Integer, T>> result = new CompletableFuture<>();

  private final Map<Integer, T> answers = new LinkedHashMap<>();
  private final Map<Integer, String> failures = new LinkedHashMap<>();
  private final ArrayDeque<Integer> unasked = new ArrayDeque<>();
  private int asked;
  private boolean prefersNoMore;

  /**
   * @param operation for messages
   */
  Gather(String operation, Quorum quorum, IntFunction<CompletableFuture<T>> question) {
    this.operation = operation;
    this.quorum = quorum;
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
    List<Integer> first = nodes.subList(0, Math.min(atOnce, nodes.size()));
    synchronized (this) {
      unasked.addAll(nodes.subList(first.size(), nodes.size()));
      // All of them before any is asked: one may answer at once, and is not the last one then.
      asked = first.size();
    }
    endIfPossible();
    first.forEach(this::ask);
    return result;
  }

  boolean prefersMore() {
    return quorum.prefersMore();
  }

  /** The time for preferred answers is over: from now on the required ones do. */
  void preferNoMore() {
    synchronized (this) {
      prefersNoMore = true;
    }
    endIfPossible();
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
      ask(node);
    }
  }

  private void ask(int node) {
    var unused =
        question.apply(node).whenComplete((answer, failure) -> answered(node, answer, failure));
  }

  private void answered(int node, T answer, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof NodeException failed) {
      boolean needsMore;
      synchronized (this) {
        asked--;
        failures.put(node, failed.reason());
        needsMore = answers.size() + asked < quorum.required();
      }
      if (needsMore && !result.isDone()) {
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
      int wanted = prefersNoMore || asked == 0 ? quorum.required() : quorum.preferred();
      if (answers.size() >= wanted) {
        enough = new LinkedHashMap<>(answers);
      } else if (asked == 0 && unasked.isEmpty()) {
        tooFew =
            new InsufficientNodesException(operation, quorum.required(), answers.size(), failures);
      }
    }
    if (enough != null) {
      result.complete(enough);
    } else if (tooFew != null) {
      result.completeExceptionally(tooFew);
    }
  }
}
