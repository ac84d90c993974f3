package io.palinode.examples.graph;

import org.jspecify.annotations.Nullable;

/**
 * The keys and values of the application in the store, all text.
 *
 * <pre>
 * color_{v}            the colour of vertex v, a number               written by: v's client
 * load_{v}_{i}         ordinary work                                             v's client
 * flag_{a}_{b}_{me}    "1": the client of end me wants the edge a_b   written by: me's client
 * turn_{a}_{b}         the end that goes first if both want it                   both
 * cs_{a}_{b}_{me}      "1": end me is in the edge's section                      me's client
 *                      "c{k}": it left and its colour is k
 *                      "0": cleared after a rollback, until it has left again
 * </pre>
 */
public final class Keys {
  public static final String INSIDE = "1";
  public static final String CLEARED = "0";
  public static final String WANTED = "1";
  public static final String FREE = "0";

  private Keys() {}

  public static String color(int vertex) {
    return "color_" + vertex;
  }

  public static String load(int vertex, int i) {
    return "load_" + vertex + "_" + i;
  }

  public static String flag(Edge edge, int end) {
    return "flag_" + edge + "_" + end;
  }

  public static String turn(Edge edge) {
    return "turn_" + edge;
  }

  public static String cs(Edge edge, int end) {
    return "cs_" + edge + "_" + end;
  }

  /** The value of {@code cs} after a section that chose {@code colour}. */
  public static String published(int colour) {
    return "c" + colour;
  }

  public static boolean isPublished(@Nullable String cs) {
    return cs != null && cs.startsWith("c");
  }
}
