package io.palinode.detection.shiviz;

import io.palinode.hvc.Hvc;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Vector clocks that count events, of events with hybrid vector clocks: entry m of an event's clock
 * is how many events of node m happened before it; its own entry counts itself too. What happened
 * before is what the hybrid clocks say, entry by entry, so it includes what only their floor orders
 * (more than ε apart). Pure.
 *
 * <p>Where a node's recorded clock goes back, an entry counts as what it was before: a node does
 * not forget.
 */
final class EventClocks {
  private final int nodes;
  private final List<List<Event>> ofNode = new ArrayList<>();

  private EventClocks(int nodes) {
    this.nodes = nodes;
    for (int node = 0; node < nodes; node++) {
      ofNode.add(new ArrayList<>());
    }
  }

  /**
   * What happened at the clock's owner.
   *
   * @param request the client's request that the node carried out; null: none is known
   */
  record Event(Hvc clock, String text, @Nullable Request request) {
    Event(Hvc clock, String text) {
      this(clock, text, null);
    }
  }

  /**
   * A client's request. Two of one identity are one: a write that several nodes accepted.
   *
   * @param identity empty: another one than all others
   */
  record Request(String client, String text, String identity) {}

  /** An event and how many of each node's events it knows of. */
  record Counted(Event event, int[] clock) {
    int node() {
      return event.clock().owner();
    }
  }

  /**
   * In the order of own times. Events of a node with one own time stay in the order given. O(events
   * · nodes²) at worst.
   */
  static List<Counted> count(int nodes, List<Event> events) {
    EventClocks clocks = new EventClocks(nodes);
    List<Event> inOrder = new ArrayList<>(events);
    inOrder.sort(Comparator.comparingLong(event -> event.clock().own()));
    inOrder.forEach(event -> clocks.ofNode.get(event.clock().owner()).add(event));
    return clocks.count(inOrder);
  }

  private List<Counted> count(List<Event> inOrder) {
    List<List<Hvc>> known = ofNode.stream().map(EventClocks::rising).toList();
    int[] next = new int[nodes];
    int[][] counts = new int[nodes][nodes];
    List<Counted> counted = new ArrayList<>();
    for (Event event : inOrder) {
      int node = event.clock().owner();
      Hvc clock = known.get(node).get(next[node]++);
      for (int other = 0; other < nodes; other++) {
        if (other != node) {
          counts[node][other] = before(known.get(other), clock, counts[node][other]);
        }
      }
      counts[node][node] = next[node];
      counted.add(new Counted(event, counts[node].clone()));
    }
    return counted;
  }

  /** How many are before {@code clock}, of which {@code least} are known to be. */
  private static int before(List<Hvc> rising, Hvc clock, int least) {
    int count = least;
    while (count < rising.size() && rising.get(count).isBefore(clock)) {
      count++;
    }
    return count;
  }

  private static List<Hvc> rising(List<Event> events) {
    List<Hvc> rising = new ArrayList<>();
    for (Event event : events) {
      Hvc last = rising.isEmpty() ? event.clock() : rising.get(rising.size() - 1);
      rising.add(event.clock().merge(last));
    }
    return rising;
  }
}
