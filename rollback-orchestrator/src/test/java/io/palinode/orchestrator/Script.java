package io.palinode.orchestrator;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.history.ApiHistory;
import io.palinode.orchestrator.history.Change;
import io.palinode.orchestrator.history.ChangeLog;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.step.OperatorSteps;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.NodeJoined;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.SnapshotClosed;
import io.palinode.wire.v1.SnapshotDeleted;
import io.palinode.wire.v1.SnapshotOpened;
import io.palinode.wire.v1.SnapshotRef;
import io.palinode.wire.v1.SnapshotStep;
import io.palinode.wire.v1.SnapshotTaken;
import io.palinode.wire.v1.StoreKey;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Drives the machine by hand, with HLC times in microseconds. Appended records are read back at
 * once unless the log is held. Steps can be read as lines.
 */
final class Script {
  private final RollbackSettings settings;
  private List<Policy> policies;
  private final List<ControlRecord> control = new ArrayList<>();
  private final List<Event> violations = new ArrayList<>();
  private final List<String> written = new ArrayList<>();
  private final List<Alert> alerts = new ArrayList<>();
  private final List<Command.Classified> outcomes = new ArrayList<>();
  private final Deque<ControlRecord> held = new ArrayDeque<>();
  private MachineState state;
  private ApiHistory memory;
  private boolean holding;
  private long nowMicros = 1_000_000;

  private Script(RollbackSettings settings, List<Policy> policies) {
    this.settings = settings;
    this.policies = policies;
    this.state = MachineState.initial(settings);
    this.memory = new ApiHistory(settings.nodes());
    restart();
  }

  static Script of(int nodes, Policy... policies) {
    return new Script(RollbackSettings.of(nodes), List.of(policies));
  }

  // Events

  /** Forgets everything but the logs, and replays them. */
  Script restart() {
    state = MachineState.initial(settings);
    memory = new ApiHistory(settings.nodes());
    policies.forEach(p -> handle(new Event.PolicyChanged(p, nowMicros)));
    List.copyOf(control).forEach(r -> handle(new Event.ControlRead(r, nowMicros)));
    List.copyOf(violations).forEach(this::handle);
    handle(new Event.CaughtUp(nowMicros));
    return this;
  }

  /** The violations log's retention has removed all of its records. */
  Script forgetViolations() {
    violations.clear();
    return this;
  }

  /** Removes these records from the control log. */
  Script forgetControl(Predicate<ControlRecord> some) {
    control.removeIf(some);
    return this;
  }

  /** Restarts with these policies. */
  Script restartWith(Policy... nowKnown) {
    policies = List.of(nowKnown);
    return restart();
  }

  Script violation(String id, String predicate, long first, long violate) {
    return violation(id, predicate, first, violate, 0, ViolationGrade.POSSIBLE);
  }

  Script violation(
      String id, String predicate, long first, long violate, long epoch, ViolationGrade grade) {
    return violation(Records.violation(id, predicate, first, violate, epoch, grade).build());
  }

  Script violation(Violation violation) {
    return found(new Event.ViolationFound(violation, nowMicros));
  }

  /** Of the instance {@code binding}, with a witness for each of the keys. */
  Script violation(
      String predicate, String binding, long violate, long epoch, Collection<String> keys) {
    return violation(Records.violation(predicate, binding, violate, epoch, keys));
  }

  Script judged(long micros) {
    return found(new Event.Judged(Hlc.ofMicros(micros), nowMicros));
  }

  Script coverageLost(int node, long fromMicros, long toMicros) {
    return coverageLost(
        CoverageLost.newBuilder()
            .setNode(node)
            .setFromHlc(Hlc.ofMicros(fromMicros))
            .setToHlc(Hlc.ofMicros(toMicros))
            .build());
  }

  Script coverageLost(CoverageLost gap) {
    return found(new Event.CoverageLost(gap, nowMicros));
  }

  Script acknowledgeCoverage() {
    return acknowledgeCoverage(Event.CoverageAcknowledged.ALL);
  }

  Script acknowledgeCoverage(long toNumber) {
    handle(new Event.CoverageAcknowledged(toNumber, nowMicros));
    return this;
  }

  Script operator(long epoch, Intervention intervention) {
    handle(new Event.InterventionWanted(epoch, intervention, nowMicros));
    return this;
  }

  Script endAsIs(long epoch, Set<Integer> stopped) {
    handle(new Event.EndAsIsWanted(epoch, stopped, nowMicros));
    return this;
  }

  /** The reason why the intervention is refused now; empty: it is not. */
  String refusal(long epoch, Intervention intervention) {
    return refusal(() -> RollbackMachine.requirePossible(state, epoch, intervention));
  }

  Script wish(RollbackRequest wish) {
    handle(new Event.RollbackWanted(wish, nowMicros));
    return this;
  }

  /** The reason why no plan can be opened for it now; empty: it can. */
  String refusal(RollbackRequest wish) {
    return refusal(() -> RollbackMachine.requirePossible(state, wish));
  }

  Script answer(long number, boolean approve) {
    return answer(number, approve, "");
  }

  Script answer(long number, boolean approve, String user) {
    handle(new Event.ByUser(new Event.ApprovalAnswered(number, approve, nowMicros), user));
    return this;
  }

  /** The reason why the answer is refused now; empty: it is not. */
  String answerRefusal(long number) {
    return refusal(() -> RollbackMachine.requireAnswerable(state, number, true));
  }

  private interface Check {
    void run() throws RefusedException;
  }

  private static String refusal(Check check) {
    try {
      check.run();
      return "";
    } catch (RefusedException e) {
      return String.valueOf(e.getMessage());
    }
  }

  Script renew(String predicate) {
    handle(new Event.RenewalWanted(predicate, nowMicros));
    return this;
  }

  Script cancel(long epoch) {
    handle(new Event.CancelWanted(epoch, nowMicros));
    return this;
  }

  /** The reason why it cannot be cancelled; empty: it can. */
  String cancelRefusal(long epoch) {
    return refusal(() -> OperatorSteps.requireCancellable(state, epoch));
  }

  /** Paused, with all of the past in reach, after its last write at {@code quietMicros}. */
  Script pausedAt(long epoch, int node, long quietMicros) {
    Paused.Builder paused = Paused.newBuilder().setNode(node);
    return log(record(epoch).setPaused(paused.setQuietSince(Hlc.ofMicros(quietMicros))));
  }

  /** Restored, by an undo that began at {@code begunMicros}. */
  Script restoredFrom(long epoch, int node, int attempt, long begunMicros) {
    Restored.Builder restored =
        Records.acknowledged(node, attempt).setBegunAt(Hlc.ofMicros(begunMicros));
    return log(record(epoch).setRestored(restored));
  }

  Script policy(Policy policy) {
    handle(new Event.PolicyChanged(policy, nowMicros));
    return this;
  }

  Script paused(long epoch, int node, long reachMicros) {
    Paused.Builder paused = Paused.newBuilder().setNode(node);
    return log(record(epoch).setPaused(paused.setReach(Hlc.ofMicros(reachMicros))));
  }

  Script joined(int node, long reachMicros) {
    NodeJoined.Builder joined = NodeJoined.newBuilder().setNode(node);
    return log(record(0).setNodeJoined(joined.setReach(Hlc.ofMicros(reachMicros))));
  }

  Script restored(long epoch, int node, int attempt) {
    return log(record(epoch).setRestored(Records.acknowledged(node, attempt)));
  }

  Script restoreFailed(long epoch, int node, String failure) {
    Restored.Builder restored = Restored.newBuilder().setNode(node).setAttempt(1);
    return log(record(epoch).setRestored(restored.setFailure(failure)));
  }

  /** A snapshot was taken; nodes from {@code whole} on have no part. */
  Script snapshot(String id, long number, long atMicros, int whole) {
    SnapshotRef ref = SnapshotRef.newBuilder().setId(id).setNumber(number).build();
    SnapshotOpened.Builder opened = SnapshotOpened.newBuilder().setSnapshot(ref);
    SnapshotClosed.Builder closed =
        SnapshotClosed.newBuilder().setSnapshot(ref).setHlc(Hlc.ofMicros(atMicros));
    for (int node = 0; node < settings.nodes(); node++) {
      closed.addParts(
          SnapshotTaken.newBuilder().setNode(node).setFailure(node < whole ? "" : "disk full"));
    }
    log(record(0).setSnapshot(SnapshotStep.newBuilder().setOpened(opened)));
    return log(record(0).setSnapshot(SnapshotStep.newBuilder().setClosed(closed)));
  }

  Script snapshotDeleted(String id) {
    SnapshotDeleted.Builder deleted = SnapshotDeleted.newBuilder().setId(id);
    return log(record(0).setSnapshot(SnapshotStep.newBuilder().setDeleted(deleted)));
  }

  /** The node could not restore, with the reason. */
  Script refused(long epoch, int node, int attempt, String why) {
    return log(record(epoch).setRestored(Records.acknowledged(node, attempt).setFailure(why)));
  }

  /** The node could not restore for lack of memory. */
  Script tooLarge(long epoch, int node, int attempt) {
    Restored.Builder failed =
        Records.acknowledged(node, attempt).setFailure("too large").setTooLarge(true);
    return log(record(epoch).setRestored(failed));
  }

  /** Nothing holds at the node, whose clock is at {@code clockMicros}. */
  Script convergedAt(long epoch, int node, int attempt, long clockMicros) {
    Converged.Builder nothing = Records.compared(node, attempt).setClock(Hlc.ofMicros(clockMicros));
    return log(record(epoch).setConverged(nothing));
  }

  /** Nothing holds, but the slices of {@code store} are not exchanged yet. */
  Script convergedUpTo(long epoch, int node, int attempt, String store) {
    StoreKey.Builder rest = StoreKey.newBuilder().setStore(store);
    return log(record(epoch).setConverged(Records.compared(node, attempt).setRest(rest)));
  }

  /** {@code terms} of clause 0 of {@code predicate} hold at the node. */
  Script converged(long epoch, int node, int attempt, String predicate, int... terms) {
    return convergedAt(epoch, node, attempt, 0, predicate, terms);
  }

  /** The same, when the node's clock has come so far. */
  Script convergedAt(
      long epoch, int node, int attempt, long clockMicros, String predicate, int... terms) {
    List<IntervalRef> holding =
        Arrays.stream(terms).mapToObj(term -> Records.holding(predicate, term).build()).toList();
    return converged(epoch, node, attempt, clockMicros, holding);
  }

  /** Term 0, 1, … of clause 0 of {@code predicate} hold at the node since then. */
  Script convergedSince(long epoch, int node, int attempt, String predicate, long... sinceMicros) {
    List<IntervalRef> holding = new ArrayList<>();
    for (long since : sinceMicros) {
      holding.add(Records.holding(predicate, holding.size()).setSince(Hlc.ofMicros(since)).build());
    }
    return converged(epoch, node, attempt, 0, holding);
  }

  /** Variable 0, 1, … of a sum of {@code predicate} has a value at the node. */
  Script convergedSum(long epoch, int node, int attempt, String predicate, Amount... amounts) {
    List<IntervalRef> holding = new ArrayList<>();
    for (Amount of : amounts) {
      holding.add(
          Records.holding(predicate, holding.size())
              .setAmount(of.value())
              .setSince(Hlc.ofMicros(of.sinceMicros()))
              .build());
    }
    return converged(epoch, node, attempt, 0, holding);
  }

  /** A value of a variable of a sum, and since when it stands. */
  record Amount(String value, long sinceMicros) {}

  private Script converged(
      long epoch, int node, int attempt, long clockMicros, List<IntervalRef> holding) {
    Converged.Builder ack = Converged.newBuilder().setNode(node).setAttempt(attempt);
    ack.setClock(Hlc.ofMicros(clockMicros)).addAllHolding(holding).setLast(true);
    return log(record(epoch).setConverged(ack));
  }

  /** All nodes answer every step of the plan, and nothing holds on the cut. */
  Script carryOut(long epoch) {
    for (int node = 0; node < settings.nodes(); node++) {
      paused(epoch, node, 0);
    }
    for (int node = 0; node < settings.nodes(); node++) {
      restored(epoch, node, 1);
    }
    for (int node = 0; node < settings.nodes(); node++) {
      converged(epoch, node, 1, "none");
    }
    return this;
  }

  Script pass(long micros) {
    nowMicros += micros;
    handle(new Event.Tick(nowMicros));
    return this;
  }

  /** From now on the orchestrator's records stay on their way. */
  Script holdLog() {
    holding = true;
    return this;
  }

  Script releaseLog() {
    holding = false;
    while (!held.isEmpty()) {
      arrive(held.poll());
    }
    return this;
  }

  /** Fails the records on their way, and notifies the producer. */
  Script failHeld() {
    holding = false;
    List<ControlRecord> lost = List.copyOf(held);
    held.clear();
    lost.forEach(r -> handle(new Event.AppendFailed(r, "broker gone", nowMicros)));
    return this;
  }

  Script loseHeld() {
    holding = false;
    held.clear();
    return this;
  }

  /** A record of another writer. */
  Script log(ControlRecord.Builder record) {
    arrive(record.build());
    return this;
  }

  ControlRecord.Builder record(long epoch) {
    return ControlRecord.newBuilder().setEpoch(epoch).setAtMicros(nowMicros);
  }

  // Results

  /** The orchestrator's steps since the last call, one line each, except those about coverage. */
  List<String> steps() {
    return allSteps().stream().filter(line -> !line.contains(StepText.COVERAGE)).toList();
  }

  /** The orchestrator's steps since the last call, one line each. */
  List<String> allSteps() {
    List<String> lines = List.copyOf(written);
    written.clear();
    return lines;
  }

  List<Alert> alerts() {
    return alerts;
  }

  List<Command.Outcome> outcomes() {
    return outcomes.stream().map(Command.Classified::outcome).toList();
  }

  MachineState state() {
    return state;
  }

  List<ControlRecord> control() {
    return control;
  }

  private void review() {
    for (OutcomeChange change : memory.review(state)) {
      Alert changed = Outcomes.alert(state, change);
      if (changed != null && state.live()) {
        alerts.add(changed);
      }
    }
  }

  /** The outcome that the API shows now. */
  Command.@Nullable Outcome outcome(String id) {
    ReceivedViolation received = memory.violation(id);
    return received == null ? null : received.outcome();
  }

  List<ReceivedViolation> received() {
    return memory.violations(ApiHistory.KEPT_MAX, state);
  }

  /** The ends in the changes of violations, oldest first; 0: it had not ended. */
  List<Long> publishedEnds() {
    return Objects.requireNonNull(memory.changes().after(0, ChangeLog.KEPT_MAX)).stream()
        .filter(Change.OfViolation.class::isInstance)
        .map(change -> ((Change.OfViolation) change).now().ended())
        .toList();
  }

  private Script found(Event event) {
    violations.add(event);
    handle(event);
    return this;
  }

  private void arrive(ControlRecord record) {
    control.add(record);
    handle(new Event.ControlRead(record, nowMicros));
  }

  private void handle(Event event) {
    if (event instanceof Event.ViolationFound found) {
      memory.received(found.violation(), nowMicros, !state.live());
    }
    Step step = RollbackMachine.step(state, event);
    state = step.next();
    for (Command command : step.commands()) {
      if (command instanceof Command.Append append) {
        written.add(StepText.of(append.record()));
        held.add(append.record());
      } else if (command instanceof Command.Raise raise) {
        alerts.add(raise.alert());
      } else if (command instanceof Command.Classified classified) {
        outcomes.add(classified);
        java.util.Optional.ofNullable(classified.alert()).ifPresent(alerts::add);
        memory.classified(classified.violation(), classified.outcome());
      } else if (command instanceof Command.Took took) {
        var unused = memory.took(took.record());
      } else if (command instanceof Command.Review) {
        review();
      }
    }
    while (!holding && !held.isEmpty()) {
      arrive(held.poll());
    }
  }
}
