package io.palinode.simulation;

import java.util.ArrayDeque;

/**
 * One direction of a connection: what is sent arrives in its order, and once. When it is closed,
 * what is under way may still arrive, as far as {@link #close} says.
 */
final class Link {
  private record Message(long readyMicros, Runnable delivery) {}

  private final VirtualTime time;
  private final Network network;
  private final int from;
  private final int to;
  private final ArrayDeque<Message> underWay = new ArrayDeque<>();
  private boolean pumping;
  private boolean closed;

  Link(VirtualTime time, Network network, int from, int to) {
    this.time = time;
    this.network = network;
    this.from = from;
    this.to = to;
  }

  void send(Runnable delivery) {
    if (!closed) {
      long ready = time.nowMicros() + network.latencyMicros(from, to);
      underWay.add(new Message(ready, delivery));
      pump();
    }
  }

  int underWay() {
    return underWay.size();
  }

  /** Takes nothing more; of what is under way the first {@code arriving} still arrive. */
  void close(int arriving) {
    closed = true;
    while (underWay.size() > arriving) {
      underWay.removeLast();
    }
  }

  private void pump() {
    if (!pumping && !underWay.isEmpty()) {
      pumping = true;
      time.in(underWay.getFirst().readyMicros() - time.nowMicros(), this::arrive);
    }
  }

  private void arrive() {
    pumping = false;
    if (underWay.isEmpty()) {
      return;
    }
    if (network.isCut(from, to)) {
      pumping = true;
      time.in(Network.RETRY_MICROS, this::arrive);
      return;
    }
    underWay.removeFirst().delivery().run();
    pump();
  }
}
