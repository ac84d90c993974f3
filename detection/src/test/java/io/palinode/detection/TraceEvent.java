package io.palinode.detection;

/** What a node tells: an interval opened, or, if it has an end, closed. */
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
