package io.palinode.voldemort;

import io.palinode.detector.StoreBinding.KeyRecord;
import io.palinode.voldemort.Deletes.Delete;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Merges all contributions to one key at a cut: the versions of any node, less those that a delete
 * covers. A delete covers a version at or before its clock that some node accepted before any node
 * accepted the delete. A version counts as accepted when it arrived at its first acceptor. If that
 * node contributes no time, the earliest time at any node counts. (If a node's clock is far behind,
 * a merge can have given it the version at a time before its write.)
 */
final class KeyCut {
  private final List<Versioned> versions = new ArrayList<>();
  private final List<Delete> deletes = new ArrayList<>();
  private final Map<KeyPast.Id, Long> firstAccepted = new HashMap<>();
  private final Map<Integer, KeyPast> byNode = new HashMap<>();

  /** Adds the contribution of one node. Returns the latest time in it; 0 if there is none. */
  long add(KeyRecord contributed) {
    List<Versioned> siblings = Siblings.decode(contributed.siblings());
    versions.addAll(siblings);
    if (contributed.past().length == 0) {
      return 0;
    }
    KeyPast past = KeyPast.decode(contributed.past());
    if (past.node() != KeyPast.UNKNOWN) {
      byNode.put(past.node(), past);
    }
    past.since().forEach(this::accepted);
    for (Versioned version : siblings) {
      if (!past.since().containsKey(KeyPast.Id.of(version))) {
        accepted(KeyPast.Id.of(version), past.from());
      }
    }
    deletes.addAll(past.deletes());
    return past.latest();
  }

  private void accepted(KeyPast.Id id, long hlc) {
    firstAccepted.merge(id, hlc, Math::min);
  }

  /** The merged versions of the key on a node that has {@code own}. */
  List<Versioned> versions(List<Versioned> own) {
    return Siblings.merge(uncovered(own), uncovered(versions));
  }

  private List<Versioned> uncovered(List<Versioned> some) {
    return some.stream().filter(version -> !isCovered(version)).toList();
  }

  /** A version without a known time stays: losing a write is worse than keeping one. */
  private boolean isCovered(Versioned version) {
    return deletes.stream()
        .anyMatch(
            delete ->
                version.clock().isAtMost(delete.upTo())
                    && acceptedAt(version, delete) < delete.hlc());
  }

  /** A past without times before the delete does not show when the version arrived. */
  private long acceptedAt(Versioned version, Delete delete) {
    KeyPast.Id id = KeyPast.Id.of(version);
    KeyPast first = version.origin() == null ? null : byNode.get(version.origin());
    Long cameAt = first == null || first.from() >= delete.hlc() ? null : first.cameAt(id);
    return cameAt == null ? firstAccepted.getOrDefault(id, Long.MAX_VALUE) : cameAt;
  }
}
