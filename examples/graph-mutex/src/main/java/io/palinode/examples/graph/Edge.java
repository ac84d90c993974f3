package io.palinode.examples.graph;

import java.util.Comparator;

/** An undirected edge, the lesser vertex first. The natural order is the order of locking. */
public record Edge(int a, int b) implements Comparable<Edge> {
  private static final Comparator<Edge> ORDER =
      Comparator.comparingInt(Edge::a).thenComparingInt(Edge::b);

  public Edge {
    if (a < 0 || a >= b) {
      throw new IllegalArgumentException("an edge needs 0 <= a < b: a=" + a + " b=" + b);
    }
  }

  /** The edge between two different vertices, in either order. */
  public static Edge between(int v, int w) {
    return new Edge(Math.min(v, w), Math.max(v, w));
  }

  public boolean touches(int vertex) {
    return vertex == a || vertex == b;
  }

  /** The end that is not {@code vertex}, which must be one of the ends. */
  public int other(int vertex) {
    if (!touches(vertex)) {
      throw new IllegalArgumentException(
          "the vertex must be an end of the edge: vertex=" + vertex + " edge=" + this);
    }
    return vertex == a ? b : a;
  }

  @Override
  public int compareTo(Edge other) {
    return ORDER.compare(this, other);
  }

  /** As in keys: {@code a_b}. */
  @Override
  public String toString() {
    return a + "_" + b;
  }
}
