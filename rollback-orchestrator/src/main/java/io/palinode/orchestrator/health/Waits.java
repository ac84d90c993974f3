package io.palinode.orchestrator.health;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.ApprovalRequest;
import io.palinode.orchestrator.violations.Coverage;
import io.palinode.orchestrator.violations.Demand;
import io.palinode.orchestrator.violations.DemandParts;
import io.palinode.orchestrator.violations.FoundViolations;
import io.palinode.wire.plan.Phase;
import io.palinode.wire.v1.JudgementReport;
import io.palinode.wire.v1.NodeReached;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds all that judgement waits for. Pure; O(nodes + waiting violations).
 *
 * <p>The job reports once per second how far it has read each node, by {@link JudgementReport}.
 * Ages are taken at the report's own time, so a late report makes the job wait, not a node.
 */
public final class Waits {
  /** A job that publishes no record for this time does not run: it reports once per second. */
  static final Duration JOB_SILENCE = Duration.ofSeconds(3);

  /** A node publishes progress every 250 ms, and each partition of the job reports it every 1 s. */
  static final Duration NODE_SILENCE = Duration.ofSeconds(2);

  /** A job that has started reads what was published without it. */
  static final Duration JOB_START = Duration.ofSeconds(10);

  /** An older report was replayed, or its clock is far behind. */
  static final Duration REPORT_AGE = Duration.ofMinutes(1);

  /** A shorter step is no wait. */
  static final Duration STEP = Duration.ofSeconds(1);

  /** A clock that is further behind what was judged was set back: nodes differ by 500 ms. */
  private static final Duration SET_BACK = Duration.ofSeconds(2);

  private static final String START_JOB =
      "start it: 'palinode run detection', or the job on your Flink cluster";

  private static final String SOON = "wait some seconds; if that lasts, see whether the node runs";
  private final Known known;
  private final List<Wait> waits = new ArrayList<>();

  private Waits(Known known) {
    this.known = known;
  }

  /**
   * The input.
   *
   * @param parts of this process that have failed
   * @param unreachableSinceMicros since when Kafka does not answer; 0: it answers
   * @param answersSinceMicros when Kafka began to answer, or this orchestrator started
   * @param setBackSinceMicros since when the clock {@link #isSetBack}; 0: it is not
   * @param startedMicros when this orchestrator started
   */
  public record Known(
      MachineState state,
      JobFeed job,
      NodeReports.Nodes nodes,
      List<FailedPart> parts,
      long unreachableSinceMicros,
      long answersSinceMicros,
      long setBackSinceMicros,
      long startedMicros,
      long nowMicros) {
    public Known {
      parts = List.copyOf(parts);
    }
  }

  /** Returns whether this machine's clock is far behind what was judged. */
  public static boolean isSetBack(MachineState state, long nowMicros) {
    return behindJudged(state, nowMicros).compareTo(SET_BACK) > 0;
  }

  private static Duration behindJudged(MachineState state, long nowMicros) {
    return Duration.of(Hlc.micros(state.found().judged()) - nowMicros, ChronoUnit.MICROS);
  }

  public static Judgement of(Known known) {
    return new Waits(known).judgement();
  }

  private Judgement judgement() {
    parts();
    clock();
    epsilons();
    storages();
    repairs();
    if (known.unreachableSinceMicros() > 0) {
      add(
          Wait.Reason.KAFKA,
          known.unreachableSinceMicros(),
          "Kafka does not answer the orchestrator",
          "start Kafka or repair the network; every part continues by itself");
    } else {
      detection();
    }
    plan();
    violations();
    held();
    waits.sort(Comparator.comparingLong(Wait::sinceMicros));
    return new Judgement(
        waits,
        isEpochJudged(),
        unjudgedSinceMicros(),
        known.job().publishedMicros(),
        known.nowMicros());
  }

  private void parts() {
    for (FailedPart part : known.parts()) {
      waits.add(
          new Wait(
              Wait.Reason.PART,
              part.node(),
              part.sinceMicros(),
              part.name() + " has failed: " + part.reason(),
              "see the log of this process; if it does not start again, restart the process"));
    }
  }

  /** Readers refuse a record whose clock is ahead of theirs. */
  private void clock() {
    if (known.setBackSinceMicros() > 0) {
      add(
          Wait.Reason.CLOCK,
          known.setBackSinceMicros(),
          "the clock of the orchestrator's machine was set back: it is %,d s behind what was judged"
              .formatted(behindJudged(known.state(), known.nowMicros()).toSeconds()),
          "set it right, or wait; until then records are refused");
    }
  }

  /** Adds a wait if the job and the nodes do not run with one ε. */
  private void epsilons() {
    JudgementReport report = known.job().report();
    Map<String, List<String>> parts = new TreeMap<>();
    if (report != null && !report.getEpsilon().isEmpty()) {
      parts.computeIfAbsent(report.getEpsilon(), e -> new ArrayList<>()).add("the detection job");
    }
    new TreeMap<>(known.nodes().epsilons())
        .forEach(
            (node, epsilon) ->
                parts
                    .computeIfAbsent(epsilon.toString(), e -> new ArrayList<>())
                    .add("node " + node));
    if (parts.size() > 1) {
      add(
          Wait.Reason.EPSILON,
          lastStartMicros(),
          "parts run with different epsilons, so verdicts may be wrong: "
              + parts.entrySet().stream()
                  .map(entry -> entry.getKey() + " at " + String.join(", ", entry.getValue()))
                  .collect(Collectors.joining("; ")),
          "restart them with one --epsilon");
    }
  }

  /** Unless its storage refuses all writes, which is named already. */
  private void unpromised(int node, long sinceMicros) {
    if (!known.nodes().refusing().containsKey(node)) {
      addNode(
          Wait.Reason.DISK,
          node,
          sinceMicros,
          "the disk of node %d refuses its clock promise, so it publishes no progress",
          "free space on that disk; the node continues by itself");
    }
  }

  /** A node that refuses writes still publishes progress, but each plan waits for it. */
  private void storages() {
    new TreeMap<>(known.nodes().refusing())
        .forEach(
            (node, refusing) ->
                addNode(
                    Wait.Reason.DISK,
                    node,
                    Math.min(refusing.sinceMicros(), known.nowMicros()),
                    "node %d refuses all writes: " + refusing.why().replace("%", "%%"),
                    "free space on its disk; the node continues by itself"));
  }

  private void repairs() {
    for (NodeStatus joined : known.nodes().joined()) {
      if (known.nodes().awaitRepair().contains(joined.node())) {
        addNode(
            Wait.Reason.REPAIR,
            joined.node(),
            joined.joinedMicros(),
            "node %d lacks data that other replicas have, and serves no client",
            "if it runs on the right folder, run 'palinode repair'");
      }
    }
  }

  /** When the last of the job and the nodes started, if this orchestrator was there. */
  private long lastStartMicros() {
    JudgementReport report = known.job().report();
    return LongStream.concat(
            LongStream.of(known.startedMicros(), report == null ? 0 : report.getStartedMicros()),
            known.nodes().joined().stream().mapToLong(NodeStatus::joinedMicros))
        .max()
        .orElseThrow();
  }

  private void detection() {
    long published = known.job().publishedMicros();
    long silentSince = Math.max(known.job().receivedMicros(), known.startedMicros());
    boolean partFailed = known.parts().stream().anyMatch(part -> part.node() == null);
    if (isOver(silentSince, JOB_SILENCE)) {
      if (!partFailed) {
        add(
            Wait.Reason.JOB,
            published > 0 ? published : known.startedMicros(),
            published > 0
                ? "the detection job publishes nothing"
                : "the detection job has never published",
            START_JOB);
      }
      silentNodes();
      return;
    }
    nodes();
  }

  /** Without the job, no progress shows which nodes run, but each reports every 10 s. */
  private void silentNodes() {
    for (NodeStatus joined : known.nodes().joined()) {
      long last = known.nodes().reportedMicros().getOrDefault(joined.node(), 0L);
      long since = Math.max(last, known.answersSinceMicros());
      if (isOver(since, NodeReports.SILENCE)) {
        addNode(
            Wait.Reason.NODE,
            joined.node(),
            since,
            "node %d has not reported",
            "see whether its process runs and reaches Kafka");
      }
    }
  }

  /**
   * Adds the waits for nodes. From restore to resume nodes publish no progress, and the plan names
   * them.
   */
  private void nodes() {
    JudgementReport report = known.job().report();
    Plan plan = known.state().log().plan();
    boolean restoring = plan != null && !plan.phase().isBeforeRestore();
    if (restoring || report == null || isOver(report.getAtMicros(), REPORT_AGE)) {
      return;
    }
    Map<Integer, NodeReached> reached = new HashMap<>();
    report.getNodesList().forEach(node -> reached.put(node.getNode(), node));
    for (int node = 0; node < known.state().settings().nodes(); node++) {
      node(node, reached.get(node), report);
    }
    if (report.hasHeldHlc() && isBehind(report.getHeldHlc(), report, STEP)) {
      add(
          Wait.Reason.PREDICATE,
          Hlc.micros(report.getHeldHlc()),
          "a candidate waits for a version of its predicate that the job has not read",
          "check that the job reads the predicates topic");
    }
  }

  private void node(int node, @Nullable NodeReached reached, JudgementReport report) {
    NodeStatus joined =
        known.nodes().joined().stream()
            .filter(status -> status.node() == node)
            .findFirst()
            .orElse(null);
    String off = known.nodes().off().get(node);
    if (off != null) {
      long started = Math.max(report.getStartedMicros(), known.startedMicros());
      addNode(
          Wait.Reason.AGENT,
          node,
          reached == null ? started : reached.getReadMicros(),
          "the agent of node %d has turned itself off, so its writes are not judged: "
              + off.replace("%", "%%"),
          "restart its server");
    } else if (reached != null && reached.getSkipped()) {
      addNode(
          Wait.Reason.NODE,
          node,
          reached.getReadMicros(),
          "judgement continues without node %d, which was silent: its writes are not judged",
          "restart it");
    } else if (reached == null) {
      neverRead(node, joined, report);
    } else if (reached.hasUnpromisedSinceMicros()) {
      unpromised(node, reached.getUnpromisedSinceMicros());
    } else if (isBehind(reached.getHlc(), report, NODE_SILENCE)) {
      behind(node, reached, report);
    }
  }

  /** A job and a node that have just started need some seconds to connect. */
  private void neverRead(int node, @Nullable NodeStatus joined, JudgementReport report) {
    long started = Math.max(report.getStartedMicros(), known.startedMicros());
    long since = joined == null ? started : Math.max(started, joined.joinedMicros());
    if (isOver(since, JOB_SILENCE)) {
      String what =
          joined == null
              ? "node %d has never joined"
              : "the job has read nothing of node %d since it started";
      String wayOut = joined != null && isStarting(report) ? SOON : "start it";
      addNode(Wait.Reason.NODE, node, since, what, wayOut);
    }
  }

  private void behind(int node, NodeReached reached, JudgementReport report) {
    long silent = report.getAtMicros() - reached.getReadMicros();
    if (isStarting(report)) {
      addNode(
          Wait.Reason.NODE,
          node,
          report.getStartedMicros(),
          "the job has just started, and has not read node %d up to now",
          SOON);
    } else if (silent > RollbackSettings.micros(NODE_SILENCE)) {
      addNode(
          Wait.Reason.NODE,
          node,
          reached.getReadMicros(),
          "node %d publishes nothing",
          "start it, or free its disk, or repair its connection to Kafka");
    } else if (reached.getHlc() == 0) {
      addNode(
          Wait.Reason.NODE,
          node,
          Math.max(report.getStartedMicros(), Hlc.micros(epochClock())),
          "node %d has published no progress in this epoch",
          "see its log");
    } else {
      addNode(
          Wait.Reason.NODE,
          node,
          Hlc.micros(reached.getHlc()),
          "node %d is behind: its clock, or records of it that Kafka lacks",
          "compare the clocks; after 30 s missing records become a coverage gap");
    }
  }

  private void plan() {
    Plan plan = known.state().log().plan();
    if (plan == null) {
      return;
    }
    long epoch = plan.epoch();
    if (plan.phase() == Phase.HALTED) {
      add(
          Wait.Reason.PLAN,
          plan.sinceMicros(),
          "rollback %d is halted: %s".formatted(epoch, plan.failure()),
          "'palinode rollback retry %d' or 'palinode rollback abandon %d'".formatted(epoch, epoch));
    } else if (isOver(plan.sinceMicros(), STEP)) {
      List<Integer> missing = plan.missing(known.state().settings().nodes());
      String waitsFor =
          missing.isEmpty() ? "for judgement up to its target" : "for nodes " + missing;
      add(
          Wait.Reason.PLAN,
          plan.sinceMicros(),
          "rollback %d is %s and waits %s"
              .formatted(epoch, plan.phase().name().toLowerCase(Locale.ROOT), waitsFor),
          "'palinode rollback status %d'".formatted(epoch));
    }
  }

  private void violations() {
    FoundViolations found = known.state().found();
    List<FoundViolations.Waiting> waiting =
        found.waiting().stream().filter(each -> isOver(each.sinceMicros(), STEP)).toList();
    if (!waiting.isEmpty()) {
      add(
          Wait.Reason.VIOLATION,
          waiting.get(0).sinceMicros(),
          waiting.size() + " violations wait for the version of their predicate",
          "they are dropped with an alert after "
              + known.state().settings().policyWait().toSeconds()
              + " s");
    }
    List<ApprovalRequest> requests = known.state().log().gates().requests();
    for (ApprovalRequest request : requests) {
      add(
          Wait.Reason.APPROVAL,
          request.askedMicros(),
          "rollback request %d of %s waits for approval"
              .formatted(request.number(), request.predicate()),
          "'palinode rollback approve %d' or 'palinode rollback reject %d'"
              .formatted(request.number(), request.number()));
    }
    if (requests.isEmpty() && known.state().log().plan() == null) {
      demands(found);
    }
  }

  private void demands(FoundViolations found) {
    List<Demand> due =
        found.demands().values().stream()
            .map(DemandParts::all)
            .filter(demand -> isOver(Hlc.micros(demand.violate()), STEP))
            .toList();
    if (!due.isEmpty()) {
      add(
          Wait.Reason.VIOLATION,
          due.stream().mapToLong(demand -> Hlc.micros(demand.violate())).min().orElseThrow(),
          "violations of %s wait for a rollback"
              .formatted(
                  due.stream().map(Demand::predicate).distinct().collect(Collectors.joining(", "))),
          "see 'palinode get violations'");
    }
  }

  private void held() {
    Coverage coverage = known.state().log().coverage();
    PastPlan abandoned = known.state().abandoned();
    if (abandoned != null) {
      add(
          Wait.Reason.ABANDONED,
          Hlc.micros(abandoned.clock()),
          "rollback %d was abandoned, and its cut is not restored".formatted(abandoned.epoch()),
          "repair the data, then 'palinode acknowledge'");
    }
    if (coverage.heldAt(known.nowMicros()) != FoundViolations.NOT_HELD) {
      long until = coverage.hold().untilMicros();
      add(
          Wait.Reason.COVERAGE,
          until - RollbackSettings.micros(known.state().settings().coverageHold()),
          "a coverage gap holds the safe point until " + Instant.ofEpochSecond(until / 1_000_000),
          "'palinode acknowledge'");
    }
  }

  /** The clock at which the epoch in force began; 0: it is the first epoch. */
  private long epochClock() {
    ControlLogState log = known.state().log();
    PastPlan last =
        log.plans().past().isEmpty() ? null : log.plans().past().get(log.plans().past().size() - 1);
    return last == null || last.epoch() != log.epoch() ? 0 : last.clock();
  }

  private boolean isEpochJudged() {
    return known.state().found().judged() > epochClock();
  }

  private long unjudgedSinceMicros() {
    long clock = epochClock();
    return clock > 0
        ? Hlc.micros(clock)
        : known.nodes().joined().stream()
            .mapToLong(NodeStatus::joinedMicros)
            .filter(micros -> micros > 0)
            .min()
            .orElse(known.startedMicros());
  }

  private boolean isOver(long sinceMicros, Duration limit) {
    return known.nowMicros() - sinceMicros > RollbackSettings.micros(limit);
  }

  private static boolean isBehind(long hlc, JudgementReport report, Duration limit) {
    return report.getAtMicros() - Hlc.micros(hlc) > RollbackSettings.micros(limit);
  }

  private static boolean isStarting(JudgementReport report) {
    return report.getAtMicros() - report.getStartedMicros() <= RollbackSettings.micros(JOB_START);
  }

  private void add(Wait.Reason reason, long sinceMicros, String what, String wayOut) {
    waits.add(new Wait(reason, null, sinceMicros, what, wayOut));
  }

  private void addNode(Wait.Reason reason, int node, long sinceMicros, String what, String wayOut) {
    waits.add(new Wait(reason, node, sinceMicros, what.formatted(node), wayOut));
  }
}
