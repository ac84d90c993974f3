package io.palinode.detection.explain;

import java.util.ArrayList;
import java.util.List;

/** What a predicate of clients' operations means and costs: lost updates, stale reads. */
final class OperationTopics {
  private OperationTopics() {}

  /** Of lost updates, of reads, or of both. */
  static Topic algorithm(boolean isOfPuts, boolean isOfReads) {
    List<String> sentences = new ArrayList<>();
    if (isOfPuts) {
      sentences.add(
          "The node that accepts a put first judges it. A version that the put supersedes is lost if"
              + " its client has sent no seen version that equals or supersedes it.");
    }
    if (isOfReads) {
      sentences.add(
          "The client compares each read with what it has read and written of the key. If the read"
              + " is older, the client sends the evidence to the node that answered.");
    }
    sentences.add("Each is a violation by itself.");
    return new Topic("algorithm", sentences);
  }

  static Topic cost(boolean isOfPuts, boolean isOfReads) {
    List<String> sentences = new ArrayList<>();
    sentences.add("A node publishes a candidate for a violation only. Detection searches nothing.");
    if (isOfPuts) {
      sentences.add("A put sends 19 bytes for a seen version. Its node compares vector clocks.");
    }
    if (isOfReads) {
      sentences.add("A read costs its client a look at the versions that it remembers of the key.");
    }
    return new Topic("cost", sentences);
  }

  static Topic replicas(boolean isOfReads) {
    return new Topic(
        "replicas",
        List.of(
            isOfReads
                ? "any: the node that answered a read publishes the violation. A replica that lags"
                    + " is a usual cause."
                : "Only the node that accepted a put first judges it."));
  }

  static Topic uncertainty() {
    return new Topic(
        "uncertainty",
        List.of("None: the vector clocks of versions decide, so epsilon does not count."));
  }
}
