package io.palinode.orchestrator.rest;

import io.palinode.detection.witness.PortableWitness;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.Status;
import io.palinode.orchestrator.health.Judgement;
import io.palinode.orchestrator.health.NodeStatus;
import io.palinode.orchestrator.history.WatchedVersions;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.policy.AppliedPredicate;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.step.Unjudged;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the API speaks for. Called by the server's threads, several at once. */
public interface Backend extends SnapshotBackend, RollbackBackend {
  List<AppliedPredicate> predicates();

  @Nullable AppliedPredicate predicate(String name);

  /** Who has which version of the predicates. */
  WatchedVersions watched();

  /**
   * Puts all predicates of a document in force.
   *
   * @param source names the document in errors, and a predicate that has no name
   * @throws io.palinode.predicate.text.PredicateException when the document is refused; nothing is
   *     applied then
   * @throws UnavailableException when it cannot be written, or is not seen to be in force in time;
   *     it says whether it may be in force
   */
  List<AppliedPredicate> apply(String document, String source);

  /** As {@link #apply}, of a document that holds the one predicate {@code name}. */
  AppliedPredicate applyOne(String document, String name);

  /**
   * False when there is no such predicate.
   *
   * @throws UnavailableException as for {@link #apply}
   */
  boolean delete(String name);

  /** The latest first. */
  List<ReceivedViolation> violations(int limit);

  /** Null when none of this id is remembered. */
  @Nullable ReceivedViolation violation(String id);

  /**
   * The violation as one that can be checked without the cluster; null when none of this id is
   * remembered.
   *
   * @throws RefusedException when the text of the predicate in that version is no longer known, or
   *     the record does not say enough
   */
  @Nullable PortableWitness witness(String id) throws RefusedException;

  /** The latest first. */
  List<Rollback> rollbacks(int limit);

  /**
   * Retries a halted rollback, or abandons an open one; returns before it ends.
   *
   * @throws RefusedException if it is not open, or not halted, or this cannot help it
   * @throws UnavailableException when the orchestrator has stopped, or Kafka does not answer
   */
  void intervene(long epoch, Intervention intervention) throws RefusedException;

  /**
   * Asks for the end of an open rollback with the data that each node has; returns before it ends.
   *
   * @param stopped nodes that do not run
   * @throws RefusedException if there is no such rollback or node, or all nodes are stopped
   * @throws UnavailableException when the orchestrator has stopped
   */
  void endAsIs(long epoch, Set<Integer> stopped) throws RefusedException;

  List<NodeStatus> nodes();

  Status status();

  /** What the verdict on the present waits for. */
  Judgement judgement();

  /** The latest coverage gaps that are not acknowledged, the latest first. */
  List<Unjudged> unjudged();

  /**
   * Acknowledges all coverage gaps up to this number, and abandoned plans. Returns when the control
   * log has the acknowledgement.
   *
   * @throws UnavailableException when the orchestrator has stopped, or the log does not take it
   */
  void acknowledgeCoverage(long toNumber);

  /** Prometheus's text format; null when there is no Prometheus registry. */
  @Nullable String scrape();
}
