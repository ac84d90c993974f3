package io.palinode.retroscope.snapshot;

import static io.palinode.retroscope.snapshot.MapHistory.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpillTest {
  private static final int STORES = 2;
  private static final int HEAP_BYTES_MAX = 4_000;

  @TempDir Path folder;
  private int runs;

  @Test
  void whatGoesInInAnyOrderComesOutInOrderTheFirstOfEachKeyAndLittleIsInMemory() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      List<TreeMap<String, Entry>> expected = List.of(new TreeMap<>(), new TreeMap<>());
      Spill.Runs files = new Spill.Runs(folder, () -> "run-" + runs++, RoomTest.PLENTY);
      try (Spill spill = new Spill(STORES, files, HEAP_BYTES_MAX)) {
        for (int i = 0; i < 400; i++) {
          String key = "k%03d".formatted(random.nextInt(200));
          Entry entry = new Entry(bytes(key), random.nextInt(4) == 0 ? null : bytes("v" + i));
          int store = random.nextInt(STORES);
          spill.add(store, entry);
          expected.get(store).putIfAbsent(key, entry);
          assertThat(spill.heapBytes()).as("seed=%d", seed).isLessThanOrEqualTo(HEAP_BYTES_MAX);
        }
        assertThat(folder).as("seed=%d", seed).isNotEmptyDirectory();
        for (int store = 0; store < STORES; store++) {
          assertThat(all(spill.merged(store, null)))
              .as("seed=%d", seed)
              .usingRecursiveFieldByFieldElementComparator()
              .isEqualTo(List.copyOf(expected.get(store).values()));
        }
      }
      assertThat(folder).isEmptyDirectory();
    }
  }

  private static List<Entry> all(MergedRuns merged) {
    List<Entry> all = new ArrayList<>();
    for (Entry entry = merged.next(); entry != null; entry = merged.next()) {
      all.add(entry);
    }
    return all;
  }
}
