package io.palinode.store.snapshot;

import io.palinode.wire.v1.SnapshotClosed;
import io.palinode.wire.v1.SnapshotOpened;
import io.palinode.wire.v1.SnapshotRef;
import io.palinode.wire.v1.SnapshotStep;
import io.palinode.wire.v1.SnapshotTaken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A node's duties for the snapshots in the control log: a state machine over it, without clock,
 * thread or I/O, independent of the one for plans. Not thread-safe.
 *
 * <p>A restarted node reads the log from its beginning. It then owes the parts that it was asked to
 * take and has not answered for, and removes parts that do not count.
 */
public final class SnapshotDuties {
  private final int node;
  private final Map<Long, Open> open = new TreeMap<>();
  private final Map<String, SnapshotClosed> standing = new HashMap<>();
  private long lastNumber;
  private boolean acting;

  /**
   * A snapshot that is not closed.
   *
   * @param owed whether this node must take its part
   * @param answered whether it has published the result; a later request is ignored
   */
  private record Open(SnapshotOpened opened, boolean owed, boolean answered) {}

  public SnapshotDuties(int node) {
    this.node = node;
  }

  /** A duty; duties are done in their order. */
  public sealed interface Duty {
    /** Take this node's part, in the background. */
    record Take(SnapshotOpened order) implements Duty {}

    /** Stop taking the part. */
    record Stop(long number) implements Duty {}

    /** The snapshot counts from now on; a node without a part keeps nothing of it. */
    record File(SnapshotClosed manifest) implements Duty {}

    /** The snapshot was discarded: remove the part. */
    record Discard(String id, long number) implements Duty {}

    record Delete(String id) implements Duty {}

    /** Keep only these, which count or are open; {@code last} was ordered last. */
    record Sweep(List<SnapshotRef> wanted, long last) implements Duty {
      public Sweep {
        wanted = List.copyOf(wanted);
      }
    }
  }

  /** Applies the next step of the log. There are no duties before {@link #caughtUp}. */
  public List<Duty> apply(SnapshotStep step) {
    List<Duty> duties =
        switch (step.getStepCase()) {
          case OPENED -> opened(step.getOpened());
          case TAKE ->
              step.getTake().getNode() == node ? asked(step.getTake().getNumber()) : List.of();
          case TAKEN -> answered(step.getTaken());
          case GIVEN_UP ->
              step.getGivenUp().getNode() == node
                  ? stopped(step.getGivenUp().getNumber())
                  : List.of();
          case CLOSED -> closed(step.getClosed());
          case DELETED -> deleted(step.getDeleted().getId());
          case PROGRESS, SCHEDULE, STEP_NOT_SET -> List.of();
        };
    return acting ? duties : List.of();
  }

  /** The log is read up to its end at the start of the node: from now on the node acts. */
  public List<Duty> caughtUp() {
    acting = true;
    List<SnapshotRef> wanted = new ArrayList<>();
    standing.values().forEach(manifest -> wanted.add(manifest.getSnapshot()));
    open.values().forEach(one -> wanted.add(one.opened().getSnapshot()));
    List<Duty> duties = new ArrayList<>(List.of(new Duty.Sweep(wanted, lastNumber)));
    standing.values().forEach(manifest -> duties.add(new Duty.File(manifest)));
    open.values().stream()
        .filter(Open::owed)
        .forEach(one -> duties.add(new Duty.Take(one.opened())));
    return duties;
  }

  private List<Duty> opened(SnapshotOpened opened) {
    long number = opened.getSnapshot().getNumber();
    if (number > lastNumber) {
      lastNumber = number;
      open.put(number, new Open(opened, false, false));
    }
    return List.of();
  }

  private List<Duty> asked(long number) {
    Open one = open.get(number);
    if (one == null || one.owed() || one.answered()) {
      return List.of();
    }
    open.put(number, new Open(one.opened(), true, false));
    return List.of(new Duty.Take(one.opened()));
  }

  private List<Duty> answered(SnapshotTaken taken) {
    Open one = open.get(taken.getNumber());
    if (taken.getNode() == node && one != null) {
      open.put(taken.getNumber(), new Open(one.opened(), false, true));
    }
    return List.of();
  }

  private List<Duty> stopped(long number) {
    Open one = open.get(number);
    if (one == null || !one.owed()) {
      return List.of();
    }
    open.put(number, new Open(one.opened(), false, one.answered()));
    return List.of(new Duty.Stop(number));
  }

  private List<Duty> closed(SnapshotClosed closed) {
    String id = closed.getSnapshot().getId();
    long number = closed.getSnapshot().getNumber();
    if (open.remove(number) == null) {
      return List.of();
    }
    if (closed.getDiscarded()) {
      return List.of(new Duty.Stop(number), new Duty.Discard(id, number));
    }
    standing.put(id, closed);
    boolean isHeldHere =
        closed.getPartsList().stream()
            .anyMatch(part -> part.getNode() == node && part.getFailure().isEmpty());
    // A part that counts is finished, so its thread needs no stop.
    return isHeldHere
        ? List.of(new Duty.File(closed))
        : List.of(new Duty.Stop(number), new Duty.File(closed));
  }

  private List<Duty> deleted(String id) {
    standing.remove(id);
    return List.of(new Duty.Delete(id));
  }
}
