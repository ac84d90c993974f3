package io.palinode.agent.boot;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The queues of one run of the server's hint delivery job, by target node. The job puts hints into
 * a queue, then an end mark. A thread takes and sends them, and removes the queue when it ends.
 *
 * <p>The thread also ends when the target refuses a hint, as after a rollback. With the server's
 * own map, the job would then wait 15 s for each hint. It would wait for ever at the end mark, so
 * no later run would start. With this map, a put waits only while the queue is in the map, except
 * the first hint, which the job puts before. A hint that no thread takes remains in the store of
 * hints.
 *
 * <p>Thread-safe, with one putting thread per queue. Works without a listener: hints sent before
 * the agent turned off may still be refused.
 */
public final class HintQueues extends ConcurrentHashMap<Integer, SynchronousQueue<Object>> {
  private static final long serialVersionUID = 1;

  /** The longest wait after the taking thread has ended. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /**
   * @param queues the map of a new run; returned unchanged if it is not empty
   */
  public static Map<?, ?> instead(Map<?, ?> queues) {
    return queues.isEmpty() ? new HintQueues() : queues;
  }

  @Override
  public @Nullable SynchronousQueue<Object> put(Integer node, SynchronousQueue<Object> queue) {
    return super.put(node, new Watched(queue));
  }

  /** The queue that the job finds in the map; the taking thread has the original. */
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
