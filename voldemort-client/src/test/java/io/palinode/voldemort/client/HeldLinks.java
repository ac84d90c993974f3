package io.palinode.voldemort.client;

import io.palinode.voldemort.client.link.LinkModel;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A network whose links can be held; messages of a link keep their order. */
final class HeldLinks implements LinkModel {
  private record Link(int node, Direction direction) {}

  private final Set<Link> holding = new HashSet<>();
  private final Map<Link, Queue<Runnable>> held = new ConcurrentHashMap<>();

  @Override
  public void carry(int node, Direction direction, Runnable delivery) {
    Link link = new Link(node, direction);
    synchronized (this) {
      if (holding.contains(link)) {
        held.computeIfAbsent(link, l -> new ArrayDeque<>()).add(delivery);
        return;
      }
    }
    delivery.run();
  }

  synchronized void hold(int node, Direction direction) {
    holding.add(new Link(node, direction));
  }

  synchronized int heldCount(int node, Direction direction) {
    Queue<Runnable> queue = held.get(new Link(node, direction));
    return queue == null ? 0 : queue.size();
  }

  /** Takes the held messages, to be delivered after later ones. */
  synchronized List<Runnable> take(int node, Direction direction) {
    Queue<Runnable> queue = held.remove(new Link(node, direction));
    return queue == null ? List.of() : List.copyOf(queue);
  }

  synchronized void release(int node, Direction direction) {
    Link link = new Link(node, direction);
    holding.remove(link);
    Queue<Runnable> queue = held.remove(link);
    if (queue != null) {
      queue.forEach(Runnable::run);
    }
  }
}
