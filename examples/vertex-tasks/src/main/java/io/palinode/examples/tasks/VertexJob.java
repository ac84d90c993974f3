package io.palinode.examples.tasks;

import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Partition;
import java.util.regex.Pattern;

/**
 * A program on a graph, and its keys in the store.
 *
 * <pre>
 * value_{run}_{v}       the state of vertex v                     written by: v's client
 * edge_{run}_{a}_{b}    an {@link EdgeRecord}                                   both ends
 * </pre>
 *
 * @param partition in which each vertex has a client
 * @param run a name; a job with the name of an earlier one continues that one
 */
public record VertexJob(VertexProgram program, Partition partition, String store, String run) {
  private static final Pattern RUN = Pattern.compile("[a-z0-9-]{1,64}");

  public VertexJob {
    if (!RUN.matcher(run).matches()) {
      throw new IllegalArgumentException("run must match " + RUN + ": '" + run + "'");
    }
  }

  String valueKey(int vertex) {
    return "value_" + run + "_" + vertex;
  }

  String edgeKey(Edge edge) {
    return "edge_" + run + "_" + edge;
  }
}
