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
 * One run of taking a snapshot. Immutable.
 *
 * @param openedMicros wall clock of the request
 * @param endedMicros 0: it is being taken
 */
public record Snapshot(
    SnapshotOpened opened, Phase phase, List<NodePart> nodes, long openedMicros, long endedMicros) {

  /** The state of a snapshot. */
  public enum Phase {
    TAKING,
    COMPLETE,
    /** Some nodes have no part. */
    PARTIAL,
    CANCELLED,
    /** All parts were discarded. */
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

  /** The name of its base, or of the snapshot that it moves; empty: none. */
  public String base() {
    return opened.getBase().getId();
  }

  boolean isRolling() {
    return opened.getKind() == SnapshotKind.SNAPSHOT_KIND_ROLLING;
  }

  /** Whether it can be read on at least one node. */
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

  /** After its end, by the record that names it. */
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

  /** The record that ends it if no part can be used. */
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

  /** This snapshot after a move: at another time, and with other parts. */
  Snapshot movedBy(Snapshot roll) {
    SnapshotOpened moved =
        opened.toBuilder()
            .setSnapshot(SnapshotRef.newBuilder().setId(id()).setNumber(roll.number()))
            .setHlc(roll.opened().getHlc())
            .build();
    return new Snapshot(moved, roll.phase(), roll.nodes(), openedMicros, roll.endedMicros());
  }
}
