package io.palinode.examples.tasks;

import java.util.SortedMap;

/**
 * What is computed: the function of a task. Implementations are pure and immutable: the same
 * arguments give the same result, so a task can be repeated after a rollback, and checked.
 */
public interface VertexProgram {
  /** The value of a vertex before its first task. Values have no {@code |}. */
  String first(int vertex);

  /**
   * The new value of a vertex.
   *
   * @param round the number of this task among those of the vertex, from 1
   * @param own the value so far
   * @param neighbours the values of all neighbours
   */
  String next(int vertex, int round, String own, SortedMap<Integer, String> neighbours);

  /** Whether a vertex with this state has no further task. */
  boolean ends(VertexState state);
}
