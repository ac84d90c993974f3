package io.palinode.examples.tasks;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A finished task: what it read and what it computed.
 *
 * @param neighbours the states of all neighbours, as the task read them
 * @param state of the vertex after it
 */
public record Task(int vertex, SortedMap<Integer, VertexState> neighbours, VertexState state) {
  public Task {
    neighbours = Collections.unmodifiableSortedMap(new TreeMap<>(neighbours));
  }

  /** The task that follows {@code own}. */
  static Task after(
      VertexProgram program,
      int vertex,
      VertexState own,
      SortedMap<Integer, VertexState> neighbours) {
    SortedMap<Integer, String> values = new TreeMap<>();
    neighbours.forEach((w, state) -> values.put(w, state.value()));
    int round = own.round() + 1;
    String value = program.next(vertex, round, own.value(), values);
    return new Task(vertex, neighbours, new VertexState(round, value));
  }
}
