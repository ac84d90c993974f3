package io.palinode.voldemort.client;

import static io.palinode.voldemort.client.TestCluster.R1W1;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.voldemort.client.Store.Written;
import io.palinode.voldemort.client.session.RolledBack;
import io.palinode.voldemort.client.session.RolledBackException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Programs that work during repeated rollbacks: the store holds exactly their acknowledged writes
 * up to each target.
 */
class RollbackModelTest {
  private static final int PROGRAMS = 3;
  private static final int ROLLBACKS = 15;
  private static final int KEYS = 8;

  @Test
  void acknowledgedWritesUpToTheTargetStandAndNothingElse() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (TestCluster cluster = new TestCluster();
        Background background = new Background()) {
      AtomicBoolean stop = new AtomicBoolean();
      List<Future<Integer>> programs = new ArrayList<>();
      for (int i = 0; i < PROGRAMS; i++) {
        Program program = new Program(cluster, "p" + i, new Random(random.nextLong()));
        programs.add(background.start(() -> program.run(stop)));
      }
      for (int epoch = 1; epoch <= ROLLBACKS; epoch++) {
        letThemWork(random);
        rollBack(cluster, epoch, random);
      }
      letThemWork(random);
      stop.set(true);
      int rolledBack = 0;
      for (Future<Integer> program : programs) {
        rolledBack += Background.end(program);
      }
      assertThat(rolledBack).as("seed %d", seed).isGreaterThanOrEqualTo(ROLLBACKS);
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  private static void letThemWork(Random random) {
    LockSupport.parkNanos(1_000_000L * (5 + random.nextInt(30)));
  }

  /** Nodes pause and resume one after the other; the target moves back on the way. */
  private static void rollBack(TestCluster cluster, int epoch, Random random) {
    long now = cluster.node(random.nextInt(3)).now();
    // Up to 20 ms ago: an HLC counts 4096 to a microsecond.
    long before = (long) random.nextInt(20_000) << 12;
    // On a busy machine the node may have received nothing yet.
    long target = Math.max(0, now - before);
    for (int node = 0; node < 3; node++) {
      cluster.node(node).pause(epoch);
      LockSupport.parkNanos(random.nextInt(2_000_000));
    }
    cluster.all(node -> node.restore(target + 4_096));
    LockSupport.parkNanos(random.nextInt(5_000_000));
    cluster.all(node -> node.restore(target));
    for (int node = 0; node < 3; node++) {
      cluster.node(node).resume(0);
      LockSupport.parkNanos(random.nextInt(3_000_000));
    }
  }

  /** Writes its own keys, and keeps each acknowledged value with its time. */
  private static final class Program {
    private final Store store;
    private final String name;
    private final Random random;
    private final Map<String, List<Remembered>> memory = new HashMap<>();

    private record Remembered(long acceptedAt, @Nullable String value, boolean certain) {}

    Program(TestCluster cluster, String name, Random random) {
      this.store = cluster.client(cluster.config().withClientId(name)).store(R1W1);
      this.name = name;
      this.random = random;
    }

    int run(AtomicBoolean stop) {
      int rollbacks = 0;
      for (int i = 0; !stop.get(); i++) {
        String key = name + "-" + random.nextInt(KEYS);
        String value = name + "=" + i;
        boolean acknowledged = false;
        try {
          Written written = store.put(key, value);
          acknowledged = true;
          history(key).add(new Remembered(written.acceptedAt(), value, true));
          assertThat(store.get(key)).isEqualTo(value);
        } catch (RolledBackException e) {
          if (!acknowledged) {
            // Whether it stands is not known, also not after later rollbacks.
            history(key).add(new Remembered(0, value, false));
          }
          rollbacks += 1 + verifyAfter(e.rolledBack());
        }
      }
      return rollbacks;
    }

    private List<Remembered> history(String key) {
      return memory.computeIfAbsent(
          key, k -> new ArrayList<>(List.of(new Remembered(0, null, true))));
    }

    /** Every key has a value that it may have. Returns how many more rollbacks came meanwhile. */
    private int verifyAfter(RolledBack first) {
      int more = 0;
      RolledBack rolledBack = first;
      while (true) {
        discard(rolledBack);
        try {
          for (String key : memory.keySet()) {
            assertThat(possible(history(key)))
                .as("%s after %s: %s", key, rolledBack, history(key))
                .contains(store.get(key));
          }
          return more;
        } catch (RolledBackException e) {
          more++;
          rolledBack = e.rolledBack();
        }
      }
    }

    private void discard(RolledBack rolledBack) {
      boolean precise = rolledBack.toEpoch() == rolledBack.fromEpoch() + 1;
      for (List<Remembered> history : memory.values()) {
        if (precise) {
          history.removeIf(r -> r.acceptedAt() > rolledBack.target());
        } else {
          history.replaceAll(
              r -> r.acceptedAt() > rolledBack.target() ? new Remembered(0, r.value(), false) : r);
        }
      }
    }

    /** The last acknowledged value, and the values cut off after it. */
    private static List<@Nullable String> possible(List<Remembered> history) {
      List<@Nullable String> possible = new ArrayList<>();
      for (int i = history.size() - 1; i >= 0; i--) {
        possible.add(history.get(i).value());
        if (history.get(i).certain()) {
          break;
        }
      }
      return possible;
    }
  }
}
