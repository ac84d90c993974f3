package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.SimulatedNode.Held;
import io.palinode.orchestrator.SimulatedNode.Variable;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.Grades;
import io.palinode.wire.plan.Phase;
import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Retry;
import io.palinode.wire.v1.Violation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Nodes, a monitor, an orchestrator and the logs between them, in virtual time. One seed is one
 * run: it chooses the next actor, delays, repeats, losses and crashes. {@link WorldChecks} checks
 * each record of the log.
 */
final class World {
  /** The faults of a run, drawn from its seed. */
  record Faults(
      boolean zombies,
      boolean shortReach,
      boolean forgetful,
      boolean lag,
      boolean gaps,
      boolean skew) {
    static Faults draw(Random random) {
      return new Faults(
          random.nextInt(4) == 0,
          random.nextInt(12) == 0,
          random.nextInt(10) == 0,
          random.nextInt(6) == 0,
          random.nextInt(4) == 0,
          random.nextInt(4) == 0);
    }
  }

  private static final int SKEW_MAX_MICROS = 400_000;
  private static final int ACTIONS = 1_000;
  private static final int ACTIONS_TO_END_MAX = 20_000;
  private static final Map<String, Policy> POLICIES =
      Map.of(
          "p", Policies.beforeViolation("p"),
          "q", Policies.beforeFirstWitness("q"),
          "r", Policies.alertOnly("r"));

  private final Random random;
  private final Faults faults;
  private final List<SimulatedNode> nodes = new ArrayList<>();
  private final SimulatedMonitor monitor;
  private final List<ControlRecord> control = new ArrayList<>();
  private final List<Event> violations = new ArrayList<>();
  private final Deque<ControlRecord> inFlight = new ArrayDeque<>();
  private final Deque<ControlRecord> zombies = new ArrayDeque<>();
  private final Deque<String> trace = new ArrayDeque<>();
  private final Set<String> policiesKnown = new HashSet<>();
  private final Set<String> policiesDeleted = new HashSet<>();
  private final WorldChecks checks = new WorldChecks(this);
  private final RollbackSettings settings;
  private MachineState state;
  private ControlLogState truth;
  private int controlPosition;
  private int violationPosition;
  private long lostFrom = Long.MAX_VALUE;
  private long nowMicros = 10_000_000;

  World(long seed) {
    random = new Random(seed);
    faults = Faults.draw(random);
    settings = RollbackSettings.of(1 + random.nextInt(4));
    truth = ControlLogState.empty(settings.nodes());
    long window = faults.shortReach() ? 100_000 : 60_000_000;
    for (int node = 0; node < settings.nodes(); node++) {
      long ahead = faults.skew() ? random.nextInt(SKEW_MAX_MICROS) : 0;
      nodes.add(new SimulatedNode(node, this, random, window, ahead));
    }
    monitor = new SimulatedMonitor(this, random, faults.lag() ? 150_000 : 0);
    policiesKnown.addAll(random.nextInt(4) == 0 ? Set.of("p") : POLICIES.keySet());
    state = MachineState.initial(settings);
    replay();
  }

  /** Runs until the last plan has ended and all records are read. */
  void run() {
    for (int action = 0; action < ACTIONS; action++) {
      nowMicros += 1 + random.nextInt(3_000);
      act();
    }
    end();
    check();
  }

  // Methods for the actors

  int nodes() {
    return settings.nodes();
  }

  long nowMicros() {
    return nowMicros;
  }

  List<ControlRecord> control() {
    return control;
  }

  ControlLogState truth() {
    return truth;
  }

  List<Held> intervals() {
    return nodes.stream().flatMap(n -> n.intervals().stream()).toList();
  }

  List<SimulatedNode> simulatedNodes() {
    return nodes;
  }

  long judgedMax() {
    return monitor.judgedMax();
  }

  /** The start of the first coverage gap that is not acknowledged. */
  long lostFrom() {
    return lostFrom;
  }

  /** Whether the orchestrator knows the predicate and it is not deleted. */
  boolean isApplied(String predicate) {
    return policiesKnown.contains(predicate) && !policiesDeleted.contains(predicate);
  }

  long progress() {
    return nodes.stream().mapToLong(SimulatedNode::progress).min().orElseThrow();
  }

  void append(ControlRecord.Builder record) {
    arrive(record.build());
  }

  void violation(Violation violation) {
    violations.add(new Event.ViolationFound(violation, nowMicros));
  }

  void judged(long hlc) {
    violations.add(new Event.Judged(hlc, nowMicros));
  }

  // For failure messages and for the statistics of a batch of runs

  Deque<String> trace() {
    return trace;
  }

  Faults faults() {
    return faults;
  }

  int plans() {
    return truth.plans().past().size();
  }

  boolean isHalted() {
    return truth.plan() != null && truth.plan().phase() == Phase.HALTED;
  }

  WorldChecks checks() {
    return checks;
  }

  private void act() {
    int dice = random.nextInt(100);
    if (dice < 22) {
      Variable variable =
          new Variable(
              List.of("p", "q", "r").get(random.nextInt(3)), random.nextInt(2), random.nextInt(2));
      anyNode().write(variable, random.nextInt(10) < 4);
    } else if (dice < 42) {
      anyNode().readNext();
    } else if (dice < 56) {
      orchestratorReadsControl();
    } else if (dice < 70) {
      orchestratorReadsViolations();
    } else if (dice < 84) {
      deliver();
    } else if (dice < 88) {
      monitor.reportSome();
    } else if (dice < 93) {
      monitor.judge();
    } else if (dice < 96) {
      handle(new Event.Tick(nowMicros));
    } else {
      goWrong(random.nextInt(7));
    }
  }

  /** Decisions of an operator, possibly a second one or late. */
  private void operatorDecides() {
    if (random.nextInt(3) > 0) {
      operatorActs();
      return;
    }
    Intervention word = random.nextBoolean() ? Intervention.RETRY : Intervention.ABANDON;
    long epoch = truth.epoch() + random.nextInt(2);
    if (random.nextBoolean()) {
      handle(new Event.InterventionWanted(epoch, word, nowMicros));
      return;
    }
    int halt = random.nextInt(3);
    ControlRecord.Builder record =
        ControlRecord.newBuilder().setEpoch(epoch).setAtMicros(nowMicros);
    arrive(
        word == Intervention.RETRY
            ? record.setRetry(Retry.newBuilder().setHalt(halt)).build()
            : record.setAbandon(Abandon.newBuilder().setHalt(halt)).build());
  }

  /** Rollbacks by hand, which may be cancelled and undone. */
  private void operatorActs() {
    int dice = random.nextInt(4);
    String request = "request-" + nowMicros;
    if (dice == 0) {
      handle(new Event.CancelWanted(truth.epoch() + 1, nowMicros));
    } else if (dice == 1 && !truth.plans().past().isEmpty()) {
      PastPlan some = truth.plans().past().get(random.nextInt(truth.plans().past().size()));
      handle(new Event.RollbackWanted(RollbackRequest.undoing(request, some.epoch()), nowMicros));
    } else {
      long target = Hlc.ofMicros(nowMicros - random.nextInt(500_000)) + random.nextInt(3);
      handle(new Event.RollbackWanted(RollbackRequest.to(request, target), nowMicros));
    }
  }

  private void goWrong(int dice) {
    switch (dice) {
      case 0, 1 -> crashOrchestrator();
      case 2 -> {
        anyNode().crash(faults.forgetful() && random.nextBoolean());
        note("a node crashes");
      }
      case 3 -> failAppend();
      case 4 -> loseCoverage();
      case 5 -> operatorDecides();
      default -> learnPolicies();
    }
  }

  private void crashOrchestrator() {
    note("the orchestrator crashes, in flight: " + inFlight.size());
    int landing = random.nextInt(inFlight.size() + 1);
    for (int i = 0; i < landing; i++) {
      arrive(inFlight.remove());
    }
    if (faults.zombies()) {
      zombies.addAll(inFlight);
    }
    inFlight.clear();
    state = MachineState.initial(settings);
    replay();
  }

  private void replay() {
    controlPosition = 0;
    violationPosition = 0;
    for (String name : policiesKnown) {
      handle(new Event.PolicyChanged(known(name), nowMicros));
    }
    policiesDeleted.forEach(this::deliverDelete);
    while (orchestratorReadsControl() || orchestratorReadsViolations()) {
      assertThat(inFlight).as("written while the logs are replayed").isEmpty();
    }
    handle(new Event.CaughtUp(nowMicros));
  }

  private void failAppend() {
    ControlRecord record = inFlight.poll();
    if (record == null) {
      return;
    }
    note("append failed " + record.getStepCase());
    // The producer gave up, but the broker has the record.
    if (faults.zombies() && random.nextBoolean()) {
      arrive(record);
    }
    handle(new Event.AppendFailed(record, "simulated", nowMicros));
  }

  private void loseCoverage() {
    if (!faults.gaps()) {
      return;
    }
    if (lostFrom != Long.MAX_VALUE && random.nextBoolean()) {
      acknowledge();
      note("coverage acknowledged");
      return;
    }
    long from = monitor.judgedMax() + 1 + random.nextInt(1_000);
    lostFrom = Math.min(lostFrom, from);
    violations.add(
        new Event.CoverageLost(
            CoverageLost.newBuilder().setFromHlc(from).setToHlc(from + 10).build(), nowMicros));
    note("coverage lost from " + from);
  }

  private void learnPolicies() {
    for (String name : POLICIES.keySet()) {
      if (policiesKnown.add(name)) {
        handle(new Event.PolicyChanged(known(name), nowMicros));
      }
    }
  }

  private void deliver() {
    Deque<ControlRecord> from = !zombies.isEmpty() && random.nextInt(4) == 0 ? zombies : inFlight;
    if (!from.isEmpty()) {
      arrive(from.remove());
    }
  }

  private boolean orchestratorReadsControl() {
    if (controlPosition == control.size()) {
      return false;
    }
    handle(new Event.ControlRead(control.get(controlPosition++), nowMicros));
    return true;
  }

  private boolean orchestratorReadsViolations() {
    if (violationPosition == violations.size()) {
      return false;
    }
    handle(violations.get(violationPosition++));
    return true;
  }

  private void handle(Event event) {
    Step step = RollbackMachine.step(state, event);
    state = step.next();
    for (Command command : step.commands()) {
      if (command instanceof Command.Append append) {
        inFlight.add(append.record());
      } else if (command instanceof Command.Classified classified) {
        assertThat(classified.outcome())
            .as("a correct monitor is never late: %s", classified.violation().getId())
            .isNotEqualTo(state.live() ? Command.Outcome.TOO_LATE : null);
      }
    }
  }

  /** A record becomes part of the log: the place where the order is decided. */
  private void arrive(ControlRecord record) {
    control.add(record);
    note("log " + oneLine(record));
    ControlLogState before = truth;
    truth = truth.read(record);
    checks.read(before, record);
  }

  /** Ends the run without further faults; all actors take turns. */
  private void end() {
    learnPolicies();
    acknowledge();
    for (int action = 0; action < ACTIONS_TO_END_MAX; action++) {
      nowMicros += 2_000;
      zombies.forEach(inFlight::addLast);
      zombies.clear();
      while (!inFlight.isEmpty()) {
        arrive(inFlight.remove());
      }
      nodes.forEach(SimulatedNode::readNext);
      orchestratorReadsControl();
      orchestratorReadsViolations();
      if (action % 8 == 0 && !isOver()) {
        monitor.judge();
      }
      handle(new Event.Tick(nowMicros));
      if (isOver()) {
        return;
      }
      if (isHalted()) {
        giveUp();
      }
    }
    throw new AssertionError("the plan does not end: " + state.log() + state.found());
  }

  /** As the manual requires: first delete the predicates that may still be violated. */
  private void giveUp() {
    if (policiesDeleted.isEmpty()) {
      note("the operator deletes all predicates");
      policiesDeleted.addAll(POLICIES.keySet());
      policiesDeleted.forEach(this::deliverDelete);
    }
    handle(new Event.InterventionWanted(truth.epoch() + 1, Intervention.ABANDON, nowMicros));
  }

  private void deliverDelete(String predicate) {
    handle(new Event.PolicyChanged(Policy.deleted(predicate, 2), nowMicros));
  }

  private void acknowledge() {
    lostFrom = Long.MAX_VALUE;
    checks.acknowledged();
    handle(new Event.CoverageAcknowledged(Event.CoverageAcknowledged.ALL, nowMicros));
  }

  private boolean isOver() {
    boolean allRead =
        controlPosition == control.size()
            && violationPosition == violations.size()
            && inFlight.isEmpty()
            && nodes.stream().allMatch(SimulatedNode::isCaughtUp);
    return allRead && truth.plan() == null && state.found().isSettled() && monitor.hasReportedAll();
  }

  private boolean stands(Violation violation) {
    boolean stood =
        truth.gates().standing().stream()
            .anyMatch(
                s -> s.held() && s.holds(violation.getPredicate(), violation.getBinding(), 0));
    return stood && truth.plans().isFromBeginning(violation.getEpoch(), violation.getViolate());
  }

  private void check() {
    assertThat(state.log()).as("the orchestrator reads what is in the log").isEqualTo(truth);
    for (SimulatedNode node : nodes) {
      assertThat(node.epoch()).as("one epoch on all nodes").isEqualTo(truth.epoch());
      assertThat(node.isServing()).as("every plan has ended").isTrue();
    }
    for (Violation violation : monitor.reported()) {
      boolean mustGo =
          !violation.getPredicate().equals("r")
              && Grades.of(violation.getGrade()).atLeast(io.palinode.hvc.Grade.POSSIBLE);
      assertThat(
              !mustGo
                  || policiesDeleted.contains(violation.getPredicate())
                  || truth.plans().isSettled(violation.getEpoch(), violation.getViolate())
                  || stands(violation))
          .as("a plan went back to before %s, or was abandoned, or it stands", violation.getId())
          .isTrue();
    }
  }

  private static Policy known(String name) {
    @Nullable Policy policy = POLICIES.get(name);
    if (policy == null) {
      throw new IllegalArgumentException("no such policy: " + name);
    }
    return policy;
  }

  private SimulatedNode anyNode() {
    return nodes.get(random.nextInt(nodes.size()));
  }

  private void note(String event) {
    trace.add(nowMicros + " " + event);
    if (trace.size() > 80) {
      trace.remove();
    }
  }

  static String oneLine(ControlRecord record) {
    String body = record.toString().replace('\n', ' ');
    long target = record.getRestore().getTarget();
    return target == 0 ? body : body + " = " + Hlc.format(target);
  }
}
