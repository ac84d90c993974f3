package io.palinode.orchestrator.request;

import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.Scope;
import io.palinode.wire.v1.StoreKey;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The writes whose consequences are to be undone, and nothing else.
 *
 * @param witnesses writes, by node and HLC; none and no keys: everything is to be undone
 * @param keys of which the first write after the target is meant; not known which that is yet
 */
public record Seeds(Set<Moment> witnesses, List<StoreKey> keys) {
  /** Everything after the target is to be undone. */
  public static final Seeds ALL = new Seeds(Set.of(), List.of());

  public static final int KEYS_MAX = 100;

  /** Of all keys and their stores together: they stand in one record. */
  public static final int KEYS_BYTES_MAX = 65_536;

  /** What more of is not told one by one. */
  static final int CLIENTS_MAX = 1_000;

  static final int PERCENT_MAX = 50;

  /** Of each node: some 25 bytes each in the control log, and all nodes go through all of them. */
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

  /** What nodes are asked, but for the keys. */
  public Scope scope(long target) {
    return scope(target, witnesses.stream());
  }

  /** What nodes are asked, to undo what came of those of these writes that are after the target. */
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
