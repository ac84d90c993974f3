package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.NodeJoined;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Restored;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A store node: all writes to variables that are true or false, and the node's side of the control
 * log. The writes, the epoch and the restores survive a crash. The rest is read again from the log.
 */
final class SimulatedNode {
  /** A term of clause 0 of a predicate, under a binding. */
  record Variable(String predicate, int term, int binding) {
    IntervalRef ref() {
      return IntervalRef.newBuilder()
          .setPredicate(predicate)
          .setPredicateVersion(1)
          .setTerm(term)
          .setBinding("b=" + binding)
          .build();
    }
  }

  record Write(long hlc, Variable variable, boolean holds) {}

  /** An interval in which a variable was true; {@code end} is mutable as intervals close. */
  static final class Held {
    final int node;
    final long epoch;
    final Variable variable;
    final long start;
    @Nullable Long end;

    Held(int node, long epoch, Variable variable, long start) {
      this.node = node;
      this.epoch = epoch;
      this.variable = variable;
      this.start = start;
    }

    boolean overlaps(Held other) {
      return (end == null || end >= other.start) && (other.end == null || other.end >= start);
    }
  }

  /** The writes between the two were undone. */
  private record Undo(long epoch, long target, long hlc, List<Write> before) {}

  private final int id;
  private final World world;
  private final Random random;
  private final long windowMicros;
  private final long aheadMicros;
  private final List<Write> history = new ArrayList<>();
  private final List<Held> intervals = new ArrayList<>();
  private final Map<Variable, Held> open = new HashMap<>();
  private final Set<String> restores = new HashSet<>();
  private final List<Undo> undos = new ArrayList<>();
  private final Map<Long, List<Write>> asPaused = new HashMap<>();
  private long hlc;

  /** When the node converged, until the epoch begins; 0: it has not. */
  private long endedAt;

  private long epoch;
  private long joinedMicros;
  private ControlLogState log;
  private int position;
  private int servesFrom;

  /** {@code aheadMicros}: how far the node's clock is ahead of the world's. */
  SimulatedNode(int id, World world, Random random, long windowMicros, long aheadMicros) {
    this.id = id;
    this.world = world;
    this.random = random;
    this.windowMicros = windowMicros;
    this.aheadMicros = aheadMicros;
    this.log = ControlLogState.empty(world.nodes());
  }

  /** Flips a variable, unless the node is paused or still reading the log after a crash. */
  void write(Variable variable, boolean holds) {
    if (!isServing()) {
      return;
    }
    long before = tick();
    long after = tick();
    history.add(new Write(after, variable, holds));
    Held was = open.remove(variable);
    if (was != null) {
      was.end = before;
    }
    if (holds) {
      hold(variable, after);
    }
  }

  /** Everything of this node up to the result is known. */
  long progress() {
    return endedAt == 0 ? tick() : endedAt - 1;
  }

  /** Reads one more record of the control log and carries it out. */
  boolean readNext() {
    if (position >= world.control().size()) {
      return false;
    }
    ControlRecord record = world.control().get(position++);
    ControlLogState before = log;
    log = log.read(record);
    if (!log.equals(before) && record.getEpoch() > epoch) {
      obey(record);
    }
    return true;
  }

  /** Restarts with its durable data; {@code forgetful}: without its window-log. */
  void crash(boolean forgetful) {
    log = ControlLogState.empty(world.nodes());
    position = 0;
    endedAt = 0;
    joinedMicros = forgetful ? world.nowMicros() + aheadMicros : joinedMicros;
    NodeJoined joined = NodeJoined.newBuilder().setNode(id).setReach(reach()).build();
    world.append(record(epoch).setNodeJoined(joined));
    servesFrom = world.control().size();
  }

  boolean isServing() {
    return position >= servesFrom && log.plan() == null;
  }

  boolean isCaughtUp() {
    return position == world.control().size();
  }

  long epoch() {
    return epoch;
  }

  List<Held> intervals() {
    return intervals;
  }

  Set<Variable> holding() {
    Set<Variable> holding = new HashSet<>();
    for (Write write : history) {
      if (write.holds()) {
        holding.add(write.variable());
      } else {
        holding.remove(write.variable());
      }
    }
    return holding;
  }

  /** The write since which the variable is true. */
  private long since(Variable variable) {
    long since = 0;
    boolean held = false;
    for (Write write : history) {
      if (write.variable().equals(variable)) {
        since = write.holds() && !held ? write.hlc() : since;
        held = write.holds();
      }
    }
    return since;
  }

  private void obey(ControlRecord record) {
    switch (record.getStepCase()) {
      case PAUSE -> {
        // A record that is read again after a crash changes nothing.
        asPaused.putIfAbsent(record.getEpoch(), List.copyOf(history));
        ack(record(record.getEpoch()).setPaused(pausedAck()));
      }
      case RESTORE -> restore(record);
      case CONVERGE -> converge(record);
      case RESUME -> {
        hlc = Math.max(hlc, record.getResume().getClock());
        resume(record.getEpoch(), record.getResume().getClock() + 1);
      }
      default -> {}
    }
  }

  private void restore(ControlRecord record) {
    long target = record.getRestore().getTarget();
    int attempt = record.getRestore().getAttempt();
    Restored.Builder ack = Restored.newBuilder().setNode(id).setAttempt(attempt);
    boolean isNew = !restores.contains(record.getEpoch() + "/" + attempt);
    if (record.getRestore().getKeep()) {
      restores.add(record.getEpoch() + "/" + attempt);
      ack(record(record.getEpoch()).setRestored(ack.setLast(true)));
      return;
    }
    if (isNew && reach() > target) {
      ack(record(record.getEpoch()).setRestored(ack.setFailure("out of reach")));
      return;
    }
    if (isNew) {
      restores.add(record.getEpoch() + "/" + attempt);
      for (Undo undo : undos) {
        assertThat(
                undo.epoch() < record.getEpoch()
                    && undo.target() < target
                    && target < undo.hlc()
                    && isLastOfItsPlan(undo)
                    && !isUndone(undo.epoch()))
            .as("a cut at %s brings back undone writes: %s", Hlc.format(target), undo)
            .isFalse();
      }
      hlc = Math.max(hlc, record.getRestore().getPast());
      ack.setBegunAt(hlc);
      List<Write> then = at(target);
      for (Write write : history) {
        if (write.hlc() > target) {
          assertThat(write.hlc())
              .as("an undone write is after the safe point, but by hand")
              .isGreaterThan(isByHand() ? 0 : world.truth().safePoint());
        }
      }
      undos.add(new Undo(record.getEpoch(), target, tick(), List.copyOf(history)));
      history.clear();
      history.addAll(then);
      open.clear();
    }
    if (random.nextBoolean()) {
      ack(record(record.getEpoch()).setRestored(ack));
    }
    ack(record(record.getEpoch()).setRestored(ack.setLast(true)));
  }

  /** The writes as a window-log has them, including those undone later. */
  private List<Write> at(long target) {
    List<Write> before =
        undos.stream()
            .filter(undo -> undo.hlc() > target)
            .findFirst()
            .map(Undo::before)
            .orElse(history);
    return before.stream().filter(write -> write.hlc() <= target).toList();
  }

  private boolean isByHand() {
    return log.plan() != null && log.plan().operator().isByHand();
  }

  /** The last attempt may have brought back writes that an earlier one undid. */
  private boolean isLastOfItsPlan(Undo undo) {
    return undos.stream().noneMatch(u -> u.epoch() == undo.epoch() && u.hlc() > undo.hlc());
  }

  private boolean isUndone(long ofEpoch) {
    PastPlan plan = log.plans().pastPlan(ofEpoch);
    boolean isNow = log.plan() != null && log.plan().operator().undoes() == ofEpoch;
    return isNow || (plan != null && plan.undone());
  }

  /** Checks that the node has the writes it had when the plan of that epoch paused it first. */
  void requireAsPaused(long ofEpoch) {
    assertThat(history)
        .as("node %d as it was paused for %d", id, ofEpoch)
        .isEqualTo(asPaused.get(ofEpoch));
  }

  private void converge(ControlRecord record) {
    Converged.Builder piece =
        Converged.newBuilder().setNode(id).setAttempt(record.getConverge().getAttempt());
    for (Variable variable : holding()) {
      piece.addHolding(variable.ref().toBuilder().setSince(since(variable)));
      if (random.nextInt(3) == 0) {
        ack(record(record.getEpoch()).setConverged(piece));
        piece.clearHolding();
      }
    }
    endedAt = endedAt == 0 ? tick() : endedAt;
    ack(record(record.getEpoch()).setConverged(piece.setLast(true).setClock(tick())));
  }

  /** If the node has not crashed since it converged, all that holds begins with the epoch. */
  private void resume(long newEpoch, long first) {
    epoch = newEpoch;
    open.clear();
    long now = tick();
    long beginning = endedAt == 0 ? now : Math.min(now, Math.max(endedAt, first));
    endedAt = 0;
    holding().forEach(variable -> hold(variable, beginning));
  }

  private void hold(Variable variable, long start) {
    Held held = new Held(id, epoch, variable, start);
    open.put(variable, held);
    intervals.add(held);
  }

  private Paused.Builder pausedAck() {
    return Paused.newBuilder().setNode(id).setReach(reach()).setQuietSince(tick());
  }

  private void ack(ControlRecord.Builder record) {
    world.append(record);
    if (random.nextInt(10) == 0) {
      world.append(record);
    }
  }

  private ControlRecord.Builder record(long ofEpoch) {
    return ControlRecord.newBuilder().setEpoch(ofEpoch).setAtMicros(world.nowMicros());
  }

  private long reach() {
    long now = world.nowMicros() + aheadMicros;
    return Hlc.ofMicros(Math.max(joinedMicros, Math.max(0, now - windowMicros)));
  }

  private long tick() {
    hlc = Hlc.tick(hlc, world.nowMicros() + aheadMicros);
    return hlc;
  }
}
