package io.palinode.examples.graph;

import java.util.List;

/**
 * The predicate in the form of the paper (Nguyen et al., "Optimistic Execution in Key-Value Store",
 * Fig. 3): no templates, so one clause an edge.
 */
public final class PaperXml {
  private PaperXml() {}

  /** Mutual exclusion on each of {@code edges}, as one predicate. */
  public static String edgeMutex(List<Edge> edges) {
    if (edges.isEmpty()) {
      throw new IllegalArgumentException("a predicate needs at least one clause: edges=[]");
    }
    StringBuilder xml = new StringBuilder("<predicate>\n  <type>semilinear</type>\n");
    for (int id = 0; id < edges.size(); id++) {
      Edge edge = edges.get(id);
      xml.append("  <conjClause>\n    <id>").append(id).append("</id>\n");
      appendVariable(xml, Keys.cs(edge, edge.a()));
      appendVariable(xml, Keys.cs(edge, edge.b()));
      xml.append("  </conjClause>\n");
    }
    return xml.append("</predicate>\n").toString();
  }

  private static void appendVariable(StringBuilder xml, String key) {
    xml.append("    <var><name>")
        .append(key)
        .append("</name><value>")
        .append(Keys.INSIDE)
        .append("</value></var>\n");
  }
}
