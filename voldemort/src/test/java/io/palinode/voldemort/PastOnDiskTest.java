package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.EVERYWHERE;
import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.texts;
import static io.palinode.voldemort.TestNodes.vector;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.binding.StoreKey;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.disk.LogFolder;
import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.retroscope.disklog.DiskLogException;
import io.palinode.store.binding.RestoreRefusedException;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageException;
import io.palinode.store.past.Accesses;
import io.palinode.store.past.PastOnDisk;
import io.palinode.store.restore.KeyPast;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Siblings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node whose past is on disk, stopped, killed and without power. */
class PastOnDiskTest {
  private static final StoreKey K = key("k");
  private static final DiskBound BOUND = new DiskBound(Duration.ofDays(1), 32 << 20, 0);

  @TempDir Path folder;
  private final AtomicLong micros = TestNodes.clock();

  /** Logs in a folder, in a run of the machine that {@code boot} names. */
  static PastOnDisk in(Path logs, String boot) {
    return new PastOnDisk(
        BOUND,
        (store, log) -> {
          try {
            return LogFolder.open(
                logs.resolve(store + "-" + log.name().toLowerCase(Locale.ROOT)), boot);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private StoreNode open(String boot) {
    return open(folder, boot);
  }

  private StoreNode open(Path data, String boot) {
    micros.addAndGet(300_000);
    return new StoreNode(
        TestNodes.config(),
        Medium.BDB.open(data.resolve("bdb")),
        micros::get,
        in(data.resolve("logs"), boot));
  }

  /** The folder as a killed process leaves it. */
  private Path copied(String name) throws IOException {
    Path copy = folder.resolve(name);
    TestNodes.copyFolder(folder.resolve("bdb"), copy.resolve("bdb"));
    try (Stream<Path> logs = Files.list(folder.resolve("logs"))) {
      for (Path log : logs.toList()) {
        TestNodes.copyFolder(log, copy.resolve("logs").resolve(log.getFileName().toString()));
      }
    }
    return copy;
  }

  @Test
  void aReadOfThePastReachesBackBeforeAKill() throws Exception {
    StoreNode live = open("a");
    long reach = live.reach();
    long v = live.writes().put(K, version("v", 1), Caller.STOCK).acceptedAt();
    long deleted = live.writes().delete(K, vector(1), Caller.STOCK).acceptedAt();
    long w = live.writes().put(K, version("w", 2), Caller.STOCK).acceptedAt();
    Path killed = copied("killed");
    live.close();
    try (StoreNode node = open(killed, "a")) {
      assertThat(node.reach()).isEqualTo(reach);
      assertThat(node.past().memoryReach()).isGreaterThan(w);
      assertThat(node.past().diskBytes()).isPositive();
      assertThat(node.past().diskFailure()).isEmpty();
      assertThat(texts(node.reads().getAsOf(K, v - 1, Caller.STOCK).value())).isEmpty();
      assertThat(texts(node.reads().getAsOf(K, v, Caller.STOCK).value())).containsExactly("v");
      assertThat(texts(node.reads().getAsOf(K, deleted, Caller.STOCK).value())).isEmpty();
      assertThat(texts(node.reads().getAsOf(K, w, Caller.STOCK).value())).containsExactly("w");
    }
  }

  @Test
  void aReadThatTheDiskFailsIsRefusedAndTheNextOneIsAnsweredAsBefore() throws Exception {
    StoreNode live = open("a");
    long reach = live.reach();
    long v = live.writes().put(K, version("v", 1), Caller.STOCK).acceptedAt();
    live.writes().put(K, version("w", 2), Caller.STOCK);
    live.close();
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder.resolve("logs"))) {
      files = all.filter(file -> file.toString().endsWith(".log")).toList();
    }
    try (StoreNode node = open("a")) {
      // A folder can be opened, and not mapped.
      for (Path file : files) {
        Files.move(file, Path.of(file + ".away"));
        Files.createDirectory(file);
      }
      assertThatThrownBy(() -> node.reads().getAsOf(K, v, Caller.STOCK))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("the window-log was not read: java.io.IOException");
      node.pause(1);
      assertThatThrownBy(() -> node.restore(1, 1, v)).isInstanceOf(UncheckedIOException.class);
      assertThat(node.reach()).isEqualTo(reach);
      assertThat(valuesOf(node, K)).containsExactly("w");
      for (Path file : files) {
        Files.delete(file);
        Files.move(Path.of(file + ".away"), file);
      }
      assertThat(node.restore(1, 1, v).undoneWrites()).isEqualTo(1);
      assertThat(valuesOf(node, K)).containsExactly("v");
    }
  }

  @Test
  void aKillAfterAnyStepOfAPlanLeavesItsTargetInReach() throws Exception {
    StoreNode live = open("a");
    long target = live.writes().put(K, version("v", 1), Caller.STOCK).acceptedAt();
    live.writes().put(K, version("w", 2), Caller.STOCK);
    live.writes().put(key("new"), version("n", 1), Caller.STOCK);
    live.pause(1);
    Path paused = copied("paused");
    var restoration = live.restore(1, 1, target);
    Path restored = copied("restored");
    live.close();
    try (StoreNode node = open(paused, "a")) {
      node.pause(1);
      assertThat(node.restore(1, 1, target)).isEqualTo(restoration);
      assertThat(valuesOf(node, K)).containsExactly("v");
      assertThat(valuesOf(node, key("new"))).isEmpty();
    }
    try (StoreNode node = open(restored, "a")) {
      node.pause(1);
      // The step counts as done; the digests are read again.
      assertThat(node.restore(1, 1, target).changed()).isEqualTo(restoration.changed());
      // A later attempt may go further back.
      assertThat(node.restore(1, 2, target - 1).undoneWrites()).isPositive();
      assertThat(valuesOf(node, K)).isEmpty();
    }
  }

  @Test
  void aLossOfPowerResetsTheReachAndAnOrderlyStopKeepsIt() throws Exception {
    StoreNode live = open("a");
    long reach = live.reach();
    long v = live.writes().put(K, version("v", 1), Caller.STOCK).acceptedAt();
    Path noPower = copied("noPower");
    live.close();
    try (StoreNode node = open("b")) {
      assertThat(node.reach()).isEqualTo(reach);
      assertThat(texts(node.reads().getAsOf(K, v, Caller.STOCK).value())).containsExactly("v");
    }
    try (StoreNode node = open(noPower, "b")) {
      assertThat(node.reach()).isGreaterThan(v);
      assertThat(node.counters().get(NodeCounter.WINDOW_LOG_LOST)).isEqualTo(4);
      node.pause(1);
      assertThatThrownBy(() -> node.restore(1, 1, v)).isInstanceOf(OutOfReachException.class);
    }
  }

  @Test
  void aRunWithoutTheOptionIsNotPassedOver() throws RefusedException {
    StoreNode first = open("a");
    long v = first.writes().put(K, version("v", 1), Caller.STOCK).acceptedAt();
    first.close();
    micros.addAndGet(300_000);
    StoreNode without =
        new StoreNode(
            TestNodes.config(), Medium.BDB.open(folder.resolve("bdb")), micros::get, null);
    without.writes().put(K, version("unseen", 2), Caller.STOCK);
    without.close();
    try (StoreNode third = open("a")) {
      assertThat(third.reach()).isGreaterThan(v);
      third.writes().put(K, version("w", 3), Caller.STOCK);
    }
  }

  @Test
  void theClockGoesOnAfterTheLastEntryOfTheLog() throws RefusedException {
    ProbedEngine engine = new ProbedEngine(Medium.BDB.open(folder.resolve("bdb")));
    PastOnDisk logs = in(folder.resolve("logs"), "a");
    StoreNode first = new StoreNode(TestNodes.config(), engine, micros::get, logs);
    first.writes().put(K, version("v", 1), Caller.STOCK);
    first.pause(1);
    micros.addAndGet(400_000);
    // Killed when the undo is in the log, and the promise that goes with it not on disk.
    engine.beforeCommit = changes -> engine.fails = true;
    assertThatThrownBy(() -> first.restore(1, 1, first.reach()))
        .isInstanceOf(StorageException.class);
    long undone = first.clock().last().own();
    engine.close();
    micros.addAndGet(-550_000);
    try (StoreNode second = open("a")) {
      assertThat(second.clock().last().own()).isGreaterThan(undone);
    }
  }

  @Test
  void whatADeleteCoveredIsKnownOfATimeBeforeTheRestart() throws RefusedException {
    StoreNode first = open("a");
    long before = first.reach();
    first.writes().put(K, version("v", 1), Caller.STOCK);
    long target = first.writes().delete(K, vector(1), Caller.STOCK).acceptedAt();
    first.close();
    StoreNode second = open("a");
    second.pause(1);
    second.restore(1, 1, target);
    KeyRecord own = second.read(List.of(K)).get(0);
    // Where the copy of the delete had not arrived.
    byte[] unchanged = KeyPast.unchanged(before);
    KeyRecord other = new KeyRecord(K, Siblings.encode(List.of(version("v", 1))), unchanged);
    assertThat(second.merge(List.of(own, other))).isZero();
    assertThat(valuesOf(second, K)).isEmpty();
    second.close();
  }

  @Test
  void aDeleteThatWasUndoneIsNotKnownAfterARestart() throws RefusedException {
    StoreNode first = open("a");
    long before = first.reach();
    long target = first.writes().put(K, version("v", 1), Caller.STOCK).acceptedAt();
    first.writes().delete(K, vector(1), Caller.STOCK);
    first.pause(1);
    first.restore(1, 1, target);
    first.resume(1, target, 0);
    first.close();
    StoreNode second = open("a");
    long now = second.clock().tick().own();
    second.pause(2);
    second.restore(2, 1, now);
    KeyRecord own = second.read(List.of(K)).get(0);
    byte[] unchanged = KeyPast.unchanged(before);
    KeyRecord other = new KeyRecord(K, Siblings.encode(List.of(version("v", 1))), unchanged);
    second.merge(List.of(own, other));
    assertThat(valuesOf(second, K)).containsExactly("v");
    second.close();
  }

  @Test
  void afterARestartADeleteUndoneWithItsKeyIsGoneAndOthersAreKnown() throws RefusedException {
    StoreNode first = open("a");
    long before = first.reach();
    long target = first.writes().put(K, version("v", 1), Caller.STOCK).acceptedAt();
    StoreKey other = key("other");
    first.writes().put(other, version("v", 1), Caller.STOCK);
    first.writes().delete(K, vector(1), Caller.STOCK);
    first.writes().delete(other, vector(1), Caller.STOCK);
    first.pause(1);
    Map<Long, Long> keys = Map.of(Accesses.keyOf(K.store(), K.key()), target);
    Restoration restoration = first.restore(1, 1, before, keys);
    assertThat(restoration.undoneWrites()).isEqualTo(1);
    assertThat(first.restore(1, 1, before, keys)).as("a repeat").isEqualTo(restoration);
    assertThat(valuesOf(first, K)).containsExactly("v");
    assertThat(valuesOf(first, other)).isEmpty();
    assertThatThrownBy(() -> first.restore(1, 2, before, keys))
        .isInstanceOf(RestoreRefusedException.class)
        .hasMessageContaining("only the first attempt");
    first.resume(1, target, 0);
    first.close();
    StoreNode second = open("a");
    long now = second.clock().tick().own();
    second.pause(2);
    second.restore(2, 1, now);
    List<KeyRecord> all = new ArrayList<>(second.read(List.of(K, other)));
    for (StoreKey key : List.of(K, other)) {
      byte[] unchanged = KeyPast.unchanged(before);
      all.add(new KeyRecord(key, Siblings.encode(List.of(version("v", 1))), unchanged));
    }
    second.merge(all);
    assertThat(valuesOf(second, K)).containsExactly("v");
    assertThat(valuesOf(second, other)).isEmpty();
    second.close();
  }

  @Test
  void aFolderOfAnotherNodeIsRefusedWithBothNames() {
    open("a").close();
    PastOnDisk logs = in(folder.resolve("logs"), "a");
    StoreNodeConfig other =
        StoreNodeConfig.of(1, TestNodes.cluster(3), TestNodes.stores(3, Persistence.BDB));
    StorageEngine engine = Medium.BDB.open(folder.resolve("other"));
    assertThatThrownBy(() -> new StoreNode(other, engine, micros::get, logs))
        .isInstanceOf(DiskLogException.class)
        .hasMessageContaining(
            "is that of node=0 store=%s log=changes, not of node=1 store=%s log=changes"
                .formatted(EVERYWHERE, EVERYWHERE));
    engine.close();
  }

  @Test
  void storesInMemoryHaveNoLogOnDisk() {
    StoreNodeConfig config =
        StoreNodeConfig.of(0, TestNodes.cluster(3), TestNodes.stores(3, Persistence.MEMORY));
    StoreNode node =
        new StoreNode(
            config, Medium.MEMORY.open(folder), micros::get, in(folder.resolve("logs"), "a"));
    assertThat(node.past().diskBytes()).isZero();
    assertThat(folder.resolve("logs")).doesNotExist();
    node.close();
  }

  private static List<String> valuesOf(StoreNode node, StoreKey key) {
    return texts(Siblings.decode(node.read(List.of(key)).get(0).siblings()));
  }
}
