package io.palinode.agent.boot;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The queues of one run of the server's job that delivers hints, by the node that they are for. The
 * job puts hints into a queue, and an end behind the last; a thread takes them out and sends them,
 * and removes the queue when it ends.
 *
 * <p>It also ends when that node refuses what it sends, as after a rollback. With the server's own
 * map, whoever puts something then waits for somebody who is not there: for a hint as long as a
 * client's operation may take, 15 s, and for the end without a bound, so that no run comes after
 * it. With this one, whoever puts waits no longer than the queue is in the map (but with its first
 * hint, which the job puts before it looks there). What was not taken counts as not delivered, and
 * is in the store of hints still.
 *
 * <p>Thread-safe, with one thread that puts into a queue. Needs no listener: also what was sent
 * before the agent was off may be refused.
 */
public final class HintQueues extends ConcurrentHashMap<Integer, SynchronousQueue<Object>> {
  private static final long serialVersionUID = 1;

  /** How long nobody is waited for at most. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /**
   * @param queues the map that a run begins with, which is empty; kept if it is not
   */
  public static Map<?, ?> instead(Map<?, ?> queues) {
    return queues.isEmpty() ? new HintQueues() : queues;
  }

  @Override
  public @Nullable SynchronousQueue<Object> put(Integer node, SynchronousQueue<Object> queue) {
    return super.put(node, new Watched(queue));
  }

  /** What the job finds in the map; who takes has the queue itself. */
  private final class Watched extends SynchronousQueue<Object> {
    private static final long serialVersionUID = 1;

    private final SynchronousQueue<Object> queue;

    Watched(SynchronousQueue<Object> queue) {
      this.queue = queue;
    }

    @Override
    public void put(Object end) throws InterruptedException {
      boolean unused = offer(end, Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    }

    @Override
    public boolean offer(Object hint, long timeout, TimeUnit unit) throws InterruptedException {
      long left = unit.toNanos(timeout);
      do {
        if (queue.offer(hint, Math.min(left, LOOK_NANOS), TimeUnit.NANOSECONDS)) {
          return true;
        }
        left -= LOOK_NANOS;
      } while (left > 0 && containsValue(this));
      return false;
    }
  }
}
