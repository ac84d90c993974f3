package io.palinode.store.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.store.binding.UndoLog.Replica;
import io.palinode.wire.v1.KeyGroups;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Two levels of digests find the keys that single digests find. */
class KeyGroupTest {
  private static final int KEYS = 20_000;
  private static final List<Integer> NODES = List.of(1, 0);

  private final Random random = new Random(3);

  @Test
  void groupsThatDifferHoldTheKeysThatDo() {
    Map<StoreKey, Replica> one = keys(KEYS);
    Map<StoreKey, Replica> other = new LinkedHashMap<>(one);
    Set<StoreKey> changed = new HashSet<>();
    for (int i = 0; i < 30; i++) {
      StoreKey key = key(random.nextInt(KEYS));
      changed.add(key);
      other.put(key, new Replica(random.nextLong() | 1, NODES));
    }
    StoreKey missing = key(7);
    changed.add(missing);
    other.remove(missing);
    Set<KeyGroup> expected = new HashSet<>();
    changed.forEach(key -> expected.add(KeyGroup.of(key, new Replica(1, NODES))));

    assertThat(differing(one, other)).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(differing(one, one)).isEmpty();
  }

  @Test
  void theSizeOfTheDigestsDoesNotGrowWithTheKeys() {
    int bytes = bytes(KEYS);
    assertThat(bytes).isLessThan(KeyGroup.GROUPS * 12);
    assertThat(bytes(4 * KEYS)).isLessThan(bytes * 11 / 10);
  }

  @Test
  void keysOfOtherNodesAreOtherGroups() {
    Map<StoreKey, Replica> keys = new LinkedHashMap<>();
    keys.put(key(1), new Replica(5, List.of(0, 1)));
    keys.put(key(2), new Replica(5, List.of(1, 2)));
    assertThat(KeyGroup.digests(keys))
        .extracting(KeyGroups::getNodesList)
        .containsExactlyInAnyOrder(List.of(0, 1), List.of(1, 2));
  }

  private int bytes(int count) {
    return KeyGroup.digests(keys(count)).stream().mapToInt(KeyGroups::getSerializedSize).sum();
  }

  private static List<KeyGroup> differing(
      Map<StoreKey, Replica> one, Map<StoreKey, Replica> other) {
    Agreement<KeyGroup> agreement = new Agreement<>();
    KeyGroup.digests(one).forEach(group -> KeyGroup.addTo(agreement, 0, group));
    KeyGroup.digests(other).forEach(group -> KeyGroup.addTo(agreement, 1, group));
    return agreement.unsettled();
  }

  private Map<StoreKey, Replica> keys(int count) {
    Map<StoreKey, Replica> keys = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      keys.put(key(i), new Replica(random.nextLong() | 1, NODES));
    }
    return keys;
  }

  private static StoreKey key(int i) {
    return new StoreKey("s", ("key-" + i).getBytes(UTF_8));
  }
}
