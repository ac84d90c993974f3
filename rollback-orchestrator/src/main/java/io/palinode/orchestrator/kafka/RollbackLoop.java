package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.Event;
import io.palinode.orchestrator.RollbackMachine;
import io.palinode.orchestrator.Step;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.state.AppendFailure;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.wire.v1.ControlRecord;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * The thread of the machine: takes events from a bounded queue and carries out their commands.
 * Without events it ticks every 50 ms.
 */
final class RollbackLoop implements AutoCloseable {
  /** A violation may have a mebibyte. */
  private static final int EVENTS_MAX = 100;

  private static final Duration TICK = Duration.ofMillis(50);
  private static final Duration OFFER = Duration.ofMillis(100);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(15);

  /** An operator's request that waited longer is dropped. Its caller repeats it, or has left. */
  static final Duration WORD_AGE_MAX = Duration.ofSeconds(1);

  private final BlockingQueue<Event> events = new ArrayBlockingQueue<>(EVENTS_MAX);

  /** Bounded by the unread appends: one step and a few safe points. */
  private final Queue<Event> failures = new ConcurrentLinkedQueue<>();

  private final CountDownLatch live = new CountDownLatch(1);
  private final LongSupplier wallMicros;
  private final Effects effects;
  private final RefusedEvents refused;
  private final Consumer<RuntimeException> onDeath;
  private final Thread thread;
  private volatile MachineState state;
  private volatile boolean closed;

  /**
   * @param refused counts each record that the machine skipped
   * @param onDeath receives the bug that ended the loop
   */
  RollbackLoop(
      RollbackSettings settings,
      LongSupplier wallMicros,
      Effects effects,
      RefusedEvents refused,
      Consumer<RuntimeException> onDeath) {
    this.state = MachineState.initial(settings);
    this.wallMicros = wallMicros;
    this.effects = effects;
    this.refused = refused;
    this.onDeath = onDeath;
    this.thread = new Thread(this::run, "palinode-orchestrator");
    this.thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /**
   * Waits while the queue is full. Throws {@link CancellationException} after the loop has ended.
   */
  void put(Event event) {
    try {
      while (!events.offer(event, OFFER.toMillis(), TimeUnit.MILLISECONDS)) {
        requireRunning();
      }
      requireRunning();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  /** Never blocks. */
  void appendFailed(ControlRecord record, AppendFailure failure, String reason) {
    failures.add(new Event.AppendFailed(record, failure, reason, wallMicros.getAsLong()));
  }

  /** The state after the last complete event. */
  MachineState state() {
    return state;
  }

  boolean awaitLive(Duration timeout) throws InterruptedException {
    return live.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Ends after the current event, within the wait for Kafka's metadata. */
  @Override
  public void close() {
    closed = true;
    try {
      thread.join(CLOSE_MAX.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.interrupt();
  }

  private void run() {
    try {
      while (!closed) {
        handle(next());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      // The only catch-all: after a bug the state is unknown, so the machine must stop.
      closed = true;
      onDeath.accept(e);
    } catch (Error e) {
      closed = true;
      onDeath.accept(new IllegalStateException("the machine ran into " + e, e));
      throw e;
    }
  }

  private Event next() throws InterruptedException {
    Event failure = failures.poll();
    if (failure != null) {
      return failure;
    }
    Event event = events.poll(TICK.toMillis(), TimeUnit.MILLISECONDS);
    return event == null ? new Event.Tick(wallMicros.getAsLong()) : event;
  }

  /** Whether an operator's event is too old; its caller has or gets an answer. */
  private boolean isLateWord(Event event) {
    Event wanted = event instanceof Event.ByUser by ? by.wanted() : event;
    return wanted instanceof Event.OperatorEvent
        && wallMicros.getAsLong() - event.atMicros() > WORD_AGE_MAX.toMillis() * 1_000;
  }

  private void handle(Event event) {
    boolean isLive = state.live();
    Step step = isLateWord(event) ? null : stepOf(event, isLive);
    if (step == null) {
      return;
    }
    state = step.next();
    step.commands().forEach(command -> effects.carryOut(command, step.next(), isLive));
    if (!isLive && state.live()) {
      live.countDown();
    }
  }

  /**
   * The machine's step; null if there is none. The machine is pure: if it throws because of a
   * record, the state is as before the record, and the loop continues with the next event.
   */
  private @Nullable Step stepOf(Event event, boolean isLive) {
    try {
      requireKnownEpoch(event);
      return effects.admit(event, isLive) ? RollbackMachine.step(state, event) : null;
    } catch (RuntimeException e) {
      if (!RefusedEvents.isOfATopic(event)) {
        throw e;
      }
      refused.refuse(event, e);
      return null;
    }
  }

  /** Reads the control log first, as it opens an epoch before violations of the epoch arrive. */
  private void requireKnownEpoch(Event event) {
    long newest = state.log().epoch() + 1;
    if (event instanceof Event.ViolationFound found && found.violation().getEpoch() > newest) {
      throw new IllegalArgumentException(
          "the epoch of a violation must be at most %d: %d"
              .formatted(newest, found.violation().getEpoch()));
    }
  }

  private void requireRunning() {
    if (closed) {
      throw new CancellationException("the orchestrator has ended");
    }
  }
}
