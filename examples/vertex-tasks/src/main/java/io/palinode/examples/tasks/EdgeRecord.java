package io.palinode.examples.tasks;

import io.palinode.examples.graph.Edge;

/**
 * The record of an edge between two clients' vertices: who holds it, and both ends as each last
 * left it.
 *
 * <pre>
 * holder|state of a|state of b     such as  4|1 free|3 asks 4
 * </pre>
 *
 * @param holder the end whose task is under way; {@value #FREE} for no end
 */
record EdgeRecord(Edge edge, int holder, VertexState ofA, VertexState ofB) {
  static final int FREE = -1;

  /** Before any task. */
  static EdgeRecord first(Edge edge, VertexProgram program) {
    return new EdgeRecord(
        edge,
        FREE,
        new VertexState(0, program.first(edge.a())),
        new VertexState(0, program.first(edge.b())));
  }

  /** Throws {@link IllegalArgumentException} for any other text. */
  static EdgeRecord parse(Edge edge, String text) {
    String[] parts = text.split("\\|", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("an edge must have three parts: '" + text + "'");
    }
    return new EdgeRecord(
        edge, Integer.parseInt(parts[0]), VertexState.parse(parts[1]), VertexState.parse(parts[2]));
  }

  EdgeRecord takenBy(int vertex) {
    return new EdgeRecord(edge, vertex, ofA, ofB);
  }

  /** Given back by {@code vertex}, whose state is now {@code state}. */
  EdgeRecord leftBy(int vertex, VertexState state) {
    return vertex == edge.a()
        ? new EdgeRecord(edge, FREE, state, ofB)
        : new EdgeRecord(edge, FREE, ofA, state);
  }

  VertexState of(int vertex) {
    return vertex == edge.a() ? ofA : ofB;
  }

  @Override
  public String toString() {
    return holder + "|" + ofA + "|" + ofB;
  }
}
