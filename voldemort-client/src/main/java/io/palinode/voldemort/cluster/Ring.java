package io.palinode.voldemort.cluster;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Voldemort's consistent routing: which nodes hold a key, and in which order they are asked.
 * Immutable. A look-up hashes the key and allocates nothing.
 */
public final class Ring {
  private static final int FNV_BASIS = 0x811c9dc5;
  private static final int FNV_PRIME = 0x01000193;

  /** By partition: all nodes in the order in which a walk around the ring meets them. */
  private final List<List<Integer>> walks;

  private final int replicas;

  /** Throws {@link IllegalArgumentException} unless enough nodes own a partition. */
  public Ring(Cluster cluster, int replicas) {
    int[] owners = new int[cluster.partitionCount()];
    for (Node node : cluster.nodes()) {
      node.partitions().forEach(partition -> owners[partition] = node.id());
    }
    long distinct = Arrays.stream(owners).distinct().count();
    if (replicas < 1 || replicas > distinct) {
      throw new IllegalArgumentException(
          "replicas must be in [1, " + distinct + "], the nodes with partitions: " + replicas);
    }
    this.replicas = replicas;
    List<List<Integer>> all = new ArrayList<>(owners.length);
    for (int partition = 0; partition < owners.length; partition++) {
      all.add(walk(owners, partition, replicas));
    }
    this.walks = List.copyOf(all);
  }

  private static List<Integer> walk(int[] owners, int start, int replicas) {
    List<Integer> nodes = new ArrayList<>(replicas);
    for (int i = 0; nodes.size() < replicas; i++) {
      Integer owner = owners[(start + i) % owners.length];
      if (!nodes.contains(owner)) {
        nodes.add(owner);
      }
    }
    return List.copyOf(nodes);
  }

  public int replicas() {
    return replicas;
  }

  /** The nodes that hold the key, the one that owns its partition first. */
  public List<Integer> preferenceList(byte[] key) {
    return walks.get(partition(key));
  }

  /** The partition that the key falls into. */
  public int partition(byte[] key) {
    int hash = fnv1a(key);
    int positive = hash == Integer.MIN_VALUE ? Integer.MAX_VALUE : Math.abs(hash);
    return positive % walks.size();
  }

  /** 32-bit FNV-1a. */
  static int fnv1a(byte[] key) {
    int hash = FNV_BASIS;
    for (byte b : key) {
      hash = (hash ^ (b & 0xFF)) * FNV_PRIME;
    }
    return hash;
  }
}
