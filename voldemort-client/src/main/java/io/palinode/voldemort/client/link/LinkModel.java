package io.palinode.voldemort.client.link;

/**
 * What lies between a client and a node. The transport passes every message through it; the model
 * runs {@code delivery} later, at once, or holds it, and must keep the order of messages of one
 * node and direction. Lets demos and tests put a network between parts on one machine.
 */
@FunctionalInterface
public interface LinkModel {
  LinkModel DIRECT = (node, direction, delivery) -> delivery.run();

  void carry(int node, Direction direction, Runnable delivery);

  /** Seen from the client. */
  enum Direction {
    REQUEST,
    RESPONSE
  }
}
