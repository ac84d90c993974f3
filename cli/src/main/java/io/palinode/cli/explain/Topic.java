package io.palinode.cli.explain;

import java.util.List;

/** Sentences about one aspect of a predicate. */
record Topic(String name, List<String> sentences) {
  Topic {
    sentences = List.copyOf(sentences);
  }
}
