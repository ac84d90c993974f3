package io.palinode.simulation.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.hvc.Epsilon;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.engine.MemoryEngine;
import io.palinode.store.node.NodeBinding;
import io.palinode.store.node.NodeSettings;
import io.palinode.store.order.NodeMeta;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Rollbacks of random runs are compared with copies of whole states. */
class LastWriteWinsStoreTest {
  private static final int SEEDS = 1_000;
  private static final int NODES = 3;
  private static final int KEYS = 5;
  private static final int STEPS = 60;
  private static final int ROLLBACKS = 3;
  private static final long START_MICROS = 1_700_000_000_000_000L;
  private static final RequestContext CLIENT = RequestContext.newBuilder().setClient("c").build();
  private static final SimulatedStore STORE =
      StoreKind.LAST_WRITE_WINS.of(
          new Replication(NODES, NODES, 1, 1),
          NodeSettings.of(Epsilon.parse("10ms")).withConvergenceWindow(Duration.ofHours(1)));

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

    for (Node node : run.nodes) {
      assertThat(text(Objects.requireNonNull(node.records().get("a")))).isEqualTo("kept");
    }
  }

  private static String text(Version version) {
    return new String(version.value(), StandardCharsets.UTF_8);
  }

  /** A copy of a write that is on its way to a node. */
  private record Copy(int node, String key, Version version) {}

  /** A node that keeps its states by HLC. */
  private static final class Node {
    final NodeBinding binding;
    private final SimulatedNode node;
    private final TreeMap<Long, Map<String, Version>> states = new TreeMap<>();

    Node(int id, LongSupplier epochMicros) {
      MemoryEngine engine = new MemoryEngine(List.of(SimulatedStore.NAME, NodeMeta.STORE));
      node = STORE.open(id, engine, epochMicros);
      binding = node.binding();
      states.put(now(), Map.of());
    }

    /** Applies a write, or a copy of one. */
    void write(String key, Version version) {
      Request put = new Request(new Operation.Put(key, version), CLIENT);
      Answer answer = node.answer(put);
      assertThat(answer.isRefused()).isEqualTo(answer.is(Answer.Kind.OBSOLETE));
      states.put(now(), records());
    }

    /** Merges what all nodes contributed, and serves again. */
    void converge(long epoch, long target, List<KeyRecord> contributions) {
      binding.merge(contributions);
      binding.resume(epoch, target, 0);
      states.put(binding.clock().tick().own(), records());
    }

    long now() {
      return binding.clock().last().own();
    }

    Map<String, Version> records() {
      Map<String, Version> found = new HashMap<>();
      binding.scan(
          (key, versions) ->
              found.put(new String(key.key(), StandardCharsets.UTF_8), versions.get(0)));
      return found;
    }

    /** The state at an HLC, from copies of whole states. */
    Map<String, Version> recordsAt(long hlc) {
      return states.floorEntry(hlc).getValue();
    }
  }

  /** One cluster, with copies that arrive late, out of order, or never. */
  private static final class Run {
    private final int seed;
    private final Random random;
    private final long[] nowMicros = {START_MICROS};
    private final List<Node> nodes;
    private final List<Copy> copies = new ArrayList<>();
    private final List<Long> targets = new ArrayList<>();

    Run(int seed) {
      this.seed = seed;
      this.random = new Random(seed);
      long[] skews = random.longs(NODES, 0, 8_000).toArray();
      this.nodes =
          IntStream.range(0, NODES)
              .mapToObj(id -> new Node(id, () -> nowMicros[0] + skews[id]))
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
      return nodes.stream().mapToLong(Node::now).max().orElseThrow();
    }

    void rollBack(long epoch, long target) {
      Map<String, Version> expected = expected(target);
      nowMicros[0] += 20_000;
      copies.clear();
      Set<StoreKey> changed = new LinkedHashSet<>();
      nodes.forEach(node -> node.binding.pause(epoch));
      nodes.forEach(node -> changed.addAll(node.binding.restore(epoch, 1, target).changed()));
      List<KeyRecord> contributions = new ArrayList<>();
      nodes.forEach(node -> contributions.addAll(node.binding.read(List.copyOf(changed))));
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
      for (Node node : nodes) {
        node.recordsAt(target)
            .forEach((key, version) -> expected.merge(key, version, LastWriteWinsRules::latest));
      }
      return expected;
    }
  }
}
