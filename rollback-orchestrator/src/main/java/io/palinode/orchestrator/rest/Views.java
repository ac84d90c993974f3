package io.palinode.orchestrator.rest;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.Status;
import io.palinode.orchestrator.Unrestorable;
import io.palinode.orchestrator.health.Finding;
import io.palinode.orchestrator.health.Judgement;
import io.palinode.orchestrator.health.NodeState;
import io.palinode.orchestrator.health.NodeStatus;
import io.palinode.orchestrator.history.Change;
import io.palinode.orchestrator.history.Evidence;
import io.palinode.orchestrator.history.Meaning;
import io.palinode.orchestrator.history.Neighbourhood;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.rest.events.StreamedEvent;
import io.palinode.orchestrator.step.GateStatus;
import io.palinode.orchestrator.step.Unjudged;
import io.palinode.orchestrator.violations.ApprovalRequest;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.VersionRole;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The JSON of the API: one record a resource. The server writes it, and its clients read it. */
public final class Views {
  private static final double MICROS_PER_MS = 1_000.0;

  private Views() {}

  /** The event of a change; its data is what the API shows now. */
  static StreamedEvent event(Change change) {
    if (change instanceof Change.OfViolation c) {
      return new StreamedEvent("violation", ViolationView.of(c.now()));
    } else if (change instanceof Change.OfRollback c) {
      return new StreamedEvent("rollback", RollbackView.of(c.now()));
    } else if (change instanceof Change.WaitBegan c) {
      return new StreamedEvent("wait-began", WaitView.of(c.began(), c.atMicros()));
    }
    if (change instanceof Change.OfNode c) {
      return new StreamedEvent("node", NodeView.of(c.now()));
    }
    Change.WaitEnded over = (Change.WaitEnded) change;
    return new StreamedEvent("wait-ended", WaitView.of(over.ended(), over.atMicros()));
  }

  /** The answer of a probe that succeeds: {@code up} or {@code ready}. */
  record Probe(String status) {}

  /** The health of a running orchestrator; {@code waits} do not stop it. */
  record Health(String status, List<WaitView> waits) {
    static Health of(Judgement judgement) {
      return new Health("up", WaitView.of(judgement));
    }
  }

  /**
   * @param epoch of the first report
   * @param lastEpoch of the newest report: the violation stood when that epoch began
   * @param meaning what the grade of these witnesses means; null: not known
   * @param ended null while it holds
   * @param outcomeBy the user who rejected its rollback; null: no user did
   */
  public record ViolationView(
      String id,
      String predicate,
      long predicateVersion,
      String binding,
      int clause,
      String grade,
      @Nullable String meaning,
      String first,
      String violate,
      @Nullable String ended,
      long epoch,
      long lastEpoch,
      long detectedMicros,
      long receivedMicros,
      @Nullable Double latencyMs,
      @Nullable String outcome,
      @Nullable String outcomeBy,
      boolean phantom,
      List<WitnessView> witnesses) {

    static ViolationView of(ReceivedViolation received) {
      Violation v = received.violation();
      return new ViolationView(
          v.getId(),
          v.getPredicate(),
          v.getPredicateVersion(),
          v.getBinding(),
          v.getClause(),
          lowerCase(received.grade()),
          // The latest report knows of more ends, unless it is of other intervals.
          Meaning.of(received.latest().getId().equals(v.getId()) ? received.latest() : v),
          Hlc.format(v.getFirst()),
          Hlc.format(v.getViolate()),
          received.ended() == 0 ? null : Hlc.format(received.ended()),
          v.getEpoch(),
          received.latest().getEpoch(),
          v.getDetectedMicros(),
          received.receivedMicros(),
          received.replayed() ? null : received.latencyMicros() / MICROS_PER_MS,
          received.outcome() == null ? null : lowerCase(received.outcome()),
          received.outcomeBy().isEmpty() ? null : received.outcomeBy(),
          received.phantom(),
          v.getWitnessesList().stream().map(WitnessView::of).toList());
    }
  }

  /**
   * @param from the start of the span that was read
   * @param to the end of the span
   * @param complete false: intervals of the span may be missing
   * @param intervals the nearest to the violation, by their starts, without its witnesses
   */
  public record NeighbourhoodView(
      String from, String to, boolean complete, List<WitnessView> intervals) {
    static NeighbourhoodView of(Neighbourhood found) {
      return new NeighbourhoodView(
          Hlc.format(found.from()),
          Hlc.format(found.to()),
          found.isComplete(),
          found.nearest().stream().map(WitnessView::of).toList());
    }
  }

  public record WitnessView(
      int term,
      int node,
      long incarnation,
      long sequence,
      List<String> start,
      @Nullable List<String> end,
      String writer,
      List<ValueView> values,
      @Nullable String member) {

    static WitnessView of(Witness w) {
      return new WitnessView(
          w.getTerm(),
          w.getNode(),
          w.getIncarnation(),
          w.getSequence(),
          Evidence.clock(w.getStart()),
          w.hasEnd() ? Evidence.clock(w.getEnd()) : null,
          w.getWriter(),
          w.getValuesList().stream()
              .filter(v -> v.getRole() != VersionRole.SEEN)
              .map(ValueView::of)
              .toList(),
          w.hasMember() ? w.getMember() : null);
    }
  }

  /**
   * @param version as in a witness file; empty: not known
   * @param role {@code lost}: a version that was superseded unseen; {@code written}, {@code read}:
   *     the client had written or read it before it read the other one; null: it makes the term
   *     true
   */
  public record ValueView(
      String store, String key, String value, String version, @Nullable String role) {
    static ValueView of(VariableVersion v) {
      return new ValueView(
          v.getStore(),
          Evidence.text(v.getKey()),
          Evidence.shownText(v),
          HexFormat.of().formatHex(v.getClock().toByteArray()),
          role(v.getRole()));
    }

    private static @Nullable String role(VersionRole role) {
      return switch (role) {
        case LOST -> "lost";
        case WRITTEN -> "written";
        case READ -> "read";
        case HOLDS, SEEN, UNRECOGNIZED -> null;
      };
    }
  }

  public record RollbackView(
      long epoch,
      String state,
      String predicate,
      List<String> violationIds,
      @Nullable String snapshot,
      @Nullable Long undoes,
      String target,
      int attempts,
      long undoneWrites,
      long convergedKeys,
      long openedMicros,
      @Nullable Long endedMicros,
      @Nullable Double totalMs,
      double pauseMs,
      double judgementMs,
      double restoreMs,
      double convergeMs,
      @Nullable String haltReason,
      List<ActView> acts) {
    public RollbackView {
      // An orchestrator of an earlier release sends none.
      acts = acts == null ? List.of() : List.copyOf(acts);
    }

    static RollbackView of(Rollback r) {
      return new RollbackView(
          r.epoch(),
          lowerCase(r.state()),
          r.predicate(),
          r.violationIds(),
          r.snapshot(),
          r.undoes() == 0 ? null : r.undoes(),
          Hlc.format(r.target()),
          r.attempts(),
          r.undoneWrites(),
          r.convergedKeys(),
          r.openedMicros(),
          r.isEnded() ? r.endedMicros() : null,
          r.isEnded() ? r.totalMicros() / MICROS_PER_MS : null,
          r.times().pauseMicros() / MICROS_PER_MS,
          r.times().judgementMicros() / MICROS_PER_MS,
          r.times().restoreMicros() / MICROS_PER_MS,
          r.times().convergeMicros() / MICROS_PER_MS,
          r.haltReason().isEmpty() ? null : r.haltReason(),
          r.acts().stream().map(ActView::of).toList());
    }
  }

  /**
   * What a user asked for.
   *
   * @param action run, undo, approve, cancel, retry or abandon
   */
  public record ActView(String action, String user, long atMicros) {
    static ActView of(Rollback.Act act) {
      return new ActView(act.action(), act.user(), act.atMicros());
    }
  }

  /**
   * A result of an examination of the cluster.
   *
   * @param level ok, note or fault
   */
  public record FindingView(String part, String level, String what, String fix) {
    static FindingView of(Finding finding) {
      return new FindingView(
          finding.part(), lowerCase(finding.level()), finding.what(), finding.fix());
    }
  }

  /**
   * A node of the cluster. If it has never joined, its times and its reach are 0.
   *
   * @param state such as {@code serves}; see {@link NodeState.Word}
   */
  public record NodeView(
      int node,
      String state,
      boolean needsOperator,
      @Nullable Long sinceMicros,
      @Nullable String why,
      long incarnation,
      long joinedMicros,
      String reach,
      String version,
      String lastAck,
      long lastAckMicros) {
    static NodeView of(NodeState state) {
      NodeStatus n = state.node();
      return new NodeView(
          n.node(),
          state.word().label(),
          state.word().needsOperator(),
          state.sinceMicros(),
          state.why(),
          n.incarnation(),
          n.joinedMicros(),
          Hlc.format(n.reach()),
          n.version(),
          n.lastAck(),
          n.lastAckMicros());
    }
  }

  /**
   * A span whose violations may be unknown.
   *
   * @param from null: unknown
   * @param to null: it is not over
   */
  public record UnknownView(@Nullable String from, @Nullable String to, String reason) {
    static UnknownView of(Unjudged u) {
      return new UnknownView(time(u.fromHlc()), time(u.toHlc()), u.reason());
    }

    private static @Nullable String time(long hlc) {
      return hlc == 0 || hlc == Long.MAX_VALUE ? null : Hlc.format(hlc);
    }
  }

  /**
   * The keys that clients use with R + W > N.
   *
   * @param instances whose keys these are, latest end first; bounded
   */
  public record SequentialView(
      boolean allKeys,
      long keys,
      @Nullable Long untilMicros,
      List<SequentialInstanceView> instances) {
    private static final int INSTANCES_MAX = 100;

    static SequentialView of(List<SequentialSpan> spans) {
      return new SequentialView(
          spans.stream().anyMatch(SequentialSpan::isAll),
          spans.stream().flatMap(s -> s.keys().stream()).distinct().count(),
          spans.stream().map(SequentialSpan::untilMicros).max(Long::compare).orElse(null),
          spans.stream()
              .sorted(Comparator.comparingLong(SequentialSpan::untilMicros).reversed())
              .limit(INSTANCES_MAX)
              .map(SequentialInstanceView::of)
              .toList());
    }
  }

  /**
   * A rollback that waits for an operator.
   *
   * @param id the number to approve or reject
   */
  public record ApprovalView(
      long id,
      String predicate,
      long askedMicros,
      int violations,
      List<String> violationIds,
      String target) {
    static ApprovalView of(GateStatus.Waiting waiting) {
      ApprovalRequest request = waiting.request();
      return new ApprovalView(
          request.number(),
          request.predicate(),
          request.askedMicros(),
          waiting.violations(),
          request.violationIds(),
          Hlc.format(waiting.target()));
    }
  }

  /**
   * @param spent rollbacks that count now
   * @param standsUntilMicros until when violations stand; null: the budget has room
   */
  public record BudgetView(
      String predicate, int atMost, double perMs, int spent, @Nullable Long standsUntilMicros) {
    static BudgetView of(GateStatus.Account account) {
      return new BudgetView(
          account.predicate(),
          account.budget().atMost(),
          account.budget().per().toMillis(),
          account.spent(),
          account.standsUntilMicros() == 0 ? null : account.standsUntilMicros());
    }
  }

  /** {@code keys} is empty for all keys. */
  public record SequentialInstanceView(
      String predicate,
      String binding,
      List<String> keys,
      long sinceMicros,
      long untilMicros,
      double holdMs) {
    static SequentialInstanceView of(SequentialSpan span) {
      return new SequentialInstanceView(
          span.predicate(),
          span.binding(),
          span.keys().stream().map(Evidence::text).toList(),
          span.sinceMicros(),
          span.untilMicros(),
          span.holdMicros() / MICROS_PER_MS);
    }
  }

  public record StatusView(
      long epoch,
      @Nullable Long openEpoch,
      @Nullable String phase,
      List<Integer> notServing,
      @Nullable String haltReason,
      @Nullable Long abandonedEpoch,
      String safePoint,
      double safePointLagMs,
      @Nullable String safePointHeldAt,
      long coverageLosses,
      long coverageGaps,
      List<UnknownView> unknown,
      String judged,
      double judgedLagMs,
      long violations,
      long phantoms,
      long rollbacks,
      int predicates,
      int nodes,
      int nodesJoined,
      SequentialView sequential,
      List<ApprovalView> approvals,
      List<BudgetView> budgets,
      @Nullable String trouble,
      boolean epochJudged,
      long unjudgedSinceMicros,
      @Nullable Long jobPublishedMicros,
      List<WaitView> waits,
      @Nullable String insecure,
      List<String> unrestorable,
      @Nullable String failure) {

    static StatusView of(
        Status s, Judgement judgement, List<Unjudged> unjudged, @Nullable String insecure) {
      Long heldAt = s.heldAt();
      return new StatusView(
          s.epoch(),
          s.openEpoch(),
          phaseOf(s),
          s.serving().missing(),
          s.haltReason(),
          s.abandonedEpoch(),
          Hlc.format(s.safePoint()),
          s.safePointLagMicros() / MICROS_PER_MS,
          heldAt == null ? null : Hlc.format(heldAt),
          s.losses(),
          s.gapsFound(),
          unjudged.stream().map(UnknownView::of).toList(),
          Hlc.format(s.judged()),
          s.judgedLagMicros() / MICROS_PER_MS,
          s.violations(),
          s.phantoms(),
          s.rollbacks(),
          s.predicates(),
          s.nodes(),
          s.nodesJoined(),
          SequentialView.of(s.sequential()),
          s.gate().approvals().stream().map(ApprovalView::of).toList(),
          s.gate().budgets().stream().map(BudgetView::of).toList(),
          s.trouble(),
          judgement.epochJudged(),
          judgement.unjudgedSinceMicros(),
          judgement.publishedMicros() == 0 ? null : judgement.publishedMicros(),
          WaitView.of(judgement),
          insecure,
          s.unrestorable().stream().map(Unrestorable::text).toList(),
          s.failure());
    }
  }

  /** Of the open plan, or of one that resumed, until every node serves its epoch. */
  private static @Nullable String phaseOf(Status s) {
    if (s.phase() != null) {
      return lowerCase(s.phase());
    }
    return s.serving().missing().isEmpty() ? null : lowerCase(Rollback.State.RESUMING);
  }

  private static String lowerCase(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
