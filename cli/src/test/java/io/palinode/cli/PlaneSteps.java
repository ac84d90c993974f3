package io.palinode.cli;

import static org.awaitility.Awaitility.await;

import io.palinode.launcher.ControlPlane;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.predicate.form.Predicates;
import io.palinode.wire.v1.Violation;
import java.time.Duration;
import java.util.List;

/** Steps of tests over nodes in stock servers. */
public final class PlaneSteps {
  private static final Duration BOUND = Duration.ofMinutes(2);

  private final ControlPlane plane;

  public PlaneSteps(ControlPlane plane) {
    this.plane = plane;
  }

  public void awaitJoined(int number, long incarnation) {
    await()
        .atMost(BOUND)
        .until(
            () ->
                plane.orchestrator().nodes().stream()
                    .anyMatch(
                        node ->
                            node.node() == number
                                && node.incarnation() == incarnation
                                && node.joinedMicros() > 0));
  }

  /**
   * Applies a predicate of one clause.
   *
   * @param forEach its capture
   */
  public void apply(String name, String forEach, String... terms) {
    StringBuilder yaml =
        new StringBuilder(
            """
            apiVersion: palinode.io/v1
            kind: Predicate
            metadata: {name: %2$s}
            spec:
              forEach: {%1$s: "{%1$s}"}
              replicas: any
              violation:
                - all:
            """
                .formatted(forEach, name));
    for (String term : terms) {
      yaml.append("      - ").append(term).append('\n');
    }
    plane.apply(Predicates.parse(yaml.toString(), name));
  }

  public List<Violation> violations(String predicate) {
    return plane.orchestrator().violations(1_000).stream()
        .map(ReceivedViolation::violation)
        .filter(violation -> violation.getPredicate().equals(predicate))
        .toList();
  }

  public Violation awaitViolation(String predicate) {
    return await().atMost(BOUND).until(() -> violations(predicate), list -> !list.isEmpty()).get(0);
  }
}
