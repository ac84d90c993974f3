package io.palinode.examples.graph;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The text form of a graph: one edge a line, as two vertex names with blanks between; {@code #}
 * begins a comment. Each edge once or from both sides. Vertices are numbered in the order of their
 * names, as numbers when all of them are.
 */
final class EdgeList {
  private static final Pattern BLANKS = Pattern.compile("\\s+");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
  private static final Comparator<String> BY_NUMBER =
      Comparator.comparingLong((String name) -> Long.parseLong(name))
          .thenComparing(Comparator.naturalOrder());

  private EdgeList() {}

  /** {@code source} names the text in errors, which give the line too. */
  static Graph read(String name, String source, BufferedReader reader) throws IOException {
    List<String[]> pairs = new ArrayList<>();
    Set<String> names = new HashSet<>();
    int lineNumber = 0;
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      lineNumber++;
      String text = withoutComment(line);
      if (text.isEmpty()) {
        continue;
      }
      String[] ends = BLANKS.split(text);
      String fault = fault(ends, names, pairs.size());
      if (fault != null) {
        throw new IllegalArgumentException(source + ":" + lineNumber + ": " + fault);
      }
      pairs.add(ends);
    }
    if (pairs.isEmpty()) {
      throw new IllegalArgumentException(source + ": a graph needs at least one edge");
    }
    return graph(name, names, pairs);
  }

  private static String withoutComment(String line) {
    int comment = line.indexOf('#');
    return (comment < 0 ? line : line.substring(0, comment)).strip();
  }

  /** What is wrong with a line, or null; takes note of its names. */
  private static @Nullable String fault(String[] ends, Set<String> names, int pairs) {
    if (ends.length != 2) {
      return "a line must hold two vertex names: it holds " + ends.length;
    }
    if (ends[0].equals(ends[1])) {
      return "an edge must join two different vertices: '" + ends[0] + "'";
    }
    names.add(ends[0]);
    names.add(ends[1]);
    if (names.size() > Graph.VERTICES_MAX) {
      return "a graph has at most " + Graph.VERTICES_MAX + " vertices";
    }
    // Twice the limit: a file may give each edge from both sides.
    return pairs >= 2 * Graph.EDGES_MAX
        ? "a graph has at most " + Graph.EDGES_MAX + " edges"
        : null;
  }

  private static Graph graph(String name, Set<String> names, List<String[]> pairs) {
    boolean numbers = names.stream().allMatch(n -> NUMBER.matcher(n).matches());
    List<String> sorted =
        names.stream().sorted(numbers ? BY_NUMBER : Comparator.naturalOrder()).toList();
    Map<String, Integer> numberOf = new HashMap<>();
    for (String vertex : sorted) {
      numberOf.put(vertex, numberOf.size());
    }
    List<Edge> edges = new ArrayList<>(pairs.size());
    for (String[] ends : pairs) {
      edges.add(Edge.between(index(numberOf, ends[0]), index(numberOf, ends[1])));
    }
    return Graph.of(name, sorted, edges);
  }

  private static int index(Map<String, Integer> numberOf, String name) {
    return Objects.requireNonNull(numberOf.get(name));
  }
}
