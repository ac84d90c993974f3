package io.palinode.orchestrator.snapshot;

import io.palinode.wire.v1.SnapshotClosed;
import io.palinode.wire.v1.SnapshotKind;
import io.palinode.wire.v1.SnapshotOpened;
import io.palinode.wire.v1.SnapshotRef;
import io.palinode.wire.v1.SnapshotTaken;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * One taking of a snapshot. Immutable.
 *
 * @param openedMicros wall clock of the request
 * @param endedMicros 0: it is being taken
 */
public record Snapshot(
    SnapshotOpened opened, Phase phase, List<NodePart> nodes, long openedMicros, long endedMicros) {

  /** Where it stands. */
  public enum Phase {
    TAKING,
    COMPLETE,
    /** Some nodes have no part. */
    PARTIAL,
    CANCELLED,
    /** Nothing of it is kept. */
    FAILED
  }

  public Snapshot {
    nodes = List.copyOf(nodes);
  }

  static Snapshot opened(SnapshotOpened opened, int nodes, long atMicros) {
    return new Snapshot(
        opened,
        Phase.TAKING,
        IntStream.range(0, nodes).mapToObj(NodePart::waiting).toList(),
        atMicros,
        0);
  }

  public String id() {
    return opened.getSnapshot().getId();
  }

  public long number() {
    return opened.getSnapshot().getNumber();
  }

  /** The name of what it is laid over, or moves; empty: nothing. */
  public String base() {
    return opened.getBase().getId();
  }

  boolean isRolling() {
    return opened.getKind() == SnapshotKind.SNAPSHOT_KIND_ROLLING;
  }

  /** It can be read, at some nodes at least. */
  public boolean isStanding() {
    return phase == Phase.COMPLETE || phase == Phase.PARTIAL;
  }

  boolean isDoneEverywhere() {
    return nodes.stream().allMatch(NodePart::isDone);
  }

  Snapshot with(int node, UnaryOperator<NodePart> change) {
    if (node < 0 || node >= nodes.size()) {
      return this;
    }
    List<NodePart> next = new ArrayList<>(nodes);
    next.set(node, change.apply(nodes.get(node)));
    return new Snapshot(opened, phase, next, openedMicros, endedMicros);
  }

  /** What came of it; a record of the log that names it. */
  Snapshot closed(SnapshotClosed closed, long atMicros) {
    Snapshot ended = this;
    for (SnapshotTaken part : closed.getPartsList()) {
      ended = ended.with(part.getNode(), node -> node.closed(part, atMicros));
    }
    return new Snapshot(opened, phase(closed), ended.nodes, openedMicros, atMicros);
  }

  private static Phase phase(SnapshotClosed closed) {
    if (closed.getDiscarded()) {
      return closed.getCancelled() ? Phase.CANCELLED : Phase.FAILED;
    }
    boolean isComplete =
        closed.getPartsList().stream().allMatch(part -> part.getFailure().isEmpty());
    return isComplete ? Phase.COMPLETE : Phase.PARTIAL;
  }

  /** The record that ends it. */
  SnapshotClosed closing(boolean cancelled) {
    boolean anyTaken = nodes.stream().anyMatch(part -> part.state() == NodePart.State.TAKEN);
    boolean allTaken = nodes.stream().allMatch(part -> part.state() == NodePart.State.TAKEN);
    boolean discarded = cancelled || (isRolling() ? !allTaken : !anyTaken);
    return SnapshotClosed.newBuilder()
        .setSnapshot(opened.getSnapshot())
        .setHlc(opened.getHlc())
        .setKind(opened.getKind())
        .setBase(opened.getBase())
        .addAllParts(nodes.stream().map(Snapshot::closingPart).toList())
        .setDiscarded(discarded)
        .setCancelled(cancelled)
        .build();
  }

  /** The record that ends it when all parts are of no use. */
  SnapshotClosed closingSpoiled(String reason) {
    SnapshotClosed.Builder closed = closing(false).toBuilder().setDiscarded(true);
    closed
        .getPartsBuilderList()
        .forEach(part -> part.setFailure(part.getFailure().isEmpty() ? reason : part.getFailure()));
    return closed.build();
  }

  private static SnapshotTaken closingPart(NodePart part) {
    return part.isDone() ? part.taken() : part.taken().toBuilder().setFailure("not taken").build();
  }

  /** This snapshot, moved: it is what it was, at another time and with other parts. */
  Snapshot movedBy(Snapshot roll) {
    SnapshotOpened moved =
        opened.toBuilder()
            .setSnapshot(SnapshotRef.newBuilder().setId(id()).setNumber(roll.number()))
            .setHlc(roll.opened().getHlc())
            .build();
    return new Snapshot(moved, roll.phase(), roll.nodes(), openedMicros, roll.endedMicros());
  }
}
