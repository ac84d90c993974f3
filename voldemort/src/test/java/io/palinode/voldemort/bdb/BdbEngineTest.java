package io.palinode.voldemort.bdb;

import static io.palinode.voldemort.TestNodes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.engine.StorageException;
import io.palinode.voldemort.TestNodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BdbEngineTest {
  private static final List<String> STORES = List.of("s");

  @TempDir Path folder;

  @Test
  void whatWasCommittedIsThereAfterReopening() {
    try (BdbEngine engine = BdbEngine.open(folder, STORES, BdbConfig.DEFAULT)) {
      engine.commit(List.of(put("k", "v")), Durability.BUFFERED);
    }
    try (BdbEngine engine = BdbEngine.open(folder, List.of("s", "new"), BdbConfig.DEFAULT)) {
      assertThat(engine.get("s", bytes("k"))).isEqualTo(bytes("v"));
      assertThat(engine.get("new", bytes("k"))).isNull();
    }
  }

  /** What the process would leave behind if it were killed now is what the folder holds now. */
  @ParameterizedTest
  @EnumSource(names = {"WRITTEN", "SYNCED"})
  void anEnvironmentThatWasNeverClosedKeepsEveryWrittenCommit(Durability durability)
      throws IOException {
    Path left = folder.resolve("left");
    try (BdbEngine engine = open("live")) {
      for (int i = 0; i < 500; i++) {
        engine.commit(List.of(put("k" + i, "old")), durability);
        engine.commit(List.of(put("k" + i, "v" + i), put("twin" + i, "v" + i)), durability);
      }
      TestNodes.copyFolder(folder.resolve("live"), left);
    }
    try (BdbEngine engine = open("left")) {
      for (int i = 0; i < 500; i++) {
        assertThat(engine.get("s", bytes("k" + i))).isEqualTo(bytes("v" + i));
        assertThat(engine.get("s", bytes("twin" + i))).isEqualTo(bytes("v" + i));
      }
    }
  }

  /** A log cut anywhere is recovered to whole transactions, the earlier ones first. */
  @Test
  void aTornLogGivesAPrefixOfWholeTransactions() throws IOException {
    int transactions = 50;
    Path live = folder.resolve("live");
    try (BdbEngine engine = open("live")) {
      for (int i = 0; i < transactions; i++) {
        engine.commit(List.of(put("left" + i, "v"), put("right" + i, "v")), Durability.WRITTEN);
      }
      Path log = live.resolve("00000000.jdb");
      long whole = Files.size(log);
      for (int lost : new int[] {1, 40, 400, 1500}) {
        Path torn = folder.resolve("torn" + lost);
        TestNodes.copyFolder(live, torn);
        try (var file =
            java.nio.channels.FileChannel.open(
                torn.resolve("00000000.jdb"), java.nio.file.StandardOpenOption.WRITE)) {
          file.truncate(whole - lost);
        }
        assertPrefix(torn, transactions);
      }
    }
  }

  private static void assertPrefix(Path torn, int transactions) {
    try (BdbEngine engine = BdbEngine.open(torn, STORES, BdbConfig.DEFAULT)) {
      int kept = 0;
      while (kept < transactions && engine.get("s", bytes("left" + kept)) != null) {
        kept++;
      }
      assertThat(kept).isLessThan(transactions);
      for (int i = 0; i < transactions; i++) {
        assertThat(engine.get("s", bytes("left" + i)) != null).isEqualTo(i < kept);
        assertThat(engine.get("s", bytes("right" + i)) != null).isEqualTo(i < kept);
      }
    }
  }

  /**
   * Berkeley DB measures free space every 10 s, so it may know of a full disk that has room now.
   */
  @Test
  void whatBerkeleyDbRefusesForAFullDiskMaySucceedLater() throws IOException {
    open("live").close();
    Files.writeString(folder.resolve("live/je.properties"), "je.freeDisk=" + Long.MAX_VALUE);
    try (BdbEngine engine = open("live")) {
      StorageException refused =
          await().atMost(Duration.ofSeconds(60)).until(() -> refusal(engine), Objects::nonNull);
      assertThat(refused).hasMessageContaining("the disk is full");
      assertThat(refused.isFull()).isTrue();
    }
  }

  private static @Nullable StorageException refusal(BdbEngine engine) {
    try {
      engine.commit(List.of(put("k", "v")), Durability.WRITTEN);
      return null;
    } catch (StorageException refused) {
      return refused;
    }
  }

  @Test
  void noStatisticsLieInTheFolder() throws IOException {
    open("live").close();
    try (var files = Files.list(folder.resolve("live"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("00000000.jdb", "je.lck", "je.info.0", "palinode-spare");
    }
  }

  @Test
  void aFolderThatDoesNotHoldALogIsRefused() throws IOException {
    open("live").close();
    Files.write(folder.resolve("live/00000000.jdb"), new byte[4096]);
    assertThatThrownBy(() -> open("live"))
        .isInstanceOf(DataFolderException.class)
        .hasMessageContaining(folder.resolve("live").toString());
  }

  private BdbEngine open(String name) throws IOException {
    return BdbEngine.open(Files.createDirectories(folder.resolve(name)), STORES, BdbConfig.DEFAULT);
  }

  private static Change put(String key, String record) {
    return new Change("s", bytes(key), bytes(record));
  }
}
