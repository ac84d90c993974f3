package io.palinode.detection.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EntrySortTest {
  private static final int SEEDS = 60;
  private static final int NODES = 3;
  private static final byte[] NO_PAYLOAD = {};

  @TempDir Path folder;

  @Test
  void entriesComeInOrderFromMemoryAndFromRuns() throws IOException {
    int inMemory = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      List<Entry> entries = entries(random);
      Function<Entry, EntryKey> keyOf =
          random.nextBoolean() ? EntryKey::byStart : EntryKey::byVersion;
      long bytesMax = random.nextBoolean() ? Long.MAX_VALUE : 1_000 + random.nextInt(5_000);
      try (Scratch scratch = new Scratch(folder)) {
        EntrySort sort = new EntrySort(keyOf, bytesMax, scratch);
        for (Entry entry : entries) {
          sort.add(entry);
        }
        inMemory += sort.isInMemory() ? 1 : 0;
        List<String> sorted = new ArrayList<>();
        for (Iterator<Entry> all = sort.sorted(); all.hasNext(); ) {
          sorted.add(shown(all.next()));
        }
        entries.sort(Comparator.comparing(keyOf));
        assertThat(sorted)
            .as("seed %d", seed)
            .isEqualTo(entries.stream().map(EntrySortTest::shown).toList());
      }
    }
    assertThat(inMemory).isBetween(SEEDS / 3, 2 * SEEDS / 3);
  }

  /** In the order of starts, as a trace has them, or in any. */
  private static List<Entry> entries(Random random) {
    boolean inOrder = random.nextBoolean();
    String wide = "i=\u00e9\ud83d" + "x".repeat(random.nextInt(4) == 0 ? 200_000 : 5);
    List<Entry> entries = new ArrayList<>();
    long[] starts = new long[NODES];
    int count = random.nextInt(400);
    for (int rank = 0; rank < count; rank++) {
      int node = random.nextInt(NODES);
      starts[node] = inOrder ? starts[node] + random.nextInt(3) : random.nextInt(1_000);
      String binding = random.nextInt(50) == 0 ? wide : "i=" + random.nextInt(5);
      entries.add(
          new Entry(
              binding,
              inOrder ? rank : Long.MAX_VALUE - rank,
              candidate(node, starts[node], random),
              random.nextBoolean() ? "" : "k@" + random.nextInt(9)));
    }
    return entries;
  }

  private static Candidate candidate(int node, long start, Random random) {
    // A joined interval may end at another node.
    int endNode = random.nextInt(4) == 0 ? random.nextInt(NODES) : node;
    @Nullable Hvc end = random.nextInt(5) == 0 ? null : clock(endNode, start + 7, random);
    return new Candidate(
        random.nextInt(3),
        random.nextInt(300),
        new CandidateId(node, 0, random.nextLong() >>> 1),
        new Interval(clock(node, start, random), end),
        random.nextBoolean() ? "" : "k\u00fc\u4e00@" + random.nextInt(4),
        random.nextBoolean() ? null : Integer.valueOf(random.nextInt(NODES)),
        random.nextBoolean() ? null : new BigDecimal("-12.50"),
        null,
        random.nextBoolean() ? "" : "m=" + random.nextInt(3),
        NO_PAYLOAD);
  }

  private static Hvc clock(int node, long own, Random random) {
    long[] entries = new long[NODES];
    for (int i = 0; i < NODES; i++) {
      entries[i] = random.nextLong() >>> 1 + random.nextInt(60);
    }
    entries[node] = own;
    return Hvc.of(node, entries);
  }

  /** All but the payload, which has no text. */
  private static String shown(Entry entry) {
    Candidate of = entry.candidate();
    return entry.binding()
        + " "
        + entry.rank()
        + " "
        + entry.endedBy()
        + " "
        + List.of(of.clause(), of.term(), of.id(), of.interval(), of.version(), of.member())
        + of.origin()
        + of.amount();
  }
}
