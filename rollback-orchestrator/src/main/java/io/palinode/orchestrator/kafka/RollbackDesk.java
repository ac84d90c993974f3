package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.Effect;
import io.palinode.orchestrator.Event;
import io.palinode.orchestrator.Gate;
import io.palinode.orchestrator.MachineState;
import io.palinode.orchestrator.Memory;
import io.palinode.orchestrator.Plan;
import io.palinode.orchestrator.RefusedException;
import io.palinode.orchestrator.Rollback;
import io.palinode.orchestrator.RollbackMachine;
import io.palinode.orchestrator.Wish;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.EffectAsked;
import io.palinode.wire.v1.EffectStep;
import io.palinode.wire.v1.EffectTold;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Where rollbacks are asked for by hand: it puts wishes to the machine, and returns when the
 * control log has taken them. Thread-safe.
 */
final class RollbackDesk {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
  private static final long LOOK_MS = 5;

  private final RollbackLoop loop;
  private final Memory memory;
  private final LongSupplier wallMicros;
  private final Consumer<ControlRecord> append;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition heard = lock.newCondition();
  // Guarded by lock: what nodes have told, by the name of the question; asked ones only.
  private final Map<String, Map<Integer, EffectTold>> answers = new TreeMap<>();

  RollbackDesk(
      RollbackLoop loop, Memory memory, LongSupplier wallMicros, Consumer<ControlRecord> append) {
    this.loop = loop;
    this.memory = memory;
    this.wallMicros = wallMicros;
    this.append = append;
  }

  /** The next record of the control log. */
  void read(ControlRecord record) {
    if (!record.getEffect().hasTold()) {
      return;
    }
    EffectTold told = record.getEffect().getTold();
    lock.lock();
    try {
      Map<Integer, EffectTold> known = answers.get(told.getRequest());
      if (known != null) {
        known.put(told.getNode(), told);
        heard.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * What the rollback would do. Changes nothing; waits at most 10 s for the nodes, and is refused
   * when it cannot be done.
   */
  Effect effect(Wish wish) throws RefusedException {
    MachineState state = loop.state();
    long target = wish.target(state);
    Collection<EffectTold> told = ask(target, state);
    Effect effect = Effect.of(target, state, List.copyOf(told), memory.rollbacks(20));
    effect.requirePossible();
    return effect;
  }

  private Collection<EffectTold> ask(long target, MachineState state) {
    String request = UUID.randomUUID().toString();
    lock.lock();
    try {
      Map<Integer, EffectTold> told = new TreeMap<>();
      answers.put(request, told);
      append.accept(asking(request, target, state));
      long left = ANSWER_MAX.toNanos();
      while (told.size() < state.settings().nodes() && left > 0) {
        left = heard.awaitNanos(left);
      }
      return told.values();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while nodes were asked", e);
    } finally {
      answers.remove(request);
      lock.unlock();
    }
  }

  private ControlRecord asking(String request, long target, MachineState state) {
    EffectAsked asked =
        EffectAsked.newBuilder()
            .setRequest(request)
            .setTarget(target)
            .addAllExcept(Effect.except(state.journal(), target))
            .build();
    return ControlRecord.newBuilder()
        .setEpoch(state.journal().epoch())
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
  Rollback run(Wish wish) throws RefusedException {
    if (memory.rollbackAskedFor(wish.request()) == null) {
      // What is out of a node's reach would halt only when all nodes are paused.
      Effect unused = effect(wish);
    }
    for (long end = System.nanoTime() + ANSWER_MAX.toNanos(); System.nanoTime() < end; look()) {
      Rollback opened = memory.rollbackAskedFor(wish.request());
      if (opened != null) {
        return opened;
      }
      MachineState state = loop.state();
      Plan plan = state.journal().plan();
      if (plan == null || !plan.hand().request().equals(wish.request())) {
        RollbackMachine.requirePossible(state, wish);
        loop.put(new Event.RollbackWanted(wish, wallMicros.getAsLong()));
      }
    }
    throw new UnavailableException("the control log did not take the rollback in " + ANSWER_MAX);
  }

  /**
   * Returns when the log has it; the plan then ends without undoing anything.
   *
   * @throws RefusedException when it is too late, also when it came too late meanwhile
   */
  void cancel(long epoch) throws RefusedException {
    RollbackMachine.requireCancellable(loop.state(), epoch);
    for (long end = System.nanoTime() + ANSWER_MAX.toNanos(); System.nanoTime() < end; look()) {
      MachineState state = loop.state();
      Plan plan = state.journal().plan();
      boolean isOver = plan == null || plan.epoch() != epoch;
      Rollback known = memory.rollback(epoch);
      if (isOver ? known != null && known.cancelled() : plan != null && plan.isCancelled()) {
        return;
      }
      RollbackMachine.requireCancellable(state, epoch);
      loop.put(new Event.CancelWanted(epoch, wallMicros.getAsLong()));
    }
    throw new UnavailableException("the control log did not take the cancel in " + ANSWER_MAX);
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
    for (long end = System.nanoTime() + ANSWER_MAX.toNanos(); System.nanoTime() < end; look()) {
      MachineState state = loop.state();
      if (state.journal().gates().requests().stream().noneMatch(r -> r.number() == number)) {
        return;
      }
      RollbackMachine.requireAnswerable(state, number, approve);
      loop.put(new Event.ApprovalAnswered(number, approve, wallMicros.getAsLong()));
    }
    throw new UnavailableException("the control log did not take the answer in " + ANSWER_MAX);
  }

  /**
   * Clients went on meanwhile: what a node no longer reaches would halt with all nodes paused,
   * unless the predicate says what to do then.
   */
  private void requireInReach(long number) throws RefusedException {
    if (RollbackMachine.goesOnOutOfReach(loop.state(), number)) {
      return;
    }
    for (Gate.Waiting waiting : Gate.of(loop.state()).approvals()) {
      if (waiting.request().number() == number) {
        Effect unused = effect(Wish.to("approval " + number, waiting.target()));
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
    for (long end = System.nanoTime() + ANSWER_MAX.toNanos(); System.nanoTime() < end; look()) {
      MachineState state = loop.state();
      if (state.journal().gates().renewed().getOrDefault(predicate, 0L) >= since) {
        return;
      }
      RollbackMachine.requireRenewable(state, predicate);
      loop.put(new Event.RenewalWanted(predicate, wallMicros.getAsLong()));
    }
    throw new UnavailableException("the control log did not take the renewal in " + ANSWER_MAX);
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
