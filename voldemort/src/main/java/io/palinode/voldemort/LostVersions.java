package io.palinode.voldemort;

import io.palinode.detector.binding.Unseen;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The versions that a put supersedes although its writer has not seen them. Decided where the put
 * is accepted first: other nodes get copies of a decision that was made. Pure.
 */
final class LostVersions {
  /** As evidence; one is enough. */
  private static final int EVIDENCE_MAX = 8;

  private LostVersions() {}

  /**
   * Null if there are none, or if the writer does not state what it has seen.
   *
   * @param old the key's record before the put
   */
  static @Nullable Unseen of(byte @Nullable [] old, Write write, int node) {
    List<VectorClock> seen = write.seen();
    Versioned added = write.added();
    Integer first = write.caller().originAt(node);
    if (seen == null || added == null || old == null || first == null || first != node) {
      return null;
    }
    List<Versioned> lost =
        StoredVersions.in(old).stream()
            .filter(stored -> stored.clock().isAtMost(added.clock()))
            .filter(stored -> seen.stream().noneMatch(stored.clock()::isAtMost))
            .limit(EVIDENCE_MAX)
            .toList();
    return lost.isEmpty()
        ? null
        : new Unseen(
            StoredVersions.of(lost), seen.stream().map(VectorClock::identityBytes).toList());
  }
}
