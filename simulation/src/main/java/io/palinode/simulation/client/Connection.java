package io.palinode.simulation.client;

import io.palinode.simulation.environment.Link;
import io.palinode.simulation.node.NodeMachine;
import io.palinode.simulation.node.NodeProcess;
import io.palinode.simulation.store.Answer;
import io.palinode.simulation.store.Request;
import io.palinode.simulation.world.Shape;
import io.palinode.simulation.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection to one incarnation of a node. Requests and answers keep their order. If it
 * is lost, the node may still carry out sent requests; a new connection may overtake them.
 */
final class Connection {
  /** A request that waits for its answer; ends once. */
  static final class Exchange {
    final long epoch;
    private final Consumer<@Nullable Answer> ended;
    private boolean done;

    /** {@code ended} is given the answer, or null when there will be none. */
    Exchange(long epoch, Consumer<@Nullable Answer> ended) {
      this.epoch = epoch;
      this.ended = ended;
    }

    void end(@Nullable Answer answer) {
      if (!done) {
        done = true;
        ended.accept(answer);
      }
    }

    boolean isDone() {
      return done;
    }
  }

  private final World world;
  private final NodeMachine machine;
  private final Link requests;
  private final Link answers;
  private final List<Exchange> outstanding = new ArrayList<>();
  private @Nullable NodeProcess peer;
  private boolean lost;

  Connection(World world, int client, NodeMachine machine) {
    this.world = world;
    this.machine = machine;
    this.requests = new Link(world.network(), client, machine.id());
    this.answers = new Link(world.network(), machine.id(), client);
  }

  boolean isLost() {
    return lost;
  }

  boolean isTo(NodeProcess process) {
    return peer == process;
  }

  void send(Request message, Exchange exchange) {
    outstanding.add(exchange);
    requests.send(() -> arrived(message, exchange));
    world.time().in(Shape.REQUEST_TIMEOUT_MICROS, () -> overdue(exchange));
  }

  /** What is under way in an epoch that is over gets no answer. */
  void giveUp(java.util.function.Predicate<Exchange> which) {
    List.copyOf(outstanding).stream().filter(which).forEach(exchange -> end(exchange, null));
  }

  /** The client closes it. */
  void close() {
    if (!lost) {
      lost = true;
      // What was sent may be on its way, and what the node has got it carries out.
      requests.close(world.dice().below(requests.underWay() + 1));
      answers.close(0);
      List.copyOf(outstanding).forEach(exchange -> end(exchange, null));
    }
  }

  /** The node's process is gone, and with it what it was sent. */
  void peerDied() {
    requests.close(0);
    world.time().in(world.network().latencyMicros(machine.id(), machine.id()), this::close);
  }

  private void arrived(Request message, Exchange exchange) {
    NodeProcess process = machine.process();
    boolean refused =
        process == null || !process.isOpen() || (peer != null && !process.equals(peer));
    if (refused || process == null) {
      peerDied();
      return;
    }
    peer = process;
    process.receive(message, answer -> answers.send(() -> end(exchange, answer)));
  }

  private void overdue(Exchange exchange) {
    if (!exchange.isDone()) {
      close();
    }
  }

  private void end(Exchange exchange, @Nullable Answer answer) {
    outstanding.remove(exchange);
    exchange.end(answer);
  }
}
