package io.palinode.orchestrator.policy;

import java.time.Duration;

/**
 * The settings of the rollback protocol. Immutable.
 *
 * @param nodes the number of nodes, numbered from 0; a step waits for all of them
 * @param attemptsMax restores of one plan before it halts
 * @param nodeWait how long a plan waits before each alert
 * @param safePointEvery the least time between two safe points
 * @param policyWait how long a violation waits for its predicate to become known
 * @param coverageHold how long an unacknowledged coverage gap holds the safe point
 */
public record RollbackSettings(
    int nodes,
    int attemptsMax,
    Duration nodeWait,
    Duration safePointEvery,
    Duration policyWait,
    Duration coverageHold) {
  private static final int ATTEMPTS_MAX = 16;

  public RollbackSettings {
    if (nodes < 1) {
      throw new IllegalArgumentException("nodes must be at least 1: nodes=" + nodes);
    }
    if (attemptsMax < 1 || attemptsMax > ATTEMPTS_MAX) {
      throw new IllegalArgumentException(
          "attemptsMax must be in [1, " + ATTEMPTS_MAX + "]: attemptsMax=" + attemptsMax);
    }
    requirePositive("nodeWait", nodeWait);
    requirePositive("safePointEvery", safePointEvery);
    requirePositive("policyWait", policyWait);
    requirePositive("coverageHold", coverageHold);
  }

  public static RollbackSettings of(int nodes) {
    return new RollbackSettings(
        nodes,
        8,
        Duration.ofSeconds(10),
        Duration.ofMillis(50),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30));
  }

  public RollbackSettings withNodeWait(Duration wait) {
    return new RollbackSettings(nodes, attemptsMax, wait, safePointEvery, policyWait, coverageHold);
  }

  public static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }

  private static void requirePositive(String name, Duration value) {
    if (micros(value) < 1 || value.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(name + " must be in (0, 1 h]: " + name + "=" + value);
    }
  }
}
