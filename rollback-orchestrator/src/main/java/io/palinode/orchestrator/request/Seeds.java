package io.palinode.orchestrator.request;

import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.Scope;
import io.palinode.wire.v1.StoreKey;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The writes whose consequences are to be undone. Immutable.
 *
 * @param witnesses writes, by node and HLC; none and no keys: all writes are undone
 * @param keys whose first write after the target is meant, before nodes have named that write
 */
public record Seeds(Set<Moment> witnesses, List<StoreKey> keys) {
  /** All writes after the target are to be undone. */
  public static final Seeds ALL = new Seeds(Set.of(), List.of());

  public static final int KEYS_MAX = 100;

  /** The limit of all keys with their stores, as one record holds them. */
  public static final int KEYS_BYTES_MAX = 65_536;

  /** Beyond it, nodes report clients only as a number. */
  static final int CLIENTS_MAX = 1_000;

  static final int PERCENT_MAX = 50;

  /** Per node: each takes about 25 bytes in the control log, and all nodes read all of them. */
  static final int ACCESSES_MAX = 30_000;

  public Seeds {
    witnesses = Set.copyOf(witnesses);
    keys = List.copyOf(keys);
    if (keys.size() > KEYS_MAX) {
      throw new IllegalArgumentException(
          "at most %d keys can be named: %d".formatted(KEYS_MAX, keys.size()));
    }
    int bytes = keys.stream().mapToInt(StoreKey::getSerializedSize).sum();
    if (bytes > KEYS_BYTES_MAX) {
      throw new IllegalArgumentException(
          "the keys that are named must take at most %d bytes together: %d"
              .formatted(KEYS_BYTES_MAX, bytes));
    }
  }

  static Seeds of(Collection<Moment> witnesses) {
    return new Seeds(Set.copyOf(witnesses), List.of());
  }

  /** The question to the nodes, without the keys. */
  public Scope scope(long target) {
    return scope(target, witnesses.stream());
  }

  /** The question to the nodes about the consequences of those writes that are after the target. */
  public static Scope scope(long target, Stream<Moment> witnesses) {
    Scope.Builder scope =
        Scope.newBuilder()
            .setClientsMax(CLIENTS_MAX)
            .setPercentMax(PERCENT_MAX)
            .setAccessesMax(ACCESSES_MAX);
    witnesses.filter(witness -> witness.getHlc() > target).distinct().forEach(scope::addWitnesses);
    return scope.build();
  }

  public boolean isOfSome() {
    return !witnesses.isEmpty() || !keys.isEmpty();
  }
}
