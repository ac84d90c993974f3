package io.palinode.examples.graph;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** What is watched; each rule is a predicate that ships with the application. */
public enum Rule {
  /** The sections of the two ends of an edge must not overlap. */
  EDGE_MUTEX("edge-mutex"),
  /** The two ends of an edge must not publish the same colour. */
  PROPER_COLOURING("proper-colouring");

  private final String predicate;

  Rule(String predicate) {
    this.predicate = predicate;
  }

  /** The predicate's name. */
  public String predicate() {
    return predicate;
  }

  /** The predicate in its YAML form. */
  public String yaml() {
    String resource = predicate + ".yaml";
    try (InputStream in = Rule.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("missing from the jar: " + resource);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
