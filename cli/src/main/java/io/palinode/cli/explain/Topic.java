package io.palinode.cli.explain;

import java.util.List;

/** What is told of one side of a predicate, as sentences. */
record Topic(String name, List<String> sentences) {
  Topic {
    sentences = List.copyOf(sentences);
  }
}
