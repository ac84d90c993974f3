package voldemort.server.scheduler.slop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Shaped like the server's class of this name, as to who waits for whom: the job for somebody to
 * take a hint, for somebody to take the end, and for those who take to have ended; written for
 * tests. All hints are for one node.
 */
public final class StreamingSlopPusherJob implements Runnable {
  private static final int NODE = 2;
  private static final long OFFER_HOURS = 1;
  private static final Object END = new Object();

  private final List<Object> hints;
  private final int batchSize;
  private final Consumer<List<Object>> sent;
  private final ExecutorService consumerExecutor =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "slop-pusher");
            thread.setDaemon(true);
            return thread;
          });
  private final List<Future<?>> consumerResults = new ArrayList<>();
  private Map<Integer, SynchronousQueue<Object>> slopQueues;

  /**
   * @param sent what comes of a batch when its node answers
   */
  public StreamingSlopPusherJob(List<Object> hints, int batchSize, Consumer<List<Object>> sent) {
    this.hints = hints;
    this.batchSize = batchSize;
    this.sent = sent;
  }

  @Override
  public void run() {
    loadMetadata();
    try {
      for (Object hint : hints) {
        offer(hint);
      }
      putEnds();
      for (Future<?> each : consumerResults) {
        awaitEnd(each);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    consumerResults.clear();
  }

  private void loadMetadata() {
    slopQueues = new ConcurrentHashMap<>();
  }

  private void offer(Object hint) throws InterruptedException {
    SynchronousQueue<Object> slopQueue = slopQueues.get(NODE);
    if (slopQueue == null) {
      slopQueue = new SynchronousQueue<>();
      slopQueues.put(NODE, slopQueue);
      SynchronousQueue<Object> taken = slopQueue;
      consumerResults.add(consumerExecutor.submit(() -> consume(taken)));
    }
    boolean unused = slopQueue.offer(hint, OFFER_HOURS, TimeUnit.HOURS);
  }

  private void putEnds() throws InterruptedException {
    for (SynchronousQueue<Object> each : slopQueues.values()) {
      each.put(END);
    }
  }

  private static void awaitEnd(Future<?> consumer) throws InterruptedException {
    try {
      Object unused = consumer.get();
    } catch (ExecutionException refused) {
      // The run continues.
    }
  }

  private Void consume(SynchronousQueue<Object> slopQueue) throws InterruptedException {
    try {
      boolean ended = false;
      while (!ended) {
        List<Object> batch = new ArrayList<>();
        while (!ended && batch.size() < batchSize) {
          Object taken = slopQueue.take();
          ended = taken == END;
          if (!ended) {
            batch.add(taken);
          }
        }
        sent.accept(batch);
      }
      return null;
    } finally {
      SynchronousQueue<Object> unused = slopQueues.remove(NODE);
    }
  }
}
