package io.palinode.detection.search;

import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The consistent cut with the least sum (Chase and Garg, "Efficient Detection of Restricted Classes
 * of Global Predicates", WDAG 1995). A cut chooses one state of each chain, no two of which are
 * ordered.
 *
 * <p>Consistent cuts are a lattice: between the first and the last one, "chain b has come to its
 * state j" requires of every other chain a that it has come to the first state that is not too
 * early for j. To come from one state to the next costs the difference of their weights. So the cut
 * with the least sum is a closure of least weight, and that is a minimum cut of a network with a
 * node for each state (Picard 1976). Polynomial: O(states² · requirements) at worst, with at most
 * chains · states requirements; and mostly far less.
 *
 * <p>Pure; nothing is kept between calls.
 */
final class LeastSum {
  /** States in their order, and which are too early for which. */
  interface Chains {
    int chains();

    int size(int chain);

    BigDecimal weight(int chain, int state);

    /**
     * Whether {@code state} of {@code chain} ends too early for {@code laterState} of {@code
     * other}. If so, it is for all states after {@code laterState}; and all states before {@code
     * state} are too early as well. Where that does not hold, what {@link #cut} finds may not be
     * consistent.
     */
    boolean isTooEarly(int chain, int state, int other, int laterState);

    /** Called for each path of the flow; may throw to end the search. */
    default void look() {}
  }

  private final Chains chains;
  private final int[] first;
  private final int[] last;
  // The network's node of the first state of a chain after its first one.
  private final int[] nodes;

  private LeastSum(Chains chains) {
    this.chains = chains;
    this.first = new int[chains.chains()];
    this.last = new int[chains.chains()];
    Arrays.setAll(last, chain -> chains.size(chain) - 1);
    this.nodes = new int[chains.chains() + 1];
  }

  /** The state of each chain on such a cut; null when no cut is consistent. */
  static int @Nullable [] cut(Chains chains) {
    LeastSum search = new LeastSum(chains);
    return search.findEnds() ? search.least() : null;
  }

  /** The first and the last consistent cut. */
  private boolean findEnds() {
    boolean moved = true;
    while (moved) {
      moved = false;
      for (int a = 0; a < first.length; a++) {
        for (int b = 0; b < first.length; b++) {
          while (first[a] < chains.size(a) && isTooEarly(a, first[a], b, first[b])) {
            first[a]++;
            moved = true;
          }
          if (first[a] == chains.size(a)) {
            return false;
          }
          // The last state of a is too early for it: nothing of a goes with it.
          while (last[b] > first[b] && isTooEarly(a, last[a], b, last[b])) {
            last[b]--;
            moved = true;
          }
        }
      }
    }
    return true;
  }

  private boolean isTooEarly(int a, int state, int b, int later) {
    return a != b && chains.isTooEarly(a, state, b, later);
  }

  private int[] least() {
    for (int chain = 0; chain < first.length; chain++) {
      nodes[chain + 1] = nodes[chain] + last[chain] - first[chain];
    }
    MinimumCut network = new MinimumCut(nodes[first.length], chains::look);
    for (int chain = 0; chain < first.length; chain++) {
      addSteps(network, chain);
      for (int other = 0; other < first.length; other++) {
        if (other != chain) {
          addRequirements(network, chain, other);
        }
      }
    }
    boolean[] taken = network.sourceSide();
    int[] cut = first.clone();
    for (int chain = 0; chain < cut.length; chain++) {
      while (cut[chain] < last[chain] && taken[node(chain, cut[chain] + 1)]) {
        cut[chain]++;
      }
    }
    return cut;
  }

  private int node(int chain, int state) {
    return nodes[chain] + state - first[chain] - 1;
  }

  private void addSteps(MinimumCut network, int chain) {
    for (int state = first[chain] + 1; state <= last[chain]; state++) {
      BigDecimal cost = chains.weight(chain, state).subtract(chains.weight(chain, state - 1));
      network.addCost(node(chain, state), cost);
      if (state > first[chain] + 1) {
        network.addRequirement(node(chain, state), node(chain, state - 1));
      }
    }
  }

  /** What the states of {@code chain} require of {@code other}. */
  private void addRequirements(MinimumCut network, int chain, int other) {
    int required = first[other];
    for (int state = first[chain] + 1; state <= last[chain]; state++) {
      int before = required;
      while (required < last[other] && isTooEarly(other, required, chain, state)) {
        required++;
      }
      if (required > before) {
        network.addRequirement(node(chain, state), node(other, required));
      }
    }
  }

  /** What it costs least to take: a closed set of nodes, by the flow algorithm of Dinic (1970). */
  private static final class MinimumCut {
    private final int source;
    private final int sink;
    private final List<List<Edge>> edges = new ArrayList<>();
    private BigDecimal unbounded = BigDecimal.ONE;
    private final int[] level;
    private final int[] next;
    private final Runnable look;

    /** What may still flow; its reverse edge reduces the flow. */
    private static final class Edge {
      private final int to;
      private @Nullable BigDecimal left;
      private @Nullable Edge reverse;

      /** {@code left} null: whatever comes. */
      Edge(int to, @Nullable BigDecimal left) {
        this.to = to;
        this.left = left;
      }

      int from() {
        return Objects.requireNonNull(reverse, "every edge has a reverse").to;
      }

      boolean isOpen() {
        return left == null || left.signum() > 0;
      }

      BigDecimal atMost(BigDecimal flow) {
        return left == null ? flow : left.min(flow);
      }

      void push(BigDecimal flow) {
        left = left == null ? null : left.subtract(flow);
        Edge back = reverse;
        if (back != null && back.left != null) {
          back.left = back.left.add(flow);
        }
      }
    }

    MinimumCut(int nodes, Runnable look) {
      this.look = look;
      this.source = nodes;
      this.sink = nodes + 1;
      this.level = new int[nodes + 2];
      this.next = new int[nodes + 2];
      for (int node = 0; node < nodes + 2; node++) {
        edges.add(new ArrayList<>());
      }
    }

    /** What taking {@code node} costs; less than nothing is a gain. */
    void addCost(int node, BigDecimal cost) {
      if (cost.signum() < 0) {
        add(source, node, cost.negate());
        unbounded = unbounded.subtract(cost);
      } else if (cost.signum() > 0) {
        add(node, sink, cost);
      }
    }

    /** A cut with {@code node} contains {@code required}. */
    void addRequirement(int node, int required) {
      add(node, required, null);
    }

    private void add(int from, int to, @Nullable BigDecimal capacity) {
      Edge edge = new Edge(to, capacity);
      Edge back = new Edge(from, BigDecimal.ZERO);
      edge.reverse = back;
      back.reverse = edge;
      edges.get(from).add(edge);
      edges.get(to).add(back);
    }

    /** What to take: the nodes that the source still reaches when no more can flow. */
    boolean[] sourceSide() {
      while (reachesSink()) {
        Arrays.fill(next, 0);
        while (augment()) {
          look.run();
        }
      }
      boolean[] reached = new boolean[source];
      for (int node = 0; node < source; node++) {
        reached[node] = level[node] >= 0;
      }
      return reached;
    }

    /** Breadth first: the distance of every node that can still be reached. */
    private boolean reachesSink() {
      Arrays.fill(level, -1);
      level[source] = 0;
      List<Integer> reached = new ArrayList<>(List.of(source));
      for (int i = 0; i < reached.size(); i++) {
        for (Edge edge : edges.get(reached.get(i))) {
          if (edge.isOpen() && level[edge.to] < 0) {
            level[edge.to] = level[reached.get(i)] + 1;
            reached.add(edge.to);
          }
        }
      }
      return level[sink] >= 0;
    }

    /**
     * Sends what fits along one more path; false when there is none. Not by recursion: a path may
     * be as long as a chain.
     */
    private boolean augment() {
      ArrayDeque<Edge> path = new ArrayDeque<>();
      int node = source;
      while (node != sink) {
        Edge edge = nextEdge(node);
        if (edge != null) {
          path.addLast(edge);
          node = edge.to;
        } else if (path.isEmpty()) {
          return false;
        } else {
          // Nothing leads on from here.
          node = path.removeLast().from();
          next[node]++;
        }
      }
      BigDecimal flow = unbounded;
      for (Edge edge : path) {
        flow = edge.atMost(flow);
      }
      for (Edge edge : path) {
        edge.push(flow);
      }
      return true;
    }

    private @Nullable Edge nextEdge(int node) {
      for (; next[node] < edges.get(node).size(); next[node]++) {
        Edge edge = edges.get(node).get(next[node]);
        if (edge.isOpen() && level[edge.to] == level[node] + 1) {
          return edge;
        }
      }
      return null;
    }
  }
}
