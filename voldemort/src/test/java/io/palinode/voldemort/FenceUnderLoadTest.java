package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Writers and readers that go on while the node is paused, restored and resumed. */
class FenceUnderLoadTest {
  private static final int WRITERS = 4;
  private static final int KEYS = 16;
  private static final int WRITES_PER_EPOCH = 300;
  private static final int EPOCHS = 6;

  @TempDir Path folder;

  private final AtomicLong micros = TestNodes.clock();
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final List<WriteEvent> events = new ArrayList<>();

  /** The epoch in force and, from {@code quiet} on, none before it. */
  private record Opened(long epoch, long quiet, long target, long resumed) {}

  @ParameterizedTest
  @EnumSource
  void noWriteOfAnOldEpochLandsAfterThePause(Medium medium) throws Exception {
    StoreNode node =
        new StoreNode(TestNodes.config(), medium.open(folder), micros::incrementAndGet);
    // Called under the write lock, one at a time.
    node.listen(events::add);
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS + 1);
    try {
      List<Future<List<Accepted>>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        writers.add(threads.submit(writer(node, i)));
      }
      Future<Long> reader = threads.submit(() -> readWhileRunning(node));
      List<Opened> opened = rollBackAgainAndAgain(node);
      stopped.set(true);
      List<Accepted> accepted = new ArrayList<>();
      for (Future<List<Accepted>> writer : writers) {
        accepted.addAll(writer.get(30, TimeUnit.SECONDS));
      }
      assertThat(reader.get(30, TimeUnit.SECONDS)).isPositive();
      assertFenced(accepted, opened);
      assertEventsInOrder(accepted);
      assertThat(TestNodes.stateOf(node)).isEqualTo(replay(opened));
    } finally {
      // Not shutdownNow: an interrupt would end the environment.
      stopped.set(true);
      threads.shutdown();
      assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
      node.close();
    }
  }

  private record Accepted(long epoch, long at) {}

  private Callable<List<Accepted>> writer(StoreNode node, int writer) {
    return () -> {
      Random random = new Random(writer);
      List<Accepted> accepted = new ArrayList<>();
      long counter = 0;
      long epoch = 0;
      while (!stopped.get()) {
        try {
          StoreKey key = TestNodes.key("k" + random.nextInt(KEYS));
          Caller caller = new Caller(null, epoch, "w" + writer, null);
          Reply<Boolean> reply = node.writes().put(key, version(writer, ++counter), caller);
          assertThat(reply.epoch()).isEqualTo(epoch);
          accepted.add(new Accepted(epoch, reply.acceptedAt()));
        } catch (RefusedException refused) {
          if (refused.fence() != null && !refused.fence().paused()) {
            epoch = refused.fence().epoch();
          }
        }
      }
      return accepted;
    };
  }

  /** A read of an epoch must not see what a later restore left, nor fail otherwise than fenced. */
  private long readWhileRunning(StoreNode node) {
    long reads = 0;
    Random random = new Random(99);
    while (!stopped.get()) {
      try {
        node.reads().get(TestNodes.key("k" + random.nextInt(KEYS)), Caller.STOCK);
        reads++;
      } catch (RefusedException refused) {
        assertThat(refused.fence()).isNotNull();
      }
    }
    return reads;
  }

  private List<Opened> rollBackAgainAndAgain(StoreNode node) {
    List<Opened> opened = new ArrayList<>();
    long since = node.reach();
    for (long epoch = 1; epoch <= EPOCHS; epoch++) {
      long enough = node.counters().get(NodeCounter.PUTS) + WRITES_PER_EPOCH;
      while (node.counters().get(NodeCounter.PUTS) < enough) {
        Thread.onSpinWait();
      }
      long quiet = node.pause(epoch);
      long target = since + (quiet - since) / 2;
      node.restore(epoch, 1, target);
      since = node.clock().tick().own();
      node.resume(epoch, target, 0);
      opened.add(new Opened(epoch, quiet, target, since));
    }
    return opened;
  }

  private static void assertFenced(List<Accepted> accepted, List<Opened> opened) {
    for (Opened step : opened) {
      assertThat(accepted)
          .allMatch(
              write ->
                  write.epoch() < step.epoch()
                      ? write.at() < step.quiet()
                      : write.at() > step.resumed());
    }
  }

  private void assertEventsInOrder(List<Accepted> accepted) {
    List<Long> observed = events.stream().map(event -> event.after().own()).toList();
    assertThat(observed).isSorted().doesNotHaveDuplicates();
    assertThat(observed)
        .containsExactlyElementsOf(accepted.stream().map(Accepted::at).sorted().toList());
    for (int i = 1; i < events.size(); i++) {
      assertThat(events.get(i).before().own()).isGreaterThan(events.get(i - 1).after().own());
    }
  }

  /** What is left when each plan drops the writes between its target and its pause. */
  private Map<StoreKey, List<Versioned>> replay(List<Opened> opened) {
    Map<StoreKey, List<Versioned>> state = new HashMap<>();
    for (WriteEvent event : events) {
      long at = event.after().own();
      if (opened.stream().noneMatch(step -> at > step.target() && at < step.quiet())) {
        Version put = Objects.requireNonNull(event.written());
        Versioned written = new Versioned(put.value(), VectorClock.decode(put.clock()));
        state.compute(
            event.key(),
            (key, stored) -> Siblings.put(stored == null ? List.of() : stored, written));
      }
    }
    return state;
  }

  /** Each writer has its own clock entry, so its versions are siblings of the others'. */
  private static Versioned version(int writer, long counter) {
    TreeMap<Integer, Long> entries = new TreeMap<>(Map.of(writer, counter));
    return Versioned.ofText("w" + writer + "-" + counter, VectorClock.of(entries, 0));
  }
}
