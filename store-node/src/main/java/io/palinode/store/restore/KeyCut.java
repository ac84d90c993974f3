package io.palinode.store.restore;

import io.palinode.detector.binding.Version;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.past.Deletes.Delete;
import io.palinode.store.past.RecordRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Merges all contributions to one key at a cut: the versions of any node, less those that a delete
 * covers. A delete covers a version within its mark that some node accepted before any node
 * accepted the delete. A version counts as accepted when it arrived at its first acceptor. If that
 * node contributes no time, the earliest time at any node counts. (If a node's clock is far behind,
 * a merge can have given it the version at a time before its write.)
 */
public final class KeyCut {
  private final RecordRules rules;
  private final List<Version> versions = new ArrayList<>();
  private final List<Delete> deletes = new ArrayList<>();
  private final Map<KeyPast.Id, Long> firstAccepted = new HashMap<>();
  private final Map<Integer, KeyPast> byNode = new HashMap<>();

  public KeyCut(RecordRules rules) {
    this.rules = rules;
  }

  /** Adds the contribution of one node. Returns the latest time in it; 0 if there is none. */
  public long add(KeyRecord contributed) {
    List<Version> siblings = rules.versions(contributed.siblings());
    versions.addAll(siblings);
    if (contributed.past().length == 0) {
      return 0;
    }
    KeyPast past = KeyPast.decode(rules, contributed.past());
    if (past.node() != KeyPast.UNKNOWN) {
      byNode.put(past.node(), past);
    }
    past.since().forEach(this::accepted);
    for (Version version : siblings) {
      if (!past.since().containsKey(KeyPast.Id.of(rules, version))) {
        accepted(KeyPast.Id.of(rules, version), past.from());
      }
    }
    deletes.addAll(past.deletes());
    return past.latest();
  }

  private void accepted(KeyPast.Id id, long hlc) {
    firstAccepted.merge(id, hlc, Math::min);
  }

  /** The merged versions of the key on a node that has {@code own}. */
  public List<Version> versions(List<Version> own) {
    return rules.merge(uncovered(own), uncovered(versions));
  }

  private List<Version> uncovered(List<Version> some) {
    return some.stream().filter(version -> !isCovered(version)).toList();
  }

  /** A version without a known time stays: losing a write is worse than keeping one. */
  private boolean isCovered(Version version) {
    return deletes.stream()
        .anyMatch(
            delete ->
                rules.isCovered(version, delete.mark().bytes())
                    && acceptedAt(version, delete) < delete.hlc());
  }

  /** A past without times before the delete does not show when the version arrived. */
  private long acceptedAt(Version version, Delete delete) {
    KeyPast.Id id = KeyPast.Id.of(rules, version);
    KeyPast first = version.origin() == null ? null : byNode.get(version.origin());
    Long cameAt = first == null || first.from() >= delete.hlc() ? null : first.cameAt(id);
    return cameAt == null ? firstAccepted.getOrDefault(id, Long.MAX_VALUE) : cameAt;
  }
}
