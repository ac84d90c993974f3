package io.palinode.examples.tasks;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Groups in a social network: a vertex takes the label that is most frequent among its neighbours
 * and itself. Of several it keeps its own, else it takes the least. Meant for graphs with a power
 * law. After U. N. Raghavan, R. Albert and S. Kumara, "Near linear time algorithm to detect
 * community structures in large-scale networks" (2007). Ends after a number of rounds.
 */
public record Communities(int rounds) implements VertexProgram {
  public Communities {
    if (rounds < 1) {
      throw new IllegalArgumentException("rounds must be positive: rounds=" + rounds);
    }
  }

  @Override
  public String first(int vertex) {
    return Integer.toString(vertex);
  }

  @Override
  public String next(int vertex, int round, String own, SortedMap<Integer, String> neighbours) {
    SortedMap<Integer, Integer> votes = new TreeMap<>(Map.of(Integer.valueOf(own), 1));
    neighbours.values().forEach(label -> votes.merge(Integer.valueOf(label), 1, Integer::sum));
    int most = Integer.parseInt(own);
    for (Map.Entry<Integer, Integer> label : votes.entrySet()) {
      if (label.getValue() > votes.getOrDefault(most, 0)) {
        most = label.getKey();
      }
    }
    return Integer.toString(most);
  }

  @Override
  public boolean ends(VertexState state) {
    return state.round() >= rounds;
  }
}
