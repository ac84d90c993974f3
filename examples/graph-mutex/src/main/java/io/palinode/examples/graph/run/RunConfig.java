package io.palinode.examples.graph.run;

import io.palinode.examples.graph.Graph;
import io.palinode.examples.graph.Partition;
import java.time.Duration;

/**
 * A run of the colouring.
 *
 * @param clients each with a thread; at most as many as vertices
 * @param rounds how often each vertex is coloured
 * @param workOperations ordinary gets and puts before each section
 * @param seed of the back-offs
 * @param lockWaitMax a longer wait for one lock is an error. In a slow network a section takes long
 *     (six puts an edge), and waits add up along a chain of neighbours
 * @param finish when a client is done
 * @param safeWaitMax a longer wait for the safe point, or for the last writes to reach all
 *     replicas, is an error
 * @param hubs 0: all vertices are coloured; else only so many of those with most neighbours, which
 *     the clients share out so that they are in each other's way. The others are to have colours
 */
public record RunConfig(
    Graph graph,
    int clients,
    int rounds,
    int workOperations,
    long seed,
    Duration lockWaitMax,
    Finish finish,
    Duration safeWaitMax,
    int hubs) {
  public static final int ROUNDS_MAX = 100_000;
  public static final int WORK_OPERATIONS_MAX = 100_000;
  public static final int WORK_OPERATIONS_DEFAULT = 20;
  public static final Duration LOCK_WAIT_MAX_DEFAULT = Duration.ofSeconds(30);
  public static final Duration SAFE_WAIT_MAX_DEFAULT = Duration.ofMinutes(2);

  /** When a client is done. */
  public enum Finish {
    /** After its last write: for a store that is not watched. */
    WRITTEN,
    /** Once no rollback can discard its work: for a store that is watched. */
    SAFE
  }

  public RunConfig {
    requireIn("clients", clients, 1, graph.vertices());
    requireIn("rounds", rounds, 1, ROUNDS_MAX);
    requireIn("workOperations", workOperations, 0, WORK_OPERATIONS_MAX);
    requirePositive("lockWaitMax", lockWaitMax);
    requirePositive("safeWaitMax", safeWaitMax);
    requireIn("hubs", hubs, 0, graph.vertices());
    requireIn("tasks", (long) rounds * graph.vertices(), 1, Journal.TASKS_MAX);
  }

  /** With the defaults, for a store that is watched. */
  public static RunConfig of(Graph graph, int clients, int rounds, long seed) {
    return new RunConfig(
        graph,
        clients,
        rounds,
        WORK_OPERATIONS_DEFAULT,
        seed,
        LOCK_WAIT_MAX_DEFAULT,
        Finish.SAFE,
        SAFE_WAIT_MAX_DEFAULT,
        0);
  }

  public RunConfig withWorkOperations(int newWorkOperations) {
    return new RunConfig(
        graph, clients, rounds, newWorkOperations, seed, lockWaitMax, finish, safeWaitMax, hubs);
  }

  public RunConfig withLockWaitMax(Duration newLockWaitMax) {
    return new RunConfig(
        graph, clients, rounds, workOperations, seed, newLockWaitMax, finish, safeWaitMax, hubs);
  }

  public RunConfig withFinish(Finish newFinish, Duration newSafeWaitMax) {
    return new RunConfig(
        graph, clients, rounds, workOperations, seed, lockWaitMax, newFinish, newSafeWaitMax, hubs);
  }

  public RunConfig withHubs(int newHubs) {
    return new RunConfig(
        graph, clients, rounds, workOperations, seed, lockWaitMax, finish, safeWaitMax, newHubs);
  }

  Partition partition() {
    return hubs == 0 ? Partition.of(graph, clients) : Partition.ofHubs(graph, clients, hubs);
  }

  /** Of all clients. */
  public int tasks() {
    return rounds * (hubs == 0 ? graph.vertices() : hubs);
  }

  private static void requireIn(String what, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          what + " must be in [" + min + ", " + max + "]: " + what + "=" + value);
    }
  }

  private static void requirePositive(String what, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(what + " must be positive: " + what + "=" + value);
    }
  }
}
