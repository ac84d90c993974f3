package io.palinode.simulation.node;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.HvcCodec;
import io.palinode.simulation.check.BrokenInvariant;
import io.palinode.simulation.check.Invariant;
import io.palinode.simulation.environment.Network;
import io.palinode.simulation.environment.Tail;
import io.palinode.simulation.store.Answer;
import io.palinode.simulation.store.Operation;
import io.palinode.simulation.store.Request;
import io.palinode.simulation.store.SimulatedNode;
import io.palinode.simulation.store.SimulatedStore;
import io.palinode.simulation.world.FailingDuties;
import io.palinode.simulation.world.Fault;
import io.palinode.simulation.world.PredicateVersion;
import io.palinode.simulation.world.Texts;
import io.palinode.simulation.world.World;
import io.palinode.store.control.Command;
import io.palinode.store.control.ControlExecution;
import io.palinode.store.control.ControlState;
import io.palinode.store.control.FailingDuty;
import io.palinode.store.control.NodeControl;
import io.palinode.store.engine.StorageException;
import io.palinode.store.node.NodeBinding;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.ControlRecord;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One incarnation of a node. The store node, its detector and its control duties are production's;
 * the threads around them are simulated: socket, reader of the control log, sender.
 */
public final class NodeProcess {
  private static final int OPEN_INTERVALS_MAX = 10_000;
  private static final long RETRY_MICROS = 100_000;
  private static final long MOMENT_MICROS = 1_000;
  private static final long RECORDED_MICROS_MAX = 300_000;
  private static final long RECORDED_POLL_MICROS = 2_000;

  private final World world;
  private final NodeMachine machine;
  private final int id;
  private final String name;
  private final SimulatedNode node;
  private final NodeBinding store;
  private final RecordedStore binding;
  private final LocalDetector detector;
  private final ControlExecution execution;
  private final CandidateSender sender;
  private final WatchedIntervals intervals;
  private final FailingDuty failing =
      new FailingDuty(Duration.ofNanos(FailingDuties.ANSWERED_AFTER_MICROS * 1_000));
  private final Deque<Command> due = new ArrayDeque<>();
  private final Tail<PredicateVersion> predicates;
  private ControlState control;
  private @Nullable Tail<ControlRecord> tail;
  private final NodeCommits commits;
  private boolean alive = true;
  private boolean open;
  private boolean begun;
  private boolean stopping;
  private boolean retryDue;
  private long watchedVersion;
  private long waitingSince = -1;
  private int diesAfter = Integer.MAX_VALUE;

  /** Throws as {@link SimulatedStore#open} does. */
  NodeProcess(World world, NodeMachine machine) {
    this.world = world;
    this.machine = machine;
    this.id = machine.id();
    this.name = "node" + id;
    this.node = world.store().open(id, machine.disk(), machine.clock());
    this.store = node.binding();
    this.commits =
        new NodeCommits(world, id, store, this::intent, this::requireWatchedAndRecorded, this::io);
    this.binding = new RecordedStore(world.seams().store(store), commits);
    int partitions = world.shape().candidates().partitions();
    CandidateRing ring = new CandidateRing(world.shape().candidates().ringSlots(), partitions);
    this.detector =
        new LocalDetector(
            binding,
            ring,
            instance -> CandidateRecords.partition(CandidateRecords.keyBytes(instance), partitions),
            OPEN_INTERVALS_MAX);
    this.execution =
        new ControlExecution(binding, detector, this::append, machine.clock(), () -> {});
    this.intervals =
        new WatchedIntervals(world, machine, store.incarnation(), store::restoredEpoch);
    binding.listen(new ObservedWrites(detector, intervals));
    this.sender = new CandidateSender(world, machine, store, detector, ring, intervals);
    world.model().started(id);
    this.predicates =
        world
            .predicates()
            .tail(
                id,
                world.predicates().size(),
                () -> alive && !stopping,
                version -> guarded(() -> watch(version)));
    this.control = NodeControl.initial(id, world.shape().nodes(), store.incarnation());
  }

  public long incarnation() {
    return store.incarnation();
  }

  /** Whether it takes requests. */
  public boolean isOpen() {
    return alive && open;
  }

  public long servedEpoch() {
    return store.fence().paused() ? -1 : store.fence().epoch();
  }

  /** Whether the node serves and no failed duty waits for a retry. */
  public boolean isWell() {
    return isOpen() && !retryDue;
  }

  void start() {
    machine.disk().observe(commits);
    world.trace().add(name, "starts", () -> "incarnation=" + incarnation());
    PredicateVersion known = world.predicate();
    if (known != null) {
      watch(known);
    }
    world.predicates().follow(predicates);
    open = !world.seams().servesWhenCaughtUp();
    sender.start();
    world.time().in(world.dice().between(500, 20_000), this::readLog);
  }

  /** Watches this version of the predicate, or a newer one, once the clock promise allows it. */
  private void watch(PredicateVersion version) {
    if (version.version() <= watchedVersion) {
      return;
    }
    // The last reading may be old, and openings are published at the next one.
    long next = Math.max(store.clock().last().own(), Hlc.ofMicros(machine.clock().getAsLong()));
    if (!binding.promises(next + Hlc.ofMicros(MOMENT_MICROS))) {
      world.time().in(RETRY_MICROS, this::watchNewest);
      return;
    }
    watchedVersion = version.version();
    // The detector would wait for room, and there is no other thread to make some.
    sender.flushAll();
    intervals.watches(version.predicate() == null ? 0 : version.version());
    detector.setPredicates(version.watched());
    sender.flush();
  }

  private void watchNewest() {
    PredicateVersion newest = world.predicate();
    if (alive && !stopping && newest != null) {
      guarded(() -> watch(newest));
    }
  }

  private void readLog() {
    if (!alive) {
      return;
    }
    if (world.network().isCut(world.kafka(), id)) {
      world.time().in(Network.RETRY_MICROS, this::readLog);
      return;
    }
    int end = world.control().size();
    List<ControlRecord> replayed = world.seams().replay(world.accepted());
    for (ControlRecord record : replayed) {
      control = NodeControl.step(control, record).next();
    }
    tail = world.control().tail(id, end, () -> alive && due.isEmpty(), this::controlRead);
    take(NodeControl.caughtUp(control));
    world.control().follow(tail);
  }

  private void controlRead(ControlRecord record) {
    if (!world.isRefused(record)) {
      take(NodeControl.step(control, record));
    }
  }

  private void take(NodeControl.Step step) {
    control = step.next();
    if (!retryDue) {
      due.addAll(step.commands());
      if (!step.commands().isEmpty()) {
        world.time().in(world.dice().mostlyNear(100, 5_000), this::work);
      }
    }
  }

  /** Opens after the first duty to serve or to pause; as in production. */
  private void opensOnceBegun() {
    if (begun && !open && !stopping) {
      open = true;
      world.trace().add(name, "opens", () -> "epoch=" + store.fence().epoch());
    }
  }

  private void work() {
    Command command = due.peek();
    if (!alive || stopping || command == null || isWaiting(command)) {
      return;
    }
    due.remove();
    guarded(() -> execute(command));
    if (!alive) {
      return;
    }
    if (due.isEmpty()) {
      if (!retryDue) {
        failing.succeeded();
      }
      opensOnceBegun();
      if (tail != null) {
        tail.wake();
      }
    } else {
      world.time().in(world.dice().mostlyNear(50, 2_000), this::work);
    }
  }

  /** Whether to wait until each candidate partition has a record of this incarnation. */
  private boolean isWaiting(Command command) {
    if (!(command instanceof Command.Serve) || sender.isRecordedEverywhere()) {
      waitingSince = -1;
      return false;
    }
    long now = world.time().nowMicros();
    waitingSince = waitingSince < 0 ? now : waitingSince;
    if (now - waitingSince > RECORDED_MICROS_MAX) {
      waitingSince = -1;
      failed(command, "not recorded in every partition");
    } else {
      world.time().in(RECORDED_POLL_MICROS, this::work);
    }
    return true;
  }

  private void execute(Command command) {
    world.trace().add(name, "does", () -> Texts.of(command));
    intervals.before(command);
    if (command instanceof Command.Watch) {
      // The detector would wait for room, and there is no other thread to make some.
      sender.flushAll();
    }
    if (command instanceof Command.Converge converge) {
      binding.converging(converge.epoch(), converge.asked().getAttempt());
    } else if (command instanceof Command.ConvergeSome some) {
      binding.converging(some.epoch(), some.asked().getAttempt());
    } else if (command instanceof Command.KeepAll all) {
      binding.comparing(all.epoch(), all.asked());
    } else if (command instanceof Command.Contribute part) {
      binding.comparing(part.epoch(), part.asked());
    }
    if (control.isFenced() && world.duties().fails(id, command)) {
      failed(command, "this node never can");
      return;
    }
    try {
      command.execute(execution);
      begun |= command instanceof Command.Serve || command instanceof Command.Pause;
    } catch (StorageException | AppendUnknown expected) {
      failed(command, String.valueOf(expected.getMessage()));
      return;
    } catch (RuntimeException bug) {
      throw bug(bug);
    } finally {
      sender.flush();
    }
    intervals.after(command);
  }

  private void failed(Command command, String reason) {
    world.trace().add(name, "failed", () -> Texts.of(command) + ": " + reason);
    due.clear();
    retryDue = true;
    world.time().in(RETRY_MICROS, this::retry);
    ControlRecord owed = failing.failed(control, command, reason, false, world.time().nowMicros());
    if (owed != null && world.seams().answersFailures()) {
      try {
        execution.answer(owed);
        failing.answered();
      } catch (AppendUnknown unanswered) {
        world.trace().add(name, "unanswered", () -> String.valueOf(unanswered.getMessage()));
      }
    }
  }

  private void retry() {
    if (alive && !stopping) {
      retryDue = false;
      take(NodeControl.retry(control));
      if (due.isEmpty() && tail != null) {
        tail.wake();
      }
    }
  }

  /** A record of this node's side of a plan. */
  private void append(List<ControlRecord> records) {
    if (world.network().isCut(id, world.kafka())) {
      throw new AppendUnknown("the control log is out of reach");
    }
    for (ControlRecord record : records) {
      io();
      world.append(name, record);
      io();
      if (world.isHit(Fault.DUPLICATE, 5)) {
        world.append(name, record);
      }
    }
    if (world.isHit(Fault.DUPLICATE, 5)) {
      throw new AppendUnknown("no answer from the control log");
    }
  }

  // ---- requests

  /** Only while it is open. {@code answer} may never be called. */
  public void receive(Request message, Consumer<Answer> answer) {
    boolean isGet = message.operation() instanceof Operation.Get;
    if (world.seams().fencesUnderLock() || isGet || isFenced(message)) {
      answer(message, message, answer);
    } else {
      world.time().in(world.dice().between(0, 60_000), () -> answerUnfenced(message, answer));
    }
  }

  private boolean isFenced(Request message) {
    return store.fence().refusal(message.by().getEpoch()) != null;
  }

  private void answerUnfenced(Request message, Consumer<Answer> answer) {
    if (!isOpen()) {
      return;
    }
    if (store.fence().paused()) {
      world.time().in(1_000, () -> answerUnfenced(message, answer));
      return;
    }
    answer(message, message.in(store.fence().epoch()), answer);
  }

  private void answer(Request asked, Request admitted, Consumer<Answer> answer) {
    guarded(
        () -> {
          commits.begin(asked);
          intervals.begins(asked);
          Answer made = node.answer(admitted);
          commits.end();
          requireNoBug(made);
          intervals.answered(asked, made);
          sender.flush();
          if (!(asked.operation() instanceof Operation.Get)) {
            intervals.wrote();
          }
          noteDelete(admitted, made);
          traceRead(asked, made);
          world.trace().add(name, Texts.what(asked), () -> Texts.of(asked, made));
          answer.accept(made);
        });
    commits.end();
  }

  /** A refusal as obsolete also shows a newer version, except to the sender of a copy. */
  private void traceRead(Request asked, Answer made) {
    boolean isGet = asked.operation() instanceof Operation.Get && !made.isRefused();
    boolean isObsolete = made.is(Answer.Kind.OBSOLETE) && !asked.isCopyAt(id);
    if (isGet || isObsolete) {
      world.affected().answered(id, timeOf(made), asked.by().getClient(), asked.key());
    }
  }

  /** Throws {@link BrokenInvariant} if the node's code has failed. */
  private static void requireNoBug(Answer made) {
    Answer.Refusal refusal = made.refusal();
    if (refusal != null && refusal.kind() == Answer.Kind.BUG) {
      throw new BrokenInvariant(Invariant.NO_BUG, refusal.message());
    }
  }

  /** When the node answered, or had written, by its own clock. */
  private long timeOf(Answer made) {
    return HvcCodec.decode(made.context().getHvc().toByteArray()).get(id);
  }

  /** A delete counts where it is accepted first, whether there was anything or not. */
  private void noteDelete(Request admitted, Answer made) {
    if (admitted.operation() instanceof Operation.Delete delete
        && !admitted.isCopyAt(id)
        && !made.isRefused()) {
      long epoch = admitted.by().getEpoch();
      world.model().deleted(id, epoch, delete.key(), delete.upTo(), timeOf(made));
    }
  }

  private RecordedStore.@Nullable Intent intent() {
    return binding.intent();
  }

  /** Each partition needs a record of an incarnation, or its end would stay unknown. */
  private void requireWatchedAndRecorded() {
    intervals.requireWatched();
    if (!sender.isRecordedEverywhere()) {
      throw new BrokenInvariant(
          Invariant.COVERING, name + " accepts a write before every partition has a record of it");
    }
  }

  // ---- its end

  /** Kills the process at one of its next writes to disk or log. */
  public void dieAfter(int writes) {
    diesAfter = writes;
  }

  private void io() {
    if (diesAfter-- <= 0) {
      throw new Killed();
    }
  }

  private void guarded(Runnable action) {
    try {
      action.run();
    } catch (Killed here) {
      machine.kill();
    } catch (RuntimeException bug) {
      throw bug(bug);
    }
  }

  private BrokenInvariant bug(RuntimeException bug) {
    BrokenInvariant broken = new BrokenInvariant(Invariant.NO_BUG, name + " threw " + bug);
    broken.initCause(bug);
    return broken;
  }

  void die() {
    alive = false;
    sender.die();
    end();
  }

  /** Serves no more, says all it has to say, and ends. */
  public void stop() {
    if (!isOpen()) {
      return;
    }
    world.trace().add(name, "stops", () -> "incarnation=" + incarnation());
    open = false;
    stopping = true;
    due.clear();
    if (tail != null) {
      tail.close();
    }
    guarded(() -> sender.stop(this::stopped));
  }

  private void stopped() {
    if (alive) {
      guarded(store::close);
      alive = false;
      end();
      machine.ended(this);
    }
  }

  private void end() {
    predicates.close();
    if (tail != null) {
      tail.close();
    }
    machine.disconnect(this);
  }
}
