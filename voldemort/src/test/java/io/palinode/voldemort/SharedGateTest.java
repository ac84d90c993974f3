package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.binding.WriteFeed.WriteListener;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.store.past.Deletes;
import io.palinode.store.restore.KeyPast;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Overlapping writes of another server, and other work meanwhile. */
class SharedGateTest {
  private static final StoreKey K = TestNodes.key("k");
  private static final int WRITERS = 4;
  private static final int WRITES = 500;
  private static final long SOON_SECONDS = 20;

  private final AtomicLong micros = TestNodes.clock();
  private final ProbedEngine engine = new ProbedEngine(Medium.MEMORY.open(Path.of("unused")));
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private StoreNode node;

  @BeforeEach
  void open() {
    node = new StoreNode(TestNodes.config(), engine, micros::incrementAndGet);
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    node.close();
  }

  @Test
  void progressIsPublishedDuringAWrite()
      throws RefusedException, InterruptedException, ExecutionException, TimeoutException {
    LocalDetector detector = new LocalDetector(node, new CandidateRing(8, 1), instance -> 0, 10);
    detector.reset(0);
    node.hosted().enter(Caller.STOCK);
    try {
      Future<Boolean> published = threads.submit(detector::reportProgress);
      assertThat(published.get(SOON_SECONDS, TimeUnit.SECONDS)).isTrue();
    } finally {
      node.hosted().leave();
    }
  }

  /** Else every later write would wait for it. */
  @Test
  void whoIsRefusedByWantOfMemoryIsNotLeftInTheNode()
      throws InterruptedException, ExecutionException, TimeoutException {
    AtomicBoolean fails = new AtomicBoolean();
    StoreNode failing =
        new StoreNode(
            TestNodes.config(),
            Medium.MEMORY.open(Path.of("unused")),
            () -> {
              if (fails.getAndSet(false)) {
                throw new OutOfMemoryError("a test");
              }
              return micros.incrementAndGet();
            });
    Caller asking = new Caller(failing.clock().last(), null, "c", null);
    fails.set(true);
    assertThatThrownBy(() -> failing.hosted().enter(asking)).isInstanceOf(OutOfMemoryError.class);
    Future<?> alone = threads.submit(() -> failing.atomically(() -> {}));
    assertThat(alone.get(SOON_SECONDS, TimeUnit.SECONDS)).isNull();
    // Not before: a close that waits for ever shows no cause.
    failing.close();
  }

  @Test
  void noRecordOfAnUnwatchedKeyIsDecoded() throws RefusedException {
    List<WriteEvent> events = new ArrayList<>();
    node.listen(
        new WriteListener() {
          @Override
          public boolean watches(StoreKey key) {
            return key.equals(K);
          }

          @Override
          public void written(WriteEvent event) {
            events.add(event);
          }
        });
    byte[] undecodable = {127};
    change(TestNodes.key("other"), undecodable);
    change(K, Siblings.encode(List.of(TestNodes.version("v", 1))));
    assertThat(events).hasSize(1);
    assertThat(events.get(0).written()).isNotNull();
  }

  private void change(StoreKey key, byte[] after) throws RefusedException {
    node.hosted().enter(Caller.STOCK);
    try {
      Object unused = node.hosted().changed(key, null, after, null, Caller.STOCK);
    } finally {
      node.hosted().leave();
    }
  }

  /** The write's success is unknown when it is passed on. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void onlyADeleteThatSucceededIsKnownToARollback(boolean succeeds) throws RefusedException {
    byte[] record = Siblings.encode(List.of(TestNodes.version("v", 1)));
    change(K, record);
    Hvc at = delete(record, TestNodes.vector(1), succeeds);
    long then = node.clock().last().own();
    node.writes().put(K, TestNodes.version("late", 1), Caller.STOCK);
    node.pause(1);
    List<StoreKey> changed = node.restore(1, 1, then).changed();

    KeyPast past = KeyPast.decode(VoldemortRules.INSTANCE, node.read(changed).get(0).past());
    assertThat(past.deletes())
        .extracting(Deletes.Delete::hlc)
        .isEqualTo(succeeds ? List.of(at.own()) : List.of());
  }

  private Hvc delete(byte[] record, VectorClock upTo, boolean succeeds) throws RefusedException {
    node.hosted().enter(Caller.STOCK);
    try {
      Hvc at = node.hosted().changed(K, record, null, upTo, Caller.STOCK);
      if (succeeds) {
        node.hosted().deleted(K, upTo, at, Caller.STOCK);
      } else {
        Object unused = node.hosted().changed(K, null, record, null, Caller.STOCK);
      }
      return Objects.requireNonNull(at);
    } finally {
      node.hosted().leave();
    }
  }

  /** Events before a progress have earlier stamps, and events after it later ones. */
  @Test
  void noEventAfterAProgressHasAnEarlierStamp()
      throws InterruptedException, ExecutionException, TimeoutException {
    List<Long> stamps = new ArrayList<>();
    node.listen(
        (WriteEvent event) -> stamps.addAll(List.of(event.before().own(), event.after().own())));
    CountDownLatch done = new CountDownLatch(WRITERS);
    List<Future<?>> writers = new ArrayList<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      StoreKey key = TestNodes.key("k" + writer);
      writers.add(threads.submit(() -> write(key, done)));
    }
    int turns = 0;
    for (; done.getCount() > 0; turns++) {
      node.ordered(() -> stamps.add(node.clock().tick().own()));
    }
    for (Future<?> writer : writers) {
      writer.get(SOON_SECONDS, TimeUnit.SECONDS);
    }

    assertThat(stamps).hasSize(2 * WRITERS * WRITES + turns).isSorted().doesNotHaveDuplicates();
  }

  private void write(StoreKey key, CountDownLatch done) {
    byte[] before = null;
    try {
      for (int i = 1; i <= WRITES; i++) {
        byte[] after = Siblings.encode(List.of(TestNodes.version("v" + i, i)));
        node.hosted().enter(Caller.STOCK);
        try {
          Object unused = node.hosted().changed(key, before, after, null, Caller.STOCK);
        } finally {
          node.hosted().leave();
        }
        before = after;
      }
    } catch (RefusedException paused) {
      throw new IllegalStateException(paused);
    } finally {
      done.countDown();
    }
  }

  @Test
  void noWriteWaitsForAPromiseThatWasMadeAhead() throws RefusedException {
    node.promiseAhead(Hlc.ofMicros(1_000_000));
    engine.commits.clear();
    for (int i = 1; i <= 6; i++) {
      micros.addAndGet(100_000);
      node.writes().put(K, TestNodes.version("v" + i, i), Caller.STOCK);
    }
    assertThat(engine.commits)
        .allSatisfy(commit -> assertThat(commit.changes().get(0).store()).isEqualTo(K.store()));

    // Half of it is used up: time for the next.
    node.promiseAhead(Hlc.ofMicros(1_000_000));
    node.promiseAhead(Hlc.ofMicros(1_000_000));
    assertThat(engine.commits).hasSize(7);
  }
}
