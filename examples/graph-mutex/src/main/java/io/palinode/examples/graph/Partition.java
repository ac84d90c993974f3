package io.palinode.examples.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Which client works on which vertex. The same graph gives the same partition. Immutable. */
public final class Partition {
  private static final int NO_CLIENT = -1;

  private final Graph graph;
  private final int clients;
  private final int[] owner;

  private Partition(Graph graph, int clients, int[] owner) {
    this.graph = graph;
    this.clients = clients;
    this.owner = owner;
  }

  /**
   * Regions of near equal size, grown so that few edges cross. Sizes differ by one at most. O(edges
   * · log vertices).
   */
  public static Partition of(Graph graph, int clients) {
    Graph.requireCount("clients", clients, 1, graph.vertices());
    Regions regions = new Regions(graph);
    for (int client = 0; client < clients; client++) {
      // Spreads the remainder evenly: sizes are the differences of rounded-down multiples.
      long end = (long) (client + 1) * graph.vertices() / clients;
      long begin = (long) client * graph.vertices() / clients;
      regions.grow(client, (int) (end - begin));
    }
    return new Partition(graph, clients, regions.owner);
  }

  /**
   * The {@code hubs} vertices with most neighbours, dealt out in turn, so that most of the edges
   * between them cross; no client works on the others, and no edge to one has a lock.
   */
  public static Partition ofHubs(Graph graph, int clients, int hubs) {
    Graph.requireCount("hubs", hubs, clients, graph.vertices());
    int[] owner = new int[graph.vertices()];
    Arrays.fill(owner, NO_CLIENT);
    List<Integer> byDegree =
        IntStream.range(0, graph.vertices())
            .boxed()
            .sorted(Comparator.comparingInt(graph::degree).reversed())
            .limit(hubs)
            .toList();
    for (int i = 0; i < hubs; i++) {
      owner[byDegree.get(i)] = i % clients;
    }
    return new Partition(graph, clients, owner);
  }

  public Graph graph() {
    return graph;
  }

  public int clients() {
    return clients;
  }

  public int owner(int vertex) {
    return owner[vertex];
  }

  /** In ascending order. */
  public List<Integer> verticesOf(int client) {
    List<Integer> vertices = new ArrayList<>();
    for (int v = 0; v < owner.length; v++) {
      if (owner[v] == client) {
        vertices.add(v);
      }
    }
    return List.copyOf(vertices);
  }

  public boolean crosses(Edge edge) {
    int a = owner[edge.a()];
    int b = owner[edge.b()];
    return a != b && a != NO_CLIENT && b != NO_CLIENT;
  }

  /** The edges with locks, in ascending order. */
  public List<Edge> crossEdges() {
    return graph.edges().stream().filter(this::crosses).toList();
  }

  /** The edges with locks at {@code vertex}, in ascending order. */
  public List<Edge> crossEdges(int vertex) {
    return Arrays.stream(graph.neighbours(vertex))
        .mapToObj(w -> Edge.between(vertex, w))
        .filter(this::crosses)
        .sorted()
        .toList();
  }

  /**
   * Grows one region after the other by the free vertex at its border that has most neighbours
   * inside, and fewest free ones; each region begins at a vertex of least degree.
   */
  private static final class Regions {
    final int[] owner;
    private final Graph graph;
    private final int[] inside;
    private final int[] free;
    private final Iterator<Integer> beginnings;
    private final TreeSet<Integer> border =
        new TreeSet<>(
            Comparator.comparingInt(this::worth).reversed().thenComparing(Function.identity()));

    Regions(Graph graph) {
      this.graph = graph;
      owner = new int[graph.vertices()];
      Arrays.fill(owner, NO_CLIENT);
      inside = new int[graph.vertices()];
      free = IntStream.range(0, graph.vertices()).map(graph::degree).toArray();
      beginnings =
          IntStream.range(0, graph.vertices())
              .boxed()
              .sorted(Comparator.comparingInt(graph::degree))
              .iterator();
    }

    void grow(int client, int size) {
      border.forEach(vertex -> inside[vertex] = 0);
      border.clear();
      for (int left = size; left > 0; left--) {
        Integer next = border.pollFirst();
        take(client, next == null ? nextBeginning() : next);
      }
    }

    /** The region is new, or shut in. */
    private int nextBeginning() {
      int vertex = beginnings.next();
      while (owner[vertex] != NO_CLIENT) {
        vertex = beginnings.next();
      }
      return vertex;
    }

    private void take(int client, int vertex) {
      owner[vertex] = client;
      for (int w : graph.neighbours(vertex)) {
        if (owner[w] == NO_CLIENT) {
          border.remove(w); // its place in the order changes
          inside[w]++;
          free[w]--;
          border.add(w);
        }
      }
    }

    private int worth(int vertex) {
      return 2 * inside[vertex] - free[vertex];
    }
  }
}
