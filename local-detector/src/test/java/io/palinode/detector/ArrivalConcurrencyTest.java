package io.palinode.detector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.Gap;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.detector.ring.Emission.Progress;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.detector.terms.OpenInterval;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Predicates come and go while several threads write and another drains. */
class ArrivalConcurrencyTest {
  private static final int WRITERS = 3;
  private static final int ROUNDS = 60;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theIntervalsOpenAtTheEndAreThoseThatHold(long seed) throws InterruptedException {
    MemoryNode store = MemoryNode.alone(new Ticking());
    CandidateRing ring = new CandidateRing(1 << 16, 2);
    LocalDetector detector =
        new LocalDetector(
            store, ring, instance -> Math.floorMod(instance.hashCode(), 2), 1_000_000);
    store.listen(detector);
    detector.reset(1);
    store.resume(1, 0, 0);

    AtomicBoolean writing = new AtomicBoolean(true);
    List<Thread> threads = new ArrayList<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      threads.add(writer(store, writing, seed * 31 + writer));
    }
    Reader reader = new Reader();
    Thread draining = new Thread(() -> reader.drainWhile(ring, writing), "reader");
    threads.add(draining);
    threads.forEach(Thread::start);

    Random random = new Random(seed);
    List<ActivePredicate> active = List.of();
    for (int round = 1; round <= ROUNDS; round++) {
      active = someOf(random, round);
      detector.setPredicates(active);
      detector.reportProgress();
    }
    writing.set(false);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(reader.failure).isNull();
    reader.drain(ring);
    assertThat(detector.openedCount()).isGreaterThan(1_000);
    assertThat(reader.stillOpen(active))
        .as("seed=%d", seed)
        .isEqualTo(TruthOracle.holding(active, store.state()));
    assertThat(detector.failures()).isZero();
    assertThat(ring.dropped()).isZero();
  }

  private static List<ActivePredicate> someOf(Random random, int version) {
    List<ActivePredicate> some = new ArrayList<>();
    // Some stay in their version, some arrive in a new one.
    some.add(Watched.exact(1 + version / 10));
    if (random.nextBoolean()) {
      some.add(Watched.edgeMutex(version));
    }
    some.add(Watched.properColouring(1 + version / 7));
    return some;
  }

  private static Thread writer(MemoryNode store, AtomicBoolean writing, long seed) {
    return new Thread(
        () -> {
          Random random = new Random(seed);
          while (writing.get()) {
            StoreKey key =
                MemoryNode.key(
                    random.nextInt(4) == 0
                        ? "x"
                        : "cs_" + random.nextInt(40) + "_50_" + random.nextInt(60));
            store.put(
                key,
                (random.nextBoolean() ? "1" : "c" + random.nextInt(3)).getBytes(UTF_8),
                store.merged(key).increment(random.nextInt(8)),
                "w",
                0);
          }
        },
        "writer-" + seed);
  }

  /** Follows the intervals, and that each partition is in the order of sequence and clock. */
  private static final class Reader {
    private final Map<String, OpenInterval> open = new HashMap<>();
    private final long[] sequences = new long[2];
    private final long[] hlcs = new long[2];
    private volatile @Nullable AssertionError failure;

    void drainWhile(CandidateRing ring, AtomicBoolean writing) {
      try {
        while (writing.get()) {
          drain(ring);
        }
      } catch (AssertionError e) {
        failure = e;
      }
    }

    void drain(CandidateRing ring) {
      List<Emission> batch = new ArrayList<>();
      while (ring.drain(batch, 1_000) > 0) {
        batch.forEach(this::receive);
        batch.clear();
      }
    }

    private void receive(Emission emission) {
      assertThat(emission).isNotInstanceOf(Gap.class);
      if (emission instanceof Progress progress) {
        for (int partition = 0; partition < 2; partition++) {
          assertThat(progress.sequences().get(partition)).isEqualTo(sequences[partition]);
          assertThat(progress.hvc().own()).isGreaterThan(hlcs[partition]);
          hlcs[partition] = progress.hvc().own();
        }
      } else if (emission instanceof Emission.IntervalEvent event) {
        assertThat(event.sequence()).isEqualTo(++sequences[event.partition()]);
        assertThat(event.hlc()).isGreaterThanOrEqualTo(hlcs[event.partition()]);
        hlcs[event.partition()] = event.hlc();
        follow(event);
      }
    }

    private void follow(Emission.IntervalEvent event) {
      String name = TruthOracle.name(event.interval());
      if (event instanceof Opened) {
        open.put(name, event.interval());
      } else if (event instanceof Closed) {
        assertThat(open.remove(name)).isEqualTo(event.interval());
      }
    }

    Set<String> stillOpen(List<ActivePredicate> active) {
      Set<String> names = new TreeSet<>(open.keySet());
      names.removeIf(
          name ->
              active.stream().noneMatch(p -> name.startsWith(p.name() + " v" + p.version() + " ")));
      return names;
    }
  }
}
