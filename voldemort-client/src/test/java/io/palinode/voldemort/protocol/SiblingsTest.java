package io.palinode.voldemort.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.voldemort.protocol.VectorClock.Relation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SiblingsTest {
  private static final int SEEDS = 5_000;

  private static byte[] hex(String spaced) {
    return HexFormat.of().parseHex(spaced.replace(" ", ""));
  }

  private static Versioned version(String value, Map<Integer, Long> clock, long timestampMs) {
    return Versioned.ofText(value, VectorClock.of(new TreeMap<>(clock), timestampMs));
  }

  @Test
  void recordIsFormatOneThenClockOriginLengthAndValueOfEach() {
    Versioned fromThree = version("hi", Map.of(0, 5L), 1).withOrigin(3);
    byte[] record = Siblings.encode(List.of(fromThree, version("", Map.of(1, 256L), 2)));
    assertThat(record)
        .isEqualTo(
            hex(
                "01"
                    + "0001 01 0000 05 0000000000000001 0003 00000002 6869"
                    + "0001 02 0001 0100 0000000000000002 ffff 00000000"));
    assertThat(Siblings.decode(record))
        .containsExactly(fromThree, version("", Map.of(1, 256L), 2))
        .extracting(Versioned::origin)
        .containsExactly(3, null);
  }

  @Test
  void recordsOfFormatZeroHaveNoOrigin() {
    byte[] record = hex("00" + "0001 01 0000 05 0000000000000001 00000002 6869");
    assertThat(Siblings.decode(record)).containsExactly(version("hi", Map.of(0, 5L), 1));
    assertThat(Siblings.decode(record).get(0).origin()).isNull();
  }

  @Test
  void noVersionsAreNoBytes() {
    assertThat(Siblings.encode(List.of())).isEmpty();
    assertThat(Siblings.decode(new byte[0])).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "02", // a format to come
        "01 0001 01 0000 05 0000000000000001 00", // cut off in the origin
        "00 0001 01 0000 05 0000000000000001", // no value
        "00 0001 01 0000 05 0000000000000001 0000", // cut off in the length
        "00 0001 01 0000 05 0000000000000001 00000003 6869", // cut off in the value
        "00 0001 01 0000 05 0000000000000001 ffffffff", // negative length
        "00 0001 01 0000 05 0000000000000001 00000000 00", // a byte too many
      })
  void bytesThatNoEncoderMadeAreRefused(String bytes) {
    byte[] record = hex(bytes);
    assertThatThrownBy(() -> Siblings.decode(record)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void putOfAnOlderOrEqualVersionIsObsolete() {
    List<Versioned> stored = List.of(version("a", Map.of(0, 2L), 0));
    assertThat(Siblings.put(stored, version("b", Map.of(0, 2L), 9))).isNull();
    assertThat(Siblings.put(stored, version("b", Map.of(0, 1L), 9))).isNull();
    assertThat(Siblings.put(stored, version("b", Map.of(0, 3L), 9)))
        .containsExactly(version("b", Map.of(0, 3L), 9));
    assertThat(Siblings.put(stored, version("b", Map.of(1, 1L), 9))).hasSize(2);
  }

  @Test
  void putAgreesWithItsDefinition() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      List<Versioned> stored = siblings(random);
      Versioned added = version(random);
      List<Versioned> expected = new ArrayList<>();
      boolean obsolete = false;
      for (Versioned old : stored) {
        Relation relation = oracle(old.clock(), added.clock());
        obsolete |= relation == Relation.AFTER || relation == Relation.EQUAL;
        if (relation == Relation.CONCURRENT) {
          expected.add(old);
        }
      }
      expected.add(added);
      List<Versioned> actual = Siblings.put(stored, added);
      if (obsolete) {
        assertThat(actual).as("seed %d", seed).isNull();
      } else {
        assertThat(actual).as("seed %d", seed).containsExactlyElementsOf(expected);
      }
    }
  }

  @Test
  void deleteRemovesWhatIsAtOrBeforeTheClock() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      List<Versioned> stored = siblings(random);
      VectorClock clock = VectorClockTest.random(random, 3);
      List<Versioned> expected = new ArrayList<>(stored);
      expected.removeIf(
          v ->
              oracle(v.clock(), clock) == Relation.BEFORE
                  || oracle(v.clock(), clock) == Relation.EQUAL);
      assertThat(Siblings.delete(stored, clock))
          .as("seed %d", seed)
          .containsExactlyElementsOf(expected);
    }
  }

  @Test
  void mergeKeepsTheMaximalVersionsAndEqualSetsGiveEqualBytes() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      List<Versioned> a = versions(random);
      List<Versioned> b = versions(random);
      List<Versioned> all = new ArrayList<>(a);
      all.addAll(b);

      List<Versioned> merged = Siblings.merge(a, b);

      for (Versioned version : all) {
        boolean superseded =
            all.stream().anyMatch(o -> oracle(version.clock(), o.clock()) == Relation.BEFORE);
        long kept = merged.stream().filter(m -> m.clock().equals(version.clock())).count();
        assertThat(kept).as("seed %d %s", seed, version).isEqualTo(superseded ? 0 : 1);
      }
      assertThat(all).as("seed %d", seed).containsAll(merged);
      Collections.shuffle(all, random);
      int cut = random.nextInt(all.size() + 1);
      byte[] other =
          Siblings.encode(Siblings.merge(all.subList(cut, all.size()), all.subList(0, cut)));
      assertThat(other).as("seed %d", seed).isEqualTo(Siblings.encode(merged));
      assertThat(Siblings.encode(Siblings.merge(merged, all)))
          .as("seed %d: merging again changes nothing", seed)
          .isEqualTo(other);
    }
  }

  @Test
  void resolveIsTheFirstOfTheMergedWhateverTheOrder() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      List<Versioned> versions = versions(random);
      List<Versioned> merged = Siblings.merge(versions, List.of());
      Collections.shuffle(versions, random);
      Versioned resolved = Siblings.resolve(versions);
      assertThat(resolved).as("seed %d", seed).isEqualTo(merged.isEmpty() ? null : merged.get(0));
    }
  }

  @Test
  void resolvePrefersClockThenTimestampThenBytes() {
    Versioned older = version("z", Map.of(0, 1L), 99);
    Versioned newer = version("a", Map.of(0, 2L), 5);
    Versioned concurrent = version("b", Map.of(1, 1L), 5);
    Versioned concurrentAndLater = version("A", Map.of(2, 1L), 6);
    Versioned highByte = version("é", Map.of(3, 1L), 5);
    assertThat(Siblings.resolve(List.of(older, newer))).isEqualTo(newer);
    assertThat(Siblings.resolve(List.of(older, newer, concurrent))).isEqualTo(concurrent);
    assertThat(Siblings.resolve(List.of(newer, concurrentAndLater, concurrent)))
        .isEqualTo(concurrentAndLater);
    assertThat(Siblings.resolve(List.of(concurrent, highByte, newer))).isEqualTo(highByte);
    assertThat(Siblings.resolve(List.of())).isNull();
  }

  @Test
  void recordsGoThereAndBack() {
    for (long seed = 0; seed < SEEDS; seed++) {
      List<Versioned> stored = siblings(new Random(seed));
      byte[] record = Siblings.encode(stored);
      assertThat(Siblings.decode(record)).as("seed %d", seed).isEqualTo(stored);
      assertThat(Siblings.encode(Siblings.decode(record))).as("seed %d", seed).isEqualTo(record);
    }
  }

  @Test
  void placesAreThoseOfTheVersionsThatAreDecoded() {
    for (long seed = 0; seed < SEEDS; seed++) {
      byte[] record = Siblings.encode(siblings(new Random(seed)));
      List<Versioned> found = new ArrayList<>();
      Siblings.forEachPlace(
          record,
          (clockAt, clockEnd, valueAt, valueEnd) ->
              found.add(
                  new Versioned(
                      Arrays.copyOfRange(record, valueAt, valueEnd),
                      VectorClock.decode(Arrays.copyOfRange(record, clockAt, clockEnd)))));
      assertThat(found).as("seed %d", seed).isEqualTo(Siblings.decode(record));
    }
    byte[] cutOff = Arrays.copyOf(Siblings.encode(List.of(version(new Random(1)))), 6);
    assertThatThrownBy(() -> Siblings.forEachPlace(cutOff, (a, b, c, d) -> {}))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  private static Relation oracle(VectorClock a, VectorClock b) {
    boolean atMost = true;
    boolean atLeast = true;
    for (int node = 0; node < 10; node++) {
      atMost &= a.counter(node) <= b.counter(node);
      atLeast &= a.counter(node) >= b.counter(node);
    }
    if (atMost) {
      return atLeast ? Relation.EQUAL : Relation.BEFORE;
    }
    return atLeast ? Relation.AFTER : Relation.CONCURRENT;
  }

  private static Versioned version(Random random) {
    byte[] value = new byte[random.nextInt(3)];
    random.nextBytes(value);
    VectorClock clock = VectorClockTest.random(random, 3).withTimestamp(random.nextInt(3));
    return new Versioned(value, clock);
  }

  /** Any versions, also such that supersede each other. */
  private static List<Versioned> versions(Random random) {
    List<Versioned> versions = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      versions.add(version(random));
    }
    return versions;
  }

  /** Versions as a node stores them: pairwise concurrent. */
  private static List<Versioned> siblings(Random random) {
    List<Versioned> siblings = new ArrayList<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      Versioned version = version(random);
      if (siblings.stream()
          .allMatch(s -> oracle(s.clock(), version.clock()) == Relation.CONCURRENT)) {
        siblings.add(version);
      }
    }
    return siblings;
  }
}
