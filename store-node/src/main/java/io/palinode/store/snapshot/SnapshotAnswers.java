package io.palinode.store.snapshot;

import io.palinode.detector.binding.ControlLog;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.retroscope.snapshot.Order;
import io.palinode.retroscope.snapshot.Pace;
import io.palinode.retroscope.snapshot.Taken;
import io.palinode.retroscope.snapshot.Watch;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.Manifest;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.retroscope.snapshot.file.SnapshotException;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.SnapshotClosed;
import io.palinode.wire.v1.SnapshotKind;
import io.palinode.wire.v1.SnapshotOpened;
import io.palinode.wire.v1.SnapshotProgress;
import io.palinode.wire.v1.SnapshotRef;
import io.palinode.wire.v1.SnapshotStep;
import io.palinode.wire.v1.SnapshotTaken;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Carries out a node's snapshot duties, and publishes the results. Thread-safe. */
public final class SnapshotAnswers {
  /** The least time between progress records, as the log keeps them. */
  private static final long PROGRESS_MICROS = 1_000_000;

  private final int node;
  private final LocalSnapshots snapshots;
  private final Pace pace;
  private final ControlLog log;
  private final LongSupplier epochMicros;

  /**
   * @param epochMicros wall clock, microseconds since the epoch
   */
  public SnapshotAnswers(
      int node, LocalSnapshots snapshots, Pace pace, ControlLog log, LongSupplier epochMicros) {
    this.node = node;
    this.snapshots = snapshots;
    this.pace = pace;
    this.log = log;
    this.epochMicros = epochMicros;
  }

  /**
   * Takes the part and publishes the result. Takes as long as the part needs.
   *
   * @param wanted called repeatedly; false stops the taking; an exception ends it without a record
   */
  public void take(SnapshotOpened opened, BooleanSupplier wanted) {
    long number = opened.getSnapshot().getNumber();
    long begun = epochMicros.getAsLong();
    SnapshotTaken.Builder answer = SnapshotTaken.newBuilder().setNumber(number).setNode(node);
    try {
      Taken taken = snapshots.take(order(opened), pace, new Progress(number, begun, wanted));
      answer
          .setKeys(taken.keys())
          .setChanged(taken.changed())
          .setBytes(taken.bytes())
          .setChecksum(taken.checksum())
          .setFrom(taken.from());
    } catch (OutOfReachException | SnapshotException e) {
      answer.setFailure(String.valueOf(e.getMessage()));
    }
    answer.setDurationMicros(epochMicros.getAsLong() - begun);
    append(SnapshotStep.newBuilder().setTaken(answer));
  }

  /** Publishes a failure, so that the snapshot does not wait for this node. */
  public void failed(long number, String failure) {
    append(
        SnapshotStep.newBuilder()
            .setTaken(
                SnapshotTaken.newBuilder().setNumber(number).setNode(node).setFailure(failure)));
  }

  public void file(SnapshotClosed closed) {
    snapshots.file(
        new Manifest(
            ref(closed.getSnapshot()),
            closed.getHlc(),
            kind(closed.getKind()),
            ref(closed.getBase()),
            closed.getPartsList().stream().map(SnapshotAnswers::member).toList()));
  }

  public void discard(String id, long number) {
    snapshots.discard(new Ref(id, number));
  }

  public void delete(String id) {
    snapshots.delete(id);
  }

  /** As {@link LocalSnapshots#sweep}. */
  public void sweep(List<SnapshotRef> wanted, long last) {
    snapshots.sweep(wanted.stream().map(SnapshotAnswers::ref).toList(), last);
  }

  /** Publishes progress in the thread that takes the part. */
  private final class Progress implements Watch {
    private final long number;
    private final BooleanSupplier wanted;
    private long publishedMicros;

    Progress(long number, long begun, BooleanSupplier wanted) {
      this.number = number;
      this.publishedMicros = begun;
      this.wanted = wanted;
    }

    @Override
    public boolean progress(long keys, long bytes) {
      long now = epochMicros.getAsLong();
      if (now - publishedMicros >= PROGRESS_MICROS) {
        publishedMicros = now;
        append(
            SnapshotStep.newBuilder()
                .setProgress(
                    SnapshotProgress.newBuilder()
                        .setNumber(number)
                        .setNode(node)
                        .setKeys(keys)
                        .setBytes(bytes)));
      }
      return wanted.getAsBoolean();
    }
  }

  private void append(SnapshotStep.Builder step) {
    log.append(
        List.of(
            ControlRecord.newBuilder()
                .setAtMicros(epochMicros.getAsLong())
                .setSnapshot(step)
                .build()));
  }

  private static Order order(SnapshotOpened opened) {
    return new Order(
        ref(opened.getSnapshot()), opened.getHlc(), kind(opened.getKind()), ref(opened.getBase()));
  }

  private static Manifest.Member member(SnapshotTaken part) {
    return new Manifest.Member(
        part.getNode(), part.getKeys(), part.getBytes(), part.getChecksum(), part.getFailure());
  }

  private static Ref ref(SnapshotRef message) {
    return new Ref(message.getId(), message.getNumber());
  }

  private static Kind kind(SnapshotKind kind) {
    return switch (kind) {
      case SNAPSHOT_KIND_INSTANT -> Kind.INSTANT;
      case SNAPSHOT_KIND_RETROSPECTIVE -> Kind.RETROSPECTIVE;
      case SNAPSHOT_KIND_INCREMENTAL -> Kind.INCREMENTAL;
      case SNAPSHOT_KIND_ROLLING -> Kind.ROLLING;
      case SNAPSHOT_KIND_UNSPECIFIED, UNRECOGNIZED ->
          throw new SnapshotException("this node does not know the kind of the snapshot");
    };
  }
}
