package io.palinode.agent;

import static io.palinode.agent.StandInServer.clock;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.agent.MetaFiles.Planned;
import io.palinode.agent.StockEngine.Kind;
import io.palinode.voldemort.StorageEngine.Change;
import io.palinode.voldemort.StorageEngine.Durability;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A commit that was cut off, and the start after it. */
class StockEnginesTest {
  @TempDir private Path folder;
  private final StockTypes types = new StockTypes(new WeavingLoader());
  private final OwnCalls own = new OwnCalls();
  private final StockEngine disk = engine("voldemort.store.bdb.BdbStorageEngine", "disk", Kind.BDB);
  private final StockEngine memory =
      engine("voldemort.store.memory.InMemoryStorageEngine", "memory", Kind.MEMORY);
  private MetaFiles meta;

  @BeforeEach
  void openMeta() {
    meta = new MetaFiles(folder);
  }

  private StockEngine engine(String type, String name, Kind kind) {
    Object engine = StockTypes.call(types.constructor(types.type(type), String.class), name);
    return new StockEngine(types, StockEngine.Calls.of(types), name, engine, kind, () -> true);
  }

  private StockEngines start() {
    return new StockEngines(List.of(disk, memory), meta, own);
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
            new Planned(new Change(StoreNode.metaStore(), bytes("mark"), bytes("1")), null)));

    StockEngines storage = start();
    assertThat(values(storage.get("disk", bytes("done")))).containsExactly("undone");
    assertThat(values(storage.get("disk", bytes("due")))).containsExactly("undone");
    assertThat(values(storage.get("disk", bytes("gone")))).isEmpty();
    assertThat(values(storage.get("disk", bytes("since")))).containsExactly("newest");
    assertThat(storage.get(StoreNode.metaStore(), bytes("mark"))).isEqualTo(bytes("1"));
    assertThat(meta.journal()).isEmpty();
  }

  @Test
  void whatWasInMemoryIsNotBroughtBack() {
    meta.writeJournal(List.of(planned("memory", "k", record("undone", 1), null)));
    assertThat(start().get("memory", bytes("k"))).isNull();
  }

  /** The journal of a commit as it is while that goes on. */
  @Test
  void aCommitRemembersWhatItsKeysHad() {
    StockEngines storage = start();
    disk.set(bytes("k"), record("old", 1));
    Path journal = folder.resolve("journal");
    // Its last step removes the journal: a folder in the way of a meta file stops it before.
    Path inTheWay = folder.resolve("mark.new");
    inTheWay.toFile().mkdirs();
    List<Change> changes =
        List.of(
            new Change("disk", bytes("k"), record("new", 2)),
            new Change("memory", bytes("k"), record("new", 2)),
            new Change(StoreNode.metaStore(), bytes("mark"), bytes("1")));
    assertThatThrownBy(() -> storage.commit(changes, Durability.SYNCED))
        .hasMessageContaining("mark");

    assertThat(Files.exists(journal)).isTrue();
    List<Planned> planned = meta.journal();
    assertThat(planned).extracting(each -> each.change().store()).doesNotContain("memory");
    assertThat(values(planned.get(0).before())).containsExactly("old");
    assertThat(values(planned.get(0).change().record())).containsExactly("new");
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
