package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.SnapshotClosed;
import io.palinode.wire.v1.SnapshotOpened;
import io.palinode.wire.v1.SnapshotRef;
import io.palinode.wire.v1.SnapshotStep;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots that are complete on all nodes, as the control log describes them. Immutable. A
 * plan restores one of them if the window-logs do not reach its target, or if an operator names it.
 *
 * @param lastNumber the greatest number that was opened
 * @param open ids by number, of those that were opened and not closed
 * @param standing by snapshot id
 * @param partial by snapshot id: the nodes without a part, and why
 */
public record WholeSnapshots(
    long lastNumber,
    Map<Long, String> open,
    Map<String, SnapshotCut> standing,
    Map<String, String> partial) {
  public static final WholeSnapshots NONE = new WholeSnapshots(0, Map.of(), Map.of(), Map.of());

  /** With the next step; equal if the step changes nothing. */
  public WholeSnapshots read(SnapshotStep step, int nodes) {
    return switch (step.getStepCase()) {
      case OPENED -> opened(step.getOpened());
      case CLOSED -> closed(step.getClosed(), nodes);
      case DELETED -> without(step.getDeleted().getId());
      case TAKE, PROGRESS, TAKEN, GIVEN_UP, SCHEDULE, STEP_NOT_SET -> this;
    };
  }

  /** The snapshot if it is still complete, and of the same run; else null. */
  public @Nullable SnapshotCut whole(SnapshotRef ref) {
    SnapshotCut cut = standing.get(ref.getId());
    return cut != null && cut.number() == ref.getNumber() ? cut : null;
  }

  /** Why no plan can begin with the snapshot of this name, in one clause; null: it can. */
  public @Nullable String whyNot(String id) {
    if (open.containsValue(id)) {
      return "it is being taken or moved";
    }
    if (partial.containsKey(id)) {
      return "it is partial: " + partial.get(id);
    }
    return standing.containsKey(id) ? null : "there is none of this name";
  }

  private WholeSnapshots opened(SnapshotOpened opened) {
    long number = opened.getSnapshot().getNumber();
    return number <= lastNumber
        ? this
        : new WholeSnapshots(
            number,
            changed(open, more -> more.put(number, opened.getSnapshot().getId())),
            standing,
            partial);
  }

  /** The first {@code closed} of a number counts. */
  private WholeSnapshots closed(SnapshotClosed closed, int nodes) {
    long number = closed.getSnapshot().getNumber();
    if (!open.containsKey(number)) {
      return this;
    }
    WholeSnapshots rest =
        new WholeSnapshots(
            lastNumber, changed(open, less -> less.remove(number)), standing, partial);
    if (closed.getDiscarded()) {
      // A discarded run leaves the earlier snapshot of the same id.
      return rest;
    }
    String id = closed.getSnapshot().getId();
    boolean isWhole =
        closed.getPartsList().stream().filter(part -> part.getFailure().isEmpty()).count() == nodes;
    return isWhole
        ? rest.without(id).with(new SnapshotCut(id, number, closed.getHlc()))
        : rest.without(id).withPartial(id, missing(closed));
  }

  private static String missing(SnapshotClosed closed) {
    return closed.getPartsList().stream()
        .filter(part -> !part.getFailure().isEmpty())
        .map(part -> "node %d has no part (%s)".formatted(part.getNode(), part.getFailure()))
        .collect(Collectors.joining(", "));
  }

  private WholeSnapshots with(SnapshotCut cut) {
    return new WholeSnapshots(
        lastNumber, open, changed(standing, more -> more.put(cut.id(), cut)), partial);
  }

  private WholeSnapshots withPartial(String id, String why) {
    return new WholeSnapshots(
        lastNumber, open, standing, changed(partial, more -> more.put(id, why)));
  }

  private WholeSnapshots without(String id) {
    return new WholeSnapshots(
        lastNumber,
        open,
        changed(standing, less -> less.remove(id)),
        changed(partial, less -> less.remove(id)));
  }

  private static <K, V> Map<K, V> changed(Map<K, V> map, Consumer<Map<K, V>> change) {
    Map<K, V> next = new HashMap<>(map);
    change.accept(next);
    return Collections.unmodifiableMap(next);
  }
}
