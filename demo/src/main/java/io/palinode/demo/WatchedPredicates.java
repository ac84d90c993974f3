package io.palinode.demo;

import io.palinode.examples.graph.Rule;
import io.palinode.hvc.Grade;
import io.palinode.predicate.Clause;
import io.palinode.predicate.LocalPredicate;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.OnViolation.RollbackRules;
import io.palinode.predicate.OnViolation.RollbackTarget;
import io.palinode.predicate.OnViolation.WhenFrequent;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.ReplicaRule;
import io.palinode.predicate.Term;
import io.palinode.predicate.form.Predicates;
import io.palinode.terminal.Refusal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the watching modes watch. */
final class WatchedPredicates {
  private static final OnViolation ROLL_BACK =
      new OnViolation(
          RollbackTarget.BEFORE_VIOLATION,
          Grade.POSSIBLE,
          Grade.POSSIBLE,
          List.of(),
          RollbackRules.of(new WhenFrequent(3, Duration.ofSeconds(5))));
  private static final OnViolation LISTEN =
      new OnViolation(null, Grade.POSSIBLE, Grade.POSSIBLE, List.of(), RollbackRules.DEFAULT);

  private WatchedPredicates() {}

  /**
   * The predicates of {@code files}, or the application's own. The paper's form says nothing of
   * rollback: the demo adds it.
   *
   * @param judgedBy null: by the rule that each predicate names
   */
  static List<Predicate> of(List<Path> files, @Nullable JudgedBy judgedBy) {
    List<Predicate> predicates = new ArrayList<>();
    if (files.isEmpty()) {
      for (Rule rule : Rule.values()) {
        predicates.add(Predicates.parse(rule.yaml(), rule.predicate() + ".yaml"));
      }
    }
    for (Path file : files) {
      try {
        predicates.addAll(Predicates.readAll(file));
      } catch (IOException e) {
        throw new Refusal("--predicate: the file " + file + " cannot be read (" + e + ")", e);
      }
    }
    return predicates.stream()
        .map(WatchedPredicates::withRollback)
        .flatMap(predicate -> judged(predicate, judgedBy))
        .toList();
  }

  /** The same predicates, but what they find stands. */
  static List<Predicate> alerting(List<Predicate> predicates) {
    return predicates.stream().map(WatchedPredicates::alerting).toList();
  }

  /** The same predicates, of keys of {@code store} alone where they name no store. */
  static List<Predicate> inStore(List<Predicate> predicates, String store) {
    return predicates.stream().map(predicate -> inStore(predicate, store)).toList();
  }

  private static Predicate inStore(Predicate predicate, String store) {
    return new Predicate(
        predicate.name(),
        predicate.labels(),
        predicate.type(),
        predicate.epsilon(),
        predicate.uncertainty(),
        predicate.replicas(),
        predicate.forEach(),
        predicate.where(),
        predicate.violation().stream().map(clause -> inStore(clause, store)).toList(),
        predicate.onViolation());
  }

  private static Clause inStore(Clause clause, String store) {
    return new Clause(
        clause.rule(),
        clause.of().stream()
            .map(
                local ->
                    new LocalPredicate(
                        local.terms().stream()
                            .map(
                                term ->
                                    term.store() == null
                                        ? new Term(store, term.variable(), term.comparison())
                                        : term)
                            .toList()))
            .toList());
  }

  private static Predicate withRollback(Predicate predicate) {
    return predicate.onViolation().rollbackTo() != null
        ? predicate
        : predicate.withOnViolation(ROLL_BACK).withReplicas(ReplicaRule.FIRST);
  }

  private static Predicate alerting(Predicate predicate) {
    OnViolation acts = predicate.onViolation();
    return predicate.withOnViolation(
        new OnViolation(
            null, acts.rollbackOn(), acts.alertOn(), acts.alerts(), RollbackRules.DEFAULT));
  }

  private static Stream<Predicate> judged(Predicate predicate, @Nullable JudgedBy judgedBy) {
    if (judgedBy == null) {
      return Stream.of(predicate);
    }
    try {
      return switch (judgedBy) {
        case FIRST -> Stream.of(predicate.withReplicas(ReplicaRule.FIRST));
        case ANY -> Stream.of(predicate.withReplicas(ReplicaRule.ANY));
        case BOTH -> Stream.of(predicate.withReplicas(ReplicaRule.FIRST), listener(predicate));
      };
    } catch (IllegalArgumentException e) {
      throw new Refusal("--replicas: " + e.getMessage(), e);
    }
  }

  /** By {@code any}, silent: what it finds beyond the other is a phantom or a repeat. */
  private static Predicate listener(Predicate predicate) {
    return predicate
        .withName(predicate.name() + "-any")
        .withReplicas(ReplicaRule.ANY)
        .withOnViolation(LISTEN);
  }
}
