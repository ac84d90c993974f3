package io.palinode.retroscope.snapshot;

import static io.palinode.retroscope.snapshot.MapHistory.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.retroscope.snapshot.file.Entry;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LeastKeysTest {
  private static final int HEAP_BYTES_MAX = 3_000;

  @Test
  void allKeysBehindTheFirstUpToItsEndAreKeptAndNoMoreThanFit() {
    for (long seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      byte[] behind = bytes("k050");
      LeastKeys least = new LeastKeys(behind, HEAP_BYTES_MAX);
      TreeMap<byte[], Entry> expected = new TreeMap<>(Overlay.UNSIGNED);
      for (int i = 0; i < 300; i++) {
        Entry entry = new Entry(bytes("k%03d".formatted(random.nextInt(200))), bytes("v" + i));
        least.add(entry);
        expected.putIfAbsent(entry.key(), entry);
        assertThat(least.kept().values().stream().mapToLong(Entry::heapBytes).sum())
            .as("seed=%d", seed)
            .isLessThanOrEqualTo(HEAP_BYTES_MAX);
        byte[] end = least.end();
        var some = expected.tailMap(behind, false);
        assertThat(least.kept())
            .as("seed=%d", seed)
            .isEqualTo(end == null ? some : some.headMap(end, true));
      }
      assertThat(least.end()).isNotNull();
    }
  }
}
