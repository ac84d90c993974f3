package io.palinode.orchestrator.kafka;

import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.Event;
import io.palinode.orchestrator.RollbackMachine;
import io.palinode.orchestrator.history.ApiHistory;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.request.Effect;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.PlannedRollback;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.rest.OperatorBackend;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.orchestrator.state.AppendFailure;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.step.GateStatus;
import io.palinode.orchestrator.step.OperatorSteps;
import io.palinode.orchestrator.violations.Coverage;
import io.palinode.wire.plan.Phase;
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
 * Accepts operators' rollback requests and returns when the control log holds them. Thread-safe.
 */
final class RollbackRequests implements OperatorBackend {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
  private static final long LOOK_MS = 5;
  private static final int PLANNED_MAX = 64;
  private static final int ID_CHARS = 8;
  private static final int EXPECTED_FROM_MAX = 20;

  private final RollbackLoop loop;
  private final ApiHistory memory;
  private final LongSupplier wallMicros;
  private final Consumer<ControlRecord> append;
  private final Runnable requireWorking;
  private final OperatorAppends words;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // Guarded by lock: the answers of nodes, by question; only open questions.
  private final Map<String, EffectQuestion> questions = new TreeMap<>();
  // Guarded by lock: the latest, oldest first.
  private final Map<String, PlannedRollback> planned = new LinkedHashMap<>();

  RollbackRequests(
      RollbackLoop loop,
      ApiHistory memory,
      LongSupplier wallMicros,
      Consumer<ControlRecord> append,
      Runnable requireWorking) {
    this.loop = loop;
    this.memory = memory;
    this.wallMicros = wallMicros;
    this.append = append;
    this.requireWorking = requireWorking;
    this.words = new OperatorAppends(() -> loop.state().outbox().awaited());
  }

  /** Reads the next record of the control log. */
  void read(ControlRecord record) {
    EffectStep step = record.getEffect();
    if (!step.hasReported() && !step.hasAccessed()) {
      return;
    }
    lock.lock();
    try {
      EffectQuestion question =
          questions.get(
              step.hasReported()
                  ? step.getReported().getRequest()
                  : step.getAccessed().getRequest());
      if (question != null && step.hasReported()) {
        question.read(step.getReported());
        changed.signalAll();
      } else if (question != null) {
        question.read(step.getAccessed());
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the effect of the rollback, which {@link #planned} then finds. Changes nothing; waits
   * at most 10 s for nodes.
   */
  @Override
  public PlannedRollback plan(RollbackRequest request) throws RefusedException {
    requireWorking.run();
    String id = UUID.randomUUID().toString().substring(0, ID_CHARS);
    PlannedRollback made = PlannedRollback.of(id, request, effect(request));
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
   * The planned rollback of this name with its latest effect.
   *
   * @throws RefusedException if it was run, is not possible any more, or is unknown
   */
  @Override
  public PlannedRollback plannedNow(String id) throws RefusedException {
    requireWorking.run();
    PlannedRollback known = planned(id);
    Rollback done = memory.rollbackAskedFor(known.request().request());
    if (done != null) {
      throw new RefusedException(
          "plan '%s' was run already, as rollback %d: 'palinode rollback status %d' shows it"
              .formatted(id, done.epoch(), done.epoch()));
    }
    return known.again(effectAsAsked(known.request()));
  }

  /** The planned rollback of this name, as it was first shown. */
  @Override
  public PlannedRollback planned(String id) throws RefusedException {
    requireWorking.run();
    lock.lock();
    try {
      PlannedRollback known = planned.get(id);
      if (known == null) {
        throw new RefusedException(
            "no plan '%s' is known: the orchestrator remembers the latest %d, until another one takes over; plan again"
                .formatted(id, PLANNED_MAX));
      }
      return known;
    } finally {
      lock.unlock();
    }
  }

  private Effect effect(RollbackRequest request) throws RefusedException {
    MachineState state = loop.state();
    long target = request.target(state);
    String whyAll = request.seeds().isOfSome() ? RollbackMachine.whyAll(state, request) : "";
    EffectQuestion question = ask(asking(target, state, request, whyAll), state.settings().nodes());
    Effect effect =
        Effect.of(
            target,
            state,
            question.answers(),
            question.waiting(),
            memory.rollbacks(EXPECTED_FROM_MAX),
            whyAll);
    effect.requirePossible(request.snapshot() != null);
    return effect;
  }

  /** The effect; refused if all writes would be undone although only some were asked for. */
  private Effect effectAsAsked(RollbackRequest request) throws RefusedException {
    Effect effect = effect(request);
    if (request.seeds().isOfSome() && !effect.isOfSome()) {
      throw new RefusedException(
          "all writes after %s would be undone now, although the request names some: %s"
              .formatted(PointInTime.format(effect.target()), effect.whyAll()));
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
    // Without the lock, which the producer's thread may need before this returns.
    append.accept(record(asked));
    lock.lock();
    try {
      long left = ANSWER_MAX.toNanos();
      while (!question.isOver() && left > 0) {
        requireAsked(words.failed(OperatorAppends.effect(asked.getRequest())));
        left = changed.awaitNanos(left);
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
      long target, MachineState state, RollbackRequest request, String whyAll) {
    EffectAsked.Builder asked =
        EffectAsked.newBuilder()
            .setRequest(UUID.randomUUID().toString())
            .setTarget(target)
            .addAllExcept(Effect.except(state.log(), target));
    if (request.seeds().isOfSome() && whyAll.isEmpty()) {
      asked.setAffected(request.seeds().scope(target)).addAllKeys(request.seeds().keys());
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
   * Opens the plan and returns when the log holds it. The plan then continues even if this process
   * ends.
   *
   * @throws RefusedException if it cannot be opened
   * @throws UnavailableException if the log does not take it in time
   */
  @Override
  public Rollback run(RollbackRequest asked, String user) throws RefusedException {
    requireWorking.run();
    String request = asked.request();
    RollbackRequest resolved = asked;
    if (!asked.comparesAll() && memory.rollbackAskedFor(request) == null) {
      // A target out of reach would halt only after all nodes have paused.
      resolved = asked.knowing(effectAsAsked(asked));
    }
    RollbackRequest known = resolved;
    return words.write(
        OperatorAppends.request(request),
        () -> memory.rollbackAskedFor(request),
        () -> {
          MachineState state = loop.state();
          Plan plan = state.log().plan();
          if (plan == null || !plan.operator().request().equals(request)) {
            RollbackMachine.requirePossible(state, known);
            put(new Event.RollbackWanted(known, wallMicros.getAsLong()), user);
          }
        });
  }

  /**
   * Cancels the plan and returns when the log holds that. The plan then undoes no write.
   *
   * @throws RefusedException if it is too late
   */
  @Override
  public void cancel(long epoch, String user) throws RefusedException {
    requireWorking.run();
    OperatorSteps.requireCancellable(loop.state(), epoch);
    var unused =
        words.write(
            OperatorAppends.cancel(epoch),
            () -> isCancelled(epoch) ? Boolean.TRUE : null,
            () -> {
              OperatorSteps.requireCancellable(loop.state(), epoch);
              put(new Event.CancelWanted(epoch, wallMicros.getAsLong()), user);
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
  @Override
  public void intervene(long epoch, Intervention intervention, String user)
      throws RefusedException {
    requireWorking.run();
    MachineState state = loop.state();
    RollbackMachine.requirePossible(state, epoch, intervention);
    Plan plan = state.log().plan();
    if (plan == null || plan.phase() != Phase.HALTED) {
      put(new Event.InterventionWanted(epoch, intervention, wallMicros.getAsLong()), user);
      return;
    }
    int halt = plan.steps().halts();
    var unused =
        words.write(
            OperatorAppends.intervention(epoch, halt),
            () -> isHalted(epoch, halt) ? null : Boolean.TRUE,
            () -> {
              RollbackMachine.requirePossible(loop.state(), epoch, intervention);
              put(new Event.InterventionWanted(epoch, intervention, wallMicros.getAsLong()), user);
            });
  }

  private boolean isHalted(long epoch, int halt) {
    Plan plan = loop.state().log().plan();
    return plan != null
        && plan.epoch() == epoch
        && plan.phase() == Phase.HALTED
        && plan.steps().halts() == halt;
  }

  /**
   * Answers an approval request and returns when the log holds the answer. An approved plan then
   * continues even if this process ends.
   *
   * @throws RefusedException if no such request waits, or its target is out of reach
   */
  @Override
  public void answer(long number, boolean approve, String user) throws RefusedException {
    requireWorking.run();
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
              put(new Event.ApprovalAnswered(number, approve, wallMicros.getAsLong()), user);
            });
  }

  private boolean isWaiting(long number) {
    return loop.state().log().gates().requests().stream().anyMatch(r -> r.number() == number);
  }

  /**
   * Refuses a target that a node no longer reaches, as the plan would halt with all nodes paused.
   * Unless the predicate names another way.
   */
  private void requireInReach(long number) throws RefusedException {
    if (RollbackMachine.hasWayOutOfReach(loop.state(), number)) {
      return;
    }
    for (GateStatus.Waiting waiting : GateStatus.of(loop.state()).approvals()) {
      if (waiting.request().number() == number) {
        Effect unused = effect(RollbackRequest.to("approval-" + number, waiting.target()));
      }
    }
  }

  /**
   * Renews a budget and returns when the log holds that.
   *
   * @throws RefusedException if the predicate has no budget
   */
  @Override
  public void renew(String predicate, String user) throws RefusedException {
    requireWorking.run();
    long since = wallMicros.getAsLong();
    var unused =
        words.write(
            OperatorAppends.renewal(predicate),
            () -> isRenewed(predicate, since) ? Boolean.TRUE : null,
            () -> {
              RollbackMachine.requireRenewable(loop.state(), predicate);
              put(new Event.RenewalWanted(predicate, wallMicros.getAsLong()), user);
            });
  }

  private boolean isRenewed(String predicate, long since) {
    return loop.state().log().gates().renewed().getOrDefault(predicate, 0L) >= since;
  }

  /** Answers the caller of a failed append. Never blocks for long. */
  void appendFailed(ControlRecord record, AppendFailure failure, String reason) {
    words.appendFailed(record, failure, reason);
    if (record.hasEffect()) {
      lock.lock();
      try {
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Acknowledges the coverage gaps up to this number, and abandoned plans. Returns when the log
   * holds that; appends nothing if there is nothing to acknowledge.
   *
   * @throws UnavailableException if the log does not take it in time
   */
  @Override
  public void acknowledge(long toNumber, String user) {
    requireWorking.run();
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
      put(new Event.CoverageAcknowledged(toNumber, wallMicros.getAsLong()), user);
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
  @Override
  public void endAsIs(long epoch, Set<Integer> stopped, String user) throws RefusedException {
    requireWorking.run();
    OperatorSteps.requireEndable(loop.state(), epoch, stopped);
    put(new Event.EndAsIsWanted(epoch, stopped, wallMicros.getAsLong()), user);
  }

  private void put(Event wanted, String user) {
    loop.put(new Event.ByUser(wanted, user));
  }
}
