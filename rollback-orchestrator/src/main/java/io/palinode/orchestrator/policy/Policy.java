package io.palinode.orchestrator.policy;

import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.OnViolation.Approval;
import io.palinode.predicate.OnViolation.Budget;
import io.palinode.predicate.Predicate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the protocol needs of a version of a predicate.
 *
 * @param onViolation null: the predicate was deleted, and its violations cause nothing
 * @param clauses what makes each clause true
 * @param sinceMicros when the version was applied, wall clock; 0: nobody knows
 * @param rollsBackSince the first version from which on, up to this one, all want rollbacks; 0:
 *     nobody knows, or this one wants none
 */
public record Policy(
    String predicate,
    long version,
    @Nullable OnViolation onViolation,
    List<ClauseShape> clauses,
    long sinceMicros,
    long rollsBackSince) {
  /** By then all nodes that serve watch a version that was applied. */
  private static final long BEGINS_MICROS_MAX = 10_000_000;

  public Policy {
    clauses = List.copyOf(clauses);
  }

  /** Of a version that was always there. */
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

  /**
   * {@code rollsBackSince} of this version when {@code before} is the one before it; null: none.
   */
  public long rollsBackSince(@Nullable Policy before) {
    if (!rollsBack()) {
      return 0;
    }
    return before == null || !before.rollsBack() ? version : before.rollsBackSince();
  }

  /** Whether what held at that time may have begun before anyone watched. */
  public boolean mayBeOlder(long hlc) {
    return sinceMicros > 0 && Hlc.micros(hlc) <= sinceMicros + BEGINS_MICROS_MAX;
  }

  public @Nullable Budget budget() {
    return onViolation == null ? null : onViolation.budget();
  }

  public Approval approval() {
    return onViolation == null ? Approval.AUTOMATIC : onViolation.approval();
  }

  /** Its violations may stand though it asks for rollback. */
  public boolean isGated() {
    return budget() != null || approval() == Approval.REQUIRED;
  }

  public boolean rollsBack() {
    return onViolation != null && onViolation.rollbackTo() != null;
  }

  /** Also what was found by {@code older}, an earlier version or this one. */
  public boolean rollsBack(long older) {
    return rollsBack() && older >= rollsBackSince;
  }

  /** Violations of that grade, found by {@code older}. */
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

  public boolean goesBeforeFirstWitness() {
    return onViolation != null
        && onViolation.rollbackTo() == OnViolation.RollbackTarget.BEFORE_FIRST_WITNESS;
  }
}
