package io.palinode.orchestrator.history;

import com.google.protobuf.ByteString;
import io.palinode.orchestrator.Command;
import io.palinode.orchestrator.OutcomeChange;
import io.palinode.orchestrator.Outcomes;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.health.NodeStatus;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.Grades;
import io.palinode.orchestrator.violations.SeenViolations.Novelty;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Detecting;
import io.palinode.wire.v1.LetStand;
import io.palinode.wire.v1.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The past that the API shows. Bounded. Written by the machine's thread, read by any thread. A
 * replay of the logs fills it again, as far as they reach.
 */
public final class ApiHistory {
  public static final int KEPT_MAX = 10_000;
  public static final int PROGRESS_MAX = 1_000;

  /** Of violations, which clients can make long. */
  static final long BYTES_MAX = 64 << 20;

  /** A shorter start of an id names no violation. */
  static final int ID_START_MIN = 8;

  private final History<String, ReceivedViolation> violations =
      new History<>(KEPT_MAX, BYTES_MAX, ReceivedViolation::bytes);
  private final Episodes episodes = new Episodes(KEPT_MAX, BYTES_MAX);
  private final History<Long, Rollback> rollbacks = new History<>(KEPT_MAX);

  /** The epoch that the rollback of a violation opened, by the violation's id. */
  private final History<String, Long> causes = new History<>(KEPT_MAX);

  private final History<Long, RollbackProgress> progress = new History<>(PROGRESS_MAX);
  private final History<SpanId, SequentialSpan> sequential = new History<>(PROGRESS_MAX);
  private final History<Long, Rejection> rejections = new History<>(PROGRESS_MAX);
  private final AtomicLong phantoms = new AtomicLong();
  private final ChangeLog changes = new ChangeLog();
  private @Nullable Rollback lastChanged;
  private final Nodes nodes;
  private final WatchedVersions watched;

  /** The identity of a span, which later records may prolong. */
  private record SpanId(List<ByteString> keys, long sinceMicros) {}

  /** A user's answer to a request for approval: the violations that stand by it. */
  private record Rejection(LetStand stands, String user) {
    boolean includes(Violation violation) {
      long hlc = violation.getViolate();
      return stands.getPredicate().equals(violation.getPredicate())
          && stands.getFromHlc() <= hlc
          && hlc <= stands.getToHlc();
    }
  }

  public ApiHistory(int nodes) {
    this.nodes = new Nodes(nodes);
    this.watched = new WatchedVersions(nodes);
  }

  /** Adds a violation, and returns how it compares to earlier ones of its episode. */
  public Novelty received(Violation violation, long atMicros, boolean replayed) {
    ReceivedViolation known = violations.get(episodes.add(violation));
    ReceivedViolation now =
        known == null
            ? ReceivedViolation.first(violation, atMicros, replayed)
            : known.again(violation, atMicros, replayed);
    violations.put(now.violation().getId(), now);
    changes.add(new Change.OfViolation(now));
    if (known == null) {
      return Novelty.NEW;
    }
    return known.grade().atLeast(Grades.of(violation.getGrade())) ? Novelty.REPEAT : Novelty.RISEN;
  }

  /**
   * Marks a violation as a phantom. The id may be of an unpublished violation. Call once per id.
   */
  public void phantom(String id) {
    phantoms.incrementAndGet();
    update(key(id), ReceivedViolation::asPhantom);
  }

  /** Sets the end of a violation. The id may be of an unknown violation. */
  public void ended(String id, long hlc) {
    update(key(id), received -> received.endedAt(id, hlc));
  }

  /** Sets the outcome of the violation's episode; returns the former one, or null. */
  public Command.@Nullable Outcome classified(Violation violation, Command.Outcome outcome) {
    String key = key(violation.getId());
    ReceivedViolation known = violations.get(key);
    Command.Outcome shown = afterOwnPlan(violation, outcome);
    update(key, received -> received.with(shown, by(shown, received.latest())));
    return known == null ? null : known.outcome();
  }

  /** A replay reads plans first, and knows the newest version of a predicate only. */
  private Command.Outcome afterOwnPlan(Violation violation, Command.Outcome outcome) {
    Long epoch = causes.get(violation.getId());
    Rollback own = epoch == null ? null : rollbacks.get(epoch);
    if (own == null) {
      return outcome;
    }
    return switch (outcome) {
      case COVERED -> own.isKept() ? outcome : Command.Outcome.ROLLBACK;
      case NO_ROLLBACK, WAITING, EXPIRED ->
          switch (own.state()) {
            case ABANDONED -> Command.Outcome.ABANDONED;
            case RESTARTED -> Command.Outcome.RESTARTED;
            case CANCELLED -> outcome;
            case OPENED, PAUSING, RESTORING, CONVERGING, RESUMING, RESUMED, HALTED ->
                Command.Outcome.ROLLBACK;
          };
      case ROLLBACK, REJECTED, OVER_BUDGET, ABANDONED, RESTARTED, STANDS, TOO_LATE -> outcome;
    };
  }

  /** The first id of the episode, if it is remembered. */
  private String key(String id) {
    String first = episodes.first(id);
    return violations.get(first) == null ? id : first;
  }

  private void update(String id, UnaryOperator<ReceivedViolation> change) {
    violations.update(
        id,
        known -> {
          ReceivedViolation now = change.apply(known);
          if (!now.equals(known)) {
            changes.add(new Change.OfViolation(now));
          }
          return now;
        });
  }

  /**
   * Replaces outcomes that have changed, and sets the ends that follow from the logs. Returns the
   * changes of outcomes, oldest first.
   */
  public List<OutcomeChange> review(MachineState state) {
    List<OutcomeChange> outcomes = new ArrayList<>();
    violations.replaceAll(
        known -> {
          ReceivedViolation now = reviewed(known.asOf(state), state);
          Command.Outcome before = known.outcome();
          if (!now.equals(known)) {
            changes.add(new Change.OfViolation(now));
          }
          if (before != null && now.outcome() != before) {
            outcomes.add(new OutcomeChange(now, before));
          }
          return now;
        });
    return outcomes;
  }

  private ReceivedViolation reviewed(ReceivedViolation received, MachineState state) {
    Command.Outcome before = received.outcome();
    Command.Outcome now = before == null ? null : Outcomes.now(state, received.latest(), before);
    return now == null || now == before ? received : received.with(now, by(now, received.latest()));
  }

  /** The user who rejected the rollback; empty: no user did. */
  private String by(Command.Outcome outcome, Violation violation) {
    return outcome != Command.Outcome.REJECTED
        ? ""
        : rejections.latest(PROGRESS_MAX).stream()
            .filter(rejection -> rejection.includes(violation))
            .map(Rejection::user)
            .findFirst()
            .orElse("");
  }

  /** Reads any record of the control log. */
  public void read(ControlRecord record) {
    nodes.read(record);
    watched.read(record);
  }

  /** Reads the versions that the detection job has. */
  public void read(Detecting detecting) {
    watched.read(detecting);
  }

  public WatchedVersions watched() {
    return watched;
  }

  /** Reads a record of the control log that took effect. Returns its rollback, or null. */
  public @Nullable Rollback took(ControlRecord record) {
    if (record.hasSafePoint() || record.hasNodeJoined()) {
      return null;
    }
    Rollback.Act act = Rollback.Act.of(record);
    LetStand stands = record.getGate().getLetStand();
    if (act != null && stands.getRejects() > 0) {
      rejections.put(stands.getRejects(), new Rejection(stands, act.user()));
    }
    if (record.hasPlanOpened()) {
      rollbacks.put(record.getEpoch(), Rollback.opened(record));
      record.getPlanOpened().getViolationIdsList().forEach(id -> causes.put(id, record.getEpoch()));
      progress.put(record.getEpoch(), RollbackProgress.opened(record));
    } else {
      rollbacks.update(record.getEpoch(), known -> known.after(record));
      progress.update(record.getEpoch(), known -> known.after(record));
    }
    record.getResume().getSequentialList().stream()
        .map(SequentialSpan::of)
        .forEach(span -> sequential.put(new SpanId(span.keys(), span.sinceMicros()), span));
    return rollbacks.get(record.getEpoch());
  }

  /**
   * Records a rollback as the API shows it now, if its state or attempt is another one. If the next
   * one opens before all nodes serve its epoch, the rollback is recorded as over.
   */
  public void shown(Rollback rollback) {
    Rollback before = lastChanged;
    boolean isSame = before != null && before.epoch() == rollback.epoch();
    if (before != null && !isSame && before.state() == Rollback.State.RESUMING) {
      Rollback over = rollbacks.get(before.epoch());
      changes.add(new Change.OfRollback(over == null ? before : over));
    }
    if (before == null
        || !isSame
        || before.state() != rollback.state()
        || before.attempts() != rollback.attempts()) {
      lastChanged = rollback;
      changes.add(new Change.OfRollback(rollback));
    }
  }

  /** The latest changes of violations and of rollbacks as shown, with those of replayed records. */
  public ChangeLog changes() {
    return changes;
  }

  /** The sequential spans, latest first, in force or over. */
  public List<SequentialSpan> sequential(int limit) {
    return sequential.latest(limit);
  }

  /** The violations, latest first. */
  public List<ReceivedViolation> violations(int limit) {
    return violations.latest(limit);
  }

  /** The same, with the ends that follow from the logs. */
  public List<ReceivedViolation> violations(int limit, MachineState now) {
    return violations(limit).stream().map(received -> received.asOf(now)).toList();
  }

  /** The episode that this report belongs to; null: unknown, or dropped. O(1). */
  public @Nullable ReceivedViolation episode(String id) {
    return violations.get(key(id));
  }

  /**
   * The violation of this id, or the only one whose id starts with it; null: unknown, or dropped.
   * O({@link #KEPT_MAX}) for a start.
   */
  public @Nullable ReceivedViolation violation(String id) {
    ReceivedViolation known = violations.get(key(id));
    if (known != null || id.length() < ID_START_MIN) {
      return known;
    }
    List<ReceivedViolation> starting =
        violations.latest(KEPT_MAX).stream()
            .filter(received -> received.violation().getId().startsWith(id))
            .limit(2)
            .toList();
    return starting.size() == 1 ? starting.get(0) : null;
  }

  /** The rollbacks, latest first. */
  public List<Rollback> rollbacks(int limit) {
    return rollbacks.latest(limit);
  }

  /** The rollback of this epoch; null: unknown, or dropped. */
  public @Nullable Rollback rollback(long epoch) {
    return rollbacks.get(epoch);
  }

  /** The progress of the rollback's nodes; null: unknown, or not among the latest. */
  public @Nullable RollbackProgress progress(long epoch) {
    return progress.get(epoch);
  }

  /** When clients wrote what the rollback discarded; null: the rollback is unknown, or dropped. */
  public @Nullable Discarded discarded(long epoch) {
    RollbackProgress rollback = progress.get(epoch);
    return rollback == null ? null : Discarded.of(rollback, progress.latest(PROGRESS_MAX));
  }

  /** The latest rollback of an operator's request of this name; or null. */
  public @Nullable Rollback rollbackAskedFor(String request) {
    for (RollbackProgress known : progress.latest(PROGRESS_MAX)) {
      if (known.operator().request().equals(request)) {
        return rollback(known.epoch());
      }
    }
    return null;
  }

  public List<NodeStatus> nodes() {
    return nodes.all();
  }

  /** Why a node of the cluster cannot be restored; empty if all of them can. */
  public String watchedOnly() {
    return nodes().stream()
        .map(NodeStatus::watchedOnly)
        .filter(why -> !why.isEmpty())
        .findFirst()
        .orElse("");
  }

  public long violationsTotal() {
    return violations.total();
  }

  public long phantomsTotal() {
    return phantoms.get();
  }

  public long rollbacksTotal() {
    return rollbacks.total();
  }
}
