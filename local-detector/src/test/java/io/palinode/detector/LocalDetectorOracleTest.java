package io.palinode.detector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.detector.terms.OpenInterval;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The detector against an oracle that recomputes, after each step, what holds in the whole state.
 */
class LocalDetectorOracleTest {
  private static final int PARTITIONS = 3;
  private static final int STEPS = 400;
  private static final List<String> NAMES =
      List.of("exact", "edge-mutex", "proper-colouring", "random-on-keys", "random-on-edges");
  private static final List<String> VALUES =
      List.of("0", "1", "1", "c1", "c2", "c", "", "-1.5", "1.0", " 1e1\n", "1e999999999", "c0");

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 60);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void intervalsEqualThoseOfTheOracle(long seed) {
    Run run = new Run(seed);
    for (int step = 0; step < STEPS; step++) {
      run.step();
    }
    assertThat(run.opened).as("seed=%d: intervals opened", seed).isGreaterThan(50);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void exactlyTheHoldingTermsArePublishedInTheEndThoughTheRingOverflows(long seed) {
    Run run = new Run(seed, 6);
    run.watchAll();
    Set<String> published = new TreeSet<>();
    for (int step = 0; step < STEPS; step++) {
      run.write();
      if (run.random.nextInt(12) == 0) {
        run.drain(published);
      }
    }
    assertThat(run.ring.dropped()).as("seed=%d", seed).isPositive();
    for (int i = 0; i < STEPS && !published.equals(run.holding()); i++) {
      run.drain(published);
    }
    assertThat(published).as("seed=%d", seed).isEqualTo(run.holding());
  }

  private static final class Run {
    private final Random random;
    private final long seed;
    private final Ticking micros = new Ticking();
    private final MemoryNode store = MemoryNode.alone(micros);
    private final CandidateRing ring;
    private final LocalDetector detector;
    private final Map<String, ActivePredicate> active = new TreeMap<>();
    private final Map<String, OpenInterval> open = new HashMap<>();
    private final long[] sequences = new long[PARTITIONS];
    private long version;
    private long epoch = 1;
    private int opened;
    private long lastHlc;

    Run(long seed) {
      this(seed, 10_000);
    }

    Run(long seed, int ringCapacity) {
      this.seed = seed;
      ring = new CandidateRing(ringCapacity, PARTITIONS);
      detector =
          new LocalDetector(
              store, ring, instance -> Math.floorMod(instance.hashCode(), PARTITIONS), 10_000);
      random = new Random(seed);
      store.listen(detector);
      detector.reset(epoch);
      store.resume(epoch, 0, 0);
    }

    void step() {
      long before = store.clock().last().own();
      boolean forgets = false;
      switch (random.nextInt(20)) {
        case 0, 1 -> forgets = changePredicates();
        case 2 -> {
          forgets = true;
          open.clear();
          detector.reset(++epoch);
        }
        case 3, 4 -> store.delete(randomKey());
        default -> write();
      }
      if (forgets) {
        open.keySet().removeIf(name -> !isActive(name));
      }
      check(before);
    }

    private void write() {
      StoreKey key = MemoryNode.key(randomKey());
      VectorClock clock =
          random.nextBoolean()
              ? store.merged(key).increment(0)
              : VectorClock.zero(9).increment(1 + random.nextInt(8));
      Integer origin = random.nextBoolean() ? 0 : null;
      store.put(key, randomValue(), clock, "w" + random.nextInt(3), origin);
    }

    private boolean changePredicates() {
      String name = NAMES.get(random.nextInt(NAMES.size()));
      if (random.nextInt(3) == 0) {
        active.remove(name);
      } else {
        version++;
        active.put(
            name,
            switch (name) {
              case "exact" -> Watched.exact(version);
              case "edge-mutex" -> Watched.edgeMutex(version);
              case "random-on-keys" -> Watched.randomOnKeys(random, version);
              case "random-on-edges" -> Watched.randomOnEdges(random, version);
              default -> Watched.properColouring(version);
            });
      }
      detector.setPredicates(active.values());
      return true;
    }

    void watchAll() {
      for (ActivePredicate each :
          List.of(Watched.exact(1), Watched.edgeMutex(1), Watched.properColouring(1))) {
        active.put(each.name(), each);
      }
      detector.setPredicates(active.values());
    }

    Set<String> holding() {
      return TruthOracle.holding(active.values(), store.state());
    }

    /** Drains the ring around a progress and updates the set of open intervals. */
    void drain(Set<String> published) {
      List<Emission> out = new ArrayList<>();
      ring.drain(out, Integer.MAX_VALUE);
      detector.reportProgress();
      ring.drain(out, Integer.MAX_VALUE);
      for (Emission emission : out) {
        if (emission instanceof Emission.IntervalEvent event) {
          // No event is emitted between a dropped one and its late repeat.
          assertThat(event.hlc()).as("seed=%d", seed).isGreaterThanOrEqualTo(lastHlc);
          lastHlc = event.hlc();
          String name = TruthOracle.name(event.interval());
          boolean changed = event instanceof Opened ? published.add(name) : published.remove(name);
          opened += changed ? 1 : 0;
        } else if (emission instanceof Emission.Progress progress) {
          lastHlc = progress.hvc().own() + 1;
        }
      }
    }

    private boolean isActive(String intervalName) {
      return active.values().stream()
          .anyMatch(p -> intervalName.startsWith(p.name() + " v" + p.version() + " "));
    }

    private void check(long before) {
      Set<String> held = new TreeSet<>(open.keySet());
      List<Emission> out = new ArrayList<>();
      ring.drain(out, Integer.MAX_VALUE);
      Set<String> ended = new TreeSet<>();
      Set<String> begun = new TreeSet<>();
      for (Emission emission : out) {
        Emission.IntervalEvent event = (Emission.IntervalEvent) emission;
        checkEvent(event, before);
        if (event instanceof Opened) {
          begun.add(TruthOracle.name(event.interval()));
        } else {
          ended.add(TruthOracle.name(event.interval()));
        }
      }
      Set<String> holding = holding();
      assertThat(ended).as("seed=%d ended", seed).isEqualTo(minus(held, holding));
      assertThat(begun).as("seed=%d begun", seed).isEqualTo(minus(holding, held));
      assertThat(open.keySet()).as("seed=%d open", seed).isEqualTo(holding);
      assertThat(detector.openIntervals()).isEqualTo(holding.size());
    }

    private void checkEvent(Emission.IntervalEvent event, long before) {
      assertThat(event.epoch()).isEqualTo(epoch);
      assertThat(event.sequence()).isEqualTo(++sequences[event.partition()]);
      assertThat(event.partition())
          .isEqualTo(Math.floorMod(event.instance().hashCode(), PARTITIONS));
      assertThat(event.hlc())
          .as("seed=%d: in the order of the clock", seed)
          .isGreaterThan(before)
          .isGreaterThanOrEqualTo(lastHlc);
      lastHlc = event.hlc();
      String name = TruthOracle.name(event.interval());
      if (event instanceof Opened openedNow) {
        opened++;
        assertThat(openedNow.values().get(0)).isEqualTo(event.interval().holding().version());
        assertThat(open.put(name, event.interval())).as("seed=%d opened twice", seed).isNull();
      } else if (event instanceof Closed) {
        assertThat(open.remove(name)).as("seed=%d never opened", seed).isEqualTo(event.interval());
      }
    }

    private static Set<String> minus(Set<String> some, Set<String> others) {
      Set<String> left = new TreeSet<>(some);
      left.removeAll(others);
      return left;
    }

    private String randomKey() {
      return switch (random.nextInt(6)) {
        case 0 -> "x";
        case 1 -> "y";
        case 2 -> "z";
        case 3 -> "other" + random.nextInt(3);
        default -> "cs_" + random.nextInt(2) + "_2_" + List.of(0, 1, 2).get(random.nextInt(3));
      };
    }

    private byte[] randomValue() {
      return random.nextInt(30) == 0
          ? new byte[] {'1', (byte) 0xFF}
          : VALUES.get(random.nextInt(VALUES.size())).getBytes(UTF_8);
    }
  }
}
