package io.palinode.examples.graph.run;

import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Keys;
import io.palinode.examples.graph.Rule;
import io.palinode.examples.graph.truth.Detected;
import io.palinode.voldemort.client.session.RolledBack;
import io.palinode.voldemort.client.session.RolledBackException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A replicated store with a monitor that rolls it back, as a model in virtual time. With {@code
 * copyNanosMax} = 0 it is sequentially consistent. Else each client writes to its own replica and
 * reads there. The others receive the write later, in order per writer and replica. The newest
 * write wins. Only one turnstile's players use it, so it needs no lock.
 */
final class SimulatedStore {
  /**
   * @param watched violations are judged after {@code judgeNanosMax} at most, reported and rolled
   *     back; writes after the target are then never judged
   * @param reopens the watcher names what a rollback brought back by a new time
   */
  record Behaviour(long copyNanosMax, boolean watched, long judgeNanosMax, boolean reopens) {}

  private final Turnstile turnstile;
  private final Behaviour behaviour;
  private final Random random;
  private final TreeMap<String, TreeMap<Long, String>> versions = new TreeMap<>();
  private final List<Map<String, Version>> replicas = new ArrayList<>();
  private final PriorityQueue<Copy> copies =
      new PriorityQueue<>(
          Comparator.comparingLong(Copy::dueNanos).thenComparingLong(c -> c.version.hlc));
  private final Map<String, Long> lastDueNanos = new HashMap<>();
  private final List<Pending> pending = new ArrayList<>();
  private final Map<Integer, RolledBack> news = new HashMap<>();
  private final Map<String, Long> startOf = new HashMap<>();
  private final Map<Rule, Set<Detected>> held = new EnumMap<>(Rule.class);
  private final Map<Rule, Set<Detected>> reports = new EnumMap<>(Rule.class);
  private final Map<String, Edge> edgeOfCell = new HashMap<>();
  private final List<RolledBack> rollbacks = new ArrayList<>();
  private long hlc;
  private long epoch;

  private record Version(String value, long hlc) {}

  private record Copy(long dueNanos, int writer, int replica, String key, Version version) {}

  private record Pending(Rule rule, Detected violation, long violate, long dueNanos) {}

  SimulatedStore(
      Turnstile turnstile, List<Edge> watchedEdges, int clients, Behaviour behaviour, long seed) {
    this.turnstile = turnstile;
    this.behaviour = behaviour;
    this.random = new Random(seed);
    for (int client = 0; client < clients; client++) {
      replicas.add(new HashMap<>());
    }
    for (Edge edge : watchedEdges) {
      edgeOfCell.put(Keys.cs(edge, edge.a()), edge);
      edgeOfCell.put(Keys.cs(edge, edge.b()), edge);
    }
  }

  Cells connect(int client) {
    return new SimulatedCells(client);
  }

  /** The state of all replicas when no copy is under way. */
  @Nullable String finalValue(String key) {
    TreeMap<Long, String> values = versions.get(key);
    return values == null || values.isEmpty() ? null : values.lastEntry().getValue();
  }

  /** All that ever held, judged or not. */
  Set<Detected> held(Rule rule) {
    return Set.copyOf(held.getOrDefault(rule, Set.of()));
  }

  Set<Detected> reports(Rule rule) {
    return Set.copyOf(reports.getOrDefault(rule, Set.of()));
  }

  List<RolledBack> rollbacks() {
    return List.copyOf(rollbacks);
  }

  private void advance() {
    long now = turnstile.nowNanos();
    while (!copies.isEmpty() && copies.peek().dueNanos <= now) {
      Copy copy = copies.remove();
      accept(copy.replica, copy.key, copy.version);
    }
    List<Pending> judged = pending.stream().filter(p -> p.dueNanos <= now).toList();
    if (!judged.isEmpty()) {
      judged.forEach(p -> add(reports, p.rule, p.violation));
      takeBackTo(judged.stream().mapToLong(Pending::violate).min().orElseThrow() - 1);
    }
  }

  private long put(int client, String key, String value) {
    Version version = new Version(value, ++hlc);
    versions.computeIfAbsent(key, k -> new TreeMap<>()).put(hlc, value);
    startOf.put(key, hlc);
    accept(client, key, version);
    for (int replica = 0; replica < replicas.size(); replica++) {
      if (behaviour.copyNanosMax == 0) {
        accept(replica, key, version);
      } else if (replica != client) {
        long due = turnstile.nowNanos() + random.nextLong(behaviour.copyNanosMax);
        due = Math.max(due, lastDueNanos.getOrDefault(client + ">" + replica, 0L));
        lastDueNanos.put(client + ">" + replica, due);
        copies.add(new Copy(due, client, replica, key, version));
      }
    }
    judge(key, value);
    return version.hlc;
  }

  private void accept(int replica, String key, Version version) {
    replicas.get(replica).merge(key, version, (old, young) -> old.hlc > young.hlc ? old : young);
  }

  private void judge(String key, String value) {
    Edge edge = edgeOfCell.get(key);
    if (edge == null || value.equals(Keys.CLEARED)) {
      return;
    }
    String atA = Keys.cs(edge, edge.a());
    String atB = Keys.cs(edge, edge.b());
    if (value.equals(finalValue(atA)) && value.equals(finalValue(atB))) {
      Rule rule = value.equals(Keys.INSIDE) ? Rule.EDGE_MUTEX : Rule.PROPER_COLOURING;
      Detected violation =
          new Detected(edge, startOf.getOrDefault(atA, 0L), startOf.getOrDefault(atB, 0L));
      add(held, rule, violation);
      if (behaviour.watched) {
        long due = turnstile.nowNanos() + random.nextLong(behaviour.judgeNanosMax);
        pending.add(new Pending(rule, violation, hlc, due));
      } else {
        add(reports, rule, violation);
      }
    }
  }

  private static void add(Map<Rule, Set<Detected>> violations, Rule rule, Detected violation) {
    violations.computeIfAbsent(rule, r -> new HashSet<>()).add(violation);
  }

  private void takeBackTo(long target) {
    pending.removeIf(p -> p.violate > target);
    copies.clear();
    for (Map.Entry<String, TreeMap<Long, String>> cell : versions.entrySet()) {
      TreeMap<Long, String> values = cell.getValue();
      boolean changed = !values.tailMap(target, false).isEmpty();
      values.tailMap(target, false).clear();
      for (Map<String, Version> replica : replicas) {
        replica.remove(cell.getKey());
        if (!values.isEmpty()) {
          replica.put(
              cell.getKey(),
              new Version(values.lastEntry().getValue(), values.lastEntry().getKey()));
        }
      }
      if (!values.isEmpty() && (changed || behaviour.reopens)) {
        startOf.put(cell.getKey(), behaviour.reopens ? ++hlc : values.lastKey());
      }
    }
    notifyClients(target);
  }

  private void notifyClients(long target) {
    rollbacks.add(new RolledBack(epoch, ++epoch, target, 0));
    for (int client = 0; client < replicas.size(); client++) {
      RolledBack latest = new RolledBack(epoch - 1, epoch, target, 0);
      news.merge(
          client,
          latest,
          (old, young) ->
              new RolledBack(
                  old.fromEpoch(), young.toEpoch(), Math.min(old.target(), young.target()), 0));
    }
  }

  private long safePoint() {
    return pending.stream().mapToLong(Pending::violate).min().orElse(hlc + 1) - 1;
  }

  private final class SimulatedCells implements Cells {
    private final int client;

    SimulatedCells(int client) {
      this.client = client;
    }

    @Override
    public @Nullable String get(String key) {
      begin();
      Version version = replicas.get(client).get(key);
      String value = version == null ? null : version.value;
      turnstile.step(client); // the answer travels
      return value;
    }

    @Override
    public long put(String key, String value) {
      begin();
      long acceptedAt = SimulatedStore.this.put(client, key, value);
      turnstile.step(client);
      if (behaviour.judgeNanosMax > 0 && news.containsKey(client) && random.nextInt(4) == 0) {
        begin(); // undone before enough replicas had answered: its acceptance is unknown
      }
      return acceptedAt;
    }

    @Override
    public void awaitSafe(long until, Duration timeout) {
      begin();
      while (safePoint() < until) {
        turnstile.pause(client, 1_000_000);
        begin();
      }
    }

    @Override
    public void settle(Duration timeout) {
      while (copies.stream().anyMatch(copy -> copy.writer == client)) {
        turnstile.pause(client, 1_000_000);
        advance();
      }
    }

    /** Copies on their way are lost. */
    @Override
    public void close() {
      copies.removeIf(copy -> copy.writer == client);
    }

    private void begin() {
      turnstile.step(client);
      advance();
      RolledBack rolledBack = news.remove(client);
      if (rolledBack != null) {
        throw new RolledBackException(rolledBack);
      }
    }
  }
}
