package io.palinode.examples.graph;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Graphs by construction. The same arguments give the same graph. */
final class Generators {
  /** Edges that each vertex after the first three brings along. */
  private static final int POWER_LAW_EDGES = 2;

  /** Enough for the last trace of the regular start to be gone. */
  private static final int SWAPS_PER_EDGE = 20;

  private Generators() {}

  /**
   * Preferential attachment (Barabási and Albert, "Emergence of scaling in random networks", 1999):
   * from a triangle on, each vertex joins two others, chosen in proportion to their degrees.
   */
  static Graph powerLaw(int vertices, long seed) {
    Graph.requireCount("powerlaw vertices", vertices, 3, Graph.VERTICES_MAX);
    Random random = new Random(seed);
    List<Edge> edges = new ArrayList<>(List.of(new Edge(0, 1), new Edge(0, 2), new Edge(1, 2)));
    // Each vertex once per edge it has: a uniform draw is a draw in proportion to the degree.
    List<Integer> ends = new ArrayList<>(List.of(0, 1, 0, 2, 1, 2));
    for (int v = 3; v < vertices; v++) {
      Set<Integer> targets = new TreeSet<>();
      while (targets.size() < POWER_LAW_EDGES) {
        targets.add(ends.get(random.nextInt(ends.size())));
      }
      for (int target : targets) {
        edges.add(new Edge(target, v));
        ends.add(target);
        ends.add(v);
      }
    }
    return Graph.numbered("powerlaw:" + vertices, vertices, edges);
  }

  static Graph grid(int width, int height) {
    Graph.requireCount("grid width", width, 1, Graph.VERTICES_MAX);
    Graph.requireCount("grid height", height, 1, Graph.VERTICES_MAX);
    Graph.requireCount("grid vertices", (long) width * height, 1, Graph.VERTICES_MAX);
    List<String> names = new ArrayList<>();
    List<Edge> edges = new ArrayList<>();
    for (int v = 0; v < width * height; v++) {
      int x = v % width;
      names.add(x + "," + v / width);
      if (x + 1 < width) {
        edges.add(new Edge(v, v + 1));
      }
      if (v + width < width * height) {
        edges.add(new Edge(v, v + width));
      }
    }
    return Graph.of("grid:" + width + "x" + height, names, edges);
  }

  /**
   * Each vertex has {@code degree} neighbours: a ring with chords, then random swaps of the ends of
   * two edges, which keep all degrees.
   */
  static Graph randomRegular(int vertices, int degree, long seed) {
    Graph.requireCount("random-regular vertices", vertices, 2, Graph.VERTICES_MAX);
    Graph.requireCount("random-regular degree", degree, 1, vertices - 1);
    Graph.requireCount("random-regular edges", (long) vertices * degree / 2, 1, Graph.EDGES_MAX);
    if (vertices % 2 != 0 && degree % 2 != 0) {
      throw new IllegalArgumentException(
          "random-regular:N,D needs N or D even: N=" + vertices + " D=" + degree);
    }
    List<Edge> edges = ringWithChords(vertices, degree);
    swapEnds(edges, new Random(seed));
    return Graph.numbered("random-regular:" + vertices + "," + degree, vertices, edges);
  }

  private static List<Edge> ringWithChords(int vertices, int degree) {
    List<Edge> edges = new ArrayList<>();
    for (int v = 0; v < vertices; v++) {
      for (int step = 1; step <= degree / 2; step++) {
        edges.add(Edge.between(v, (v + step) % vertices));
      }
      if (degree % 2 != 0 && v < vertices / 2) {
        edges.add(new Edge(v, v + vertices / 2));
      }
    }
    return edges;
  }

  private static void swapEnds(List<Edge> edges, Random random) {
    Set<Edge> present = new HashSet<>(edges);
    for (long swap = (long) SWAPS_PER_EDGE * edges.size(); swap > 0; swap--) {
      int i = random.nextInt(edges.size());
      int j = random.nextInt(edges.size());
      Edge first = edges.get(i);
      Edge second = edges.get(j);
      boolean crossed = random.nextBoolean();
      int c = crossed ? second.b() : second.a();
      int d = second.other(c);
      if (first.touches(c) || first.touches(d)) {
        continue;
      }
      Edge left = Edge.between(first.a(), c);
      Edge right = Edge.between(first.b(), d);
      if (!present.contains(left) && !present.contains(right)) {
        present.removeAll(Set.of(first, second));
        present.addAll(Set.of(left, right));
        edges.set(i, left);
        edges.set(j, right);
      }
    }
  }
}
