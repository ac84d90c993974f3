package io.palinode.chaos;

import io.palinode.chaos.MadeViolations.Unjudged;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.rest.Views.RollbackView;
import io.palinode.orchestrator.rest.Views.StatusView;
import io.palinode.orchestrator.rest.Views.ViolationView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Outage;
import io.palinode.terminal.Refusal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Polls the orchestrator's API in its own thread, since an answer may take long. Thread-safe. */
final class Monitor implements Runnable {
  private static final int ROWS = 1_000;
  private static final double LAG_MILLIS_MAX = 5_000;
  private static final long PAUSE_NANOS = 500_000_000;

  private final ApiClient api;
  private final int nodes;
  private final IntSupplier allNodesDown;
  private final Runnable coverageLost;
  private final Map<Integer, String> phases = new HashMap<>();
  private final Set<String> bindings = new HashSet<>();
  private final Set<Unjudged> unjudged = new HashSet<>();
  private final Set<Long> keptEpochs = new HashSet<>();
  private final Set<String> faults = new LinkedHashSet<>();
  private @Nullable StatusView status;
  private long asked;
  private long rollbacks;

  /**
   * @param allNodesDown the number of the present outage of all nodes; 0 if a node runs
   * @param coverageLost called when a coverage gap becomes known
   */
  Monitor(ApiClient api, int nodes, IntSupplier allNodesDown, Runnable coverageLost) {
    this.api = api;
    this.nodes = nodes;
    this.allNodesDown = allNodesDown;
    this.coverageLost = coverageLost;
  }

  /** Until the process ends. */
  @Override
  public void run() {
    while (true) {
      try {
        int outage = allNodesDown.getAsInt();
        StatusView answer = api.get("/api/v1/status", StatusView.class);
        rememberPhase(outage, answer);
        abandonIfHalted(answer);
        if (accept(answer, api.get("/api/v1/violations?limit=" + ROWS, ViolationView[].class))) {
          coverageLost.run();
        }
      } catch (Refusal | Outage down) {
        countFailure();
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Returns whether there is a new coverage gap. */
  private synchronized boolean accept(StatusView answer, ViolationView[] violations) {
    status = answer;
    asked++;
    rollbacks = answer.rollbacks();
    List<Unjudged> shown =
        answer.unknown().stream()
            .map(span -> new Unjudged(hlc(span.from(), 0), hlc(span.to(), Long.MAX_VALUE)))
            .toList();
    // An orchestrator that still reads the logs says so, and does not know all gaps.
    unjudged.stream()
        .filter(span -> answer.failure() == null)
        .filter(span -> shown.stream().noneMatch(span::isWithin))
        .forEach(span -> faults.add("a coverage gap is no longer shown: " + span));
    boolean lost = unjudged.addAll(shown);
    for (ViolationView violation : violations) {
      bindings.add(violation.binding());
    }
    return lost;
  }

  /** Without nodes, a plan stays in its phase. */
  private synchronized void rememberPhase(int outage, StatusView answer) {
    if (outage > 0) {
      String phase = answer.phase();
      phases.put(outage, answer.openEpoch() == null || phase == null ? "no plan" : phase);
    }
  }

  /** How many outages of all nodes fell into each phase of a plan. */
  synchronized Map<String, Integer> outagesByPhase() {
    Map<String, Integer> outages = new TreeMap<>();
    phases.values().forEach(phase -> outages.merge(phase, 1, Integer::sum));
    return outages;
  }

  private synchronized void countFailure() {
    status = null;
    asked++;
  }

  /** As an operator would, who should not be needed. */
  private void abandonIfHalted(StatusView answer) {
    Long epoch = answer.openEpoch();
    if (epoch != null && "halted".equals(answer.phase())) {
      String reason = rollback(epoch).haltReason();
      synchronized (this) {
        keptEpochs.add(epoch);
        faults.add("the rollback to epoch %d halted: %s".formatted(epoch, reason));
      }
      var unused = api.post("/api/v1/rollbacks/" + epoch + "/abandon");
    }
  }

  private RollbackView rollback(long epoch) {
    return api.get("/api/v1/rollbacks/" + epoch, RollbackView.class);
  }

  /** The latest rollbacks, as the API has them now. */
  List<RollbackView> rollbackViews() {
    return List.of(api.get("/api/v1/rollbacks?limit=" + ROWS, RollbackView[].class));
  }

  /** What must not be, in words. */
  synchronized List<String> faults() {
    return List.copyOf(faults);
  }

  /** How often it was asked, with or without an answer. */
  synchronized long asked() {
    return asked;
  }

  /** No rollback is under way, all nodes have joined, and judgement does not lag. */
  synchronized boolean isWell() {
    StatusView answer = status;
    return answer != null
        && answer.openEpoch() == null
        && answer.failure() == null
        && answer.nodesJoined() == nodes
        && answer.judgedLagMs() < LAG_MILLIS_MAX;
  }

  synchronized boolean hasJudged(long hlc) {
    StatusView answer = status;
    return answer != null && hlc(answer.judged(), 0) >= hlc;
  }

  synchronized long rollbacks() {
    return rollbacks;
  }

  private static long hlc(@Nullable String text, long unknown) {
    return text == null ? unknown : Hlc.parse(text);
  }

  synchronized Set<String> bindings() {
    return Set.copyOf(bindings);
  }

  synchronized Set<Unjudged> unjudged() {
    return Set.copyOf(unjudged);
  }

  /** Those of rollbacks that were abandoned. */
  synchronized Set<Long> keptEpochs() {
    return Set.copyOf(keptEpochs);
  }
}
