package io.palinode.simulation.environment;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * The time of a simulated world, in microseconds since its beginning, and what is to happen in it.
 * What is due at one moment happens in the order in which it was asked for.
 */
public final class VirtualTime {
  private record Due(long atMicros, long order, Runnable action) {}

  private final PriorityQueue<Due> queue =
      new PriorityQueue<>(Comparator.comparingLong(Due::atMicros).thenComparingLong(Due::order));
  private long nowMicros;
  private long asked;

  public long nowMicros() {
    return nowMicros;
  }

  /** Has {@code action} done so much later. */
  public void in(long micros, Runnable action) {
    queue.add(new Due(nowMicros + Math.max(0, micros), asked++, action));
  }

  /** Lets everything happen that is due before {@code untilMicros}, which is then the time. */
  public void runUntil(long untilMicros) {
    while (!queue.isEmpty() && queue.peek().atMicros() < untilMicros) {
      Due next = queue.remove();
      nowMicros = next.atMicros();
      next.action().run();
    }
    nowMicros = Math.max(nowMicros, untilMicros);
  }
}
