package io.palinode.voldemort;

import io.palinode.detector.StoreBinding.Replica;
import io.palinode.detector.StoreKey;
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
 * All keys of a node's stores in slices, so that replicas can be compared without naming each key:
 * keys that live on the same nodes are dealt out by a hash to {@link #SLICES}, and a slice has one
 * digest. Replicas have the same in a slice when they tell the same digest. Holds 128 KiB for each
 * set of nodes. Nobody writes meanwhile.
 *
 * <p>The name of a slice is a key of its store's: {@code | nodes, in order, i32 each | slice i32
 * |}.
 */
final class KeySlices {
  /** Of the keys that live on the same nodes. More tell differences apart better, and cost more. */
  static final int SLICES = 8_192;

  private final int node;
  private final StorageEngine engine;

  KeySlices(int node, StorageEngine engine) {
    this.node = node;
    this.engine = engine;
  }

  /** Of each slice in which there is something that lives here; O(keys). */
  Map<StoreKey, Replica> digests(Collection<LocalStore> stores) {
    Map<StoreKey, Replica> digests = new LinkedHashMap<>();
    for (LocalStore store : stores) {
      sums(store)
          .forEach(
              (nodes, ofSlice) -> {
                for (int slice = 0; slice < SLICES; slice++) {
                  // No key in it, or nearly never: then it is exchanged when another has one.
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

  /** Of the keys of one set of nodes, by slice. */
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
            // Of any order, so a sum.
            ofSlice.digests[slice] += digest.of(key, record);
            ofSlice.weights[slice] += RestoreLimit.KEY_BYTES + key.length + record.length;
          }
        });
    return sums;
  }

  /** The keys of a store that are there and lie in these slices; O(keys). */
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

  /** Whether a key lives here and lies in one of these slices. */
  boolean isIn(LocalStore store, byte[] key, Set<StoreKey> slices) {
    List<Integer> nodes = nodes(store, key);
    return nodes.contains(node) && slices.contains(name(store, nodes, slice(key)));
  }

  private static List<Integer> nodes(LocalStore store, byte[] key) {
    List<Integer> nodes = new ArrayList<>(store.ring().preferenceList(key));
    nodes.sort(null);
    return nodes;
  }

  /** Of another hash than the ring's, which has dealt the keys out to nodes already. */
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
