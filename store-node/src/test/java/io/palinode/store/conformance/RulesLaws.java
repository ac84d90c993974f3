package io.palinode.store.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.store.past.RecordRules;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;

/** What {@link RecordRules} must keep: a merge without order, and bytes that say all. */
final class RulesLaws {
  private final KitStore store;
  private final RecordRules rules;
  private final Random random;

  RulesLaws(KitStore store, Random random) {
    this.store = store;
    this.rules = store.rules();
    this.random = random;
  }

  void check() {
    List<Version> versions = versions();
    for (Version version : versions) {
      checkBytes(List.of(version));
      assertThat(merged(List.of(version, version))).containsExactly(version);
    }
    checkNoTwoAlike(versions);
    List<Version> merged = merged(versions);
    checkBytes(merged);
    byte[] record = rules.record(merged);
    for (int i = 0; i < 3; i++) {
      Collections.shuffle(versions, random);
      assertThat(rules.record(merged(versions))).as("bytes in any order").isEqualTo(record);
      int cut = random.nextInt(versions.size() + 1);
      List<Version> joined =
          rules.merge(
              merged(versions.subList(0, cut)), merged(versions.subList(cut, versions.size())));
      assertThat(rules.record(joined)).as("bytes of a merge of merges").isEqualTo(record);
    }
    assertThat(rules.versions(new byte[0])).isEmpty();
    assertThat(rules.record(List.of())).isEmpty();
  }

  /** Versions of one key that clients could write, some after others. */
  private List<Version> versions() {
    StoreKey key = store.key(0);
    List<Version> versions = new ArrayList<>();
    for (int i = 2 + random.nextInt(5); i > 0; i--) {
      List<Version> found =
          versions.isEmpty() ? List.of() : List.of(versions.get(random.nextInt(versions.size())));
      Version added = store.write(key, found, random.nextInt(2), random).added();
      if (added != null) {
        versions.add(added);
      }
    }
    return versions;
  }

  private List<Version> merged(List<Version> versions) {
    List<Version> merged = List.of();
    for (Version version : versions) {
      merged = rules.merge(merged, List.of(version));
    }
    return merged;
  }

  private void checkBytes(List<Version> versions) {
    byte[] record = rules.record(versions);
    assertThat(rules.versions(record)).as("read as it was written").isEqualTo(versions);
    assertThat(rules.record(rules.versions(record))).isEqualTo(record);
    List<String> places = new ArrayList<>();
    rules.forEachPlace(
        record,
        (nameAt, nameEnd, valueAt, valueEnd) -> {
          assertThat(rules.length(ByteBuffer.wrap(record), nameAt)).isEqualTo(nameEnd - nameAt);
          places.add(
              place(
                  Arrays.copyOfRange(record, nameAt, nameEnd),
                  Arrays.copyOfRange(record, valueAt, valueEnd)));
        });
    assertThat(places)
        .as("places of names and values")
        .isEqualTo(versions.stream().map(each -> place(rules.name(each), each.value())).toList());
  }

  private static String place(byte[] name, byte[] value) {
    return Arrays.toString(name) + Arrays.toString(value);
  }

  /** Else replicas would compare as equal that are not. */
  private void checkNoTwoAlike(List<Version> versions) {
    HashSet<String> records = new HashSet<>();
    versions.forEach(each -> records.add(Arrays.toString(rules.record(List.of(each)))));
    assertThat(records).as("records of different versions").hasSameSizeAs(new HashSet<>(versions));
  }
}
