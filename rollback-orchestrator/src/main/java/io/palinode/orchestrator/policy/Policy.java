package io.palinode.orchestrator.policy;

import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.OnViolation.Approval;
import io.palinode.predicate.OnViolation.Budget;
import io.palinode.predicate.Predicate;
import io.palinode.wire.v1.Violation;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a predicate version that the rollback protocol needs. Immutable.
 *
 * @param onViolation null: the predicate was deleted, and its violations cause nothing
 * @param clauses what makes each clause true
 * @param sinceMicros when the version was applied, wall clock; 0: unknown
 * @param rollsBackSince the first version from which on all versions up to this one ask for
 *     rollbacks; 0: unknown, or this version asks for none
 */
public record Policy(
    String predicate,
    long version,
    @Nullable OnViolation onViolation,
    List<ClauseShape> clauses,
    long sinceMicros,
    long rollsBackSince) {
  /** Within this time all serving nodes watch a newly applied version. */
  private static final long BEGINS_MICROS_MAX = 10_000_000;

  /** More than the ε of a cluster, which a policy does not know. */
  private static final long EPSILON_MICROS_MAX = 1_000_000;

  public Policy {
    clauses = List.copyOf(clauses);
  }

  /** A version without a time of application. */
  public Policy(
      String predicate,
      long version,
      @Nullable OnViolation onViolation,
      List<ClauseShape> clauses) {
    this(predicate, version, onViolation, clauses, 0, 0);
  }

  public static Policy of(Predicate predicate, long version) {
    List<ClauseShape> clauses = predicate.violation().stream().map(Clause::shape).toList();
    return new Policy(predicate.name(), version, predicate.onViolation(), clauses);
  }

  public static Policy deleted(String predicate, long version) {
    return new Policy(predicate, version, null, List.of());
  }

  public Policy appliedAt(long micros) {
    return new Policy(predicate, version, onViolation, clauses, micros, rollsBackSince);
  }

  public Policy rollingBackSince(long first) {
    return new Policy(predicate, version, onViolation, clauses, sinceMicros, first);
  }

  /** The {@code rollsBackSince} of this version, if {@code before} precedes it; null: none does. */
  public long rollsBackSince(@Nullable Policy before) {
    if (!rollsBack()) {
      return 0;
    }
    return before == null || !before.rollsBack() ? version : before.rollsBackSince();
  }

  /** Whether an interval at {@code hlc} may have begun before the version was watched. */
  public boolean mayBeOlder(long hlc) {
    return sinceMicros > 0 && Hlc.micros(hlc) <= sinceMicros + BEGINS_MICROS_MAX;
  }

  public @Nullable Budget budget() {
    return onViolation == null ? null : onViolation.rollbacks().budget();
  }

  public Approval approval() {
    return onViolation == null ? Approval.AUTOMATIC : onViolation.rollbacks().approval();
  }

  /** Whether an operator or a budget may let its violations stand. */
  public boolean isGated() {
    return budget() != null || approval() == Approval.REQUIRED;
  }

  public boolean rollsBack() {
    return onViolation != null && onViolation.rollbackTo() != null;
  }

  /** Whether violations that version {@code older}, or this one, found ask for rollback. */
  public boolean rollsBack(long older) {
    return rollsBack() && older >= rollsBackSince;
  }

  /** Whether violations of that grade, found by {@code older}, ask for rollback. */
  public boolean rollsBack(Grade grade, long older) {
    return rollsBack(older) && onViolation != null && grade.atLeast(onViolation.rollbackOn());
  }

  public boolean alerts(Grade grade) {
    return onViolation != null
        && !onViolation.alerts().isEmpty()
        && grade.atLeast(onViolation.alertOn());
  }

  public List<String> destinations() {
    return onViolation == null ? List.of() : onViolation.alerts();
  }

  /**
   * The HLC at which all terms of a violation began to hold together: its {@code violate}, or the
   * time of {@code for} before that; with {@code within}, the start of its trigger.
   */
  public long heldSince(Violation violation) {
    int clause = violation.getClause();
    if (clause >= clauses.size()) {
      return violation.getViolate();
    }
    return clauses.get(clause).isWithin()
        ? violation.getFirst()
        : violation.getViolate() - hlcs(clauses.get(clause).heldFor());
  }

  /** How much earlier than the {@code violate} of its violation a rollback may go, in HLCs. */
  public long goesBackAtMost() {
    return rollsBack() ? clauses.stream().mapToLong(Policy::goesBack).max().orElse(0) : 0;
  }

  private static long goesBack(ClauseShape clause) {
    return clause.rule() instanceof ClauseRule.Within within
        ? Hlc.ofMicros(within.micros() + EPSILON_MICROS_MAX)
        : hlcs(clause.goesBack());
  }

  private static long hlcs(Duration time) {
    return Hlc.ofMicros(time.toNanos() / 1_000);
  }

  public boolean goesBeforeFirstWitness() {
    return onViolation != null
        && onViolation.rollbackTo() == OnViolation.RollbackTarget.BEFORE_FIRST_WITNESS;
  }
}
