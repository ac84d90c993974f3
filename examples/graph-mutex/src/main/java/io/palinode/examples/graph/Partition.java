package io.palinode.examples.graph;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which client works on which vertex: regions of near equal size, grown breadth first, so that few
 * edges cross. The same graph gives the same partition. Immutable.
 */
public final class Partition {
  private static final int NOBODY = -1;

  private final Graph graph;
  private final int clients;
  private final int[] owner;

  private Partition(Graph graph, int clients, int[] owner) {
    this.graph = graph;
    this.clients = clients;
    this.owner = owner;
  }

  /** O(vertices + edges) after a sort; sizes differ by one at most. */
  public static Partition of(Graph graph, int clients) {
    Graph.requireCount("clients", clients, 1, graph.vertices());
    int[] owner = new int[graph.vertices()];
    Arrays.fill(owner, NOBODY);
    for (int client = 0; client < clients; client++) {
      // Spreads the remainder evenly: sizes are the differences of rounded-down multiples.
      long end = (long) (client + 1) * graph.vertices() / clients;
      long begin = (long) client * graph.vertices() / clients;
      grow(graph, owner, client, (int) (end - begin));
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
    return owner[edge.a()] != owner[edge.b()];
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

  private static void grow(Graph graph, int[] owner, int client, int size) {
    ArrayDeque<Integer> frontier = new ArrayDeque<>();
    int left = size;
    int from = 0;
    while (left > 0) {
      if (frontier.isEmpty()) {
        // The region is shut in: it goes on at the free vertex with the least number.
        while (owner[from] != NOBODY) {
          from++;
        }
        frontier.add(from);
      }
      int v = frontier.remove();
      if (owner[v] != NOBODY) {
        continue;
      }
      owner[v] = client;
      left--;
      for (int w : graph.neighbours(v)) {
        if (owner[w] == NOBODY) {
          frontier.add(w);
        }
      }
    }
  }
}
