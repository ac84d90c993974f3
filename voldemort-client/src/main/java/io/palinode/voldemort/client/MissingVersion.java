package io.palinode.voldemort.client;

import com.google.protobuf.ByteString;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A version that a node lacks, as a read of several found out.
 *
 * @param version with its origin, if a node has returned it, and the proof of {@code readAt}
 * @param readAt a node that has it
 */
public record MissingVersion(int node, Versioned version, int readAt) {
  /**
   * All that make each node have what they have together, the versions of a node in the order in
   * which {@link Siblings#resolve} takes them. O(n·k²) for n nodes with k versions.
   *
   * @param found by node
   */
  public static List<MissingVersion> in(Map<Integer, List<Versioned>> found) {
    if (found.size() < 2) {
      return List.of();
    }
    List<MissingVersion> missing = new ArrayList<>(0);
    for (Versioned version :
        Siblings.merge(found.values().stream().flatMap(List::stream).toList(), List.of())) {
      add(version, found, missing);
    }
    return missing;
  }

  private static void add(
      Versioned version, Map<Integer, List<Versioned>> found, List<MissingVersion> missing) {
    List<Integer> lacking = new ArrayList<>(0);
    Integer readAt = null;
    Integer origin = null;
    ByteString proof = ByteString.EMPTY;
    for (Map.Entry<Integer, List<Versioned>> node : found.entrySet()) {
      Versioned same = sameIn(node.getValue(), version.clock());
      if (same == null) {
        lacking.add(node.getKey());
      } else {
        if (readAt == null) {
          readAt = node.getKey();
          proof = same.proof();
        }
        origin = origin == null ? same.origin() : origin;
      }
    }
    for (Integer node : lacking) {
      if (readAt != null) {
        missing.add(new MissingVersion(node, version.withOrigin(origin).withProof(proof), readAt));
      }
    }
  }

  private static @Nullable Versioned sameIn(List<Versioned> versions, VectorClock clock) {
    for (Versioned version : versions) {
      if (version.clock().compare(clock) == VectorClock.Relation.EQUAL) {
        return version;
      }
    }
    return null;
  }
}
