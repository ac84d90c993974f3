package io.palinode.detection.explain;

import java.util.List;

/** Sentences about one aspect of a predicate. */
public record Topic(String name, List<String> sentences) {
  public Topic {
    sentences = List.copyOf(sentences);
  }
}
