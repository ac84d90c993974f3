package io.palinode.examples.graph;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Graphs by their specification, as given on the command line. */
public final class Graphs {
  public static final String FORMS =
      "karate, us-states, powerlaw:N, grid:WxH, random-regular:N,D, file:PATH, or the path of a"
          + " file with two vertex names per line";
  public static final long SEED_DEFAULT = 1;

  private static final Pattern POWER_LAW = Pattern.compile("powerlaw:(\\d{1,9})");
  private static final Pattern GRID = Pattern.compile("grid:(\\d{1,9})x(\\d{1,9})");
  private static final Pattern REGULAR = Pattern.compile("random-regular:(\\d{1,9}),(\\d{1,9})");

  private Graphs() {}

  public static Graph parse(String spec) {
    return parse(spec, SEED_DEFAULT);
  }

  /**
   * The graph that {@code spec} names; {@code seed} matters to the random ones only. Throws {@link
   * IllegalArgumentException} that says what is wrong: the valid forms, the limit that is broken,
   * or the file and line.
   */
  public static Graph parse(String spec, long seed) {
    if (spec.equals("karate") || spec.equals("us-states")) {
      return shipped(spec);
    }
    Matcher powerLaw = POWER_LAW.matcher(spec);
    if (powerLaw.matches()) {
      return Generators.powerLaw(number(powerLaw, 1), seed);
    }
    Matcher grid = GRID.matcher(spec);
    if (grid.matches()) {
      return Generators.grid(number(grid, 1), number(grid, 2));
    }
    Matcher regular = REGULAR.matcher(spec);
    if (regular.matches()) {
      return Generators.randomRegular(number(regular, 1), number(regular, 2), seed);
    }
    return fromFile(spec);
  }

  private static int number(Matcher matcher, int group) {
    return Integer.parseInt(matcher.group(group));
  }

  private static Graph shipped(String name) {
    String resource = name + ".edges";
    try (InputStream in = Graphs.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("missing from the jar: " + resource);
      }
      return EdgeList.read(
          name, resource, new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Graph fromFile(String spec) {
    boolean named = spec.startsWith("file:");
    Path path = path(named ? spec.substring("file:".length()) : spec);
    if (!Files.isRegularFile(path)) {
      throw new IllegalArgumentException(
          named
              ? path + ": no such file"
              : "a graph must be one of " + FORMS + ": '" + spec + "' is none, and no such file");
    }
    try (BufferedReader reader = Files.newBufferedReader(path)) {
      return EdgeList.read(path.toString(), path.toString(), reader);
    } catch (IOException e) {
      throw new IllegalArgumentException(path + ": cannot be read as UTF-8 text: " + e, e);
    }
  }

  private static Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("a graph must be one of " + FORMS + ": '" + text + "'", e);
    }
  }
}
