package io.palinode.orchestrator.rest;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.snapshot.NodePart;
import io.palinode.orchestrator.snapshot.Snapshot;
import io.palinode.wire.v1.SnapshotKind;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of a snapshot.
 *
 * @param roll its current move to another time, or the last failed one
 */
public record SnapshotView(
    String id,
    long number,
    String state,
    String kind,
    String at,
    String time,
    @Nullable String base,
    int atOnce,
    boolean scheduled,
    long keys,
    long bytes,
    long openedMicros,
    @Nullable Long endedMicros,
    List<PartView> nodes,
    @Nullable SnapshotView roll) {
  private static final double MICROS_PER_MS = 1_000.0;

  /**
   * The part of one node.
   *
   * @param from the snapshot that the node started from instead of reading all keys
   */
  public record PartView(
      int node,
      String state,
      long keys,
      long changed,
      long bytes,
      @Nullable String checksum,
      double durationMs,
      @Nullable String from,
      @Nullable String failure) {
    static PartView of(NodePart part) {
      boolean isTaken = part.state() == NodePart.State.TAKEN;
      return new PartView(
          part.node(),
          part.state().name().toLowerCase(Locale.ROOT),
          part.taken().getKeys(),
          part.taken().getChanged(),
          part.taken().getBytes(),
          isTaken ? "%08x".formatted(part.taken().getChecksum()) : null,
          part.taken().getDurationMicros() / MICROS_PER_MS,
          part.taken().getFrom().isEmpty() ? null : part.taken().getFrom(),
          part.taken().getFailure().isEmpty() ? null : part.taken().getFailure());
    }
  }

  static SnapshotView of(Snapshot snapshot, @Nullable SnapshotView roll) {
    List<PartView> nodes = snapshot.nodes().stream().map(PartView::of).toList();
    long hlc = snapshot.opened().getHlc();
    return new SnapshotView(
        snapshot.id(),
        snapshot.number(),
        snapshot.phase().name().toLowerCase(Locale.ROOT),
        kind(snapshot.opened().getKind()),
        Hlc.format(hlc),
        Instant.EPOCH.plus(Hlc.micros(hlc), ChronoUnit.MICROS).toString(),
        snapshot.base().isEmpty() ? null : snapshot.base(),
        snapshot.opened().getAtOnce(),
        snapshot.opened().getScheduled(),
        nodes.stream().mapToLong(PartView::keys).sum(),
        nodes.stream().mapToLong(PartView::bytes).sum(),
        snapshot.openedMicros(),
        snapshot.endedMicros() == 0 ? null : snapshot.endedMicros(),
        nodes,
        roll);
  }

  private static String kind(SnapshotKind kind) {
    return kind.name().substring("SNAPSHOT_KIND_".length()).toLowerCase(Locale.ROOT);
  }
}
