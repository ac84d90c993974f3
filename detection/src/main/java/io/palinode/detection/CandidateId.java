package io.palinode.detection;

/** Names an interval of a node: the sequence of the event that opened it. */
public record CandidateId(int node, long incarnation, long sequence) {
  // By hand, for a queue is searched by it: the generated one is not inlined.
  @Override
  public boolean equals(Object o) {
    return o instanceof CandidateId other
        && sequence == other.sequence
        && node == other.node
        && incarnation == other.incarnation;
  }

  @Override
  public int hashCode() {
    return 31 * (31 * node + Long.hashCode(incarnation)) + Long.hashCode(sequence);
  }

  // By hand too: the generated one of Java 17 formats, and millions of reports are compared by it.
  @Override
  public String toString() {
    return "node=" + node + " incarnation=" + incarnation + " seq=" + sequence;
  }
}
