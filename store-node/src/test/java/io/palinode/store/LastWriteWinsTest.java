package io.palinode.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.store.binding.UndoLog.KeyRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A store without vector clocks and without siblings stands on the same node parts: rollbacks of
 * random runs are compared with copies of whole states.
 */
class LastWriteWinsTest {
  private static final int SEEDS = 1_000;
  private static final int NODES = 3;
  private static final int KEYS = 5;
  private static final int STEPS = 60;
  private static final int ROLLBACKS = 3;
  private static final long START_MICROS = 1_700_000_000_000_000L;

  @Test
  void everyReplicaHoldsTheLatestVersionThatStoodOnAnyReplicaAtTheTarget() {
    for (int seed = 0; seed < SEEDS; seed++) {
      new Run(seed).rollBackTimes(ROLLBACKS);
    }
  }

  @Test
  void aRollbackDiscardsALaterVersionAlthoughItsStampIsGreater() {
    Run run = new Run(1);
    run.write("a", 10, "kept");
    long target = run.now();
    run.nowMicros[0] += 20_000;
    run.write("a", 20, "discarded");

    run.rollBack(1, target);

    for (LastWriteWinsNode node : run.nodes) {
      assertThat(text(node.records().get("a"))).isEqualTo("kept");
    }
  }

  private static String text(Version version) {
    return new String(version.value(), StandardCharsets.UTF_8);
  }

  /** A copy of a write that is on its way to a node. */
  private record Copy(int node, String key, Version version) {}

  /** One cluster, with copies that arrive late, out of order, or never. */
  private static final class Run {
    private final int seed;
    private final Random random;
    private final long[] nowMicros = {START_MICROS};
    private final List<LastWriteWinsNode> nodes;
    private final List<Copy> copies = new ArrayList<>();
    private final List<Long> targets = new ArrayList<>();

    Run(int seed) {
      this.seed = seed;
      this.random = new Random(seed);
      long[] skews = random.longs(NODES, 0, 8_000).toArray();
      this.nodes =
          IntStream.range(0, NODES)
              .mapToObj(
                  id ->
                      new LastWriteWinsNode(
                          id, NODES, () -> nowMicros[0] + skews[id], Duration.ofHours(1)))
              .toList();
    }

    void rollBackTimes(int times) {
      for (int epoch = 1; epoch <= times; epoch++) {
        for (int step = 0; step < STEPS; step++) {
          step();
        }
        rollBack(epoch, targets.get(random.nextInt(targets.size())));
      }
    }

    private void step() {
      nowMicros[0] += random.nextInt(5_000);
      if (random.nextBoolean() || copies.isEmpty()) {
        long stamp = random.nextInt(100) * 10_000L + targets.size();
        write("key" + random.nextInt(KEYS), stamp, "v" + random.nextInt());
      } else {
        Copy copy = copies.remove(random.nextInt(copies.size()));
        if (random.nextInt(10) > 0) {
          nodes.get(copy.node()).write(copy.key(), copy.version());
        }
      }
      targets.add(now());
    }

    /** Writes at one node; no other write has the stamp. Copies to other nodes are on their way. */
    void write(String key, long stamp, String value) {
      int first = random.nextInt(NODES);
      byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
      Version version = LastWriteWinsRules.version(stamp, first, bytes);
      for (int node = 0; node < NODES; node++) {
        if (node == first) {
          nodes.get(node).write(key, version);
        } else {
          copies.add(new Copy(node, key, version));
        }
      }
    }

    long now() {
      return nodes.stream().mapToLong(LastWriteWinsNode::now).max().orElseThrow();
    }

    void rollBack(long epoch, long target) {
      Map<String, Version> expected = expected(target);
      nowMicros[0] += 20_000;
      copies.clear();
      Set<StoreKey> changed = new LinkedHashSet<>();
      nodes.forEach(node -> node.rollback().pause(epoch));
      nodes.forEach(node -> changed.addAll(node.rollback().restore(epoch, 1, target).changed()));
      List<KeyRecord> contributions = new ArrayList<>();
      nodes.forEach(node -> contributions.addAll(node.rollback().read(List.copyOf(changed))));
      nodes.forEach(node -> node.converge(epoch, target, contributions));
      for (int node = 0; node < NODES; node++) {
        assertThat(nodes.get(node).records())
            .as("seed %d, epoch %d, node %d", seed, epoch, node)
            .isEqualTo(expected);
      }
    }

    /** The greatest version of each key that any node held at the target. */
    private Map<String, Version> expected(long target) {
      Map<String, Version> expected = new HashMap<>();
      for (LastWriteWinsNode node : nodes) {
        node.recordsAt(target)
            .forEach((key, version) -> expected.merge(key, version, LastWriteWinsRules::latest));
      }
      return expected;
    }
  }
}
