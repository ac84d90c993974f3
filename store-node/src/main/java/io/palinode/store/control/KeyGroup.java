package io.palinode.store.control;

import io.palinode.detector.binding.StoreKey;
import io.palinode.store.binding.UndoLog.Replica;
import io.palinode.wire.v1.KeyGroups;
import java.util.LinkedHashMap;
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
    return of(key, hash(key.key()), here);
  }

  private static KeyGroup of(StoreKey key, long hash, Replica here) {
    int number = (int) (hash >>> (Long.SIZE - Integer.numberOfTrailingZeros(GROUPS)));
    return new KeyGroup(key.store(), here.nodes(), number);
  }

  /** All groups of these keys, with their digests. */
  public static List<KeyGroups> digests(Map<StoreKey, Replica> keys) {
    Map<KeyGroup, Long> digests = new LinkedHashMap<>();
    keys.forEach(
        (key, here) -> {
          long hash = hash(key.key());
          // A sum, as keys come in any order.
          digests.merge(of(key, hash, here), mix(hash ^ mix(here.digest())), Long::sum);
        });
    return messages(digests);
  }

  private static List<KeyGroups> messages(Map<KeyGroup, Long> digests) {
    Map<String, KeyGroups.Builder> byNodes = new TreeMap<>();
    digests.forEach(
        (group, digest) -> {
          KeyGroups.Builder groups =
              byNodes.computeIfAbsent(
                  group.store() + group.nodes(),
                  first ->
                      KeyGroups.newBuilder().setStore(group.store()).addAllNodes(group.nodes()));
          groups.addGroups(group.number()).addDigests(digest);
        });
    return byNodes.values().stream().map(KeyGroups.Builder::build).toList();
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
