package io.palinode.retroscope.snapshot;

import static io.palinode.retroscope.snapshot.MapHistory.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.retroscope.snapshot.file.MergedRuns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpillTest {
  private static final int STORES = 2;
  private static final int KEYS = 200;
  private static final int HEAP_BYTES_MAX = 4_000;

  @TempDir Path folder;
  private int runs;

  @Test
  void entriesInAnyOrderComeOutSortedWithTheFirstOfEachKeyAndBoundedMemory() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      List<TreeMap<String, Entry>> expected = List.of(new TreeMap<>(), new TreeMap<>());
      Spill.Runs files = runs(() -> {});
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
          assertThat(all(spill.merged(store), null))
              .as("seed=%d", seed)
              .usingRecursiveFieldByFieldElementComparator()
              .isEqualTo(List.copyOf(expected.get(store).values()));
        }
      }
      assertThat(folder).isEmptyDirectory();
    }
  }

  @Test
  void pagesAreReadWithTheEntriesThatCameSoFarLaidOverThem() {
    for (long seed = 0; seed < 40; seed++) {
      Random random = new Random(seed);
      List<TreeMap<String, Entry>> came = List.of(new TreeMap<>(), new TreeMap<>());
      try (Spill spill = new Spill(STORES, runs(() -> {}), HEAP_BYTES_MAX)) {
        add(200, random, spill, came);
        for (int store = 0; store < STORES; store++) {
          String after = null;
          do {
            TreeMap<String, Entry> page = page(after, random);
            add(random.nextInt(20), random, spill, came);
            String last = page.isEmpty() ? null : page.lastKey();
            TreeMap<String, Entry> expected = new TreeMap<>(page);
            expected.putAll(between(came.get(store), after, last));
            MergedRuns merged = spill.over(List.copyOf(page.values()), store, bytesOrNull(after));
            assertThat(all(merged, bytesOrNull(last)))
                .as("seed=%d store=%d after=%s", seed, store, after)
                .usingRecursiveFieldByFieldElementComparator()
                .isEqualTo(List.copyOf(expected.values()));
            spill.forgetUpTo(store, bytesOrNull(last));
            after = last;
          } while (after != null);
        }
        assertThat(spill.heapBytes()).as("all is forgotten").isZero();
      }
      assertThat(folder).isEmptyDirectory();
    }
  }

  private static void add(
      int times, Random random, Spill spill, List<TreeMap<String, Entry>> came) {
    for (int i = 0; i < times; i++) {
      String key = key(random.nextInt(KEYS));
      Entry entry = new Entry(bytes(key), random.nextInt(4) == 0 ? null : bytes("old" + i));
      int store = random.nextInt(STORES);
      spill.add(store, entry);
      came.get(store).putIfAbsent(key, entry);
    }
  }

  /** Some of the keys behind one; none when it is near the end. */
  private static TreeMap<String, Entry> page(@Nullable String after, Random random) {
    TreeMap<String, Entry> page = new TreeMap<>();
    int first = after == null ? 0 : Integer.parseInt(after.substring(1)) + 1;
    for (int i = first; i < KEYS - 5 && page.size() < 10; i++) {
      if (random.nextBoolean()) {
        page.put(key(i), new Entry(bytes(key(i)), bytes("present")));
      }
    }
    return page;
  }

  private static Map<String, Entry> between(
      NavigableMap<String, Entry> all, @Nullable String after, @Nullable String last) {
    NavigableMap<String, Entry> behind = after == null ? all : all.tailMap(after, false);
    return last == null ? behind : behind.headMap(last, true);
  }

  private static String key(int number) {
    return "k%03d".formatted(number);
  }

  private static byte @Nullable [] bytesOrNull(@Nullable String text) {
    return text == null ? null : bytes(text);
  }

  @Test
  void fewRunsExistAfterManyWrites() throws IOException {
    AtomicInteger worked = new AtomicInteger();
    int entries = 20_000;
    try (Spill spill = new Spill(1, runs(worked::incrementAndGet), HEAP_BYTES_MAX)) {
      for (int i = 0; i < entries; i++) {
        // Each key comes twice, long after each other; the first counts.
        int key = i % (entries / 2);
        spill.add(0, new Entry(bytes("k%06d".formatted(key)), bytes("v" + i)));
      }
      assertThat(runs).isGreaterThan(500);
      try (Stream<Path> files = Files.list(folder)) {
        assertThat(files).hasSizeLessThan(30);
      }
      assertThat(worked.get()).isGreaterThan(entries / 1_000);
      List<Entry> all = all(spill.merged(0), null);
      assertThat(all).hasSize(entries / 2);
      for (int key = 0; key < entries / 2; key++) {
        assertThat(all.get(key).record()).as("key=%d", key).isEqualTo(bytes("v" + key));
      }
    }
    assertThat(folder).isEmptyDirectory();
  }

  private Spill.Runs runs(Runnable worked) {
    return new Spill.Runs(folder, () -> "run-" + runs++, RoomTest.PLENTY, worked);
  }

  private static List<Entry> all(MergedRuns merged, byte @Nullable [] last) {
    List<Entry> all = new ArrayList<>();
    for (Entry e = merged.nextUpTo(last); e != null; e = merged.nextUpTo(last)) {
      all.add(e);
    }
    return all;
  }
}
