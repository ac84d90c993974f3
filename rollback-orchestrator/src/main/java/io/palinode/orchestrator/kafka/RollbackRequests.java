package io.palinode.orchestrator.kafka;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.Event;
import io.palinode.orchestrator.RollbackMachine;
import io.palinode.orchestrator.history.ApiHistory;
import io.palinode.orchestrator.plan.Phase;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.request.Effect;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.PlannedRollback;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.orchestrator.state.AppendFailure;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.step.GateStatus;
import io.palinode.orchestrator.step.OperatorSteps;
import io.palinode.orchestrator.violations.Coverage;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.EffectAsked;
import io.palinode.wire.v1.EffectStep;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where rollbacks are asked for by hand: it puts wishes to the machine, and returns when the
 * control log has taken them. Thread-safe.
 */
final class RollbackRequests {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
  private static final long LOOK_MS = 5;
  private static final int PLANNED_MAX = 64;
  private static final int ID_CHARS = 8;
  private static final int EXPECTED_FROM_MAX = 20;

  private final RollbackLoop loop;
  private final ApiHistory memory;
  private final LongSupplier wallMicros;
  private final Consumer<ControlRecord> append;
  private final OperatorAppends words;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition heard = lock.newCondition();
  // Guarded by lock: what nodes have told, by the name of the question; asked ones only.
  private final Map<String, EffectQuestion> questions = new TreeMap<>();
  // Guarded by lock: the latest, oldest first.
  private final Map<String, PlannedRollback> planned = new LinkedHashMap<>();

  RollbackRequests(
      RollbackLoop loop,
      ApiHistory memory,
      LongSupplier wallMicros,
      Consumer<ControlRecord> append) {
    this.loop = loop;
    this.memory = memory;
    this.wallMicros = wallMicros;
    this.append = append;
    this.words = new OperatorAppends(() -> loop.state().outbox().awaited());
  }

  /** The next record of the control log. */
  void read(ControlRecord record) {
    EffectStep step = record.getEffect();
    if (!step.hasTold() && !step.hasAccessed()) {
      return;
    }
    lock.lock();
    try {
      EffectQuestion question =
          questions.get(
              step.hasTold() ? step.getTold().getRequest() : step.getAccessed().getRequest());
      if (question != null && step.hasTold()) {
        question.read(step.getTold());
        heard.signalAll();
      } else if (question != null) {
        question.read(step.getAccessed());
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * What the rollback would do, which {@link #planned} then names. Changes nothing; waits at most
   * 10 s for the nodes, and is refused when it cannot be done.
   */
  PlannedRollback plan(RollbackRequest wish) throws RefusedException {
    String id = UUID.randomUUID().toString().substring(0, ID_CHARS);
    PlannedRollback made = PlannedRollback.of(id, wish, effect(wish));
    lock.lock();
    try {
      if (planned.size() == PLANNED_MAX) {
        planned.remove(planned.keySet().iterator().next());
      }
      planned.put(id, made);
    } finally {
      lock.unlock();
    }
    return made;
  }

  /**
   * What was planned under this name, with what it would do now.
   *
   * @throws RefusedException when it was done, cannot be any more, or is not known here
   */
  PlannedRollback plannedNow(String id) throws RefusedException {
    PlannedRollback known = planned(id);
    Rollback done = memory.rollbackAskedFor(known.request().request());
    if (done != null) {
      throw new RefusedException(
          "plan '%s' was run already, as rollback %d: 'palinode rollback status %d' shows it"
              .formatted(id, done.epoch(), done.epoch()));
    }
    return known.again(effectAsWished(known.request()));
  }

  /** What was planned under this name, as it was told then. */
  PlannedRollback planned(String id) throws RefusedException {
    lock.lock();
    try {
      PlannedRollback known = planned.get(id);
      if (known == null) {
        throw new RefusedException(
            "no plan '%s' is known: the orchestrator remembers the latest %d, until another one takes over; plan anew"
                .formatted(id, PLANNED_MAX));
      }
      return known;
    } finally {
      lock.unlock();
    }
  }

  private Effect effect(RollbackRequest wish) throws RefusedException {
    MachineState state = loop.state();
    long target = wish.target(state);
    String whyAll = wish.seeds().isOfSome() ? RollbackMachine.whyAll(state, wish) : "";
    EffectQuestion question = ask(asking(target, state, wish, whyAll), state.settings().nodes());
    Effect effect =
        Effect.of(
            target,
            state,
            question.answers(),
            question.waiting(),
            memory.rollbacks(EXPECTED_FROM_MAX),
            whyAll);
    effect.requirePossible();
    return effect;
  }

  /** Not of everything when only some is wished. */
  private Effect effectAsWished(RollbackRequest wish) throws RefusedException {
    Effect effect = effect(wish);
    if (wish.seeds().isOfSome() && !effect.isOfSome()) {
      throw new RefusedException(
          "everything after %s would be undone now, and only what came of some writes was asked for: %s"
              .formatted(Hlc.format(effect.target()), effect.whyAll()));
    }
    return effect;
  }

  private EffectQuestion ask(EffectAsked asked, int nodes) throws RefusedException {
    EffectQuestion question = new EffectQuestion(nodes);
    lock.lock();
    try {
      questions.put(asked.getRequest(), question);
    } finally {
      lock.unlock();
    }
    // Without the lock: the producer's thread may need it before this returns.
    append.accept(record(asked));
    lock.lock();
    try {
      long left = ANSWER_MAX.toNanos();
      while (!question.isOver() && left > 0) {
        requireAsked(words.failed(OperatorAppends.effect(asked.getRequest())));
        left = heard.awaitNanos(left);
      }
      return question;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while nodes were asked", e);
    } finally {
      questions.remove(asked.getRequest());
      lock.unlock();
    }
  }

  private static void requireAsked(OperatorAppends.@Nullable Failed failed)
      throws RefusedException {
    if (failed != null) {
      failed.requireTransient("the question to the nodes");
      throw new UnavailableException(
          "the nodes could not be asked, Kafka did not take the question (%s): nothing has changed; ask again"
              .formatted(failed.reason()));
    }
  }

  private static EffectAsked asking(
      long target, MachineState state, RollbackRequest wish, String whyAll) {
    EffectAsked.Builder asked =
        EffectAsked.newBuilder()
            .setRequest(UUID.randomUUID().toString())
            .setTarget(target)
            .addAllExcept(Effect.except(state.log(), target));
    if (wish.seeds().isOfSome() && whyAll.isEmpty()) {
      asked.setAffected(wish.seeds().scope(target)).addAllKeys(wish.seeds().keys());
    }
    return asked.build();
  }

  private ControlRecord record(EffectAsked asked) {
    return ControlRecord.newBuilder()
        .setEpoch(loop.state().log().epoch())
        .setAtMicros(wallMicros.getAsLong())
        .setEffect(EffectStep.newBuilder().setAsked(asked))
        .build();
  }

  /**
   * Opens the plan, and returns when the log has it: from then on it goes on whoever dies.
   *
   * @throws RefusedException when it cannot be
   * @throws UnavailableException when the log does not take it in time
   */
  Rollback run(RollbackRequest asked) throws RefusedException {
    String request = asked.request();
    RollbackRequest wish = asked;
    if (!asked.comparesAll() && memory.rollbackAskedFor(request) == null) {
      // What is out of a node's reach would halt only when all nodes are paused.
      wish = asked.knowing(effectAsWished(asked));
    }
    RollbackRequest known = wish;
    return words.write(
        OperatorAppends.request(request),
        () -> memory.rollbackAskedFor(request),
        () -> {
          MachineState state = loop.state();
          Plan plan = state.log().plan();
          if (plan == null || !plan.operator().request().equals(request)) {
            RollbackMachine.requirePossible(state, known);
            loop.put(new Event.RollbackWanted(known, wallMicros.getAsLong()));
          }
        });
  }

  /**
   * Returns when the log has it; the plan then ends without undoing anything.
   *
   * @throws RefusedException when it is too late, also when it came too late meanwhile
   */
  void cancel(long epoch) throws RefusedException {
    OperatorSteps.requireCancellable(loop.state(), epoch);
    var unused =
        words.write(
            OperatorAppends.cancel(epoch),
            () -> isCancelled(epoch) ? Boolean.TRUE : null,
            () -> {
              OperatorSteps.requireCancellable(loop.state(), epoch);
              loop.put(new Event.CancelWanted(epoch, wallMicros.getAsLong()));
            });
  }

  private boolean isCancelled(long epoch) {
    Plan plan = loop.state().log().plan();
    if (plan != null && plan.epoch() == epoch) {
      return plan.isCancelled();
    }
    Rollback known = memory.rollback(epoch);
    return known != null && known.cancelled();
  }

  /**
   * Retries a halted rollback, or abandons an open one. Returns when the log has the answer to a
   * halt; an abandon in another phase is only requested then.
   *
   * @throws RefusedException if it is not open, or not halted, or this cannot help it
   */
  void intervene(long epoch, Intervention intervention) throws RefusedException {
    MachineState state = loop.state();
    RollbackMachine.requirePossible(state, epoch, intervention);
    Plan plan = state.log().plan();
    if (plan == null || plan.phase() != Phase.HALTED) {
      loop.put(new Event.OperatorSpoke(epoch, intervention, wallMicros.getAsLong()));
      return;
    }
    int halt = plan.halts().count();
    var unused =
        words.write(
            OperatorAppends.intervention(epoch, halt),
            () -> isHalted(epoch, halt) ? null : Boolean.TRUE,
            () -> {
              RollbackMachine.requirePossible(loop.state(), epoch, intervention);
              loop.put(new Event.OperatorSpoke(epoch, intervention, wallMicros.getAsLong()));
            });
  }

  private boolean isHalted(long epoch, int halt) {
    Plan plan = loop.state().log().plan();
    return plan != null
        && plan.epoch() == epoch
        && plan.phase() == Phase.HALTED
        && plan.halts().count() == halt;
  }

  /**
   * Returns when the log has the answer: an approved rollback then goes on whoever dies.
   *
   * @throws RefusedException when nothing of that number waits, or it is out of reach by now
   */
  void answer(long number, boolean approve) throws RefusedException {
    RollbackMachine.requireAnswerable(loop.state(), number, approve);
    if (approve) {
      requireInReach(number);
    }
    var unused =
        words.write(
            OperatorAppends.answer(number),
            () -> isWaiting(number) ? null : Boolean.TRUE,
            () -> {
              RollbackMachine.requireAnswerable(loop.state(), number, approve);
              loop.put(new Event.ApprovalAnswered(number, approve, wallMicros.getAsLong()));
            });
  }

  private boolean isWaiting(long number) {
    return loop.state().log().gates().requests().stream().anyMatch(r -> r.number() == number);
  }

  /**
   * Clients went on meanwhile: what a node no longer reaches would halt with all nodes paused,
   * unless the predicate says what to do then.
   */
  private void requireInReach(long number) throws RefusedException {
    if (RollbackMachine.goesOnOutOfReach(loop.state(), number)) {
      return;
    }
    for (GateStatus.Waiting waiting : GateStatus.of(loop.state()).approvals()) {
      if (waiting.request().number() == number) {
        Effect unused = effect(RollbackRequest.to("approval-" + number, waiting.target()));
      }
    }
  }

  /**
   * Returns when the log has it.
   *
   * @throws RefusedException when the predicate has no budget
   */
  void renew(String predicate) throws RefusedException {
    long since = wallMicros.getAsLong();
    var unused =
        words.write(
            OperatorAppends.renewal(predicate),
            () -> isRenewed(predicate, since) ? Boolean.TRUE : null,
            () -> {
              RollbackMachine.requireRenewable(loop.state(), predicate);
              loop.put(new Event.RenewalWanted(predicate, wallMicros.getAsLong()));
            });
  }

  private boolean isRenewed(String predicate, long since) {
    return loop.state().log().gates().renewed().getOrDefault(predicate, 0L) >= since;
  }

  /** An append failed: a caller who waits for it is answered. Never blocks for long. */
  void appendFailed(ControlRecord record, AppendFailure failure, String reason) {
    words.appendFailed(record, failure, reason);
    if (record.hasEffect()) {
      lock.lock();
      try {
        heard.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Acknowledges the coverage gaps up to this number, and abandoned plans. Returns when the log has
   * it; nothing is appended when there is nothing to acknowledge.
   *
   * @throws UnavailableException when the log does not take it in time
   */
  void acknowledge(long toNumber) {
    MachineState asked = loop.state();
    long epoch = asked.log().epoch();
    boolean isAll = toNumber == Event.CoverageAcknowledged.ALL;
    for (long end = System.nanoTime() + ANSWER_MAX.toNanos(); System.nanoTime() < end; look()) {
      MachineState state = loop.state();
      Coverage coverage = state.log().coverage();
      boolean isRecorded = !isAll || state.found().unrecorded().isEmpty();
      if (isRecorded && coverage.isAcknowledged(toNumber, epoch)) {
        return;
      }
      loop.put(new Event.CoverageAcknowledged(toNumber, wallMicros.getAsLong()));
    }
    throw new UnavailableException(
        "the control log did not take the acknowledgement in " + ANSWER_MAX + "; try again");
  }

  private static void look() {
    try {
      TimeUnit.MILLISECONDS.sleep(LOOK_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while the control log was written", e);
    }
  }

  /** Ends the open plan with the data that each node has; returns before it ends. */
  void endAsIs(long epoch, Set<Integer> stopped) throws RefusedException {
    OperatorSteps.requireEndable(loop.state(), epoch, stopped);
    loop.put(new Event.EndAsIsWanted(epoch, stopped, wallMicros.getAsLong()));
  }
}
