package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Hvc;
import io.palinode.store.affected.Affected;
import io.palinode.store.affected.Closure;
import io.palinode.store.affected.Everything;
import io.palinode.store.affected.Extent;
import io.palinode.store.affected.Question;
import io.palinode.store.affected.Question.Moment;
import io.palinode.store.affected.Trace;
import io.palinode.store.past.Accesses;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Clients read, put and delete keys of three replicas, whose copies come late; each client is
 * followed in what it really saw. What the nodes' notes and the closure make of one write is beside
 * what really came of it.
 */
class AffectedOracleTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 1_500);
  private static final int NODES = 3;
  private static final int STEPS = 80;

  @Test
  void whatCameOfAWriteIsFoundAndNothingElse() {
    int some = 0;
    int wouldBeMissedWithoutReads = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      try (Run run = new Run(seed)) {
        for (int i = 0; i < STEPS; i++) {
          run.step();
        }
        if (run.check()) {
          some++;
          wouldBeMissedWithoutReads += run.readersThatWroteNothing();
        }
      }
    }
    // A write of which nothing comes, or everything, proves little.
    assertThat(some).isGreaterThan(SEEDS / 5);
    assertThat(wouldBeMissedWithoutReads).isGreaterThan(SEEDS / 30);
  }

  /** A write that was accepted, by whom, and all that it came of. */
  private static final class Written {
    final int id;
    final int node;
    final long hlc;
    final StoreKey key;
    final Client client;
    final Set<Integer> cameOf;

    Written(int id, int node, long hlc, StoreKey key, Client client) {
      this.id = id;
      this.node = node;
      this.hlc = hlc;
      this.key = key;
      this.client = client;
      this.cameOf = new HashSet<>(client.seen);
    }
  }

  private static final class Client {
    final String id;
    Hvc hvc = Hvc.unknown(NODES);
    final Set<Integer> seen = new HashSet<>();
    final Map<StoreKey, VectorClock> remembered = new HashMap<>();

    Client(String id) {
      this.id = id;
    }

    Caller caller(@Nullable Integer origin) {
      return new Caller(id.isEmpty() ? null : hvc, null, id, origin);
    }
  }

  /** A put of {@code added}, or a delete up to {@code upTo}, on its way to a replica. */
  private record Copy(
      int to,
      StoreKey key,
      @Nullable Versioned added,
      @Nullable VectorClock upTo,
      int write,
      Client client,
      int origin) {}

  private record Replica(int node, StoreKey key) {}

  private static final class Run implements AutoCloseable {
    private final AtomicLong micros = TestNodes.clock();
    private final Random random;
    private final String label;
    private final int keys;
    private final List<StoreNode> nodes = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final List<Copy> inFlight = new ArrayList<>();
    private final List<Written> writes = new ArrayList<>();
    // All that a replica took, which a read of it may show, if only by what is not there any more.
    private final Map<Replica, Set<Integer>> took = new HashMap<>();
    private Set<String> affectedClients = Set.of();
    private Set<Integer> undone = Set.of();

    Run(long seed) {
      random = new Random(seed);
      label = "seed=" + seed;
      keys = 3 + random.nextInt(8);
      for (int id = 0; id < NODES; id++) {
        StoreNodeConfig config =
            StoreNodeConfig.of(
                id, TestNodes.cluster(NODES), TestNodes.stores(NODES, Persistence.BDB));
        long ahead = random.nextInt(3_000);
        StoreNode node =
            new StoreNode(
                config, Medium.MEMORY.open(Path.of("unused")), () -> micros.get() + ahead);
        node.followAccesses(true);
        nodes.add(node);
      }
      // Whatever is written is later than what any node begins with.
      micros.addAndGet(3_000);
      int named = 2 + random.nextInt(5);
      for (int i = 0; i < named; i++) {
        clients.add(new Client("c" + i));
      }
      if (random.nextInt(4) == 0) {
        clients.add(new Client(""));
      }
    }

    void step() {
      micros.addAndGet(random.nextInt(500));
      Client client = clients.get(random.nextInt(clients.size()));
      StoreKey key = TestNodes.key("k" + random.nextInt(keys));
      switch (random.nextInt(6)) {
        case 0, 1 -> read(client, key);
        case 2 -> write(client, key, read(client, key));
        // On top of what it knows from long ago.
        case 3 -> write(client, key, client.remembered.getOrDefault(key, VectorClock.EMPTY));
        default -> deliver();
      }
    }

    private VectorClock read(Client client, StoreKey key) {
      int node = random.nextInt(NODES);
      try {
        Reply<List<Versioned>> reply = nodes.get(node).reads().get(key, client.caller(null));
        client.hvc = client.hvc.merge(reply.hvc());
        sees(client, node, key);
        VectorClock clock =
            reply.value().stream()
                .map(Versioned::clock)
                .reduce(VectorClock.EMPTY, VectorClock::merge);
        client.remembered.put(key, clock);
        return clock;
      } catch (RefusedException e) {
        throw new AssertionError(label, e);
      }
    }

    private void sees(Client client, int node, StoreKey key) {
      for (int write : took.getOrDefault(new Replica(node, key), Set.of())) {
        client.seen.add(write);
        client.seen.addAll(writes.get(write).cameOf);
      }
    }

    private void write(Client client, StoreKey key, VectorClock seen) {
      int first = random.nextInt(NODES);
      boolean deletes = random.nextInt(4) == 0 && !seen.isEmpty();
      // As clients do: after a delete the counters restart.
      Versioned added =
          deletes ? null : Versioned.ofText("v" + writes.size(), seen.incremented(first, 0));
      VectorClock upTo = deletes ? seen : null;
      Copy write = new Copy(first, key, added, upTo, writes.size(), client, first);
      if (!accept(write)) {
        sees(client, first, key);
        return;
      }
      for (int to = 0; to < NODES; to++) {
        if (to != first) {
          inFlight.add(new Copy(to, key, added, upTo, write.write(), client, first));
        }
      }
    }

    private void deliver() {
      if (!inFlight.isEmpty()) {
        boolean unused = accept(inFlight.remove(random.nextInt(inFlight.size())));
      }
    }

    /** False when the node refuses it as obsolete. */
    private boolean accept(Copy copy) {
      StoreNode node = nodes.get(copy.to());
      Client client = copy.client();
      Caller caller = client.caller(client.id.isEmpty() ? null : (Integer) copy.origin());
      try {
        Reply<Boolean> reply =
            copy.added() != null
                ? node.writes().put(copy.key(), copy.added(), caller)
                : node.writes().delete(copy.key(), Objects.requireNonNull(copy.upTo()), caller);
        client.hvc = client.hvc.merge(reply.hvc());
        if (copy.write() == writes.size()) {
          writes.add(new Written(copy.write(), copy.to(), reply.hvc().own(), copy.key(), client));
        }
        client.seen.add(copy.write());
        took.computeIfAbsent(new Replica(copy.to(), copy.key()), r -> new HashSet<>())
            .add(copy.write());
        return true;
      } catch (RefusedException obsolete) {
        // An error carries the clock too.
        client.hvc = client.hvc.merge(node.lastReading());
        return false;
      }
    }

    /** Whether some of the clients were affected, and others not. */
    boolean check() {
      nodes.forEach(node -> node.pause(1));
      if (writes.isEmpty()) {
        return false;
      }
      Written witness = writes.get(random.nextInt(writes.size()));
      long target = witness.hlc - 1;
      List<Trace> traces = nodes.stream().map(node -> node.accesses(target)).toList();
      Question question =
          new Question(target, Set.of(new Moment(witness.node, witness.hlc)), 100, 100);
      Extent extent = Closure.of(question, traces);
      reallyCameOf(witness);
      if (extent instanceof Everything everything) {
        // Each copy that such a client sends may be a write, so it need not really be affected.
        assertThat(everything.reason()).as(label).contains("without a name");
        assertThat(clients).as(label).anyMatch(client -> client.id.isEmpty());
        return false;
      }
      Affected affected = (Affected) extent;
      Set<Integer> found = new HashSet<>();
      for (Written write : writes) {
        if (write.hlc > affected.keys().getOrDefault(keyOf(write.key), Long.MAX_VALUE)) {
          found.add(write.id);
        }
        boolean goes = write.hlc > affected.clients().getOrDefault(write.client.id, Long.MAX_VALUE);
        assertThat(goes)
            .as("%s write=%d is reported correctly", label, write.id)
            .isEqualTo(found.contains(write.id));
      }
      assertThat(found).as(label).isEqualTo(undone);
      assertThat(affected.clients().keySet()).as(label).isEqualTo(affectedClients);
      return affectedClients.size() > 1 && affectedClients.size() < clients.size();
    }

    private static long keyOf(StoreKey key) {
      return Accesses.keyOf(key.store(), key.key());
    }

    /** What saw the witness, what was written later to a key that goes back, and so on. */
    private void reallyCameOf(Written witness) {
      Set<Integer> gone = new HashSet<>(Set.of(witness.id));
      boolean more = true;
      while (more) {
        more = false;
        for (Written write : writes) {
          boolean follows = write.cameOf.stream().anyMatch(gone::contains);
          boolean isLater =
              writes.stream()
                  .anyMatch(
                      w -> gone.contains(w.id) && w.key.equals(write.key) && w.hlc <= write.hlc);
          more |= (follows || isLater) && gone.add(write.id);
        }
      }
      undone = gone;
      affectedClients = new HashSet<>();
      for (Client client : clients) {
        if (client.seen.stream().anyMatch(gone::contains)) {
          affectedClients.add(client.id);
        }
      }
    }

    int readersThatWroteNothing() {
      Set<String> writers = new HashSet<>();
      undone.forEach(write -> writers.add(writes.get(write).client.id));
      return affectedClients.size() - writers.size();
    }

    @Override
    public void close() {
      nodes.forEach(StoreNode::close);
    }
  }
}
