package io.palinode.examples.graph.run;

import io.palinode.examples.graph.Graph;
import io.palinode.examples.graph.Partition;
import java.time.Duration;

/**
 * A run of the colouring.
 *
 * @param clients each with a thread; at most as many as vertices
 * @param seed of the back-offs
 * @param lockWaitMax a longer wait for one lock is an error. In a slow network a section takes long
 *     (six puts an edge), and waits add up along a chain of neighbours
 */
public record RunConfig(
    Graph graph, int clients, Load load, long seed, Duration lockWaitMax, End end) {
  public static final int ROUNDS_MAX = 100_000;
  public static final int WORK_OPERATIONS_MAX = 100_000;
  public static final int WORK_OPERATIONS_DEFAULT = 20;
  public static final int PUT_PERCENT_DEFAULT = 50;
  public static final Duration LOCK_WAIT_MAX_DEFAULT = Duration.ofSeconds(30);
  public static final Duration SAFE_WAIT_MAX_DEFAULT = Duration.ofMinutes(2);

  /**
   * What is coloured.
   *
   * @param rounds how often each vertex is coloured
   * @param workOperations ordinary gets and puts before each section
   * @param putPercent of these that are puts
   * @param hubs 0: all vertices are coloured; else only so many of those with most neighbours,
   *     which the clients share out so that they are in each other's way. The others are to have
   *     colours
   */
  public record Load(int rounds, int workOperations, int putPercent, int hubs) {}

  /**
   * The end of a client.
   *
   * @param waitMax a longer wait for the safe point, or for the last writes to reach all replicas,
   *     is an error
   */
  public record End(Finish finish, Duration waitMax) {}

  /** When a client is done. */
  public enum Finish {
    /** After its last write: for a store that is not watched. */
    WRITTEN,
    /** Once no rollback can discard its work: for a store that is watched. */
    SAFE
  }

  public RunConfig {
    requireIn("clients", clients, 1, graph.vertices());
    requireIn("rounds", load.rounds, 1, ROUNDS_MAX);
    requireIn("workOperations", load.workOperations, 0, WORK_OPERATIONS_MAX);
    requireIn("putPercent", load.putPercent, 0, 100);
    requirePositive("lockWaitMax", lockWaitMax);
    requirePositive("safeWaitMax", end.waitMax);
    requireIn("hubs", load.hubs, 0, graph.vertices());
    requireIn("tasks", (long) load.rounds * graph.vertices(), 1, Journal.TASKS_MAX);
  }

  /** With the defaults, for a store that is watched. */
  public static RunConfig of(Graph graph, int clients, int rounds, long seed) {
    return new RunConfig(
        graph,
        clients,
        new Load(rounds, WORK_OPERATIONS_DEFAULT, PUT_PERCENT_DEFAULT, 0),
        seed,
        LOCK_WAIT_MAX_DEFAULT,
        new End(Finish.SAFE, SAFE_WAIT_MAX_DEFAULT));
  }

  public RunConfig withWorkOperations(int workOperations) {
    return with(new Load(load.rounds, workOperations, load.putPercent, load.hubs));
  }

  public RunConfig withPutPercent(int putPercent) {
    return with(new Load(load.rounds, load.workOperations, putPercent, load.hubs));
  }

  public RunConfig withHubs(int hubs) {
    return with(new Load(load.rounds, load.workOperations, load.putPercent, hubs));
  }

  private RunConfig with(Load newLoad) {
    return new RunConfig(graph, clients, newLoad, seed, lockWaitMax, end);
  }

  public RunConfig withLockWaitMax(Duration newLockWaitMax) {
    return new RunConfig(graph, clients, load, seed, newLockWaitMax, end);
  }

  public RunConfig withFinish(Finish finish, Duration waitMax) {
    return new RunConfig(graph, clients, load, seed, lockWaitMax, new End(finish, waitMax));
  }

  Partition partition() {
    return load.hubs == 0
        ? Partition.of(graph, clients)
        : Partition.ofHubs(graph, clients, load.hubs);
  }

  /** Of all clients. */
  public int tasks() {
    return load.rounds * (load.hubs == 0 ? graph.vertices() : load.hubs);
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
