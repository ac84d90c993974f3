package io.palinode.voldemort.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.Hvc;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.client.session.SeenVersions;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Sessions that read and write three replicas with R = W = 1, whose copies come late or never. Each
 * value is written once, so values name versions. A node finds exactly the versions that a put
 * removed, and that its session had not seen: neither themselves nor a version whose clock covers
 * theirs.
 */
class LostUpdateOracleTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 2_000);
  private static final int NODES = 3;
  private static final int KEYS = 3;
  private static final int SESSIONS = 3;
  private static final int STEPS = 60;

  /** Of five histories, one is of clients that cannot keep all keys. */
  @ParameterizedTest
  @CsvSource({"0, 4, 3", "10000000, 1, 2"})
  void nodesFindTheLostUpdatesOfADefinitionByValues(long first, int fifths, int keysMax) {
    int seeds = SEEDS / 5 * fifths;
    int lost = 0;
    int kept = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      Run run = new Run(seed, keysMax);
      run.work();
      run.nodes.forEach(StoreNode::close);
      lost += run.lost;
      kept += run.kept;
    }
    // Histories without lost updates, or with nothing else, prove nothing.
    assertThat(lost).isGreaterThan(seeds);
    assertThat(kept).isGreaterThan(seeds);
  }

  private record Copy(int to, StoreKey key, Versioned version, String client, int origin) {}

  /** What one application has seen, in full, and what its client keeps of that. */
  private static final class Session {
    final String id;
    final SeenVersions client;
    final Map<StoreKey, Map<String, VectorClock>> seen = new HashMap<>();

    Session(int number, int keysMax) {
      id = "s" + number;
      client = new SeenVersions(keysMax);
    }

    void wrote(StoreKey key, Versioned version, long acceptedAt) {
      client.wrote(key.store(), key.key(), version.clock(), acceptedAt);
      seen.computeIfAbsent(key, k -> new HashMap<>()).put(version.text(), version.clock());
    }

    void saw(StoreKey key, List<Versioned> versions) {
      client.read(key.store(), key.key(), versions.stream().map(Versioned::clock).toList());
      Map<String, VectorClock> all = seen.computeIfAbsent(key, k -> new HashMap<>());
      versions.forEach(version -> all.put(version.text(), version.clock()));
    }

    Map<String, VectorClock> seenOf(StoreKey key) {
      return seen.getOrDefault(key, Map.of());
    }
  }

  private static final class Run {
    private final AtomicLong micros = TestNodes.clock();
    private final Random random;
    private final String label;
    private final boolean keepsAllKeys;
    private final List<StoreNode> nodes = new ArrayList<>();
    private final List<Session> sessions = new ArrayList<>();
    private final List<Copy> inFlight = new ArrayList<>();
    private @Nullable WriteEvent event;
    private int writes;
    private int lost;
    private int kept;

    Run(long seed, int keysMax) {
      random = new Random(seed);
      label = "seed=" + seed + " keysMax=" + keysMax;
      keepsAllKeys = keysMax >= KEYS;
      for (int id = 0; id < NODES; id++) {
        StoreNodeConfig config =
            StoreNodeConfig.of(
                id, TestNodes.cluster(NODES), TestNodes.stores(NODES, Persistence.BDB));
        StoreNode node = new StoreNode(config, Medium.MEMORY.open(Path.of("unused")), micros::get);
        node.listen(written -> event = written);
        nodes.add(node);
      }
      for (int i = 0; i < SESSIONS; i++) {
        sessions.add(new Session(i, keysMax));
      }
    }

    void work() {
      for (int i = 0; i < STEPS; i++) {
        micros.addAndGet(random.nextInt(2_000));
        Session session = sessions.get(random.nextInt(SESSIONS));
        StoreKey key = TestNodes.key("k" + random.nextInt(KEYS));
        switch (random.nextInt(8)) {
          case 0, 1 -> {
            Versioned resolved = Siblings.resolve(at(random.nextInt(NODES), key));
            session.saw(key, resolved == null ? List.of() : List.of(resolved));
          }
          case 2 -> session.saw(key, at(random.nextInt(NODES), key));
          case 3, 4, 5 -> put(session, key);
          case 6 -> deleteOnSome(key);
          default -> deliver();
        }
      }
    }

    private List<Versioned> at(int node, StoreKey key) {
      try {
        return nodes.get(node).reads().get(key, Caller.STOCK).value();
      } catch (RefusedException e) {
        throw new AssertionError(label, e);
      }
    }

    /** As {@link Store#put(String, String)}: on top of what the client reads, seen or not. */
    private void put(Session session, StoreKey key) {
      int first = random.nextInt(NODES);
      int readAt = random.nextInt(3) == 0 ? random.nextInt(NODES) : first;
      VectorClock base =
          at(readAt, key).stream()
              .map(Versioned::clock)
              .reduce(VectorClock.EMPTY, VectorClock::merge);
      Versioned put =
          Versioned.ofText(
              "v" + ++writes, base.incremented(first, TestNodes.EPOCH_MICROS / 1_000 + writes));
      List<VectorClock> stated = session.client.of(key.store(), key.key());
      if (keepsAllKeys) {
        assertThat(stated).as(label).isNotNull();
      }
      List<Versioned> before = at(first, key);
      event = null;
      long acceptedAt;
      Caller caller = new Caller(Hvc.unknown(NODES), null, session.id, null);
      try {
        acceptedAt = nodes.get(first).writes().put(key, put, caller, stated).acceptedAt();
      } catch (RefusedException obsolete) {
        assertThat(event).as(label).isNull();
        return;
      }
      Set<String> expected =
          stated == null ? Set.of() : lost(before, at(first, key), session.seenOf(key));
      assertThat(found()).as(label).isEqualTo(expected);
      assertThat(session.seenOf(key).keySet()).as(label).noneMatch(found()::contains);
      lost += expected.isEmpty() ? 0 : 1;
      kept += expected.isEmpty() ? 1 : 0;
      session.wrote(key, put, acceptedAt);
      for (int to = 0; to < NODES; to++) {
        if (to != first && random.nextInt(5) != 0) {
          inFlight.add(new Copy(to, key, put, session.id, first));
        }
      }
    }

    private static Set<String> lost(
        List<Versioned> before, List<Versioned> after, Map<String, VectorClock> seen) {
      return before.stream()
          .filter(version -> !after.contains(version))
          .filter(version -> seen.values().stream().noneMatch(version.clock()::isAtMost))
          .map(Versioned::text)
          .collect(Collectors.toCollection(TreeSet::new));
    }

    private Set<String> found() {
      WriteEvent written = event;
      if (written == null || written.unseen() == null) {
        return Set.of();
      }
      return written.unseen().lost().stream()
          .map(Version::value)
          .map(value -> new String(value, StandardCharsets.UTF_8))
          .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The copy of a put that a node has accepted: what it supersedes here is not judged again. */
    private void deliver() {
      if (inFlight.isEmpty()) {
        return;
      }
      Copy copy = inFlight.remove(random.nextInt(inFlight.size()));
      event = null;
      Caller caller = new Caller(Hvc.unknown(NODES), null, copy.client(), copy.origin());
      try {
        nodes.get(copy.to()).writes().put(copy.key(), copy.version(), caller, List.of());
      } catch (RefusedException obsolete) {
        return;
      }
      assertThat(found()).as(label).isEmpty();
    }

    private void deleteOnSome(StoreKey key) {
      int node = random.nextInt(NODES);
      VectorClock upTo =
          at(node, key).stream()
              .map(Versioned::clock)
              .reduce(VectorClock.EMPTY, VectorClock::merge);
      if (upTo.isEmpty() || random.nextInt(3) != 0) {
        return;
      }
      for (StoreNode each : nodes) {
        try {
          each.writes().delete(key, upTo, Caller.STOCK);
        } catch (RefusedException e) {
          throw new AssertionError(label, e);
        }
      }
    }
  }
}
