package io.palinode.launcher;

import java.util.function.Supplier;

/** A store node in this process, which is started again when its detector has stopped. */
final class RestartableNode implements WatchedPart, AutoCloseable {
  private final int id;
  private final Supplier<WatchedNode> start;
  private WatchedNode node;
  private boolean stopped;
  private boolean closed;

  RestartableNode(int id, Supplier<WatchedNode> start) {
    this.id = id;
    this.start = start;
    this.node = start.get();
  }

  synchronized WatchedNode current() {
    return node;
  }

  @Override
  public String name() {
    return "the detector of node " + id;
  }

  @Override
  public Integer node() {
    return id;
  }

  @Override
  public synchronized Condition look() {
    String failure = stopped ? "it is stopped" : node.failure();
    return failure == null ? Condition.RUNS : new Condition(failure, true);
  }

  /** As a new incarnation: what the old one did not publish becomes a coverage gap. */
  @Override
  public synchronized void restart() {
    if (closed) {
      return;
    }
    if (!stopped) {
      stopped = true;
      node.close();
    }
    node = start.get();
    stopped = false;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (!stopped) {
      stopped = true;
      node.close();
    }
  }
}
