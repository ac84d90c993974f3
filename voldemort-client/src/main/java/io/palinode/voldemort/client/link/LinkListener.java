package io.palinode.voldemort.client.link;

/** Observes the connections of one client. Thread-safe. */
public interface LinkListener {
  LinkListener NONE = new LinkListener() {};

  default void answered(int node, long nanos) {}

  /** The node did not answer, or its connection broke. */
  default void failed(int node) {}

  /** A connection was opened to a node that had one before. */
  default void reconnected() {}

  /** A request was not sent because too many to its node had no answer yet. */
  default void refused() {}
}
