package io.palinode.detector.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.SnapshotAnswers;
import io.palinode.retroscope.WindowLog;
import io.palinode.retroscope.snapshot.Entry;
import io.palinode.retroscope.snapshot.History;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.retroscope.snapshot.Pace;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.SnapshotDeleted;
import io.palinode.wire.v1.SnapshotKind;
import io.palinode.wire.v1.SnapshotOpened;
import io.palinode.wire.v1.SnapshotRef;
import io.palinode.wire.v1.SnapshotStep;
import io.palinode.wire.v1.SnapshotTake;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotTailTest {
  @TempDir Path folder;

  @Test
  void aBugOverOneSnapshotEndsNeitherTheTailNorWhatComesAfterIt() throws IOException {
    LocalSnapshots snapshots = new LocalSnapshots(0, new Nothing(), folder);
    SnapshotTail tail =
        new SnapshotTail(
            0, new SnapshotAnswers(0, snapshots, Pace.unlimited(), records -> {}, () -> 1));
    tail.onCaughtUp();
    Files.createDirectories(folder.resolve("old"));
    tail.onStep(record(SnapshotStep.newBuilder().setOpened(opened())));
    // Takes no more from now on: what is to be taken is an exception that nobody expects.
    tail.close();
    tail.onStep(record(SnapshotStep.newBuilder().setTake(SnapshotTake.newBuilder().setNumber(1))));
    assertThat(tail.failures()).isEqualTo(1);
    tail.onStep(
        record(SnapshotStep.newBuilder().setDeleted(SnapshotDeleted.newBuilder().setId("old"))));
    assertThat(folder.resolve("old")).doesNotExist();
  }

  private static SnapshotOpened opened() {
    return SnapshotOpened.newBuilder()
        .setSnapshot(SnapshotRef.newBuilder().setId("s").setNumber(1))
        .setKind(SnapshotKind.SNAPSHOT_KIND_INSTANT)
        .build();
  }

  private static ControlRecord record(SnapshotStep.Builder step) {
    return ControlRecord.newBuilder().setSnapshot(step).build();
  }

  /** A node without stores. */
  private static final class Nothing implements History {
    @Override
    public List<String> stores() {
      return List.of();
    }

    @Override
    public WindowLog past(String store) {
      throw new IllegalArgumentException(store);
    }

    @Override
    public long settle(long hlc) {
      return hlc;
    }

    @Override
    public byte @Nullable [] get(String store, byte[] key) {
      throw new IllegalArgumentException(store);
    }

    @Override
    public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
      throw new IllegalArgumentException(store);
    }
  }
}
