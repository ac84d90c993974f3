package io.palinode.voldemort.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.voldemort.protocol.VectorClock.Relation;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VectorClockTest {
  private static final long TIMESTAMP_MS = 0x18BCFE56800L; // 1700000000000

  private static VectorClock clock(Map<Integer, Long> entries) {
    return VectorClock.of(new TreeMap<>(entries), TIMESTAMP_MS);
  }

  private static byte[] hex(String spaced) {
    return HexFormat.of().parseHex(spaced.replace(" ", ""));
  }

  @Test
  void emptyClockHasElevenBytes() {
    assertThat(VectorClock.EMPTY.encode()).isEqualTo(hex("0000 01 0000000000000000"));
  }

  @Test
  void entriesAscendAndCountersHaveTheirLeastSize() {
    assertThat(clock(Map.of(0, 1L)).encode()).isEqualTo(hex("0001 01 0000 01 0000018bcfe56800"));
    assertThat(clock(Map.of(300, 256L, 1, 255L)).encode())
        .isEqualTo(hex("0002 02 0001 00ff 012c 0100 0000018bcfe56800"));
    assertThat(clock(Map.of(2, 1L << 24)).encode())
        .isEqualTo(hex("0001 04 0002 01000000 0000018bcfe56800"));
    assertThat(clock(Map.of(2, Long.MAX_VALUE)).encode())
        .isEqualTo(hex("0001 08 0002 7fffffffffffffff 0000018bcfe56800"));
  }

  @Test
  void identityHasTimestampZero() {
    VectorClock clock = clock(Map.of(0, 3L));
    assertThat(clock.identityBytes()).isEqualTo(hex("0001 01 0000 03 0000000000000000"));
    assertThat(clock.withTimestamp(7).identityBytes()).isEqualTo(clock.identityBytes());
    assertThat(clock.withTimestamp(7)).isEqualTo(clock).hasSameHashCodeAs(clock);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", // nothing
        "0001 01 0000 01 00000000000000", // cut off in the timestamp
        "0002 01 0000 01 0000000000000000", // cut off in the entries
        "0001 01 0000 01 0000000000000000 00", // a byte too many
        "ffff 01 0000000000000000", // -1 entries
        "0001 00 0000 0000000000000000", // counters of no bytes
        "0001 09 0000 000000000000000001 0000000000000000", // counters of nine bytes
        "0001 02 0000 0001 0000000000000000", // not the least size
        "0000 02 0000000000000000", // not the least size of an empty clock
        "0001 01 0000 00 0000000000000000", // counter 0
        "0001 08 0000 8000000000000000 0000000000000000", // negative counter
        "0001 01 8000 01 0000000000000000", // negative node
        "0002 01 0001 01 0000 01 0000000000000000", // descending
        "0002 01 0001 01 0001 01 0000000000000000", // twice the same node
      })
  void bytesThatNoEncoderMadeAreRefused(String bytes) {
    byte[] encoded = hex(bytes);
    assertThatThrownBy(() -> VectorClock.decode(encoded))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void bytesAndProtoGoThereAndBack() {
    for (long seed = 0; seed < 2_000; seed++) {
      VectorClock clock = random(new Random(seed), 1L << (seed % 63));
      VectorClock decoded = VectorClock.decode(clock.encode());
      assertThat(decoded).as("seed %d", seed).isEqualTo(clock);
      assertThat(decoded.timestampMs()).as("seed %d", seed).isEqualTo(clock.timestampMs());
      assertThat(clock.encode()).as("seed %d", seed).hasSize(clock.encodedSize());
      VectorClock received = VectorClock.fromProto(clock.toProto());
      assertThat(received.encode()).as("seed %d", seed).isEqualTo(clock.encode());
    }
  }

  @Test
  void protoWithTwoEntriesForOneNodeIsRefused() {
    Pb0.ClockEntry entry = Pb0.ClockEntry.newBuilder().setNodeId(1).setVersion(1).build();
    Pb0.VectorClock twice =
        Pb0.VectorClock.newBuilder().addEntries(entry).addEntries(entry).build();
    assertThatThrownBy(() -> VectorClock.fromProto(twice))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("node=1");
  }

  @ParameterizedTest
  @CsvSource({
    "0:1, 0:1, EQUAL",
    "'', '', EQUAL",
    "'', 0:1, BEFORE",
    "0:1, 0:2, BEFORE",
    "0:1, 0:1 1:1, BEFORE",
    "0:2, 0:1, AFTER",
    "0:1 1:1, 1:1, AFTER",
    "0:1, 1:1, CONCURRENT",
    "0:2 1:1, 0:1 1:2, CONCURRENT",
    "0:2, 0:1 1:1, CONCURRENT",
  })
  void clocksCompareByTheirEntries(String a, String b, Relation relation) {
    assertThat(parse(a).compare(parse(b))).isEqualTo(relation);
  }

  @Test
  void compareAndMergeAgreeWithTheirDefinition() {
    for (long seed = 0; seed < 5_000; seed++) {
      Random random = new Random(seed);
      VectorClock a = random(random, 3);
      VectorClock b = random(random, 3);
      boolean atMost = true;
      boolean atLeast = true;
      for (int node = 0; node < 6; node++) {
        atMost &= a.counter(node) <= b.counter(node);
        atLeast &= a.counter(node) >= b.counter(node);
        assertThat(a.merge(b).counter(node))
            .as("seed %d", seed)
            .isEqualTo(Math.max(a.counter(node), b.counter(node)));
      }
      Relation expected =
          atMost
              ? atLeast ? Relation.EQUAL : Relation.BEFORE
              : atLeast ? Relation.AFTER : Relation.CONCURRENT;
      assertThat(a.compare(b)).as("seed %d", seed).isEqualTo(expected);
      assertThat(a.isAtMost(b)).as("seed %d", seed).isEqualTo(atMost);
    }
  }

  @Test
  void incrementedClockIsAfterAndGrowsOneEntry() {
    VectorClock clock = parse("1:2 5:1");
    assertThat(clock.incremented(1, 9)).isEqualTo(parse("1:3 5:1"));
    assertThat(clock.incremented(0, 9)).isEqualTo(parse("0:1 1:2 5:1"));
    assertThat(clock.incremented(3, 9)).isEqualTo(parse("1:2 3:1 5:1"));
    assertThat(clock.incremented(9, 9)).isEqualTo(parse("1:2 5:1 9:1"));
    assertThat(clock.incremented(9, 9).timestampMs()).isEqualTo(9);
  }

  /** The number of entries is encoded in a signed short. */
  @Test
  void aClockHasAsManyEntriesAsCanBeEncodedAndNotOneMore() {
    TreeMap<Integer, Long> entries = new TreeMap<>();
    for (int node = 0; node < VectorClock.NODE_MAX; node++) {
      entries.put(node, 1L);
    }
    VectorClock greatest = VectorClock.of(entries, 7);
    assertThat(VectorClock.decode(greatest.encode())).isEqualTo(greatest);
    assertThatThrownBy(() -> greatest.incremented(VectorClock.NODE_MAX, 8))
        .hasMessageContaining("entries=32768");
    entries.put(VectorClock.NODE_MAX, 1L);
    assertThatThrownBy(() -> VectorClock.of(entries, 7)).hasMessageContaining("entries=32768");
  }

  @Test
  void nodeAndCounterOutOfRangeAreRefused() {
    assertThatThrownBy(() -> VectorClock.EMPTY.incremented(32_768, 0))
        .hasMessage("node must be in [0, 32767]: node=32768");
    assertThatThrownBy(() -> clock(Map.of(0, 0L)))
        .hasMessage("a counter must be at least 1: counter=0");
  }

  private static VectorClock parse(String text) {
    TreeMap<Integer, Long> entries = new TreeMap<>();
    for (String entry : text.isEmpty() ? new String[0] : text.split(" ", -1)) {
      String[] parts = entry.split(":", -1);
      entries.put(Integer.valueOf(parts[0]), Long.valueOf(parts[1]));
    }
    return VectorClock.of(entries, 0);
  }

  static VectorClock random(Random random, long counterMax) {
    TreeMap<Integer, Long> entries = new TreeMap<>();
    for (int node = 0; node < 6; node++) {
      if (random.nextBoolean()) {
        entries.put(node, 1 + random.nextLong(counterMax));
      }
    }
    return VectorClock.of(entries, random.nextLong());
  }
}
