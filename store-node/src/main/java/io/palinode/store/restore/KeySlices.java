package io.palinode.store.restore;

import io.palinode.detector.binding.StoreKey;
import io.palinode.store.binding.UndoLog.Replica;
import io.palinode.store.engine.KeyBytes;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.past.LocalStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Digests of all keys in slices, so that replicas compare without naming each key. A hash deals the
 * keys that have the same replicas to {@link #SLICES} slices. Equal digests mean equal records.
 * Holds 128 KiB for each set of nodes. No thread may write meanwhile.
 *
 * <p>A slice is named by a key: {@code | nodes, in order, i32 each | slice i32 |}.
 */
final class KeySlices {
  /** Slices for each set of nodes. More slices locate differences better, and cost more. */
  static final int SLICES = 8_192;

  private final int node;
  private final StorageEngine engine;

  KeySlices(int node, StorageEngine engine) {
    this.node = node;
    this.engine = engine;
  }

  /** The digests of all slices that have keys of this node. O(keys). */
  Map<StoreKey, Replica> digests(Collection<LocalStore> stores) {
    Map<StoreKey, Replica> digests = new LinkedHashMap<>();
    for (LocalStore store : stores) {
      sums(store)
          .forEach(
              (nodes, ofSlice) -> {
                for (int slice = 0; slice < SLICES; slice++) {
                  // Zero means no key. If a sum is zero by chance, another replica's digest causes
                  // the exchange.
                  if (ofSlice.digests[slice] != 0) {
                    digests.put(
                        name(store, nodes, slice),
                        new Replica(ofSlice.digests[slice], nodes, ofSlice.weights[slice]));
                  }
                }
              });
    }
    return digests;
  }

  /** Sums over the keys of one set of nodes, by slice. */
  private static final class Sums {
    private final long[] digests = new long[SLICES];
    private final long[] weights = new long[SLICES];
  }

  private Map<List<Integer>, Sums> sums(LocalStore store) {
    RecordDigest digest = new RecordDigest();
    Map<List<Integer>, Sums> sums = new HashMap<>();
    engine.scan(
        store.name(),
        (key, record) -> {
          List<Integer> nodes = nodes(store, key);
          if (nodes.contains(node)) {
            Sums ofSlice = sums.computeIfAbsent(nodes, first -> new Sums());
            int slice = slice(key);
            // A sum does not depend on the order of the scan.
            ofSlice.digests[slice] += digest.of(key, record);
            ofSlice.weights[slice] += RestoreLimit.KEY_BYTES + key.length + record.length;
          }
        });
    return sums;
  }

  /** The present keys of a store in these slices. O(keys). */
  Set<KeyBytes> keys(LocalStore store, Set<StoreKey> slices) {
    Set<KeyBytes> keys = new HashSet<>();
    engine.scan(
        store.name(),
        (key, record) -> {
          if (isIn(store, key, slices)) {
            keys.add(new KeyBytes(key));
          }
        });
    return keys;
  }

  /** The slice of a key. */
  StoreKey of(LocalStore store, byte[] key) {
    return name(store, nodes(store, key), slice(key));
  }

  /** Whether this node holds the key and one of these slices contains it. */
  boolean isIn(LocalStore store, byte[] key, Set<StoreKey> slices) {
    List<Integer> nodes = nodes(store, key);
    return nodes.contains(node) && slices.contains(name(store, nodes, slice(key)));
  }

  private static List<Integer> nodes(LocalStore store, byte[] key) {
    List<Integer> nodes = new ArrayList<>(store.replicas(key));
    nodes.sort(null);
    return nodes;
  }

  /** Another hash than the ring's, which has already chosen the nodes. */
  private static int slice(byte[] key) {
    int hash = Arrays.hashCode(key) * 0x9E3779B9;
    return hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(SLICES));
  }

  private static StoreKey name(LocalStore store, List<Integer> nodes, int slice) {
    ByteBuffer name = ByteBuffer.allocate((nodes.size() + 1) * Integer.BYTES);
    nodes.forEach(name::putInt);
    return new StoreKey(store.name(), name.putInt(slice).array());
  }
}
