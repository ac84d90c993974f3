package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.SnapshotClosed;
import io.palinode.wire.v1.SnapshotOpened;
import io.palinode.wire.v1.SnapshotStep;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The snapshots that are complete on all nodes, as the control log describes them. Immutable. A
 * plan can restore one of them if the window-logs do not reach its target.
 *
 * @param lastNumber the greatest number that was opened
 * @param open numbers that were opened and not closed
 * @param standing by snapshot id
 */
public record WholeSnapshots(long lastNumber, Set<Long> open, Map<String, SnapshotCut> standing) {
  public static final WholeSnapshots NONE = new WholeSnapshots(0, Set.of(), Map.of());

  /** With the next step; the same object if the step changes nothing. */
  public WholeSnapshots read(SnapshotStep step, int nodes) {
    return switch (step.getStepCase()) {
      case OPENED -> opened(step.getOpened());
      case CLOSED -> closed(step.getClosed(), nodes);
      case DELETED -> without(step.getDeleted().getId());
      case TAKE, PROGRESS, TAKEN, GIVEN_UP, SCHEDULE, STEP_NOT_SET -> this;
    };
  }

  private WholeSnapshots opened(SnapshotOpened opened) {
    long number = opened.getSnapshot().getNumber();
    if (number <= lastNumber) {
      return this;
    }
    Set<Long> more = new HashSet<>(open);
    more.add(number);
    return new WholeSnapshots(number, Collections.unmodifiableSet(more), standing);
  }

  /** The first {@code closed} of a number counts. */
  private WholeSnapshots closed(SnapshotClosed closed, int nodes) {
    long number = closed.getSnapshot().getNumber();
    if (!open.contains(number)) {
      return this;
    }
    Set<Long> left = new HashSet<>(open);
    left.remove(number);
    WholeSnapshots rest =
        new WholeSnapshots(lastNumber, Collections.unmodifiableSet(left), standing);
    if (closed.getDiscarded()) {
      // A discarded run leaves the earlier snapshot of the same id.
      return rest;
    }
    String id = closed.getSnapshot().getId();
    boolean isWhole =
        closed.getPartsList().stream().filter(part -> part.getFailure().isEmpty()).count() == nodes;
    return isWhole ? rest.with(new SnapshotCut(id, number, closed.getHlc())) : rest.without(id);
  }

  private WholeSnapshots with(SnapshotCut cut) {
    Map<String, SnapshotCut> more = new HashMap<>(standing);
    more.put(cut.id(), cut);
    return new WholeSnapshots(lastNumber, open, Collections.unmodifiableMap(more));
  }

  private WholeSnapshots without(String id) {
    if (!standing.containsKey(id)) {
      return this;
    }
    Map<String, SnapshotCut> less = new HashMap<>(standing);
    less.remove(id);
    return new WholeSnapshots(lastNumber, open, Collections.unmodifiableMap(less));
  }
}
