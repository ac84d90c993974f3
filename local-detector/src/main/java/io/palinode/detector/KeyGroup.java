package io.palinode.detector;

import io.palinode.detector.StoreBinding.Replica;
import io.palinode.wire.v1.KeyGroups;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Many keys of which nodes tell one digest, so that what is told of them does not grow with their
 * number: of those that live on the same nodes, those with the same hash. Replicas have all of them
 * alike when they tell the same digest; a key that changed at one of them only makes it differ too.
 *
 * @param nodes on which the keys live, in the order in which they prefer them
 */
record KeyGroup(String store, List<Integer> nodes, int number) {
  /** Of the same nodes. More name fewer keys where something differs, and cost more bytes. */
  static final int GROUPS = 4_096;

  private static final long FNV_BASIS = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  /** That of a key. */
  static KeyGroup of(StoreKey key, Replica here) {
    return of(key, hash(key.key()), here);
  }

  private static KeyGroup of(StoreKey key, long hash, Replica here) {
    int number = (int) (hash >>> (Long.SIZE - Integer.numberOfTrailingZeros(GROUPS)));
    return new KeyGroup(key.store(), here.nodes(), number);
  }

  /** All groups of these keys, with their digests. */
  static List<KeyGroups> digests(Map<StoreKey, Replica> keys) {
    Map<KeyGroup, Long> digests = new LinkedHashMap<>();
    keys.forEach(
        (key, here) -> {
          long hash = hash(key.key());
          // They come in any order, so a sum.
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

  /** Adds what a node told. */
  static void addTo(Agreement<KeyGroup> agreement, int node, KeyGroups told) {
    List<Integer> nodes = List.copyOf(told.getNodesList());
    for (int i = 0; i < told.getGroupsCount(); i++) {
      KeyGroup group = new KeyGroup(told.getStore(), nodes, told.getGroups(i));
      // 0 would mean that nothing is told of it.
      agreement.add(node, group, told.getDigests(i) | 1, nodes.size());
    }
  }

  /** 64-bit FNV-1a, mixed; another hash than the ring's, which has dealt the keys out to nodes. */
  private static long hash(byte[] key) {
    long hash = FNV_BASIS;
    for (byte b : key) {
      hash = (hash ^ (b & 0xFF)) * FNV_PRIME;
    }
    return mix(hash);
  }

  /** So that each bit of the result depends on all: the finalizer of MurmurHash3. */
  private static long mix(long bits) {
    long mixed = (bits ^ (bits >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }
}
