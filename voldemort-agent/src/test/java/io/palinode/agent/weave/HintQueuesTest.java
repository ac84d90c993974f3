package io.palinode.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.agent.boot.HintQueues;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Runs of the job that delivers hints, to a node that refuses a batch. */
class HintQueuesTest {
  private static final String JOB = "voldemort.server.scheduler.slop.StreamingSlopPusherJob";

  private final List<Object> delivered = Collections.synchronizedList(new ArrayList<>());
  private final AtomicBoolean refuses = new AtomicBoolean(true);
  private volatile Thread run = Thread.currentThread();
  private volatile int read;

  private static Runnable job(List<Object> hints, int batchSize, Consumer<List<Object>> sent)
      throws ReflectiveOperationException {
    return (Runnable)
        new WeavingLoader(Weaver.ofServer())
            .loadClass(JOB)
            .getConstructor(List.class, int.class, Consumer.class)
            .newInstance(hints, batchSize, sent);
  }

  /** Hints of which it is known how many the job has read. */
  private List<Object> hints(String... texts) {
    return new AbstractList<>() {
      @Override
      public Object get(int index) {
        read = index + 1;
        return texts[index];
      }

      @Override
      public int size() {
        return texts.length;
      }
    };
  }

  /**
   * Refuses one batch, once the job has read {@code hints} and waits in {@code method} for somebody
   * to take what is next.
   */
  private Consumer<List<Object>> refusingOnce(int hints, String method) {
    return batch -> {
      if (refuses.getAndSet(false)) {
        await().until(() -> read == hints && waitsIn(method));
        throw new IllegalStateException("refused");
      }
      delivered.addAll(batch);
    };
  }

  private boolean waitsIn(String method) {
    Thread.State state = run.getState();
    return (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING)
        && Arrays.stream(run.getStackTrace())
            .anyMatch(
                frame -> frame.getClassName().equals(JOB) && frame.getMethodName().equals(method));
  }

  private void assertEnds(Runnable job) {
    Thread thread = new Thread(job);
    thread.setDaemon(true);
    run = thread;
    thread.start();
    await("the end of the run").until(() -> thread.getState() == Thread.State.TERMINATED);
  }

  /** Of what it takes, the last is the end: who has been refused right before takes nothing. */
  @Test
  void aRunOfWhichTheLastBatchIsRefusedEndsAndTheNextOneDelivers() throws Exception {
    Runnable job = job(hints("a", "b"), 2, refusingOnce(2, "putEnds"));
    assertEnds(job);
    assertThat(refuses).isFalse();
    assertThat(delivered).isEmpty();

    assertEnds(job);
    assertThat(delivered).containsExactly("a", "b");
  }

  @Test
  void aRunDoesNotWaitForWhoWasRefusedToTakeMore() throws Exception {
    Runnable job = job(hints("a", "b", "c", "d", "e"), 2, refusingOnce(3, "offer"));
    assertEnds(job);
    assertThat(delivered).as("what is left goes through another queue").containsExactly("d", "e");

    delivered.clear();
    assertEnds(job);
    assertThat(delivered).containsExactly("a", "b", "c", "d", "e");
  }

  @Test
  void whoTakesLateIsWaitedFor() throws InterruptedException {
    HintQueues queues = new HintQueues();
    SynchronousQueue<Object> queue = new SynchronousQueue<>();
    assertThat(queues.put(2, queue)).isNull();
    SynchronousQueue<Object> found = Objects.requireNonNull(queues.get(2));
    Thread putting =
        new Thread(
            () -> {
              try {
                found.put("end");
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    putting.setDaemon(true);
    putting.start();
    await().during(Duration.ofMillis(200)).until(putting::isAlive);
    assertThat(queue.take()).isEqualTo("end");
    putting.join();
  }
}
