package io.palinode.voldemort;

/** Receives how long a node took for each request. Thread-safe, and never blocks. */
@FunctionalInterface
public interface RequestTimes {
  /** What a request is, as a metric names it. */
  enum Kind {
    READ,
    WRITE,
    /** Of a client of a stock protocol. */
    STOCK
  }

  void took(Kind kind, long nanos);
}
