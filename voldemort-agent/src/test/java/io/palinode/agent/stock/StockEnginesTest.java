package io.palinode.agent.stock;

import static io.palinode.agent.stock.StandInServer.clock;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.agent.stock.StockEngine.Kind;
import io.palinode.agent.weave.Weaver;
import io.palinode.agent.weave.WeavingLoader;
import io.palinode.store.engine.ReportedDisk;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.hosted.MetaFiles;
import io.palinode.store.hosted.MetaFiles.Planned;
import io.palinode.store.order.NodeMeta;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A commit that was cut off, and the start after it. */
class StockEnginesTest {
  private static final String BDB = "voldemort.store.bdb.BdbStorageEngine";

  @TempDir private Path folder;
  private final StockTypes types = new StockTypes(new WeavingLoader(Weaver.ofServer()));
  private final OwnCalls own = new OwnCalls();
  private final Object bdb = stock(BDB, "disk");
  private final StockEngine disk = engine("disk", bdb, Kind.BDB);
  private final StockEngine memory =
      engine(
          "memory", stock("voldemort.store.memory.InMemoryStorageEngine", "memory"), Kind.MEMORY);
  private boolean alone = true;
  private MetaFiles meta;

  @BeforeEach
  void openMeta() {
    meta = new MetaFiles(folder);
  }

  private Object stock(String type, String name) {
    return StockTypes.call(types.constructor(types.type(type), String.class), name);
  }

  private StockEngine engine(String name, Object engine, Kind kind) {
    return new StockEngine(types, StockEngine.Calls.of(types), name, engine, kind, () -> alone);
  }

  private StockEngines start() {
    return new StockEngines(List.of(disk, memory), meta, own);
  }

  @Test
  void theFullestDiskOfTheServersStoresCounts() {
    Object other = stock(BDB, "other");
    Object unused =
        StockTypes.call(
            types.method(other.getClass(), "moveTo", void.class, File.class),
            other,
            new ReportedDisk(folder, 7));
    StockEngine full = engine("other", other, Kind.BDB);
    StockEngines engines = new StockEngines(List.of(disk, memory, full), meta, own);
    assertThat(engines.freeBytes()).hasValue(7);
    full.remove();
    assertThat(engines.freeBytes().orElse(0)).isGreaterThan(7);
  }

  @Test
  void whatWasCutOffIsEndedAndWhatWasWrittenSinceStays() {
    disk.set(bytes("done"), record("undone", 1));
    disk.set(bytes("due"), record("late", 2));
    disk.set(bytes("gone"), record("late", 1));
    disk.set(bytes("since"), record("newest", 3));
    meta.writeJournal(
        List.of(
            planned("disk", "done", record("undone", 1), record("late", 2)),
            planned("disk", "due", record("undone", 1), record("late", 2)),
            planned("disk", "gone", null, record("late", 1)),
            planned("disk", "since", record("undone", 1), record("late", 2)),
            new Planned(new Change(NodeMeta.STORE, bytes("mark"), bytes("1")), null)));

    StockEngines storage = start();
    assertThat(values(storage.get("disk", bytes("done")))).containsExactly("undone");
    assertThat(values(storage.get("disk", bytes("due")))).containsExactly("undone");
    assertThat(values(storage.get("disk", bytes("gone")))).isEmpty();
    assertThat(values(storage.get("disk", bytes("since")))).containsExactly("newest");
    assertThat(storage.get(NodeMeta.STORE, bytes("mark"))).isEqualTo(bytes("1"));
    assertThat(meta.journal()).isEmpty();
  }

  @Test
  void whatWasInMemoryIsNotBroughtBack() {
    meta.writeJournal(List.of(planned("memory", "k", record("undone", 1), null)));
    assertThat(start().get("memory", bytes("k"))).isNull();
  }

  /** The journal of a running commit. */
  @Test
  void aCommitRemembersWhatItsKeysHad() {
    StockEngines storage = start();
    disk.set(bytes("gone"), record("late", 1));
    disk.set(bytes("k"), record("old", 1));
    failCommits(true);
    assertThatThrownBy(() -> storage.commit(undo(), Durability.SYNCED))
        .hasMessageContaining("the commit failed");

    List<Planned> planned = meta.journal();
    assertThat(planned).extracting(each -> each.change().store()).doesNotContain("memory");
    assertThat(values(planned.get(1).before())).containsExactly("old");
    assertThat(values(planned.get(1).change().record())).containsExactly("new");
  }

  @Test
  void aCommitThatFailsLeavesNothingOfIt() {
    StockEngines storage = start();
    disk.set(bytes("gone"), record("late", 1));
    disk.set(bytes("k"), record("old", 1));
    memory.set(bytes("k"), record("old", 1));
    commitMeta(storage, "first", "1");
    // Its last step is the node's own: a folder in the way of that file stops it there.
    Path inTheWay = folder.resolve("mark.new");
    assertThat(inTheWay.toFile().mkdirs()).isTrue();
    assertThatThrownBy(() -> storage.commit(undo(), Durability.SYNCED))
        .hasMessageContaining("mark");

    assertThat(meta.journal()).isEmpty();
    assertUndoneNothing(storage);
  }

  @Test
  void whatCannotBePutBackAtOnceIsBeforeAnythingElse() {
    StockEngines storage = start();
    disk.set(bytes("gone"), record("late", 1));
    disk.set(bytes("k"), record("old", 1));
    memory.set(bytes("k"), record("old", 1));
    commitMeta(storage, "first", "1");
    failCommits(true);
    assertThatThrownBy(() -> storage.commit(undo(), Durability.SYNCED))
        .hasMessageContaining("the commit failed");
    assertThatThrownBy(() -> commitMeta(storage, "first", "2"))
        .as("a half of it must not be served")
        .hasMessageContaining("the commit failed");
    assertThatThrownBy(() -> storage.get("disk", bytes("k")))
        .as("nor be gone by")
        .hasMessageContaining("the commit failed");

    failCommits(false);
    alone = false;
    assertThatThrownBy(() -> storage.get("disk", bytes("k")))
        .as("writes may be under way")
        .hasMessageContaining("still to be put back");
    alone = true;
    assertUndoneNothing(storage);
    commitMeta(storage, "first", "3");
    StockEngines next = start();
    assertUndoneNothing(next);
    assertThat(next.get(NodeMeta.STORE, bytes("first"))).isEqualTo(bytes("3"));
  }

  /** The removal of the first key succeeds also when writes fail. */
  private static List<Change> undo() {
    return List.of(
        new Change("disk", bytes("gone"), null),
        new Change("disk", bytes("k"), record("new", 2)),
        new Change("memory", bytes("k"), record("new", 2)),
        new Change(NodeMeta.STORE, bytes("first"), bytes("done")),
        new Change(NodeMeta.STORE, bytes("mark"), bytes("done")));
  }

  private static void assertUndoneNothing(StockEngines storage) {
    assertThat(values(storage.get("disk", bytes("gone")))).containsExactly("late");
    assertThat(values(storage.get("disk", bytes("k")))).containsExactly("old");
    assertThat(values(storage.get("memory", bytes("k")))).containsExactly("old");
    assertThat(storage.get(NodeMeta.STORE, bytes("mark"))).isNull();
    assertThat(storage.get(NodeMeta.STORE, bytes("first"))).isNotEqualTo(bytes("done"));
  }

  private static void commitMeta(StockEngines storage, String key, String record) {
    storage.commit(
        List.of(new Change(NodeMeta.STORE, bytes(key), bytes(record))), Durability.SYNCED);
  }

  private void failCommits(boolean fail) {
    Class<?> type = types.type(BDB);
    Object unused =
        StockTypes.call(types.method(type, "failCommits", void.class, boolean.class), bdb, fail);
  }

  private static Planned planned(
      String store, String key, byte @Nullable [] record, byte @Nullable [] before) {
    return new Planned(new Change(store, bytes(key), record), before);
  }

  /** Of our format, and of the server's. */
  private static List<String> values(byte @Nullable [] record) {
    return record == null
        ? List.of()
        : Siblings.decode(record).stream().map(Versioned::text).toList();
  }

  private static byte[] record(String value, long counter) {
    return Siblings.encode(List.of(Versioned.ofText(value, clock(0, counter))));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
