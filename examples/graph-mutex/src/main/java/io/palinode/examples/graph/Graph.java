package io.palinode.examples.graph;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** An undirected graph without loops; vertices are 0..n−1 and have names. Immutable. */
public final class Graph {
  public static final int VERTICES_MAX = 100_000;
  public static final int EDGES_MAX = 1_000_000;

  private final String name;
  private final List<String> vertexNames;
  private final List<Edge> edges;
  private final int[][] neighbours;

  private Graph(String name, List<String> vertexNames, List<Edge> edges) {
    this.name = name;
    this.vertexNames = vertexNames;
    this.edges = edges;
    this.neighbours = neighbours(vertexNames.size(), edges);
  }

  /** An edge that is given twice counts once. */
  public static Graph of(String name, List<String> vertexNames, Collection<Edge> edges) {
    int n = vertexNames.size();
    requireCount("vertices", n, 1, VERTICES_MAX);
    List<Edge> sorted = List.copyOf(new TreeSet<>(edges));
    requireCount("edges", sorted.size(), 0, EDGES_MAX);
    for (Edge edge : sorted) {
      if (edge.b() >= n) {
        throw new IllegalArgumentException(
            "the ends of an edge must be in [0, " + (n - 1) + "]: edge=" + edge);
      }
    }
    return new Graph(name, List.copyOf(vertexNames), sorted);
  }

  /** The vertices are named by their numbers. */
  static Graph numbered(String name, int vertices, Collection<Edge> edges) {
    return of(name, IntStream.range(0, vertices).mapToObj(Integer::toString).toList(), edges);
  }

  public String name() {
    return name;
  }

  public int vertices() {
    return vertexNames.size();
  }

  public String vertexName(int vertex) {
    return vertexNames.get(vertex);
  }

  /** In ascending order. */
  public List<Edge> edges() {
    return edges;
  }

  /** In ascending order; a copy. */
  public int[] neighbours(int vertex) {
    return neighbours[vertex].clone();
  }

  public int degree(int vertex) {
    return neighbours[vertex].length;
  }

  /** 0 for a graph without edges. */
  public int maxDegree() {
    return Arrays.stream(neighbours).mapToInt(n -> n.length).max().orElse(0);
  }

  public boolean isConnected() {
    boolean[] seen = new boolean[vertices()];
    int[] queue = new int[vertices()];
    int reached = 1;
    seen[0] = true;
    for (int next = 0; next < reached; next++) {
      for (int w : neighbours[queue[next]]) {
        if (!seen[w]) {
          seen[w] = true;
          queue[reached++] = w;
        }
      }
    }
    return reached == vertices();
  }

  @Override
  public String toString() {
    return name + " (" + vertices() + " vertices, " + edges.size() + " edges)";
  }

  static void requireCount(String what, long count, int min, int max) {
    if (count < min || count > max) {
      throw new IllegalArgumentException(
          what + " must be in [" + min + ", " + max + "]: " + what + "=" + count);
    }
  }

  private static int[][] neighbours(int vertices, List<Edge> edges) {
    int[] degrees = new int[vertices];
    for (Edge edge : edges) {
      degrees[edge.a()]++;
      degrees[edge.b()]++;
    }
    int[][] neighbours = new int[vertices][];
    Arrays.setAll(neighbours, v -> new int[degrees[v]]);
    int[] filled = new int[vertices];
    for (Edge edge : edges) {
      neighbours[edge.a()][filled[edge.a()]++] = edge.b();
      neighbours[edge.b()][filled[edge.b()]++] = edge.a();
    }
    for (int[] ends : neighbours) {
      Arrays.sort(ends);
    }
    return neighbours;
  }
}
