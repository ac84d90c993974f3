package io.palinode.store.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.retroscope.WindowLog;
import io.palinode.retroscope.snapshot.History;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.retroscope.snapshot.Pace;
import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.store.snapshot.SnapshotAnswers;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.SnapshotClosed;
import io.palinode.wire.v1.SnapshotDeleted;
import io.palinode.wire.v1.SnapshotGivenUp;
import io.palinode.wire.v1.SnapshotKind;
import io.palinode.wire.v1.SnapshotOpened;
import io.palinode.wire.v1.SnapshotRef;
import io.palinode.wire.v1.SnapshotStep;
import io.palinode.wire.v1.SnapshotTake;
import io.palinode.wire.v1.SnapshotTaken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotTailTest {
  @TempDir Path folder;
  private final List<ControlRecord> published = new CopyOnWriteArrayList<>();

  @Test
  void aBugInOneSnapshotEndsNeitherTheTailNorTheNextSnapshot() throws IOException {
    LocalSnapshots snapshots = new LocalSnapshots(0, new Nothing(), folder);
    SnapshotTail tail = tail(snapshots);
    tail.onCaughtUp();
    Files.createDirectories(folder.resolve("old"));
    tail.onStep(record(SnapshotStep.newBuilder().setOpened(opened())));
    // Takes no more from now on: what is to be taken is an unexpected exception.
    tail.close();
    tail.onStep(record(SnapshotStep.newBuilder().setTake(SnapshotTake.newBuilder().setNumber(1))));
    assertThat(tail.failures()).isEqualTo(1);
    tail.onStep(
        record(SnapshotStep.newBuilder().setDeleted(SnapshotDeleted.newBuilder().setId("old"))));
    assertThat(folder.resolve("old")).doesNotExist();
  }

  @Test
  void aNodeThatStopsAnswersForNothing() throws Exception {
    CountDownLatch settling = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    History slow =
        new Nothing() {
          @Override
          public long settle(long hlc) {
            settling.countDown();
            try {
              goOn.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            return hlc;
          }
        };
    SnapshotTail tail = tail(new LocalSnapshots(0, slow, folder));
    tail.onCaughtUp();
    tail.onStep(record(SnapshotStep.newBuilder().setOpened(opened())));
    tail.onStep(record(SnapshotStep.newBuilder().setTake(SnapshotTake.newBuilder().setNumber(1))));
    settling.await();
    Thread closer = new Thread(tail::close, "closer");
    closer.start();
    await().until(() -> closer.getState() == Thread.State.TIMED_WAITING);
    goOn.countDown();
    closer.join();
    assertThat(published).isEmpty();
    assertThat(folder.resolve("s")).doesNotExist();
    assertThat(tail.failures()).isZero();
  }

  @Test
  void aStopOfTheFirstDoesNotFailTheSecond() throws Exception {
    FirstStands history = new FirstStands();
    SnapshotTail tail = tail(new LocalSnapshots(0, history, folder));
    beginTwo(tail, history);
    tail.onStep(
        record(SnapshotStep.newBuilder().setGivenUp(SnapshotGivenUp.newBuilder().setNumber(1))));
    history.goOn.countDown();
    await().until(() -> published.size() == 2);
    assertThat(published)
        .extracting(step -> step.getSnapshot().getTaken().getNumber())
        .containsExactlyInAnyOrder(1L, 2L);
    for (ControlRecord step : published) {
      SnapshotTaken taken = step.getSnapshot().getTaken();
      assertThat(taken.getFailure()).isEqualTo(taken.getNumber() == 1 ? "cancelled" : "");
      assertThat(taken.getFrom()).isEmpty();
    }
    await().until(() -> !Files.exists(folder.resolve("s")));
    assertThat(folder.resolve("second/part-2")).exists();
    assertThat(tail.failures()).isZero();
    tail.close();
  }

  @Test
  void aNodeThatStopsEndsWaitingSnapshots() throws Exception {
    FirstStands history = new FirstStands();
    SnapshotTail tail = tail(new LocalSnapshots(0, history, folder));
    beginTwo(tail, history);
    Thread closer = new Thread(tail::close, "closer");
    closer.start();
    // Though the first still stands.
    await().until(() -> !Files.exists(folder.resolve("second")));
    assertThat(folder.resolve("s")).exists();
    history.goOn.countDown();
    closer.join();
    assertThat(published).isEmpty();
    assertThat(folder.resolve("s")).doesNotExist();
    assertThat(tail.failures()).isZero();
  }

  /** The first stands still; the second has begun to wait for it, or is about to. */
  private void beginTwo(SnapshotTail tail, FirstStands history) throws InterruptedException {
    tail.onCaughtUp();
    tail.onStep(record(SnapshotStep.newBuilder().setOpened(opened())));
    tail.onStep(record(SnapshotStep.newBuilder().setTake(SnapshotTake.newBuilder().setNumber(1))));
    history.firstSettles.await();
    SnapshotOpened second =
        opened().toBuilder()
            .setSnapshot(SnapshotRef.newBuilder().setId("second").setNumber(2))
            .setHlc(2)
            .build();
    tail.onStep(record(SnapshotStep.newBuilder().setOpened(second)));
    tail.onStep(record(SnapshotStep.newBuilder().setTake(SnapshotTake.newBuilder().setNumber(2))));
    history.secondSettles.await();
    assertThat(published).isEmpty();
  }

  /** A node without stores, at which a taking of time 0 stands still. */
  private static final class FirstStands extends Nothing {
    private final CountDownLatch firstSettles = new CountDownLatch(1);
    private final CountDownLatch secondSettles = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @Override
    public long settle(long hlc) {
      if (hlc > 0) {
        secondSettles.countDown();
        return hlc;
      }
      firstSettles.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return hlc;
    }
  }

  @Test
  void snapshotsOfAnotherControlLogAreKeptAndBlockNewOnes() throws IOException {
    Path part = Files.createDirectories(folder.resolve("old")).resolve("part-7");
    Files.writeString(part, "of another cluster");
    SnapshotTail tail = tail(new LocalSnapshots(0, new Nothing(), folder));
    tail.onCaughtUp();
    tail.onStep(record(SnapshotStep.newBuilder().setOpened(opened())));
    tail.onStep(record(SnapshotStep.newBuilder().setTake(SnapshotTake.newBuilder().setNumber(1))));
    tail.onStep(
        record(SnapshotStep.newBuilder().setDeleted(SnapshotDeleted.newBuilder().setId("old"))));
    assertThat(part).exists();
    assertThat(published).hasSize(1);
    assertThat(published.get(0).getSnapshot().getTaken().getFailure())
        .contains("has taking 7")
        .contains("not the one that belongs to the data");
    tail.close();
  }

  @Test
  void aPartThatCouldNotBeFiledIsFiledLater() throws IOException {
    LocalSnapshots snapshots = new LocalSnapshots(0, new Nothing(), folder);
    SnapshotTail tail = tail(snapshots);
    tail.onCaughtUp();
    tail.onStep(record(SnapshotStep.newBuilder().setOpened(opened())));
    tail.onStep(record(SnapshotStep.newBuilder().setTake(SnapshotTake.newBuilder().setNumber(1))));
    await().until(() -> !published.isEmpty());
    // Like a full disk: a directory has the manifest's first name.
    Path inTheWay = Files.createDirectory(folder.resolve("s/manifest.tmp"));
    tail.onStep(
        record(
            SnapshotStep.newBuilder()
                .setClosed(
                    SnapshotClosed.newBuilder()
                        .setSnapshot(opened().getSnapshot())
                        .setKind(opened().getKind())
                        .addParts(published.get(0).getSnapshot().getTaken()))));
    assertThat(tail.failures()).isEqualTo(1);
    assertThatThrownBy(() -> snapshots.open("s")).hasMessageContaining("no snapshot 's'");
    Files.delete(inTheWay);
    tail.onStep(ControlRecord.getDefaultInstance());
    snapshots.open("s").close();
    tail.close();
  }

  private SnapshotTail tail(LocalSnapshots snapshots) {
    return new SnapshotTail(
        0, new SnapshotAnswers(0, snapshots, Pace.unlimited(), published::addAll, () -> 1));
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
  private static class Nothing implements History {
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
