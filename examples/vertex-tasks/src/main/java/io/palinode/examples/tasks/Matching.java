package io.palinode.examples.tasks;

import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Graph;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A maximal matching: pairs of neighbours, such that no vertex is in two pairs, and no two
 * neighbours are both alone. After S.-C. Hsu and S.-T. Huang, "A self-stabilizing algorithm for
 * maximal matching" (1992).
 *
 * <pre>
 * free ──────▶ asks w ──────▶ with w       w answers "with v", then v does
 *   │  ▲─────────┘                         w is with another
 *   ├────────────────────────▶ with u      u asks v
 *   └────────────────────────▶ alone       all neighbours are with another
 * </pre>
 */
public final class Matching implements VertexProgram {
  private static final String FREE = "free";
  private static final String ALONE = "alone";
  private static final String ASKS = "asks ";
  private static final String WITH = "with ";

  @Override
  public String first(int vertex) {
    return FREE;
  }

  @Override
  public String next(int vertex, int round, String own, SortedMap<Integer, String> neighbours) {
    Integer answered = least(neighbours, (WITH + vertex)::equals);
    if (answered != null) {
      return WITH + answered;
    }
    if (own.startsWith(ASKS)
        && FREE.equals(neighbours.get(Integer.valueOf(own.substring(ASKS.length()))))) {
      return own; // It has not answered yet.
    }
    Integer asking = least(neighbours, (ASKS + vertex)::equals);
    if (asking != null) {
      return WITH + asking;
    }
    Integer free = least(neighbours, FREE::equals);
    if (free != null) {
      return ASKS + free;
    }
    return neighbours.values().stream().allMatch(value -> value.startsWith(WITH)) ? ALONE : FREE;
  }

  @Override
  public boolean ends(VertexState state) {
    return state.value().startsWith(WITH) || state.value().equals(ALONE);
  }

  /** What keeps these values from being a maximal matching, one sentence each; empty: they are. */
  public static List<String> problems(Graph graph, Map<Integer, String> values) {
    List<String> problems = new ArrayList<>();
    for (int v = 0; v < graph.vertices(); v++) {
      String value = String.valueOf(values.get(v));
      if (value.startsWith(WITH)) {
        int w = Integer.parseInt(value.substring(WITH.length()));
        if (!(WITH + v).equals(values.get(w)) || !graph.edges().contains(Edge.between(v, w))) {
          problems.add(v + " is " + value + ", and " + w + " is " + values.get(w));
        }
      }
    }
    for (Edge edge : graph.edges()) {
      if (isAlone(values.get(edge.a())) && isAlone(values.get(edge.b()))) {
        problems.add("the ends of " + edge + " are both alone");
      }
    }
    return problems;
  }

  private static boolean isAlone(@Nullable String value) {
    return value == null || !value.startsWith(WITH);
  }

  private static @Nullable Integer least(
      SortedMap<Integer, String> neighbours, Predicate<String> wanted) {
    for (Map.Entry<Integer, String> neighbour : neighbours.entrySet()) {
      if (wanted.test(neighbour.getValue())) {
        return neighbour.getKey();
      }
    }
    return null;
  }
}
