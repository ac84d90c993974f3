package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.orchestrator.state.AppendFailure;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.GateStep;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gets operators' words into the control log: a caller is answered when the log has the word, when
 * it cannot have it, or with "not known" when Kafka did not acknowledge it in time. Thread-safe.
 */
final class OperatorAppends {
  /** Puts a word for so long. */
  private static final Duration TRY_MAX = Duration.ofSeconds(5);

  /** Longer than an event waits for the loop, and an append for Kafka. */
  private static final Duration ANSWER_MAX =
      TRY_MAX.plus(RollbackLoop.WORD_AGE_MAX).plus(Orchestrator.APPEND_MAX.multipliedBy(2));

  private static final long LOOK_MS = 5;
  private static final int FAILED_MAX = 256;

  private final Supplier<@Nullable ControlRecord> awaited;
  // Guarded by itself: failed appends of words, the latest, oldest first.
  private final Map<String, Failed> failed = new LinkedHashMap<>();

  /** {@code awaited} is the step that the machine has written and not read back; null: none. */
  OperatorAppends(Supplier<@Nullable ControlRecord> awaited) {
    this.awaited = awaited;
  }

  /** Why the last append of a word failed. */
  record Failed(AppendFailure failure, String reason) {
    /** Throws what the caller is answered, if no try can succeed now. */
    void requireTransient(String what) throws RefusedException {
      if (failure == AppendFailure.UNWRITABLE) {
        throw new RefusedException(
            "%s cannot be written to the control log: %s".formatted(what, reason));
      }
      if (failure == AppendFailure.REFUSED) {
        throw new UnavailableException(
            "Kafka does not let the orchestrator write %s to the control log (%s): grant it, then ask again"
                .formatted(what, reason));
      }
    }
  }

  /** Puts a word to the machine. */
  @FunctionalInterface
  interface Put {
    void put() throws RefusedException;
  }

  /** What a record is an operator's word on; null: on nothing. */
  static @Nullable String key(@Nullable ControlRecord record) {
    if (record == null) {
      return null;
    }
    return switch (record.getStepCase()) {
      case PLAN_OPENED ->
          record.getPlanOpened().getApproves() > 0
              ? answer(record.getPlanOpened().getApproves())
              : request(record.getPlanOpened().getRequest());
      case CANCEL -> cancel(record.getEpoch());
      case RETRY -> intervention(record.getEpoch(), record.getRetry().getHalt());
      case ABANDON -> intervention(record.getEpoch(), record.getAbandon().getHalt());
      case GATE -> key(record.getGate());
      case EFFECT ->
          record.getEffect().hasAsked() ? effect(record.getEffect().getAsked().getRequest()) : null;
      default -> null;
    };
  }

  private static @Nullable String key(GateStep gate) {
    if (gate.hasRenewed()) {
      return renewal(gate.getRenewed().getPredicate());
    }
    return gate.getLetStand().getRejects() > 0 ? answer(gate.getLetStand().getRejects()) : null;
  }

  static String request(String name) {
    return "rollback request '" + name + "'";
  }

  static String answer(long number) {
    return "the answer to request " + number;
  }

  static String cancel(long epoch) {
    return "the cancel of rollback " + epoch;
  }

  static String intervention(long epoch, long halt) {
    return "the word on halt %d of rollback %d".formatted(halt, epoch);
  }

  static String renewal(String predicate) {
    return "the renewal of the budget of '" + predicate + "'";
  }

  static String effect(String request) {
    return "question " + request;
  }

  /** An append failed; of no use when it is not a word's. Never blocks. */
  void appendFailed(ControlRecord record, AppendFailure failure, String reason) {
    String key = key(record);
    if (key == null) {
      return;
    }
    synchronized (failed) {
      failed.put(key, new Failed(failure, reason));
      if (failed.size() > FAILED_MAX) {
        failed.remove(failed.keySet().iterator().next());
      }
    }
  }

  @Nullable Failed failed(String key) {
    synchronized (failed) {
      return failed.get(key);
    }
  }

  /**
   * Returns {@code read}'s value when it has one.
   *
   * @throws RefusedException when the word cannot be given, or cannot be in the log
   * @throws UnavailableException when Kafka refuses it or does not acknowledge it in time; it says
   *     whether the word may be in the log
   */
  <T> T write(String key, Supplier<@Nullable T> read, Put put) throws RefusedException {
    synchronized (failed) {
      failed.remove(key);
    }
    boolean wasSent = false;
    long start = System.nanoTime();
    while (true) {
      T answer = read.get();
      if (answer != null) {
        return answer;
      }
      Failed last = failed(key);
      if (last != null) {
        last.requireTransient(key);
      }
      boolean isSent = key.equals(key(awaited.get()));
      wasSent |= isSent || last != null;
      long nanos = System.nanoTime() - start;
      if (nanos > ANSWER_MAX.toNanos() || (!isSent && nanos > untilDropped().toNanos())) {
        throw unanswered(key, wasSent, last);
      }
      if (!isSent && nanos < TRY_MAX.toNanos()) {
        put.put();
      }
      look();
    }
  }

  /** No event with the word is left in the loop's queue. */
  private static Duration untilDropped() {
    return TRY_MAX.plus(RollbackLoop.WORD_AGE_MAX);
  }

  private static UnavailableException unanswered(
      String key, boolean wasSent, @Nullable Failed last) {
    String reason = last == null ? "" : " (" + last.reason() + ")";
    return new UnavailableException(
        wasSent
            ? "it is not known whether %s is in the control log, Kafka did not acknowledge it%s: see 'palinode status' when Kafka answers, then ask again"
                .formatted(key, reason)
            : "%s was not written, the control log did not take an earlier record%s: nothing has changed; ask again"
                .formatted(key, reason));
  }

  private static void look() {
    try {
      TimeUnit.MILLISECONDS.sleep(LOOK_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while the control log was written", e);
    }
  }
}
