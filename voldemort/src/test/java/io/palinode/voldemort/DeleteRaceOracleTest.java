package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Hvc;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.binding.UndoLog.Replica;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.store.control.Agreement;
import io.palinode.store.past.Accesses;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.VectorClock.Relation;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Puts and deletes whose copies race each other to three replicas, then a rollback to any moment,
 * and again: all replicas have of each key the greatest versions among those that any of them had
 * accepted by then, less those that a delete that any of them had accepted by then covered. A
 * delete covers what its client could have seen: what was accepted before the first node accepted
 * it.
 */
class DeleteRaceOracleTest {
  private static final int NODES = 3;
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 300);

  @ParameterizedTest
  @CsvSource({"0, true, false", "0, false, false", "100000, true, true", "100000, false, true"})
  void replicasAgreeOnWhatNoDeleteCovered(long first, boolean clocksAreUnique, boolean byKeys) {
    int covered = 0;
    for (long seed = first; seed < first + SEEDS; seed++) {
      Run run = new Run(seed, clocksAreUnique, byKeys);
      for (int epoch = 1; epoch <= 3; epoch++) {
        run.work(40);
        run.rollBack(epoch);
      }
      covered += run.covered;
      run.nodes.forEach(StoreNode::close);
    }
    // Deletes that never met a copy prove nothing.
    assertThat(covered).isGreaterThan(SEEDS);
  }

  /** A put of {@code added}, or a delete up to {@code upTo}, on its way to a node. */
  private record Copy(
      int to,
      StoreKey key,
      @Nullable Versioned added,
      @Nullable VectorClock upTo,
      Hvc hvc,
      int origin) {}

  private record Put(int node, int order, long hlc, StoreKey key, Versioned version) {}

  private record Delete(
      int node, int order, long hlc, StoreKey key, VectorClock upTo, boolean isFirst) {}

  /** Until when each key stands; other keys than these, for ever. */
  private record Targets(long least, @Nullable Map<StoreKey, Long> byKey) {
    long of(StoreKey key) {
      return byKey == null ? least : byKey.getOrDefault(key, Long.MAX_VALUE);
    }

    Map<Long, Long> digests() {
      Map<Long, Long> digests = new HashMap<>();
      Objects.requireNonNull(byKey)
          .forEach((key, cut) -> digests.put(Accesses.keyOf(key.store(), key.key()), cut));
      return digests;
    }
  }

  private static final class Run {
    private final AtomicLong micros = TestNodes.clock();
    private final Random random;
    private final String label;
    private final boolean clocksAreUnique;
    private final boolean byKeys;
    private final List<StoreNode> nodes = new ArrayList<>();
    private final List<Copy> inFlight = new ArrayList<>();
    private final List<Put> puts = new ArrayList<>();
    private final List<Delete> deletes = new ArrayList<>();
    private Hvc client = Hvc.unknown(NODES);
    private long writes;
    private long epochBegan;
    private int covered;
    private int order;

    Run(long seed, boolean clocksAreUnique, boolean byKeys) {
      random = new Random(seed);
      label = "seed=" + seed + " clocksAreUnique=" + clocksAreUnique + " byKeys=" + byKeys;
      this.clocksAreUnique = clocksAreUnique;
      this.byKeys = byKeys;
      for (int id = 0; id < NODES; id++) {
        StoreNodeConfig config =
            StoreNodeConfig.of(
                id, TestNodes.cluster(NODES), TestNodes.stores(NODES, Persistence.BDB));
        long ahead = random.nextInt(3_000);
        nodes.add(
            new StoreNode(
                config, Medium.MEMORY.open(Path.of("unused")), () -> micros.get() + ahead));
        epochBegan = Math.max(epochBegan, nodes.get(id).reach());
      }
    }

    void work(int steps) {
      for (int i = 0; i < steps; i++) {
        micros.addAndGet(random.nextInt(2_000));
        if (random.nextInt(4) == 0) {
          // Another client, which has seen nothing.
          client = Hvc.unknown(NODES);
        }
        if (inFlight.isEmpty() || random.nextInt(5) < 2) {
          write();
        } else {
          accept(inFlight.remove(random.nextInt(inFlight.size())));
        }
      }
    }

    private void write() {
      StoreKey key = TestNodes.key("k" + random.nextInt(2));
      VectorClock seen = read(key);
      int first = random.nextInt(NODES);
      boolean deletes = random.nextInt(3) == 0;
      if (deletes && seen.isEmpty()) {
        return;
      }
      Versioned added = deletes ? null : Versioned.ofText("v" + ++writes, incremented(seen, first));
      VectorClock upTo = deletes ? seen : null;
      if (accept(new Copy(first, key, added, upTo, client, first))) {
        for (int to = 0; to < NODES; to++) {
          if (to != first) {
            inFlight.add(new Copy(to, key, added, upTo, client, first));
          }
        }
      }
    }

    private VectorClock incremented(VectorClock seen, int first) {
      if (!clocksAreUnique) {
        // As clients do: after a delete the counters restart.
        return seen.incremented(first, writes);
      }
      TreeMap<Integer, Long> entries = new TreeMap<>(seen.entries());
      entries.put(first, writes);
      return VectorClock.of(entries, 0);
    }

    private VectorClock read(StoreKey key) {
      try {
        Reply<List<Versioned>> reply =
            nodes.get(random.nextInt(NODES)).reads().get(key, caller(null));
        client = client.merge(reply.hvc());
        return reply.value().stream()
            .map(Versioned::clock)
            .reduce(VectorClock.EMPTY, VectorClock::merge);
      } catch (RefusedException e) {
        throw new AssertionError(label, e);
      }
    }

    /** False when the node refuses it as obsolete. */
    private boolean accept(Copy copy) {
      StoreNode node = nodes.get(copy.to());
      // A copy that waited for a node is sent with what its client knows by then.
      Hvc known = random.nextInt(3) == 0 ? copy.hvc().merge(client) : copy.hvc();
      Caller caller = new Caller(known, null, "c", copy.origin());
      try {
        Reply<Boolean> reply =
            copy.added() != null
                ? node.writes().put(copy.key(), copy.added(), caller)
                : node.writes().delete(copy.key(), Objects.requireNonNull(copy.upTo()), caller);
        client = client.merge(reply.hvc());
        if (copy.added() != null) {
          puts.add(new Put(copy.to(), order++, reply.acceptedAt(), copy.key(), copy.added()));
        } else {
          // Also one that found nothing on this node.
          deletes.add(
              new Delete(
                  copy.to(),
                  order++,
                  reply.hvc().own(),
                  copy.key(),
                  Objects.requireNonNull(copy.upTo()),
                  copy.to() == copy.origin()));
        }
        return true;
      } catch (RefusedException obsolete) {
        return false;
      }
    }

    private Caller caller(@Nullable Integer origin) {
      return new Caller(client, null, "c", origin);
    }

    void rollBack(int epoch) {
      nodes.forEach(node -> node.pause(epoch));
      // As a plan does: whatever is undone or merged is later than all that was written.
      long past = nodes.stream().mapToLong(node -> node.clock().last().own()).max().orElseThrow();
      nodes.forEach(node -> node.clock().tickPast(past));
      inFlight.clear();
      long latest = Long.MAX_VALUE;
      int attempts = 1 + random.nextInt(2);
      Map<StoreKey, Set<Versioned>> converged = Map.of();
      for (int attempt = 1; attempt <= attempts; attempt++) {
        long target = randomTarget(latest);
        // As a plan does: what its first attempt cannot do by keys, the next one does for all.
        boolean some = byKeys && attempt == 1;
        Targets targets = new Targets(target, some ? someKeys(target) : null);
        latest = target;
        converge(epoch, attempt, targets);
        Map<StoreKey, Set<Versioned>> expected = expectedAt(targets);
        for (StoreNode node : nodes) {
          assertThat(stateOf(node))
              .as("%s epoch=%d targets=%s node=%d", label, epoch, targets, node.node())
              .isEqualTo(expected);
        }
        // What is after it is gone for the next epoch; a later attempt goes no further than this.
        puts.removeIf(put -> put.hlc() > targets.of(put.key()));
        deletes.removeIf(delete -> delete.hlc() > targets.of(delete.key()));
        converged = expected;
      }
      // Only now: a later attempt undoes what converging brought, too.
      allNodesHave(converged);
      resume(epoch);
    }

    private Map<StoreKey, Long> someKeys(long least) {
      Map<StoreKey, Long> some = new HashMap<>();
      for (int i = 0; i < 2; i++) {
        if (random.nextBoolean()) {
          List<Long> times = new ArrayList<>(times());
          times.removeIf(time -> time < least);
          some.put(TestNodes.key("k" + i), times.get(random.nextInt(times.size())));
        }
      }
      return some;
    }

    private void resume(int epoch) {
      nodes.forEach(node -> epochBegan = Math.max(epochBegan, node.clock().last().own()));
      for (StoreNode node : nodes) {
        node.clock().tickPast(epochBegan);
        node.resume(epoch, 0, 0);
      }
    }

    private void converge(int epoch, int attempt, Targets targets) {
      Set<StoreKey> changed = new LinkedHashSet<>();
      Agreement<StoreKey> agreement = new Agreement<>();
      for (StoreNode node : nodes) {
        Restoration restoration =
            targets.byKey() == null
                ? node.restore(epoch, attempt, targets.least())
                : node.restore(epoch, attempt, targets.least(), targets.digests());
        changed.addAll(restoration.changed());
        for (StoreKey key : restoration.changed()) {
          Replica here = restoration.replicas().get(key);
          agreement.add(
              node.node(),
              key,
              here == null ? 0 : here.digest(),
              here == null ? 0 : here.nodes().size());
        }
      }
      if ((epoch + attempt) % 2 == 0) {
        // As nodes do: no node contributes a record that is equal on all replicas.
        changed.retainAll(agreement.unsettled());
      }
      List<KeyRecord> contributed = new ArrayList<>();
      nodes.forEach(node -> contributed.addAll(node.read(List.copyOf(changed))));
      for (StoreNode node : nodes) {
        node.merge(contributed);
        assertThat(node.merge(contributed)).as("%s: a repeat changes nothing", label).isZero();
      }
    }

    /** Not before this epoch began; the next attempt's is not after the last one's. */
    private long randomTarget(long latest) {
      List<Long> times = new ArrayList<>(times());
      times.removeIf(time -> time > latest);
      return times.get(random.nextInt(times.size()));
    }

    private List<Long> times() {
      List<Long> times = new ArrayList<>(List.of(epochBegan));
      puts.forEach(put -> times.add(put.hlc()));
      deletes.forEach(delete -> times.add(delete.hlc()));
      times.removeIf(time -> time < epochBegan);
      return times;
    }

    private Map<StoreKey, Set<Versioned>> expectedAt(Targets targets) {
      Map<StoreKey, Set<Versioned>> expected = new HashMap<>();
      for (Put put : puts) {
        long target = targets.of(put.key());
        if (put.hlc() <= target && stands(put, target)) {
          expected.computeIfAbsent(put.key(), key -> new HashSet<>()).add(put.version());
        }
      }
      return expected;
    }

    /** From here on: what converging brought to nodes that had not accepted it. */
    private void allNodesHave(Map<StoreKey, Set<Versioned>> versions) {
      versions.forEach(
          (key, some) -> {
            for (Versioned version : some) {
              long accepted = accepted(version);
              for (int node = 0; node < NODES; node++) {
                puts.add(new Put(node, order++, accepted, key, version));
              }
            }
          });
    }

    /**
     * With clocks that come again, a late copy of a deleted version can supersede a newer write, as
     * in any Voldemort store: what no replica has any more is not asked for.
     */
    private boolean isHeld(Put put, long target) {
      return puts.stream()
          .filter(other -> other.hlc() <= target && other.version().equals(put.version()))
          .anyMatch(other -> isLeftAlone(other, target));
    }

    private boolean isLeftAlone(Put put, long target) {
      VectorClock clock = put.version().clock();
      boolean superseded =
          puts.stream()
              .anyMatch(
                  later ->
                      isLater(later.node(), later.order(), later.hlc(), put, target)
                          && later.key().equals(put.key())
                          && clock.compare(later.version().clock()) == Relation.BEFORE);
      boolean deleted =
          deletes.stream()
              .anyMatch(
                  later ->
                      isLater(later.node(), later.order(), later.hlc(), put, target)
                          && later.key().equals(put.key())
                          && clock.isAtMost(later.upTo()));
      return !superseded && !deleted;
    }

    private static boolean isLater(int node, int order, long hlc, Put than, long target) {
      return node == than.node() && order > than.order() && hlc <= target;
    }

    private boolean stands(Put put, long target) {
      if (!clocksAreUnique && !isHeld(put, target)) {
        return false;
      }
      if (isCovered(put, target)) {
        covered++;
        return false;
      }
      return puts.stream()
          .noneMatch(
              other ->
                  other.hlc() <= target
                      && other.key().equals(put.key())
                      && isSuperseded(put.version().clock(), other.version().clock())
                      && (clocksAreUnique || (isHeld(other, target) && !isCovered(other, target))));
    }

    /** Of two versions with one clock the newer one stays. */
    private static boolean isSuperseded(VectorClock clock, VectorClock by) {
      Relation relation = clock.compare(by);
      return relation == Relation.BEFORE
          || (relation == Relation.EQUAL && clock.timestampMs() < by.timestampMs());
    }

    /** With clocks that come again, a delete covers only what its client could have seen. */
    private boolean isCovered(Put put, long target) {
      long accepted = accepted(put.version());
      return deletes.stream()
          .anyMatch(
              delete ->
                  delete.isFirst()
                      && delete.hlc() <= target
                      && delete.key().equals(put.key())
                      && put.version().clock().isAtMost(delete.upTo())
                      && (clocksAreUnique || accepted < delete.hlc()));
    }

    private long accepted(Versioned version) {
      return puts.stream()
          .filter(other -> other.version().equals(version))
          .mapToLong(Put::hlc)
          .min()
          .orElseThrow();
    }

    private static Map<StoreKey, Set<Versioned>> stateOf(StoreNode node) {
      Map<StoreKey, Set<Versioned>> state = new HashMap<>();
      TestNodes.stateOf(node).forEach((key, versions) -> state.put(key, new HashSet<>(versions)));
      return state;
    }
  }
}
