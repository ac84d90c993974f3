package io.palinode.detection;

/** A candidate of a node: an interval that opened or, if it has an end, closed. */
record TraceEvent(Candidate candidate) {
  boolean isOpening() {
    return candidate.interval().isOpen();
  }

  long own() {
    return isOpening()
        ? candidate.interval().start().own()
        : java.util.Objects.requireNonNull(candidate.interval().end()).own();
  }
}
