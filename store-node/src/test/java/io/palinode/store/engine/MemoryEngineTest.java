package io.palinode.store.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.retroscope.snapshot.file.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryEngineTest {
  private static final String STORE = "locks";
  private static final int KEYS = 200;
  private static final int WRITERS = 4;

  private final MemoryEngine engine = new MemoryEngine(List.of(STORE));

  @Test
  void agreesWithASortedMapAfterEachOfManyChanges() {
    for (int seed = 0; seed < 200; seed++) {
      MemoryEngine some = new MemoryEngine(List.of(STORE));
      NavigableMap<String, String> model = new TreeMap<>();
      Random random = new Random(seed);
      for (int i = 0; i < 100; i++) {
        String key = "key-" + random.nextInt(20);
        if (random.nextInt(3) == 0) {
          put(some, key, null);
          model.remove(key);
        } else {
          put(some, key, key + "=" + i);
          model.put(key, key + "=" + i);
        }
        String after = random.nextBoolean() ? null : "key-" + random.nextInt(20);

        assertThat(texts(some.page(STORE, bytes(after), Integer.MAX_VALUE)))
            .as("seed %d, change %d, after %s", seed, i, after)
            .containsExactlyElementsOf(
                (after == null ? model : model.tailMap(after, false)).values());
        byte[] record = some.get(STORE, key.getBytes(UTF_8));
        assertThat(record == null ? null : new String(record, UTF_8)).isEqualTo(model.get(key));
      }
    }
  }

  @Test
  void aPageEndsWithTheEntryThatReachesItsBytes() {
    put(engine, "a", "12345");
    put(engine, "b", "12345");
    put(engine, "c", "12345");

    assertThat(texts(engine.page(STORE, null, 1))).hasSize(1);
    assertThat(texts(engine.page(STORE, null, 6))).hasSize(1);
    assertThat(texts(engine.page(STORE, null, 7))).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 1_024, 1 << 20})
  void pagesBesideWritesHoldEachStandingKeyOnce(int pageBytes) throws Exception {
    for (int i = 0; i < KEYS; i += 2) {
      put(engine, key(i), key(i) + "=first");
    }
    AtomicInteger writing = new AtomicInteger(WRITERS);
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    List<Future<?>> ends = new ArrayList<>();
    for (int w = 0; w < WRITERS; w++) {
      Random random = new Random(w);
      ends.add(threads.submit(() -> write(random, writing)));
    }

    do {
      List<Entry> all = allPages(pageBytes);
      String last = "";
      int standing = 0;
      for (Entry entry : all) {
        String key = new String(entry.key(), UTF_8);
        assertThat(key).isGreaterThan(last);
        assertThat(new String(entry.record(), UTF_8)).startsWith(key + "=");
        last = key;
        standing += Integer.parseInt(key.substring(4)) % 2 == 0 ? 1 : 0;
      }
      assertThat(standing).isEqualTo(KEYS / 2);
    } while (writing.get() > 0);
    threads.shutdown();
    for (Future<?> end : ends) {
      end.get();
    }

    // Keys and records agree in the end: none is found in one way alone.
    Map<String, String> byKey = new TreeMap<>();
    for (int i = 0; i < KEYS; i++) {
      byte[] record = engine.get(STORE, key(i).getBytes(UTF_8));
      if (record != null) {
        byKey.put(key(i), new String(record, UTF_8));
      }
    }
    assertThat(texts(allPages(pageBytes))).containsExactlyElementsOf(byKey.values());
  }

  /** Even keys get other records; odd ones come and go. */
  private void write(Random random, AtomicInteger writing) {
    for (int i = 0; i < 20_000; i++) {
      int n = random.nextInt(KEYS);
      put(engine, key(n), n % 2 == 1 && random.nextBoolean() ? null : key(n) + "=" + i);
    }
    writing.decrementAndGet();
  }

  private List<Entry> allPages(int pageBytes) {
    List<Entry> all = new ArrayList<>();
    byte[] after = null;
    while (true) {
      List<Entry> page = engine.page(STORE, after, pageBytes);
      if (page.isEmpty()) {
        return all;
      }
      all.addAll(page);
      after = page.get(page.size() - 1).key();
    }
  }

  private static List<String> texts(List<Entry> entries) {
    return entries.stream().map(entry -> new String(entry.record(), UTF_8)).toList();
  }

  private static void put(MemoryEngine engine, String key, @Nullable String record) {
    engine.commit(
        new StorageEngine.Change(STORE, key.getBytes(UTF_8), bytes(record)),
        StorageEngine.Durability.BUFFERED);
  }

  private static byte @Nullable [] bytes(@Nullable String text) {
    return text == null ? null : text.getBytes(UTF_8);
  }

  private static String key(int i) {
    return "key-%03d".formatted(i);
  }
}
