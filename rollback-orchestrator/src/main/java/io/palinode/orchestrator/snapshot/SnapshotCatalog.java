package io.palinode.orchestrator.snapshot;

import io.palinode.orchestrator.request.RefusedException;
import io.palinode.wire.v1.SnapshotClosed;
import io.palinode.wire.v1.SnapshotKind;
import io.palinode.wire.v1.SnapshotOpened;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The snapshots of the log, and the requested ones that the log does not hold yet. */
final class SnapshotCatalog {
  /** The limit of bases under a snapshot, as a reader reads each of them for each key. */
  private static final int BASES_MAX = 16;

  private final SnapshotSettings settings;

  /** Standing snapshots, and failed ones for display; the key is the name. */
  private final Map<String, Snapshot> known = new LinkedHashMap<>();

  /** By number: snapshots that are being taken. */
  private final Map<Long, Snapshot> open = new TreeMap<>();

  /** The last move of a snapshot, if it failed; the key is the name. */
  private final Map<String, Snapshot> failedRolls = new HashMap<>();

  /** By number: requested snapshots that are not in the log yet. */
  private final Map<Long, SnapshotOpened> requested = new TreeMap<>();

  private long lastNumber;
  private long lastRequested;

  SnapshotCatalog(SnapshotSettings settings) {
    this.settings = settings;
  }

  // ---- records of the log

  /** Returns whether the snapshot is new. */
  boolean opened(SnapshotOpened opened, long atMicros) {
    long number = opened.getSnapshot().getNumber();
    requested.remove(number);
    if (number <= lastNumber) {
      return false;
    }
    lastNumber = number;
    open.put(number, Snapshot.opened(opened, settings.nodes(), atMicros));
    return true;
  }

  void change(long number, int node, UnaryOperator<NodePart> change) {
    open.computeIfPresent(number, (n, snapshot) -> snapshot.with(node, change));
  }

  void closed(SnapshotClosed closed, long atMicros) {
    Snapshot taken = open.remove(closed.getSnapshot().getNumber());
    if (taken == null) {
      return;
    }
    Snapshot ended = taken.closed(closed, atMicros);
    Snapshot before = known.get(ended.id());
    if (!ended.isRolling()) {
      // A failed run must not hide a standing snapshot of the same name.
      if (ended.isStanding() || before == null || !before.isStanding()) {
        known.remove(ended.id());
        known.put(ended.id(), ended);
      }
    } else if (before != null && ended.isStanding()) {
      known.put(ended.id(), before.movedBy(ended));
      failedRolls.remove(ended.id());
    } else {
      failedRolls.put(ended.id(), ended);
    }
  }

  void deleted(String id) {
    known.remove(id);
    failedRolls.remove(id);
  }

  // ---- requests

  /** The number of the next request. A failed request may still reach the log. */
  long nextNumber() {
    return Math.max(lastNumber, lastRequested) + 1;
  }

  void request(SnapshotOpened wanted) {
    lastRequested = wanted.getSnapshot().getNumber();
    requested.put(lastRequested, wanted);
  }

  /** The request did not reach the log. */
  void failed(SnapshotOpened wanted) {
    requested.remove(wanted.getSnapshot().getNumber());
  }

  /** The base of a request. Refuses one that is not complete, or cannot be one now. */
  Snapshot requireBase(String id, boolean rolling) throws RefusedException {
    Snapshot base = known.get(id);
    if (base == null || base.phase() != Snapshot.Phase.COMPLETE) {
      throw new RefusedException("the base must be a complete snapshot: '" + id + "'");
    }
    if (underWay().anyMatch(o -> isRollOf(o, id))) {
      throw new RefusedException("snapshot '" + id + "' is being moved: try again after the move");
    }
    if (rolling) {
      requireNoDependent(id, "moved");
    } else {
      requireFewBases(base);
    }
    return base;
  }

  /** Refuses a base under which there are too many. */
  private void requireFewBases(Snapshot base) throws RefusedException {
    int bases = 1;
    Snapshot below = base;
    // A moved snapshot names itself as its base.
    while (below != null && !below.base().equals(below.id()) && bases <= BASES_MAX) {
      below = known.get(below.base());
      bases += below == null ? 0 : 1;
    }
    if (bases > BASES_MAX) {
      throw new RefusedException(
          "a snapshot must have at most %d bases under it: take one without a base: base='%s'"
              .formatted(BASES_MAX, base.id()));
    }
  }

  private static boolean isRollOf(SnapshotOpened opened, String id) {
    return opened.getKind() == SnapshotKind.SNAPSHOT_KIND_ROLLING
        && opened.getSnapshot().getId().equals(id);
  }

  /** Snapshots that are being taken or requested. */
  private Stream<SnapshotOpened> underWay() {
    return Stream.concat(requested.values().stream(), open.values().stream().map(Snapshot::opened));
  }

  void requireNoDependent(String id, String what) throws RefusedException {
    SnapshotOpened dependent =
        Stream.concat(
                underWay(),
                known.values().stream().filter(Snapshot::isStanding).map(Snapshot::opened))
            .filter(o -> o.getBase().getId().equals(id) && !isRollOf(o, id))
            .findFirst()
            .orElse(null);
    if (dependent != null) {
      throw new RefusedException(
          "snapshot '%s' is the base of '%s' and cannot be %s: delete that one first"
              .formatted(id, dependent.getSnapshot().getId(), what));
    }
  }

  String freeId(@Nullable String wanted, String otherwise) throws RefusedException {
    if (wanted == null) {
      String id = otherwise;
      while (isTaken(id)) {
        id += "x";
      }
      return id;
    }
    if (isTaken(wanted)) {
      throw new RefusedException(
          "there is a snapshot '%s' already: choose another name, or delete it".formatted(wanted));
    }
    return wanted;
  }

  private boolean isTaken(String id) {
    Snapshot snapshot = known.get(id);
    return (snapshot != null && snapshot.isStanding())
        || underWay().anyMatch(o -> o.getSnapshot().getId().equals(id));
  }

  void requireRoom(boolean rolling) throws RefusedException {
    if (underWay().count() >= settings.openMax()) {
      throw new RefusedException(
          "too many snapshots are in progress: limit %d; wait, or cancel one"
              .formatted(settings.openMax()));
    }
    if (!rolling && known.size() + underWay().count() >= settings.keptMax()) {
      throw new RefusedException(
          "too many snapshots: limit %d; delete some".formatted(settings.keptMax()));
    }
  }

  /** Whether the snapshot of this name is being taken or requested. */
  boolean isUnderWay(String id) {
    return underWay().anyMatch(o -> o.getSnapshot().getId().equals(id));
  }

  // ---- queries

  /** Standing snapshots, and failed ones. */
  Collection<Snapshot> known() {
    return Collections.unmodifiableCollection(known.values());
  }

  /** Snapshots that are being taken, by number. */
  Collection<Snapshot> open() {
    return Collections.unmodifiableCollection(open.values());
  }

  /** All snapshots, latest first. */
  List<Snapshot> all() {
    List<Snapshot> all = new ArrayList<>(known.values());
    open.values().stream().filter(snapshot -> !snapshot.isRolling()).forEach(all::add);
    all.sort((a, b) -> Long.compare(b.number(), a.number()));
    return all;
  }

  /** The snapshot of this name; or null. */
  @Nullable Snapshot get(String id) {
    for (Snapshot snapshot : open.values()) {
      if (snapshot.id().equals(id) && !snapshot.isRolling()) {
        return snapshot;
      }
    }
    return known.get(id);
  }

  /** The current move of a snapshot, or its last failed one; null: neither. */
  @Nullable Snapshot roll(String id) {
    for (Snapshot snapshot : open.values()) {
      if (snapshot.id().equals(id) && snapshot.isRolling()) {
        return snapshot;
      }
    }
    return failedRolls.get(id);
  }

  /** Whether the log holds the snapshot of this number, whatever its end. */
  boolean isRead(long number) {
    return number <= lastNumber && !requested.containsKey(number);
  }
}
