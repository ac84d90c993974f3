package io.palinode.simulation.environment;

import java.util.ArrayDeque;

/**
 * One direction of a connection: what is sent arrives in its order, and once. When it is closed,
 * what is under way may still arrive, as far as {@link #close} says.
 */
public final class Link {
  private record Message(long readyMicros, Runnable delivery) {}

  private final Network network;
  private final int from;
  private final int to;
  private final ArrayDeque<Message> underWay = new ArrayDeque<>();
  private boolean pumping;
  private boolean closed;

  public Link(Network network, int from, int to) {
    this.network = network;
    this.from = from;
    this.to = to;
  }

  public void send(Runnable delivery) {
    if (!closed) {
      long ready = network.time().nowMicros() + network.latencyMicros(from, to);
      underWay.add(new Message(ready, delivery));
      pump();
    }
  }

  public int underWay() {
    return underWay.size();
  }

  /** Takes nothing more; of what is under way the first {@code arriving} still arrive. */
  public void close(int arriving) {
    closed = true;
    while (underWay.size() > arriving) {
      underWay.removeLast();
    }
  }

  private void pump() {
    if (!pumping && !underWay.isEmpty()) {
      pumping = true;
      long wait = underWay.getFirst().readyMicros() - network.time().nowMicros();
      network.time().in(wait, this::arrive);
    }
  }

  private void arrive() {
    pumping = false;
    if (underWay.isEmpty()) {
      return;
    }
    if (network.isCut(from, to)) {
      pumping = true;
      network.time().in(Network.RETRY_MICROS, this::arrive);
      return;
    }
    underWay.removeFirst().delivery().run();
    pump();
  }
}
