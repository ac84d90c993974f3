package io.palinode.store.control;

import io.palinode.detector.binding.StoreKey;
import io.palinode.store.binding.UndoLog.Replica;
import io.palinode.wire.v1.KeyGroups;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Keys on the same nodes with the same hash, for which each node publishes one digest. The size of
 * the records thus does not grow with the number of keys. Replicas whose digests are equal have
 * equal records of all these keys. A key that changed on one replica only makes its digest differ.
 *
 * @param nodes the nodes that hold the keys, in their order of preference
 */
public record KeyGroup(String store, List<Integer> nodes, int number) {
  /** Groups per list of nodes. More groups name fewer keys that are equal, and cost more bytes. */
  public static final int GROUPS = 4_096;

  private static final long FNV_BASIS = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  /** The group of a key. */
  public static KeyGroup of(StoreKey key, Replica here) {
    return new KeyGroup(key.store(), here.nodes(), number(hash(key.key())));
  }

  private static int number(long hash) {
    return (int) (hash >>> (Long.SIZE - Integer.numberOfTrailingZeros(GROUPS)));
  }

  /** The digests of the groups of one store and one list of nodes. */
  private static final class Digests {
    private final long[] ofGroup = new long[GROUPS];
    private final BitSet groups = new BitSet(GROUPS);

    void add(byte[] key, Replica here) {
      long hash = hash(key);
      int group = number(hash);
      groups.set(group);
      // A sum, as keys come in any order.
      ofGroup[group] += mix(hash ^ mix(here.digest()));
    }

    KeyGroups message(String store, List<Integer> nodes) {
      KeyGroups.Builder message = KeyGroups.newBuilder().setStore(store).addAllNodes(nodes);
      groups.stream().forEach(group -> message.addGroups(group).addDigests(ofGroup[group]));
      return message.build();
    }
  }

  /** All groups of these keys, with their digests. */
  public static List<KeyGroups> digests(Map<StoreKey, Replica> keys) {
    Map<String, Map<List<Integer>, Digests>> byStore = new TreeMap<>();
    keys.forEach(
        (key, here) ->
            byStore
                .computeIfAbsent(key.store(), store -> new HashMap<>())
                .computeIfAbsent(here.nodes(), nodes -> new Digests())
                .add(key.key(), here));
    List<KeyGroups> messages = new ArrayList<>();
    byStore.forEach(
        (store, byNodes) ->
            byNodes.forEach((nodes, digests) -> messages.add(digests.message(store, nodes))));
    return messages;
  }

  /** Adds the digests of a node. */
  public static void addTo(Agreement<KeyGroup> agreement, int node, KeyGroups groups) {
    List<Integer> nodes = List.copyOf(groups.getNodesList());
    for (int i = 0; i < groups.getGroupsCount(); i++) {
      KeyGroup group = new KeyGroup(groups.getStore(), nodes, groups.getGroups(i));
      // 0 would mean that the node published no digest.
      agreement.add(node, group, groups.getDigests(i) | 1, nodes.size());
    }
  }

  /** 64-bit FNV-1a, mixed; not the hash by which the store assigns keys to nodes. */
  private static long hash(byte[] key) {
    long hash = FNV_BASIS;
    for (byte b : key) {
      hash = (hash ^ (b & 0xFF)) * FNV_PRIME;
    }
    return mix(hash);
  }

  /** Makes each bit depend on all bits: the finalizer of MurmurHash3. */
  private static long mix(long bits) {
    long mixed = (bits ^ (bits >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }
}
