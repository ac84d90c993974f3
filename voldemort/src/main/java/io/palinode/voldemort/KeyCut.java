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
 * What all nodes together know of one key at a cut: the versions that any of them has, less those
 * that a delete covers, wherever it was accepted. A delete covers the versions at or before its
 * clock that its client could have seen: those that some node had accepted before any node accepted
 * the delete. That is when the version came to the node that accepted it first, if that node tells
 * it; else the earliest time at which any node had it. (A node whose clock is far behind has it
 * from the last merge at a time before it was written.)
 */
final class KeyCut {
  private final List<Versioned> versions = new ArrayList<>();
  private final List<Delete> deletes = new ArrayList<>();
  private final Map<KeyPast.Id, Long> firstAccepted = new HashMap<>();
  private final Map<Integer, KeyPast> byNode = new HashMap<>();

  /** What one node contributed. Returns the last time that it tells of; 0 for none. */
  long add(KeyRecord contributed) {
    List<Versioned> siblings = Siblings.decode(contributed.siblings());
    versions.addAll(siblings);
    if (contributed.past().length == 0) {
      return 0;
    }
    KeyPast past = KeyPast.decode(contributed.past());
    if (past.node() != KeyPast.NOBODY) {
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

  /** The versions that the key is to have on a node that has {@code own}. */
  List<Versioned> versions(List<Versioned> own) {
    return Siblings.merge(uncovered(own), uncovered(versions));
  }

  private List<Versioned> uncovered(List<Versioned> some) {
    return some.stream().filter(version -> !isCovered(version)).toList();
  }

  /** A version of which no time is known stays: to lose a write is worse than to keep one. */
  private boolean isCovered(Versioned version) {
    return deletes.stream()
        .anyMatch(
            delete ->
                version.clock().isAtMost(delete.upTo())
                    && acceptedAt(version, delete) < delete.hlc());
  }

  /** Who knows of no time before the delete cannot tell that the version was not there then. */
  private long acceptedAt(Versioned version, Delete delete) {
    KeyPast.Id id = KeyPast.Id.of(version);
    KeyPast first = version.origin() == null ? null : byNode.get(version.origin());
    Long cameAt = first == null || first.from() >= delete.hlc() ? null : first.cameAt(id);
    return cameAt == null ? firstAccepted.getOrDefault(id, Long.MAX_VALUE) : cameAt;
  }
}
