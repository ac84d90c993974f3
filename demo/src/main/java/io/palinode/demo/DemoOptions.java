package io.palinode.demo;

import io.palinode.demo.report.Mode;
import io.palinode.examples.graph.Graph;
import io.palinode.hvc.Epsilon;
import io.palinode.terminal.Refusal;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the demo is asked to do, checked. */
public record DemoOptions(
    DemoGraph graph, List<Mode> modes, long seed, Site site, Load load, Watch watch) {

  private static final int NODES_MAX = 16;
  private static final int CLIENTS_MAX = 256;

  /**
   * Where it runs.
   *
   * @param nodes store nodes of the demo's own
   * @param replicas of a key on these
   * @param external null: on store nodes of the demo's own
   * @param data where files go; null: a temporary folder, removed afterwards unless {@code keep}
   */
  public record Site(
      int nodes,
      int replicas,
      Network network,
      @Nullable ExternalCluster external,
      @Nullable Path data,
      boolean keep) {
    private static final int USUAL_REPLICAS = 3;

    /** As many replicas as users of so many nodes mostly have. */
    public static int usualReplicas(int nodes) {
      return Math.min(USUAL_REPLICAS, nodes);
    }
  }

  /**
   * What clients do.
   *
   * @param rounds 0: as many as suit the graph and the network
   * @param work ordinary operations before each section
   * @param putPercent of these that are puts
   * @param conflict how much the clients are in each other's way
   */
  public record Load(int clients, int rounds, int work, int putPercent, Conflict conflict) {
    public Load withPutPercent(int percent) {
      return new Load(clients, rounds, work, percent, conflict);
    }

    public Load withConflict(Conflict other) {
      return new Load(clients, rounds, work, putPercent, other);
    }
  }

  /**
   * What is watched.
   *
   * @param predicates empty: the application's own two
   * @param judgedBy which replica rules; null: the one that each predicate names
   */
  public record Watch(List<Path> predicates, @Nullable JudgedBy judgedBy, Epsilon epsilon) {
    public Watch {
      predicates = List.copyOf(predicates);
    }
  }

  public DemoOptions {
    int nodes = site.nodes;
    int clients = load.clients;
    require(
        nodes >= 1 && nodes <= NODES_MAX, "--nodes must be in [1, " + NODES_MAX + "]: " + nodes);
    require(
        clients >= 1 && clients <= CLIENTS_MAX,
        "--clients must be in [1, " + CLIENTS_MAX + "]: " + clients);
    require(
        clients <= graph.graph().vertices(),
        "--clients must not be more than the graph's %d vertices: %d"
            .formatted(graph.graph().vertices(), clients));
    require(load.rounds >= 0, "--rounds must not be negative: " + load.rounds);
    require(load.work >= 0, "--work must not be negative: " + load.work);
    require(
        load.putPercent >= 0 && load.putPercent <= 100,
        "--put-share must be in [0, 100] percent: " + load.putPercent);
    require(
        !modes.isEmpty(), "--modes needs at least one of sequential, eventual, alerting, watched");
    require(
        site.external == null || watch.judgedBy == null || watch.judgedBy == JudgedBy.FIRST,
        "--replicas any and both are not to be had with --store-address: they need the candidates in the demo's own Kafka");
    modes = List.copyOf(modes);
  }

  private static void require(boolean holds, String rule) {
    if (!holds) {
      throw new Refusal(rule);
    }
  }

  /** How much the clients are in each other's way. */
  public enum Conflict {
    /** Each has a region of the graph. */
    USUAL,
    /** All work on the vertices with most neighbours, whose neighbours are other clients'. */
    HIGH;

    private static final int HUBS_PER_CLIENT = 1;
  }

  /** The vertices that clients work on in the measured run; 0: all. */
  int hubs() {
    return load.conflict == Conflict.USUAL
        ? 0
        : Math.min(graph.graph().vertices(), Conflict.HUBS_PER_CLIENT * load.clients);
  }

  /** The delay between clients and nodes. */
  public enum Network {
    NONE,
    REGIONAL,
    CONTINENTAL,
    GLOBAL;

    private static final int CONTINENTAL_VERTICES_MAX = 300;

    /** Slow enough to go wrong, and fast enough that every vertex's turn comes within minutes. */
    public static Network suiting(Graph graph) {
      return graph.vertices() <= CONTINENTAL_VERTICES_MAX ? CONTINENTAL : REGIONAL;
    }
  }
}
