package io.palinode.cli.demo;

import io.palinode.cli.terminal.Refusal;
import io.palinode.examples.graph.Rule;
import io.palinode.hvc.Grade;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.OnViolation.RollbackTarget;
import io.palinode.predicate.OnViolation.WhenFrequent;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.Predicates;
import io.palinode.predicate.ReplicaRule;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What the watched mode watches. */
final class WatchedPredicates {
  private static final OnViolation TAKE_BACK =
      new OnViolation(
          RollbackTarget.BEFORE_VIOLATION,
          Grade.POSSIBLE,
          Grade.POSSIBLE,
          List.of(),
          new WhenFrequent(3, Duration.ofSeconds(5)));

  private WatchedPredicates() {}

  /**
   * The predicates of {@code files}, or the application's own. The paper's form says nothing of
   * rollback: the demo adds it.
   */
  static List<Predicate> of(List<Path> files) {
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
    return predicates.stream().map(WatchedPredicates::takenBack).toList();
  }

  private static Predicate takenBack(Predicate predicate) {
    return predicate.onViolation().rollbackTo() != null
        ? predicate
        : predicate.withOnViolation(TAKE_BACK).withReplicas(ReplicaRule.FIRST);
  }
}
