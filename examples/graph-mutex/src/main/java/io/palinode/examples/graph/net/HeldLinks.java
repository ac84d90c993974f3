package io.palinode.examples.graph.net;

import io.palinode.voldemort.client.link.LinkModel;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Links that a test can stop: {@link #hold} keeps the messages to and from a node, {@link #release}
 * delivers them in order, on the calling thread. Thread-safe.
 */
public final class HeldLinks implements LinkModel {
  public static final int HELD_MAX = 100_000;

  private final Map<Integer, Map<Direction, Link>> links = new HashMap<>();

  public void hold(int node) {
    for (Direction direction : Direction.values()) {
      link(node, direction).setHeld(true);
    }
  }

  public void release(int node) {
    for (Direction direction : Direction.values()) {
      Link link = link(node, direction);
      link.setHeld(false);
      link.drain();
    }
  }

  @Override
  public void carry(int node, Direction direction, Runnable delivery) {
    Link link = link(node, direction);
    link.add(delivery);
    link.drain();
  }

  private Link link(int node, Direction direction) {
    synchronized (links) {
      return links
          .computeIfAbsent(node, n -> new EnumMap<>(Direction.class))
          .computeIfAbsent(direction, d -> new Link());
    }
  }

  /** Messages of one node and direction. One thread at a time delivers, which keeps the order. */
  private static final class Link {
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean held;
    private boolean draining;

    synchronized void setHeld(boolean newHeld) {
      held = newHeld;
    }

    synchronized void add(Runnable delivery) {
      if (waiting.size() >= HELD_MAX) {
        throw new IllegalStateException(
            "messages held must be at most " + HELD_MAX + ": one more was sent");
      }
      waiting.add(delivery);
    }

    void drain() {
      if (!beginDraining()) {
        return;
      }
      Runnable next = next();
      try {
        for (; next != null; next = next()) {
          next.run();
        }
      } finally {
        if (next != null) {
          // The delivery threw: the link continues with the one after it at the next message.
          endDraining();
        }
      }
    }

    private synchronized void endDraining() {
      draining = false;
    }

    private synchronized boolean beginDraining() {
      boolean mine = !draining;
      draining = true;
      return mine;
    }

    /** Null ends the draining, in the same step in which it is found that there is nothing. */
    private synchronized @Nullable Runnable next() {
      Runnable next = held ? null : waiting.poll();
      draining = next != null;
      return next;
    }
  }
}
