package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.store.engine.SplitEngine;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.voldemort.TestNodes.Medium;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every engine promises, on each. */
class StorageEngineContractTest {
  private static final List<String> STORES = List.of("a", "b");

  @TempDir Path folder;

  /** The engines, alone and side by side. */
  enum Kind {
    MEMORY,
    BDB,
    SPLIT;

    StorageEngine open(Path folder) {
      return switch (this) {
        case MEMORY -> Medium.MEMORY.open(folder, STORES);
        case BDB -> Medium.BDB.open(folder, STORES);
        case SPLIT ->
            new SplitEngine(Medium.BDB.open(folder, List.of("a")), List.of("b"), folder.toFile());
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void aKeyThatWasNeverPutHasNoRecord(Kind kind) {
    try (StorageEngine engine = kind.open(folder)) {
      assertThat(engine.get("a", bytes("k"))).isNull();
    }
  }

  @ParameterizedTest
  @EnumSource
  void readVisitsEachKeyInTheOrderThatWasAskedForAlsoThoseWithoutARecord(Kind kind) {
    try (StorageEngine engine = kind.open(folder)) {
      engine.commit(
          List.of(
              new Change("a", bytes("k1"), bytes("1")), new Change("a", bytes("k3"), bytes("3"))),
          Durability.WRITTEN);
      List<String> seen = new ArrayList<>();
      engine.read(
          "a",
          List.of(bytes("k3"), bytes("k2"), bytes("k1")),
          (key, record) ->
              seen.add(
                  new String(key, UTF_8)
                      + "="
                      + (record == null ? "" : new String(record, UTF_8))));
      assertThat(seen).containsExactly("k3=3", "k2=", "k1=1");
    }
  }

  @ParameterizedTest
  @EnumSource
  void pagesFollowEachOtherInTheOrderOfUnsignedBytes(Kind kind) {
    try (StorageEngine engine = kind.open(folder)) {
      Random random = new Random(7);
      Map<String, String> expected = new TreeMap<>();
      for (int i = 0; i < 300; i++) {
        byte[] key = new byte[1 + random.nextInt(3)];
        random.nextBytes(key);
        expected.put(HexFormat.of().formatHex(key), "v" + i);
        engine.commit(List.of(new Change("b", key, bytes("v" + i))), Durability.BUFFERED);
      }
      for (int bytesMax : List.of(1, 100, 1 << 20)) {
        Map<String, String> found = new LinkedHashMap<>();
        byte[] after = null;
        for (List<Entry> page = engine.page("b", after, bytesMax);
            !page.isEmpty();
            page = engine.page("b", after, bytesMax)) {
          for (Entry entry : page) {
            found.put(HexFormat.of().formatHex(entry.key()), new String(entry.record(), UTF_8));
            after = entry.key();
          }
        }
        assertThat(found).as("bytesMax=%d", bytesMax).containsExactlyEntriesOf(expected);
      }
      assertThat(engine.page("a", null, 100)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCommitPutsReplacesAndRemovesInSeveralStores(Kind kind) {
    try (StorageEngine engine = kind.open(folder)) {
      commit(engine, put("a", "k", "1"), put("b", "k", "2"), put("a", "gone", "3"));
      commit(engine, put("a", "k", "4"), remove("a", "gone"), remove("b", "never"));
      assertThat(engine.get("a", bytes("k"))).isEqualTo(bytes("4"));
      assertThat(engine.get("b", bytes("k"))).isEqualTo(bytes("2"));
      assertThat(engine.get("a", bytes("gone"))).isNull();
    }
  }

  @ParameterizedTest
  @EnumSource
  void theLastChangeOfAKeyInACommitWins(Kind kind) {
    try (StorageEngine engine = kind.open(folder)) {
      commit(engine, put("a", "k", "1"), remove("a", "k"), put("a", "k", "2"));
      assertThat(engine.get("a", bytes("k"))).isEqualTo(bytes("2"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void keysAndRecordsMayBeEmptyOrLarge(Kind kind) {
    byte[] large = new byte[3 << 20];
    new Random(1).nextBytes(large);
    try (StorageEngine engine = kind.open(folder)) {
      commit(engine, new Change("a", new byte[0], large), new Change("a", large, new byte[0]));
      assertThat(engine.get("a", new byte[0])).isEqualTo(large);
      assertThat(engine.get("a", large)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCommitWithAnUnknownStoreChangesNothing(Kind kind) {
    try (StorageEngine engine = kind.open(folder)) {
      assertThatThrownBy(() -> commit(engine, put("a", "k", "1"), put("c", "k", "2")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("store=c");
      assertThat(engine.get("a", bytes("k"))).isNull();
      assertThatThrownBy(() -> engine.get("c", bytes("k")))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void closingTwiceIsClosingOnce(Kind kind) {
    StorageEngine engine = kind.open(folder);
    engine.close();
    engine.close();
  }

  @ParameterizedTest
  @EnumSource
  void randomCommitsGiveWhatAMapGives(Kind kind) {
    for (long seed = 0; seed < 3; seed++) {
      try (StorageEngine engine = kind.open(folder.resolve("seed" + seed))) {
        Map<String, String> expected = new TreeMap<>();
        Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
          commitRandomly(engine, expected, random);
        }
        assertThat(scan(engine)).as("seed=%d", seed).isEqualTo(expected);
      }
    }
  }

  /** {@code expected}: store and key to record. */
  private static void commitRandomly(
      StorageEngine engine, Map<String, String> expected, Random random) {
    List<Change> changes = new ArrayList<>();
    for (int i = random.nextInt(5); i >= 0; i--) {
      String store = STORES.get(random.nextInt(STORES.size()));
      String key = "k" + random.nextInt(30);
      if (random.nextInt(3) == 0) {
        changes.add(remove(store, key));
        expected.remove(store + key);
      } else {
        String record = "r" + random.nextInt(1000);
        changes.add(put(store, key, record));
        expected.put(store + key, record);
      }
    }
    engine.commit(changes, Durability.BUFFERED);
  }

  private static Map<String, String> scan(StorageEngine engine) {
    Map<String, String> found = new TreeMap<>();
    for (String store : STORES) {
      engine.scan(
          store,
          (key, record) ->
              assertThat(found.put(store + new String(key, UTF_8), new String(record, UTF_8)))
                  .isNull());
    }
    return found;
  }

  private static void commit(StorageEngine engine, Change... changes) {
    engine.commit(List.of(changes), Durability.WRITTEN);
  }

  private static Change put(String store, String key, String record) {
    return change(store, key, bytes(record));
  }

  private static Change remove(String store, String key) {
    return change(store, key, null);
  }

  private static Change change(String store, String key, byte @Nullable [] record) {
    return new Change(store, bytes(key), record);
  }
}
