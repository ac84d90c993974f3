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
 * Appends operators' records to the control log and answers their callers. Thread-safe. The answer
 * is success, a refusal, or "not known" if Kafka does not acknowledge in time.
 */
final class OperatorAppends {
  /** How long a request is repeated. */
  private static final Duration TRY_MAX = Duration.ofSeconds(5);

  /** Longer than an event waits for the loop, and an append for Kafka. */
  private static final Duration ANSWER_MAX =
      TRY_MAX.plus(RollbackLoop.WORD_AGE_MAX).plus(Orchestrator.APPEND_MAX.multipliedBy(2));

  private static final long LOOK_MS = 5;
  private static final int FAILED_MAX = 256;

  private final Supplier<@Nullable ControlRecord> awaited;
  // Guarded by this: the latest failed appends of operators' records, oldest first.
  private final Map<String, Failed> failed = new LinkedHashMap<>();

  /** {@code awaited} is the step that the machine has written and not read back; null: none. */
  OperatorAppends(Supplier<@Nullable ControlRecord> awaited) {
    this.awaited = awaited;
  }

  /** The reason of a failed append. */
  record Failed(AppendFailure failure, String reason) {
    /** Throws the caller's answer if no retry can succeed now. */
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

  /** Passes a request to the machine. */
  @FunctionalInterface
  interface Put {
    void put() throws RefusedException;
  }

  /** The operator's request that a record answers; null: none. */
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
    return "the answer to halt %d of rollback %d".formatted(halt, epoch);
  }

  static String renewal(String predicate) {
    return "the renewal of the budget of '" + predicate + "'";
  }

  static String effect(String request) {
    return "question " + request;
  }

  /** Notes a failed append, if it is of an operator's record. Never blocks. */
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
   * Returns the value of {@code read} once it has one.
   *
   * @throws RefusedException if the request cannot be granted, or cannot be in the log
   * @throws UnavailableException if Kafka refuses it or does not acknowledge it in time; the
   *     message states whether the record may be in the log
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

  /** Whether the loop's queue holds no event of the request. */
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
