package io.palinode.orchestrator.rest;

import io.palinode.detection.witness.PortableWitness;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.Status;
import io.palinode.orchestrator.alert.TestedDestination;
import io.palinode.orchestrator.health.Finding;
import io.palinode.orchestrator.health.Judgement;
import io.palinode.orchestrator.health.NodeStatus;
import io.palinode.orchestrator.history.ApiHistory;
import io.palinode.orchestrator.history.Neighbourhood;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.policy.AppliedPredicate;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.rest.predicate.PredicateCheck;
import io.palinode.orchestrator.step.Unjudged;
import io.palinode.wire.v1.Violation;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The operations behind the API. Called by several threads of the server at once. */
public interface Backend {
  List<AppliedPredicate> predicates();

  @Nullable AppliedPredicate predicate(String name);

  /** The versions that nodes and the job have, the progress of rollbacks, and the changes. */
  ApiHistory history();

  /**
   * Returns what {@link #apply} of a document would do. Changes nothing. Throws {@link
   * io.palinode.predicate.text.PredicateException} if it would refuse the document.
   */
  PredicateCheck check(String document, String source);

  /**
   * Applies all predicates of a document.
   *
   * @param source names the document in errors, and a predicate without a name
   * @throws io.palinode.predicate.text.PredicateException if the document is refused; nothing is
   *     applied
   * @throws UnavailableException if it cannot be written, or is not in force in time; the message
   *     states whether it may be in force
   */
  List<AppliedPredicate> apply(String document, String source);

  /**
   * As {@link #apply}, for a document with the one predicate {@code name}.
   *
   * @param check receives the predicate in force, or null, and throws to refuse the change; no
   *     other change comes between
   */
  AppliedPredicate applyOne(
      String document, String name, Consumer<@Nullable AppliedPredicate> check);

  /**
   * Returns false if there is no such predicate.
   *
   * @param check as for {@link #applyOne}
   * @throws UnavailableException as for {@link #apply}
   */
  boolean delete(String name, Consumer<@Nullable AppliedPredicate> check);

  /** Deletes any version. */
  default boolean delete(String name) {
    return delete(name, present -> {});
  }

  /** The latest violations, latest first. */
  List<ReceivedViolation> violations(int limit);

  /** The violation of this id; null: unknown, or dropped. */
  @Nullable ReceivedViolation violation(String id);

  /**
   * The violation in a form that can be checked without the cluster; null: unknown, or dropped.
   *
   * @throws RefusedException if the predicate's text or a value is not known
   */
  @Nullable PortableWitness witness(String id) throws RefusedException;

  /**
   * The violation's neighbourhood, as far as the candidates topic has it. Waits for Kafka, up to 10
   * s. Throws {@link UnavailableException} if Kafka does not answer.
   */
  Neighbourhood neighbourhood(Violation violation);

  /** The latest rollbacks, latest first. */
  List<Rollback> rollbacks(int limit);

  /** The rollback of this epoch; null: unknown, or dropped. */
  @Nullable Rollback rollback(long epoch);

  OperatorBackend operator();

  SnapshotBackend snapshots();

  List<NodeStatus> nodes();

  Status status();

  /** All that judgement of the present waits for. */
  Judgement judgement();

  /** What an examination of the whole cluster finds. May wait for Kafka. */
  List<Finding> doctor();

  /** The latest unacknowledged coverage gaps, latest first. */
  List<Unjudged> unjudged();

  /**
   * Sends a test alert to {@code destination}, or to each of the operators' destinations if it is
   * null; returns their answers. Throws {@link IllegalArgumentException} for a refused destination.
   */
  List<TestedDestination> testAlerts(@Nullable String destination);

  /** Takes a line of the audit log, as JSON. Does not block. */
  void audit(String line);

  /** Prometheus's text format; null when there is no Prometheus registry. */
  @Nullable String scrape();
}
