package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.store.affected.Access;
import io.palinode.store.affected.Trace;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Clients that go on while a node begins to note what they do, and while it is paused. */
class AccessesUnderLoadTest {
  private static final int CLIENTS = 3;
  private static final int ROUNDS = 40;
  private static final int ANSWERS = 200;

  @Test
  void aPausedNodeHasNotedAllThatItAnsweredSinceItBegan() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        play(threads);
      }
    } finally {
      threads.shutdownNow();
      assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static void play(ExecutorService threads) throws Exception {
    StoreNode node = TestNodes.inMemory(TestNodes.clock());
    CountDownLatch warm = new CountDownLatch(CLIENTS * ANSWERS);
    CountDownLatch noted = new CountDownLatch(2 * CLIENTS * ANSWERS);
    List<Future<List<Long>>> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(threads.submit(client(node, i, warm, noted)));
    }
    assertThat(warm.await(30, TimeUnit.SECONDS)).isTrue();
    node.followAccesses(true);
    assertThat(noted.await(30, TimeUnit.SECONDS)).isTrue();
    node.pause(1);
    Trace trace = node.accesses(0);
    Set<Long> times = new HashSet<>();
    for (Access access : trace.accesses()) {
      times.add(access.hlc());
    }
    for (Future<List<Long>> client : clients) {
      List<Long> answered = client.get(30, TimeUnit.SECONDS);
      answered.removeIf(hlc -> hlc <= trace.since());
      assertThat(times).containsAll(answered);
    }
    node.close();
  }

  /** Reads and writes until it is refused; gives the times of what was answered. */
  private static Callable<List<Long>> client(
      StoreNode node, int number, CountDownLatch warm, CountDownLatch noted) {
    return () -> {
      Random random = new Random(number);
      Caller caller = new Caller(null, 0L, "c" + number, null);
      List<Long> answered = new ArrayList<>();
      for (int counter = 1; ; counter++) {
        StoreKey key = TestNodes.key("k" + number);
        try {
          Reply<?> reply =
              random.nextInt(3) == 0
                  ? node.writes().put(key, TestNodes.version("v", counter), caller)
                  : node.reads().get(key, caller);
          answered.add(reply.hvc().own());
          warm.countDown();
          noted.countDown();
        } catch (RefusedException paused) {
          assertThat(paused.fence()).isNotNull();
          return answered;
        }
      }
    };
  }
}
