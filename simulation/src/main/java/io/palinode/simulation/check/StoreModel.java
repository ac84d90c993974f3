package io.palinode.simulation.check;

import io.palinode.detector.binding.Version;
import io.palinode.simulation.check.KnownDeletes.Delete;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * The data that each node's store must hold, from the writes that it accepted and the rollbacks
 * that it carried out: for every key and node, each stored record with its HLC. It undoes no log
 * and computes no difference; it looks up the past.
 */
public final class StoreModel {
  private record Moment(long hlc, Set<Version> versions) {}

  /**
   * A restore of one attempt at one node.
   *
   * @param since when the node had each version first, as far back as it reports
   * @param deletes that it was the first to accept, by then
   * @param whole all keys are compared, so only those that differ are merged
   */
  private record Restored(
      boolean whole,
      Set<String> near,
      Map<String, Set<Version>> cut,
      Map<String, Long> since,
      List<Delete> deletes) {}

  private record Attempt(long epoch, int attempt) {}

  /** A delete that some node accepted, in an epoch. */
  private record Accepted(long epoch, Delete delete) {}

  private final long convergenceWindowHlc;
  private final Placement placement;
  private final VersionOrder order;
  private final List<Map<String, List<Moment>>> pasts = new ArrayList<>();
  private final List<Map<Attempt, Restored>> restores = new ArrayList<>();
  private final List<Set<Attempt>> merges = new ArrayList<>();
  private final List<KnownDeletes> deletes = new ArrayList<>();
  private final List<Accepted> everDeleted = new ArrayList<>();

  /** Of each version, at the node that accepted it first. */
  private final Map<String, Long> acceptedAt = new HashMap<>();

  /** Whether a key has a replica on a node. */
  public interface Placement {
    boolean isHeldBy(int node, String key);
  }

  public StoreModel(int nodes, long convergenceWindowHlc, Placement placement, VersionOrder order) {
    this.order = order;
    this.convergenceWindowHlc = convergenceWindowHlc;
    this.placement = placement;
    for (int node = 0; node < nodes; node++) {
      pasts.add(new TreeMap<>());
      restores.add(new HashMap<>());
      merges.add(new HashSet<>());
      deletes.add(new KnownDeletes());
    }
  }

  /** A put was accepted. */
  public void put(int node, String key, Version added, long hlc) {
    acceptedAt.putIfAbsent(name(key, added), hlc);
    Set<Version> versions = new LinkedHashSet<>(now(node, key));
    for (Version stored : versions) {
      if (order.isAtMost(added, stored)) {
        throw new BrokenInvariant(
            Invariant.CONSISTENT_CUT,
            "node %d accepted %s over %s".formatted(node, name(key, added), name(key, stored)));
      }
    }
    versions.removeIf(stored -> order.isAtMost(stored, added));
    versions.add(added);
    become(node, key, versions, hlc);
  }

  /** Whether a version was accepted before another one, each at its first acceptor. */
  boolean isBefore(String key, Version one, Version other) {
    return acceptedAt(key, one) < acceptedAt(key, other);
  }

  private long acceptedAt(String key, Version version) {
    return Objects.requireNonNull(acceptedAt.get(name(key, version)), "no node accepted it");
  }

  /** A delete of the versions at or before a clock has found some. */
  public void removed(int node, long epoch, String key, byte[] upTo, long hlc) {
    Set<Version> versions = new LinkedHashSet<>(now(node, key));
    if (!versions.removeIf(stored -> order.isCovered(stored, upTo))) {
      throw new BrokenInvariant(
          Invariant.CONSISTENT_CUT,
          "node %d deleted nothing of %s to %s"
              .formatted(node, key, HexFormat.of().formatHex(upTo)));
    }
    everDeleted.add(new Accepted(epoch, new Delete(key, upTo, hlc)));
    become(node, key, versions, hlc);
  }

  /** A delete was accepted, by this node first, whether there was anything or not. */
  public void deleted(int node, long epoch, String key, byte[] upTo, long hlc) {
    deletes.get(node).add(key, upTo, hlc);
    everDeleted.add(new Accepted(epoch, new Delete(key, upTo, hlc)));
  }

  /**
   * Whether a delete that covers it was accepted on any node after {@code hlc} and was not undone.
   * A key's clock starts again after a delete.
   */
  public boolean isDeletedAfter(String key, Version version, long hlc, ControlChecks control) {
    return everDeleted.stream()
        .anyMatch(
            accepted ->
                accepted.delete().key().equals(key)
                    && accepted.delete().hlc() > hlc
                    && order.isCovered(version, accepted.delete().upTo())
                    && !control.isTakenBack(accepted.epoch(), accepted.delete().hlc()));
  }

  /** A process of the node begins: what only the one before remembered is forgotten. */
  public void started(int node) {
    deletes.get(node).forget();
  }

  /** A restore was begun, and the disk refused it: by then deletes count as undone. */
  public void triedToRestore(int node, long target, long hlc) {
    deletes.get(node).undone(hlc, target);
  }

  /**
   * The disk has refused the record of a write. Its node has logged it by then, so it names the key
   * in what it restores, as if it had changed. (When the disk refuses already what the node is to
   * promise of its clock, nothing is logged, and the node knows of no write.)
   */
  public void tried(int node, String key, long hlc) {
    note(node, key, now(node, key), hlc);
  }

  /**
   * A restore was done; a repeat changes nothing.
   *
   * @param reach how far the node's own past went back
   * @param hlc the node's time afterwards
   * @param keep nothing was to be undone
   * @param cutOf until when what was written of a key stands
   */
  public void restored(
      int node,
      long epoch,
      int attempt,
      long target,
      long reach,
      long hlc,
      boolean keep,
      ToLongFunction<String> cutOf) {
    Attempt which = new Attempt(epoch, attempt);
    if (restores.get(node).containsKey(which)) {
      return;
    }
    long since = since(target, reach);
    List<Delete> standing = deletes.get(node).standingAt(keep ? hlc : target, since);
    if (!keep) {
      deletes.get(node).undone(hlc, target);
    }
    Restored restored = restored(node, since, keep ? key -> Long.MAX_VALUE : cutOf, standing);
    restores.get(node).put(which, restored);
    restored.cut().forEach((key, versions) -> become(node, key, versions, hlc));
  }

  /**
   * A node publishes all its keys, for an attempt that compares all keys, and undoes no write. The
   * last record counts: a process loses its known deletes when it ends.
   *
   * @param reach how far the node's own past went back
   * @param hlc the node's time
   */
  public void comparesAll(int node, long epoch, int attempt, long target, long reach, long hlc) {
    long since = since(target, reach);
    List<Delete> standing = deletes.get(node).standingAt(hlc, since);
    Restored kept = restored(node, since, key -> Long.MAX_VALUE, standing);
    Set<String> all = new TreeSet<>(kept.near());
    all.addAll(kept.cut().keySet());
    restores
        .get(node)
        .put(
            new Attempt(epoch, attempt),
            new Restored(true, all, kept.cut(), kept.since(), standing));
  }

  /** The earliest time of a key's past that a node reports. */
  private long since(long target, long reach) {
    return Math.max(reach, target - Math.min(target, convergenceWindowHlc));
  }

  private Restored restored(
      int node, long since, ToLongFunction<String> cutOf, List<Delete> standing) {
    Set<String> near = new TreeSet<>();
    Map<String, Set<Version>> cut = new TreeMap<>();
    Map<String, Long> had = new TreeMap<>();
    pasts
        .get(node)
        .forEach(
            (key, past) -> {
              if (past.get(past.size() - 1).hlc() > since) {
                near.add(key);
              }
              long upTo = cutOf.applyAsLong(key);
              cut.put(key, at(past, upTo));
              noteSince(key, past, since, upTo, had);
            });
    standing.forEach(delete -> near.add(delete.key()));
    return new Restored(false, near, cut, had, standing);
  }

  /** When each version of a key was there first; not before the begin of the reported past. */
  private static void noteSince(
      String key, List<Moment> past, long since, long upTo, Map<String, Long> had) {
    at(past, since).forEach(version -> had.putIfAbsent(name(key, version), since));
    for (Moment moment : past) {
      if (moment.hlc() > since && moment.hlc() <= upTo) {
        moment.versions().forEach(each -> had.putIfAbsent(name(key, each), moment.hlc()));
      }
    }
  }

  /** Clocks come again after a delete, hardly so in the same millisecond. */
  private static String name(String key, Version version) {
    return Write.versionOf(key, version.clock(), version.timestampMs())
        + "="
        + HexFormat.of().formatHex(version.value());
  }

  /**
   * A node has merged what all contributed; a repeat changes nothing. Where all keys are compared,
   * those that are alike may be exchanged too: beside one that differs, or because replicas hold
   * the same versions in another order. What deletes cover goes then as of any key.
   *
   * @param exchanged the keys whose contributions it received; some did not change near the target
   */
  public void merged(int node, long epoch, int attempt, long hlc, Set<String> exchanged) {
    if (merges.get(node).add(new Attempt(epoch, attempt))) {
      Set<String> compared = near(epoch, attempt);
      compared.addAll(exchanged);
      for (String key : compared) {
        if (placement.isHeldBy(node, key)
            && (exchanged.contains(key) || !isAlike(epoch, attempt, key))) {
          become(node, key, together(epoch, attempt, key), hlc);
        }
      }
    }
  }

  /** If all keys were compared and all replicas agree, no node merges. */
  private boolean isAlike(long epoch, int attempt, String key) {
    Set<Set<Version>> cuts = new HashSet<>();
    for (int node = 0; node < restores.size(); node++) {
      Restored restored = restores.get(node).get(new Attempt(epoch, attempt));
      if (restored == null || !restored.whole()) {
        return false;
      }
      if (placement.isHeldBy(node, key)) {
        cuts.add(restored.cut().getOrDefault(key, Set.of()));
      }
    }
    return cuts.size() == 1;
  }

  /** Whether all nodes have done it. */
  public boolean isMergedEverywhere(long epoch, int attempt) {
    return merges.stream().allMatch(done -> done.contains(new Attempt(epoch, attempt)));
  }

  /** The keys that are to be the same everywhere after it. */
  public Set<String> near(long epoch, int attempt) {
    Set<String> near = new TreeSet<>();
    for (Map<Attempt, Restored> ofNode : restores) {
      Restored restored = ofNode.get(new Attempt(epoch, attempt));
      if (restored != null) {
        near.addAll(restored.near());
      }
    }
    return near;
  }

  /** What the key is now at the node. */
  Set<Version> now(int node, String key) {
    List<Moment> past = pasts.get(node).get(key);
    return past == null ? Set.of() : past.get(past.size() - 1).versions();
  }

  public Set<String> keys() {
    Set<String> keys = new TreeSet<>();
    pasts.forEach(past -> keys.addAll(past.keySet()));
    return keys;
  }

  /** Throws unless the node's store holds what it must. */
  public void requireHolds(int node, String key, List<Version> actual, String when) {
    Set<Version> expected = now(node, key);
    if (actual.size() != expected.size() || !names(key, actual).equals(names(key, expected))) {
      throw new BrokenInvariant(
          Invariant.CONSISTENT_CUT,
          "%s, node %d has %s, must have %s"
              .formatted(when, node, names(key, actual), names(key, expected)));
    }
  }

  private Set<Version> together(long epoch, int attempt, String key) {
    List<Version> all = new ArrayList<>();
    for (Map<Attempt, Restored> ofNode : restores) {
      Restored restored = ofNode.get(new Attempt(epoch, attempt));
      if (restored != null) {
        all.addAll(restored.cut().getOrDefault(key, Set.of()));
      }
    }
    all.removeIf(version -> isDeleted(epoch, attempt, key, version));
    Set<Version> greatest = new LinkedHashSet<>();
    for (Version one : all) {
      if (all.stream().noneMatch(other -> isBefore(one, other))) {
        greatest.add(one);
      }
    }
    return greatest;
  }

  /**
   * Whether a delete covers it that any node had accepted: its client could have seen what some
   * node had before. No node had it before it was accepted, whatever its clock says.
   */
  private boolean isDeleted(long epoch, int attempt, String key, Version version) {
    List<Restored> all =
        restores.stream()
            .map(ofNode -> ofNode.get(new Attempt(epoch, attempt)))
            .filter(Objects::nonNull)
            .toList();
    long since =
        all.stream()
            .mapToLong(of -> of.since().getOrDefault(name(key, version), Long.MAX_VALUE))
            .min()
            .orElse(Long.MAX_VALUE);
    long accepted = Math.max(since, acceptedAt.getOrDefault(name(key, version), 0L));
    return all.stream()
        .flatMap(of -> of.deletes().stream())
        .anyMatch(
            delete ->
                delete.key().equals(key)
                    && accepted < delete.hlc()
                    && order.isCovered(version, delete.upTo()));
  }

  /**
   * By the store's order; of two with one clock by time, then by value. An undo of some nodes only,
   * which was abandoned, lets a node count to the same clock again.
   */
  private boolean isBefore(Version one, Version other) {
    if (!order.isAtMost(one, other) || !order.isAtMost(other, one)) {
      return order.isAtMost(one, other);
    }
    return one.timestampMs() != other.timestampMs()
        ? one.timestampMs() < other.timestampMs()
        : Arrays.compareUnsigned(one.value(), other.value()) < 0;
  }

  private void become(int node, String key, Set<Version> versions, long hlc) {
    // What was absent, and still is, has not changed: no node knows of it.
    if (!names(key, now(node, key)).equals(names(key, versions))) {
      note(node, key, versions, hlc);
    }
  }

  /** Unlike versions, these differ for writes that differ only in their timestamps. */
  private static Set<String> names(String key, Collection<Version> versions) {
    return versions.stream().map(version -> name(key, version)).collect(Collectors.toSet());
  }

  private void note(int node, String key, Set<Version> versions, long hlc) {
    pasts
        .get(node)
        .computeIfAbsent(key, k -> new ArrayList<>())
        .add(new Moment(hlc, Set.copyOf(versions)));
  }

  private static Set<Version> at(List<Moment> past, long hlc) {
    for (int i = past.size() - 1; i >= 0; i--) {
      if (past.get(i).hlc() <= hlc) {
        return past.get(i).versions();
      }
    }
    return Set.of();
  }
}
