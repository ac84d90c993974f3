package io.palinode.examples.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Whether an answer is right. Knows nothing of clients, locks and rounds, only the graph and the
 * colours.
 *
 * @param improper edges whose ends have the same colour
 * @param uncoloured vertices without a colour
 */
public record ColouringCheck(List<Edge> improper, List<Integer> uncoloured) {
  public ColouringCheck {
    improper = List.copyOf(improper);
    uncoloured = List.copyOf(uncoloured);
  }

  /**
   * @param colourOf the colour of a vertex, as text, null for none; asked once a vertex. Read all
   *     replicas, or wait for writes in flight: a replica that lags shows an older answer.
   */
  public static ColouringCheck of(Graph graph, IntFunction<@Nullable String> colourOf) {
    List<@Nullable String> colours = new ArrayList<>(graph.vertices());
    List<Integer> uncoloured = new ArrayList<>();
    for (int v = 0; v < graph.vertices(); v++) {
      String colour = colourOf.apply(v);
      colours.add(colour);
      if (colour == null) {
        uncoloured.add(v);
      }
    }
    List<Edge> improper = new ArrayList<>();
    for (Edge edge : graph.edges()) {
      String colour = colours.get(edge.a());
      if (colour != null && colour.equals(colours.get(edge.b()))) {
        improper.add(edge);
      }
    }
    return new ColouringCheck(improper, uncoloured);
  }

  public boolean isRight() {
    return improper.isEmpty() && uncoloured.isEmpty();
  }
}
