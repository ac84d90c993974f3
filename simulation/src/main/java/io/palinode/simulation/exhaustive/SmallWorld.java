package io.palinode.simulation.exhaustive;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.Event;
import io.palinode.orchestrator.RollbackMachine;
import io.palinode.orchestrator.Step;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.predicate.form.Predicates;
import io.palinode.simulation.exhaustive.SmallClient.Answer;
import io.palinode.simulation.exhaustive.SmallClient.Request;
import io.palinode.store.control.Command;
import io.palinode.store.order.FenceState;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.wire.plan.Phase;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import java.io.Serial;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Two nodes, a client, the orchestrator and their logs, with one violation and one crash, wherever
 * it comes. It can be copied; time stands still, and clocks only count.
 */
final class SmallWorld {
  private static final int NODES = 2;
  private static final int KEYS = 2;
  private static final long NOW_MICROS = 1_000_000;
  private static final Policy POLICY =
      Policy.of(
          Predicates.parse(
              """
              apiVersion: palinode.io/v1
              kind: Predicate
              metadata: {name: p}
              spec:
                violation:
                  - all: [{var: x, equals: "1"}]
                onViolation:
                  rollback: {to: before-violation}
              """,
              "p"),
          1);

  /** What can happen next. */
  enum Kind {
    ORCHESTRATOR_READS_CONTROL,
    ORCHESTRATOR_RECORD_ARRIVES,
    ORCHESTRATOR_DIES,
    NODE_WORKS,
    NODE_WORKS_AND_DIES_BEFORE_IT_SAYS_SO,
    NODE_DIES,
    NODE_STARTS,
    CLIENT_SENDS,
    REQUEST_ARRIVES,
    ANSWER_ARRIVES,
    MONITOR_REPORTS,
    MONITOR_JUDGES,
    OPERATOR_ABANDONS
  }

  record Action(Kind kind, int node) {
    boolean isCrash() {
      return switch (kind) {
        case ORCHESTRATOR_DIES, NODE_DIES, NODE_WORKS_AND_DIES_BEFORE_IT_SAYS_SO -> true;
        default -> false;
      };
    }

    @Override
    public String toString() {
      return kind.name().toLowerCase(Locale.ROOT) + (node < 0 ? "" : " " + node);
    }
  }

  /** A node crashes instead of an append to the log. */
  private static final class Died extends Error {
    @Serial private static final long serialVersionUID = 1L;

    Died() {
      super("died", null, false, false);
    }
  }

  private final UnaryOperator<Command> wiring;
  private final List<SmallNode> nodes = new ArrayList<>();
  private final List<ArrayDeque<Request>> requests = new ArrayList<>();
  private final List<ArrayDeque<Answer>> answers = new ArrayList<>();
  private final List<ControlRecord> log;
  private final List<Event> violations;
  private final ArrayDeque<ControlRecord> inFlight;
  private final SmallClient client;
  private MachineState orchestrator;
  private ControlLogState truth;
  private int controlPosition;
  private int violationPosition;
  private long badAt;
  private boolean reported;
  private boolean judged;
  private boolean crashed;
  private boolean copyLost;
  private boolean keeping;
  private long newestServed;
  private @Nullable String broken;

  SmallWorld() {
    this(command -> command);
  }

  /** {@code wiring} is where tests plant bugs. */
  SmallWorld(UnaryOperator<Command> wiring) {
    this.wiring = wiring;
    this.log = new ArrayList<>();
    this.violations = new ArrayList<>();
    this.inFlight = new ArrayDeque<>();
    this.client = new SmallClient();
    this.truth = ControlLogState.empty(NODES);
    this.orchestrator = MachineState.initial(RollbackSettings.of(NODES));
    for (int node = 0; node < NODES; node++) {
      SmallNode fresh = new SmallNode(node, NODES, KEYS);
      nodes.add(fresh);
      requests.add(new ArrayDeque<>());
      answers.add(new ArrayDeque<>());
      fresh.start(log);
    }
    for (SmallNode fresh : nodes) {
      while (!fresh.due.isEmpty()) {
        fresh.work(records -> records.forEach(this::append), wiring);
        readOn();
      }
    }
    replay();
  }

  /**
   * Reads records at once where no process can see the difference. For a node, see {@link
   * SmallNode#read}. Only the orchestrator reads violations: to read one late is the same as to
   * publish it late. Once no violation is to come, the control log is its only input, and it reads
   * its own records after the present ones.
   */
  private void readOn() {
    while (violationPosition < violations.size()) {
      handle(violations.get(violationPosition++));
    }
    while (judged && controlPosition < log.size()) {
      handle(new Event.ControlRead(log.get(controlPosition++), NOW_MICROS));
    }
    nodes.stream().filter(node -> node.up).forEach(node -> node.read(log));
  }

  private SmallWorld(SmallWorld same) {
    this.wiring = same.wiring;
    for (int node = 0; node < NODES; node++) {
      nodes.add(same.nodes.get(node).copy());
      requests.add(same.requests.get(node).clone());
      answers.add(same.answers.get(node).clone());
    }
    this.log = new ArrayList<>(same.log);
    this.violations = new ArrayList<>(same.violations);
    this.inFlight = same.inFlight.clone();
    this.client = same.client.copy();
    this.orchestrator = same.orchestrator;
    this.truth = same.truth;
    this.controlPosition = same.controlPosition;
    this.violationPosition = same.violationPosition;
    this.badAt = same.badAt;
    this.reported = same.reported;
    this.judged = same.judged;
    this.crashed = same.crashed;
    this.copyLost = same.copyLost;
    this.keeping = same.keeping;
    this.newestServed = same.newestServed;
  }

  SmallWorld copy() {
    return new SmallWorld(this);
  }

  /** All that can happen now; empty when the world has come to its end, or to a stop. */
  List<Action> actions() {
    List<Action> actions = new ArrayList<>();
    addIf(actions, controlPosition < log.size(), Kind.ORCHESTRATOR_READS_CONTROL, -1);
    addIf(actions, !inFlight.isEmpty(), Kind.ORCHESTRATOR_RECORD_ARRIVES, -1);
    addIf(actions, !crashed, Kind.ORCHESTRATOR_DIES, -1);
    addIf(actions, client.maySend(), Kind.CLIENT_SENDS, -1);
    addIf(actions, badAt > 0 && !reported, Kind.MONITOR_REPORTS, -1);
    addIf(actions, reported && !judged, Kind.MONITOR_JUDGES, -1);
    Plan plan = orchestrator.log().plan();
    boolean halted = plan != null && plan.phase() == Phase.HALTED;
    addIf(actions, halted && orchestrator.outbox().awaited() == null, Kind.OPERATOR_ABANDONS, -1);
    for (int node = 0; node < NODES; node++) {
      addOf(nodes.get(node), node, actions);
    }
    return actions;
  }

  private void addOf(SmallNode node, int id, List<Action> actions) {
    boolean works = node.up && !node.due.isEmpty();
    addIf(actions, works, Kind.NODE_WORKS, id);
    addIf(actions, works && !crashed, Kind.NODE_WORKS_AND_DIES_BEFORE_IT_SAYS_SO, id);
    addIf(actions, node.up && !crashed, Kind.NODE_DIES, id);
    addIf(actions, !node.up, Kind.NODE_STARTS, id);
    addIf(actions, !requests.get(id).isEmpty(), Kind.REQUEST_ARRIVES, id);
    addIf(actions, !answers.get(id).isEmpty(), Kind.ANSWER_ARRIVES, id);
  }

  private static void addIf(List<Action> actions, boolean possible, Kind kind, int node) {
    if (possible) {
      actions.add(new Action(kind, node));
    }
  }

  /** Lets it happen. What does not hold then, or null. */
  @Nullable String act(Action action) {
    try {
      switch (action.kind()) {
        case ORCHESTRATOR_READS_CONTROL -> readControl();
        case ORCHESTRATOR_RECORD_ARRIVES -> append(inFlight.remove());
        case ORCHESTRATOR_DIES -> orchestratorDies();
        case NODE_WORKS -> work(action.node());
        case NODE_WORKS_AND_DIES_BEFORE_IT_SAYS_SO -> workAndDie(action.node());
        case NODE_DIES -> die(action.node());
        case NODE_STARTS -> nodes.get(action.node()).start(log);
        case CLIENT_SENDS -> clientSends();
        case REQUEST_ARRIVES -> requestArrives(action.node());
        case ANSWER_ARRIVES -> answerArrives(action.node());
        case MONITOR_REPORTS -> report();
        case MONITOR_JUDGES -> judge();
        case OPERATOR_ABANDONS ->
            handle(
                new Event.InterventionWanted(truth.epoch() + 1, Intervention.ABANDON, NOW_MICROS));
      }
    } catch (IllegalStateException bug) {
      return String.valueOf(bug);
    }
    readOn();
    return broken;
  }

  // ---- the orchestrator

  private void readControl() {
    int written = inFlight.size();
    // Up to its next append: no other part observes the steps before.
    while (controlPosition < log.size() && inFlight.size() == written) {
      handle(new Event.ControlRead(log.get(controlPosition++), NOW_MICROS));
    }
  }

  private void handle(Event event) {
    Step step = RollbackMachine.step(orchestrator, event);
    orchestrator = step.next();
    for (io.palinode.orchestrator.Command command : step.commands()) {
      if (command instanceof io.palinode.orchestrator.Command.Append append) {
        inFlight.add(append.record());
      }
    }
  }

  /** What it had sent is lost; another one takes its place. */
  private void orchestratorDies() {
    crashed = true;
    inFlight.clear();
    orchestrator = MachineState.initial(RollbackSettings.of(NODES));
    replay();
  }

  private void replay() {
    handle(new Event.PolicyChanged(POLICY, NOW_MICROS));
    log.forEach(record -> handle(new Event.ControlRead(record, NOW_MICROS)));
    violations.forEach(this::handle);
    controlPosition = log.size();
    violationPosition = violations.size();
    handle(new Event.CaughtUp(NOW_MICROS));
  }

  // ---- the log

  private void append(ControlRecord record) {
    log.add(record);
    nodes.forEach(node -> node.appended(record));
    ControlLogState before = truth;
    truth = truth.read(record);
    if (truth.equals(before)) {
      return;
    }
    if (record.hasRestore()) {
      keeping = record.getRestore().getKeep();
      require(
          keeping || record.getRestore().getTarget() >= truth.safePoint(),
          "a restore overtakes the safe point");
    } else if (record.hasResume()) {
      resumed(before.plan(), record.getResume().getTarget());
    }
  }

  private void resumed(@Nullable Plan plan, long target) {
    require(plan != null && plan.acked().size() == NODES, "an epoch begins before all answered");
    for (int key = 0; key < KEYS; key++) {
      int least = Integer.MAX_VALUE;
      int greatest = 0;
      int onCut = 0;
      for (SmallNode node : nodes) {
        least = Math.min(least, node.store.version(key));
        greatest = Math.max(greatest, node.store.version(key));
        onCut = Math.max(onCut, node.store.versionAt(key, target));
      }
      require(least == greatest, "replicas differ after converging");
      require(keeping || greatest <= onCut, "a write after the target stands");
      require(keeping || greatest >= onCut, "a write from before the target is lost");
    }
  }

  // ---- nodes

  private void work(int id) {
    SmallNode node = nodes.get(id);
    boolean serves = node.due.peek() instanceof Command.Serve;
    node.work(records -> records.forEach(this::append), wiring);
    if (serves) {
      newestServed = Math.max(newestServed, node.store.fence().epoch());
    }
  }

  private void workAndDie(int id) {
    SmallNode node = nodes.get(id);
    try {
      node.work(
          records -> {
            throw new Died();
          },
          wiring);
    } catch (Died here) {
      // As was meant.
    }
    die(id);
  }

  private void die(int id) {
    crashed = true;
    nodes.get(id).die(log);
    // Also the refusal of a copy, which would have been sent again.
    answers.get(id).forEach(answer -> lose(answer.request()));
    requests.get(id).forEach(this::lose);
    answers.get(id).clear();
    requests.get(id).clear();
  }

  private void lose(Request request) {
    copyLost |= request.copy();
    client.lost(request);
  }

  // ---- the client, and the monitor

  /** A question on a connection that has nothing else under way is answered at once. */
  private void clientSends() {
    Request request = client.send();
    int to = client.node(NODES);
    boolean isAlone = requests.get(to).isEmpty() && answers.get(to).isEmpty();
    requests.get(to).add(request);
    if (isAlone && request.step() == SmallClient.PROBE) {
      requestArrives(to);
      if (!answers.get(to).isEmpty()) {
        answerArrives(to);
      }
    }
  }

  private void requestArrives(int id) {
    SmallNode node = nodes.get(id);
    Request request = requests.get(id).remove();
    if (!node.open) {
      lose(request);
      return;
    }
    FenceState fence = node.store.fence();
    FenceState refusal = fence.refusal(request.epoch());
    Pb0.ResponseContext.Builder context = Pb0.ResponseContext.newBuilder().setEpoch(fence.epoch());
    long at = 0;
    if (refusal != null) {
      Pb0.Fence.Builder sent =
          Pb0.Fence.newBuilder().setEpoch(refusal.epoch()).setPaused(refusal.paused());
      Long target = refusal.target();
      context.setFence(target == null ? sent : sent.setTarget(target));
    } else if (request.step() != SmallClient.PROBE) {
      require(request.epoch() >= newestServed, "a write of an older epoch lands: " + request);
      at = node.store.write(request.key(), request.version(), request.hlc());
      boolean isBad =
          request.step() == SmallClient.BAD_STEP && request.epoch() == 0 && !request.copy();
      badAt = isBad && at > 0 ? at : badAt;
    }
    answers.get(id).add(new Answer(request, at, context.build()));
  }

  private void answerArrives(int id) {
    Request copy = client.received(answers.get(id).remove());
    if (copy != null) {
      for (int other = 1; other < NODES; other++) {
        requests.get(other).add(copy);
      }
    }
  }

  private void report() {
    reported = true;
    Violation violation =
        Violation.newBuilder()
            .setId("v")
            .setPredicate("p")
            .setPredicateVersion(1)
            .setGrade(ViolationGrade.POSSIBLE)
            .setFirst(badAt)
            .setViolate(badAt)
            .build();
    violations.add(new Event.ViolationFound(violation, NOW_MICROS));
  }

  private void judge() {
    judged = true;
    violations.add(new Event.Judged(badAt + Hlc.COUNTER_MAX, NOW_MICROS));
  }

  // ---- what holds

  private void require(boolean holds, String otherwise) {
    if (!holds && broken == null) {
      broken = otherwise;
    }
  }

  /** Whether only crashes and questions about the rollback can still happen. */
  boolean isQuiet(List<Action> actions) {
    return actions.stream()
        .allMatch(
            action ->
                action.isCrash() || (action.kind() == Kind.CLIENT_SENDS && client.isProbing()));
  }

  /** When it is quiet: null if all is done, or what is not. */
  @Nullable String whatIsNotOver() {
    if (truth.plan() != null) {
      return "the plan stands still: " + truth.plan().phase();
    }
    if (!client.isDone() && !client.isProbing()) {
      return "the client stands still";
    }
    for (SmallNode node : nodes) {
      if (!node.open || node.store.fence().epoch() != truth.epoch()) {
        return "node " + node.store.node() + " does not serve epoch " + truth.epoch();
      }
    }
    boolean differ =
        nodes.get(0).store.version(0) != nodes.get(1).store.version(0)
            || nodes.get(0).store.version(1) != nodes.get(1).store.version(1);
    if (differ && !copyLost && !client.isProbing()) {
      return "replicas differ in the end";
    }
    // A client that finished before sends no request, and so receives no notice.
    boolean knows = !client.isProbing() && client.epoch() == truth.epoch();
    for (SmallClient.Acknowledged write : client.acknowledged()) {
      if (knows && !keeping && nodes.get(0).store.version(write.key()) < write.version()) {
        return "lost in the end: " + write;
      }
    }
    return null;
  }

  private void addUnread(int position, Fingerprint print, Fingerprint.Values values) {
    for (ControlRecord unread : log.subList(position, log.size())) {
      print.add(values.number(unread));
    }
    print.add(log.size() - position);
  }

  /**
   * Equal for equal states. Of the log counts what its readers have made of it, and what they have
   * not read yet; not the order in which it came to that.
   */
  Fingerprint.Bits fingerprint(Fingerprint.Values values) {
    Fingerprint print = new Fingerprint();
    print.add(values.number(orchestrator), violationPosition, values.number(truth));
    addUnread(controlPosition, print, values);
    nodes.stream().filter(node -> node.up).forEach(n -> addUnread(n.position, print, values));
    inFlight.forEach(record -> print.add(values.number(record)));
    print.add(inFlight.size());
    nodes.forEach(node -> node.addTo(print, values, !crashed));
    for (int node = 0; node < NODES; node++) {
      requests.get(node).forEach(request -> print.add(values.number(request)));
      print.add(requests.get(node).size());
      answers.get(node).forEach(answer -> print.add(values.number(answer)));
      print.add(answers.get(node).size());
    }
    client.addTo(print, values);
    print.add(badAt);
    print.add((reported ? 1 : 0) + (judged ? 2 : 0) + (crashed ? 4 : 0) + (copyLost ? 8 : 0));
    print.add(newestServed * 2 + (keeping ? 1 : 0));
    return print.bits();
  }
}
