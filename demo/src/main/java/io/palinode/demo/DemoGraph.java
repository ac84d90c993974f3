package io.palinode.demo;

import io.palinode.examples.graph.Graph;
import io.palinode.examples.graph.Graphs;
import io.palinode.terminal.Refusal;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A graph under the name that the user gave it. */
public record DemoGraph(String name, Graph graph) {

  /** Shipped, generated or from a file of edges; throws {@link Refusal}. */
  public static DemoGraph parse(String name, long seed) {
    try {
      return new DemoGraph(name, Graphs.parse(name, seed));
    } catch (IllegalArgumentException e) {
      throw new Refusal("--graph: " + e.getMessage(), e);
    } catch (UncheckedIOException e) {
      IOException cause = e.getCause();
      throw new Refusal("--graph: the file " + name + " cannot be read (" + cause + ")", e);
    }
  }
}
