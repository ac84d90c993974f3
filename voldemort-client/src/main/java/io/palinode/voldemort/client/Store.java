package io.palinode.voldemort.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toSet;

import io.palinode.voldemort.client.link.Answer;
import io.palinode.voldemort.client.link.Ask;
import io.palinode.voldemort.client.link.LinkModel;
import io.palinode.voldemort.client.session.EpochView;
import io.palinode.voldemort.client.session.InsufficientNodesException;
import io.palinode.voldemort.client.session.NodeException;
import io.palinode.voldemort.client.session.ObsoleteVersionException;
import io.palinode.voldemort.client.session.PausedException;
import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.voldemort.client.session.SeenVersions;
import io.palinode.voldemort.client.session.SessionReads;
import io.palinode.voldemort.client.session.SessionReads.Stale;
import io.palinode.voldemort.client.session.SessionReads.Start;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One store, with text keys and values; siblings are resolved by vector clock, then newest
 * timestamp, then greatest bytes. Thread-safe; calls block, and must not be made by a {@link
 * LinkModel} or a rollback listener.
 *
 * <p>Whom a call waits for, R, W and the preferred numbers being the store's:
 *
 * <ul>
 *   <li>A read, also of the present versions before a put or a delete, asks {@code preferred-reads}
 *       replicas at once, and more, one by one, while fewer than R have answered or may yet. It
 *       ends with as many answers as are preferred; or with R or more, when all asked nodes have
 *       answered or failed, or after {@link ClientConfig#preferredTimeout}.
 *   <li>A put or a delete goes to all replicas. It returns when {@code preferred-writes} of them
 *       have it; or W or more, when all have answered or failed, or after that time.
 *   <li>After a get, or a read of versions, that has several answers, each node that answered with
 *       less than all of them come to is sent what it lacks, unless {@link ClientConfig#readRepair}
 *       says no: in the background, and in the epoch of those answers only. So a value comes back
 *       whose delete missed a replica.
 * </ul>
 *
 * <p>Every call throws {@link RolledBackException} when its epoch ends under it, {@link
 * InsufficientNodesException} when too few replicas answer, {@link PausedException} when a rollback
 * pauses the nodes for too long, and {@link StoreException} otherwise (interrupted, closed).
 */
public final class Store {
  private static final int ATTEMPTS_MAX = 100;
  private static final Duration RETRY_PAUSE = Duration.ofNanos(50_000);
  private static final Duration RETRY_PAUSE_MAX = Duration.ofMillis(2);
  private static final int GETS_AT_ONCE = 1_024;

  private final StoreDefinition definition;
  private final Ring ring;
  private final Replicas replicas;
  private final LongSupplier epochMillis;
  private final Quorum reads;
  private final @Nullable ReadRepair repair;
  private final @Nullable SeenVersions seen;
  private final @Nullable SessionReads session;

  Store(
      StoreDefinition definition,
      Ring ring,
      Replicas replicas,
      LongSupplier epochMillis,
      boolean readRepair,
      Remembered remembered) {
    this.definition = definition;
    this.ring = ring;
    this.replicas = replicas;
    this.epochMillis = epochMillis;
    this.reads = new Quorum(definition.requiredReads(), definition.preferredReads());
    this.repair =
        readRepair && reads.preferred() > 1 ? new ReadRepair(definition.name(), replicas) : null;
    this.seen = remembered.seen();
    this.session = remembered.reads();
  }

  /** What all stores of a client remember; null where the client does not look for that. */
  record Remembered(@Nullable SeenVersions seen, @Nullable SessionReads reads) {}

  /**
   * @param node the node that accepted the write first
   * @param acceptedAt that node's HLC of the write; 0 from a stock node
   */
  public record Written(int node, long acceptedAt) {}

  public StoreDefinition definition() {
    return definition;
  }

  /** Null when the replicas that answer have no version of the key. */
  public @Nullable String get(String key) {
    byte[] of = bytes(key);
    Versioned version =
        operation(
            call -> {
              Reading reading = read(call, of);
              Versioned resolved = Siblings.resolve(joined(call, reading));
              judge(call, reading, resolved == null ? List.of() : List.of(resolved));
              return resolved;
            });
    if (version == null) {
      return null;
    }
    noteSeen(of, List.of(version.clock()));
    return version.text();
  }

  /** The keys that have a value, with it. Keys are read side by side, not at one moment. */
  public Map<String, String> getAll(Collection<String> keys) {
    Map<String, String> found = new LinkedHashMap<>();
    List<String> all = List.copyOf(keys);
    for (int from = 0; from < all.size(); from += GETS_AT_ONCE) {
      List<String> some = all.subList(from, Math.min(all.size(), from + GETS_AT_ONCE));
      found.putAll(operation(call -> getAtOnce(call, some)));
    }
    return found;
  }

  private Map<String, String> getAtOnce(Call call, List<String> keys) {
    List<Reading> readings = keys.stream().map(key -> read(call, bytes(key))).toList();
    Map<String, String> found = new LinkedHashMap<>();
    for (int i = 0; i < readings.size(); i++) {
      String key = keys.get(i);
      Versioned version = Siblings.resolve(joined(call, readings.get(i)));
      if (version != null) {
        judge(call, readings.get(i), List.of(version));
        noteSeen(bytes(key), List.of(version.clock()));
        found.put(key, version.text());
      }
    }
    return found;
  }

  /**
   * The versions that the replicas that answer have and none of them supersedes, the one to take
   * first.
   */
  public List<Versioned> versions(String key) {
    return versions(bytes(key));
  }

  public List<Versioned> versions(byte[] key) {
    List<Versioned> versions =
        operation(
            call -> {
              Reading reading = read(call, key);
              List<Versioned> joined = joined(call, reading);
              judge(call, reading, joined);
              return joined;
            });
    noteSeen(key, clocks(versions));
    return versions;
  }

  /** The store as it was. */
  public PastStore past() {
    return new PastStore(definition, ring, replicas);
  }

  /**
   * What one node has, whatever the ring says. For verification and tools. Throws {@link
   * NodeException} when it does not answer.
   */
  public List<Versioned> versionsAt(int node, String key) {
    Ask<List<Versioned>> ask = Ask.get(definition.name(), bytes(key)).ignoringChecks();
    List<Versioned> versions = operation(call -> Replicas.await(replicas.ask(node, ask, call)));
    noteSeen(bytes(key), clocks(versions));
    return versions;
  }

  /**
   * A read on its way.
   *
   * @param before of {@link ReadRepair#beforeRead}; 0 where nothing is repaired
   * @param start null where no stale reads are looked for
   */
  private record Reading(
      byte[] key,
      long before,
      @Nullable Start start,
      CompletableFuture<Map<Integer, Answer.Found>> answers) {

    /** The epoch of all answers, which have come; unknown if there are several. */
    long epoch() {
      Set<Long> epochs = answers.join().values().stream().map(Answer.Found::epoch).collect(toSet());
      return epochs.size() == 1 ? epochs.iterator().next() : EpochView.UNKNOWN;
    }

    /** The first node that answered with this version. */
    int holder(Versioned version) {
      for (Map.Entry<Integer, Answer.Found> answer : answers.join().entrySet()) {
        for (Versioned each : answer.getValue().versions()) {
          if (each.clock().equals(version.clock())) {
            return answer.getKey();
          }
        }
      }
      throw new IllegalStateException("no node has what was read: " + version);
    }
  }

  private Reading read(Call call, byte[] key) {
    long before = repair == null ? 0 : repair.beforeRead(key);
    Ask<Answer.Found> ask = Ask.read(definition.name(), key, repair != null);
    Start start = begin();
    return new Reading(key, before, start, replicas.gather(order(key), reads, ask, call));
  }

  private @Nullable Start begin() {
    return session == null ? null : session.begin(replicas.session().view().epoch());
  }

  /** Finds out which of the versions that the program gets are old, and states that to nodes. */
  private void judge(Call call, Reading reading, List<Versioned> returned) {
    if (session == null || reading.start() == null) {
      return;
    }
    for (Stale stale :
        session.read(
            definition.name(), reading.key(), reading.start(), reading.epoch(), returned)) {
      replicas.metrics().staleReads.increment();
      Ask<List<Versioned>> statement =
          Ask.staleRead(definition.name(), reading.key(), stale.toProto());
      try {
        // Before the program gets it: so what it writes then is later than the violation.
        var unused = Replicas.await(replicas.ask(reading.holder(stale.read()), statement, call));
      } catch (NodeException unstated) {
        replicas.metrics().staleReadsUnstated.increment();
      }
    }
  }

  /** What the answers come to. Waits for them, and for no repair. */
  private List<Versioned> joined(Call call, Reading reading) {
    Map<Integer, Answer.Found> answers = Replicas.await(reading.answers());
    if (repair != null) {
      repair.start(call, reading.key(), answers, reading.before());
    }
    return Siblings.merge(
        answers.values().stream().flatMap(found -> found.versions().stream()).toList(), List.of());
  }

  /**
   * Reads the present version, supersedes it. Retries when another writer was faster, up to {@value
   * #ATTEMPTS_MAX} times.
   */
  public Written put(String key, String value) {
    return operation(call -> putRetrying(call, bytes(key), bytes(value)));
  }

  private Written putRetrying(Call call, byte[] key, byte[] value) {
    List<Integer> order = order(key);
    for (int attempt = 1; ; attempt++) {
      try {
        return put(call, key, new Versioned(value, readClock(call, key, order)), order);
      } catch (ObsoleteVersionException e) {
        if (attempt == ATTEMPTS_MAX) {
          throw new StoreException(
              "other writers were faster " + ATTEMPTS_MAX + " times: key=" + text(key), e);
        }
        replicas.metrics().obsoleteRetries.increment();
        // The node with the newer version must be read, even if another one is nearer.
        order = withFirst(e.node(), order);
        replicas.session().pause(retryPause(attempt));
      }
    }
  }

  private static Duration retryPause(int attempt) {
    Duration pause = RETRY_PAUSE.multipliedBy(attempt);
    return pause.compareTo(RETRY_PAUSE_MAX) > 0 ? RETRY_PAUSE_MAX : pause;
  }

  private static List<Integer> withFirst(int first, List<Integer> order) {
    return Stream.concat(Stream.of(first), order.stream().filter(node -> node != first)).toList();
  }

  /**
   * Puts on top of a version that was read before: the first node that accepts it increments its
   * entry of the clock. Throws {@link ObsoleteVersionException} when that node has something newer.
   */
  public Written put(String key, Versioned onTopOf) {
    return put(bytes(key), onTopOf);
  }

  public Written put(byte[] key, Versioned onTopOf) {
    if (!onTopOf.clock().isEmpty()) {
      // The application may have it from another client.
      noteSeen(key, List.of(onTopOf.clock()));
    }
    return operation(call -> put(call, key, onTopOf, order(key)));
  }

  private Written put(Call call, byte[] key, Versioned onTopOf, List<Integer> order) {
    long now = epochMillis.getAsLong();
    List<VectorClock> stated = seen == null ? null : seen.of(definition.name(), key);
    List<VectorClock> tried = new ArrayList<>(2);
    List<VectorClock> begun = new ArrayList<>(2);
    Start start = begin();
    ReplicatedWrite write =
        new ReplicatedWrite(
            replicas,
            "PUT on " + definition.name(),
            () -> writes(key, now),
            node -> {
              VectorClock clock = onTopOf.clock().incremented(node, now);
              tried.add(clock);
              begun.add(clock);
              noteBegun(key, clock);
              Versioned version = new Versioned(onTopOf.value(), clock);
              return Ask.put(definition.name(), key, version, stated);
            });
    try {
      ReplicatedWrite.Outcome outcome = write.run(call, order);
      noteWritten(key, tried.get(tried.size() - 1), outcome.acceptedAt());
      if (session != null && start != null) {
        long epoch = replicas.session().view().epoch();
        session.wrote(definition.name(), key, start, epoch, tried.get(tried.size() - 1));
      }
      return new Written(outcome.node(), outcome.acceptedAt());
    } catch (ObsoleteVersionException e) {
      // The last node does not have it; one before may, whose answer did not come.
      tried.remove(tried.size() - 1);
      throw e;
    } finally {
      noteSeen(key, tried);
      if (seen != null) {
        seen.ends(definition.name(), key, begun);
      }
    }
  }

  private void noteBegun(byte[] key, VectorClock clock) {
    if (seen != null) {
      seen.begins(definition.name(), key, clock);
    }
  }

  private void noteWritten(byte[] key, VectorClock clock, long acceptedAt) {
    if (seen != null) {
      seen.wrote(definition.name(), key, clock, acceptedAt);
    }
  }

  private static List<VectorClock> clocks(List<Versioned> versions) {
    return versions.stream().map(Versioned::clock).toList();
  }

  /** The application has read or written these versions. */
  private void noteSeen(byte[] key, List<VectorClock> clocks) {
    if (seen != null) {
      seen.read(definition.name(), key, clocks);
    }
  }

  /**
   * W; but as many more as make R + W > N, while the cluster asks for that after rollbacks that
   * touched the key: then each read of the key meets the last write that has returned. All clients
   * learn it before they write in the epoch, and a rollback leaves replicas equal.
   */
  private Quorum writes(byte[] key, long nowMillis) {
    int needed = definition.requiredWrites();
    if (replicas.session().view().sequential().covers(key, nowMillis * 1_000)) {
      int sequential = definition.replicationFactor() - definition.requiredReads() + 1;
      if (sequential > needed) {
        needed = sequential;
        replicas.metrics().sequentialWrites.increment();
      }
    }
    return new Quorum(needed, Math.max(needed, definition.preferredWrites()));
  }

  /** Deletes the versions that the replicas that answer have. Returns whether there was any. */
  public boolean delete(String key) {
    return delete(bytes(key));
  }

  public boolean delete(byte[] key) {
    return operation(
        call -> {
          VectorClock clock = readClock(call, key, order(key));
          return !clock.isEmpty() && deleteUpTo(call, key, clock);
        });
  }

  /** Deletes the versions at or before {@code upTo}. Returns whether a node had any. */
  public boolean delete(byte[] key, VectorClock upTo) {
    return operation(call -> deleteUpTo(call, key, upTo));
  }

  private boolean deleteUpTo(Call call, byte[] key, VectorClock clock) {
    ReplicatedWrite write =
        new ReplicatedWrite(
            replicas,
            "DELETE on " + definition.name(),
            () -> writes(key, epochMillis.getAsLong()),
            node -> Ask.delete(definition.name(), key, clock));
    try {
      return write.run(call, order(key)).changed();
    } finally {
      if (session != null) {
        session.deleted(definition.name(), key);
      }
    }
  }

  /** The least clock that supersedes what the replicas that answer have. Repairs nothing. */
  private VectorClock readClock(Call call, byte[] key, List<Integer> order) {
    Ask<List<VectorClock>> ask = Ask.getVersion(definition.name(), key);
    VectorClock merged = VectorClock.EMPTY;
    Start start = begin();
    for (List<VectorClock> clocks :
        Replicas.await(replicas.gather(order, reads, ask, call)).values()) {
      if (session != null && start != null) {
        long epoch = replicas.session().view().epoch();
        session.found(definition.name(), key, start, epoch, clocks);
      }
      for (VectorClock clock : clocks) {
        merged = merged.merge(clock);
      }
    }
    return merged;
  }

  private List<Integer> order(byte[] key) {
    return replicas.order(ring.preferenceList(key));
  }

  private <T> T operation(Function<Call, T> work) {
    T result = replicas.run(work);
    replicas.metrics().operations.increment();
    return result;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String text(byte[] key) {
    return new String(key, UTF_8);
  }
}
