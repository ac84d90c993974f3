package io.palinode.voldemort.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * <p>Every call throws {@link RolledBackException} when its epoch ends under it, {@link
 * InsufficientNodesException} when too few replicas answer, and {@link StoreException} otherwise
 * (interrupted, closed, paused for too long).
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

  Store(StoreDefinition definition, Ring ring, Replicas replicas, LongSupplier epochMillis) {
    this.definition = definition;
    this.ring = ring;
    this.replicas = replicas;
    this.epochMillis = epochMillis;
  }

  /**
   * @param node the node that accepted the write first
   * @param acceptedAt that node's HLC of the write; 0 from a stock node
   */
  public record Written(int node, long acceptedAt) {}

  public StoreDefinition definition() {
    return definition;
  }

  /** Null when R replicas have no version of the key. */
  public @Nullable String get(String key) {
    Versioned version = Siblings.resolve(versions(key));
    return version == null ? null : version.text();
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
    List<CompletableFuture<Map<Integer, List<Versioned>>>> reads =
        keys.stream().map(key -> read(call, bytes(key))).toList();
    Map<String, String> found = new LinkedHashMap<>();
    for (int i = 0; i < reads.size(); i++) {
      Versioned version = Siblings.resolve(joined(Replicas.await(reads.get(i))));
      if (version != null) {
        found.put(keys.get(i), version.text());
      }
    }
    return found;
  }

  /** The versions that R replicas have and none of them supersedes, the one to take first. */
  public List<Versioned> versions(String key) {
    return versions(bytes(key));
  }

  public List<Versioned> versions(byte[] key) {
    return operation(call -> joined(Replicas.await(read(call, key))));
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
    return operation(call -> Replicas.await(replicas.ask(node, ask, call)));
  }

  private CompletableFuture<Map<Integer, List<Versioned>>> read(Call call, byte[] key) {
    Ask<List<Versioned>> ask = Ask.get(definition.name(), key);
    return replicas.gather(order(key), definition.requiredReads(), ask, call);
  }

  private static List<Versioned> joined(Map<Integer, List<Versioned>> byNode) {
    return Siblings.merge(byNode.values().stream().flatMap(List::stream).toList(), List.of());
  }

  /**
   * Reads the present version (R nodes), supersedes it. Retries when another writer was faster, up
   * to {@value #ATTEMPTS_MAX} times. Returns when W nodes have it.
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
        // Whoever is nearest, the node that has something newer must be read.
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
    return operation(call -> put(call, key, onTopOf, order(key)));
  }

  private Written put(Call call, byte[] key, Versioned onTopOf, List<Integer> order) {
    long now = epochMillis.getAsLong();
    ReplicatedWrite write =
        new ReplicatedWrite(
            replicas,
            "PUT on " + definition.name(),
            () -> writesNeeded(key, now),
            node -> {
              VectorClock clock = onTopOf.clock().incremented(node, now);
              return Ask.put(definition.name(), key, new Versioned(onTopOf.value(), clock));
            });
    ReplicatedWrite.Outcome outcome = write.run(call, order);
    return new Written(outcome.node(), outcome.acceptedAt());
  }

  /**
   * W; but as many more as make R + W > N, while the cluster asks for that after rollbacks that
   * touched the key: then each read of the key meets the last write that has returned. All clients
   * learn it before they write in the epoch, and a rollback leaves replicas equal.
   */
  private int writesNeeded(byte[] key, long nowMillis) {
    int needed = definition.requiredWrites();
    if (!replicas.session().view().sequential().covers(key, nowMillis * 1_000)) {
      return needed;
    }
    int sequential = definition.replicationFactor() - definition.requiredReads() + 1;
    if (sequential > needed) {
      replicas.metrics().sequentialWrites.increment();
    }
    return Math.max(needed, sequential);
  }

  /** Deletes the versions that R nodes have. Returns whether there was any. */
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
            () -> writesNeeded(key, epochMillis.getAsLong()),
            node -> Ask.delete(definition.name(), key, clock));
    return write.run(call, order(key)).changed();
  }

  /** The least clock that supersedes what R nodes have. */
  private VectorClock readClock(Call call, byte[] key, List<Integer> order) {
    Ask<List<VectorClock>> ask = Ask.getVersion(definition.name(), key);
    VectorClock merged = VectorClock.EMPTY;
    for (List<VectorClock> clocks :
        Replicas.await(replicas.gather(order, definition.requiredReads(), ask, call)).values()) {
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
