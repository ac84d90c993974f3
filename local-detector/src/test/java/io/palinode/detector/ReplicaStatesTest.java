package io.palinode.detector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Gap;
import io.palinode.detector.ring.Emission.KeyState;
import io.palinode.detector.ring.Emission.Progress;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.detector.terms.StateDigest;
import io.palinode.hvc.Hvc;
import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The digests that a node publishes of keys whose replicas are compared. */
class ReplicaStatesTest {
  private static final ActivePredicate CARTS =
      Watched.predicate(
          "carts",
          1,
          """
          forEach: {cart: "{u}"}
          violation: [{replicasDiverged: {var: "cart_{u}", longerThan: 5s}}]
          """);

  private final MemoryNode store = MemoryNode.alone(new Ticking());
  private final CandidateRing ring = new CandidateRing(100, 2);
  private final LocalDetector detector = new LocalDetector(store, ring, instance -> 1, 100);

  @BeforeEach
  void watchAndServe() {
    store.listen(detector);
    detector.setPredicates(List.of(CARTS));
    detector.reset(7);
    store.resume(7, 0, 0);
  }

  @Test
  void eachWriteAndDeletePublishesTheStateOfItsKey() {
    store.put("cart_1", "pear");
    store.putConcurrently("cart_1", "plum", 1);
    store.delete("cart_1");
    List<KeyState> states = states(drain());
    assertThat(states).extracting(KeyState::instance).containsOnly("carts|u=1");
    assertThat(states).extracting(KeyState::sequence).containsExactly(1L, 2L, 3L);
    assertThat(states).extracting(each -> each.siblings().size()).containsExactly(1, 2, 0);
    assertThat(states.get(2).digest()).isZero();
    assertThat(states).extracting(KeyState::digest).doesNotHaveDuplicates();
    assertThat(states.get(0).replicas()).containsExactly(0);
    assertThat(states.get(0).source().writer()).isEqualTo("client");
    assertThat(detector.openIntervals()).isZero();
  }

  /** It would find as many, again and again. */
  @Test
  void moreKeysThanCanBeKeptAreNotSearchedForAgain() {
    for (int key = 0; key < 6; key++) {
      store.put("cart_" + key, "pear");
    }
    LocalDetector small = new LocalDetector(store, ring, instance -> 0, 5);
    store.listen(small);
    small.setPredicates(List.of(CARTS));
    small.reset(8);
    drain();
    int scans = store.scans();
    small.openRefused();
    assertThat(store.scans()).isEqualTo(scans);
    assertThat(small.reportProgress()).isTrue();
    assertThat(drain())
        .filteredOn(emission -> emission instanceof Progress)
        .singleElement()
        .satisfies(progress -> assertThat(((Progress) progress).searched()).isEmpty());
  }

  @Test
  void otherKeysArePublishedNowhere() {
    store.put("basket_1", "pear");
    assertThat(drain()).isEmpty();
  }

  @Test
  void theDigestIsOfVersionsAndValuesInAnyOrder() {
    Version pear = version("pear", 1);
    Version plum = version("plum", 2);
    assertThat(StateDigest.of(List.of(pear, plum)))
        .isEqualTo(StateDigest.of(List.of(plum, pear)))
        .isNotEqualTo(StateDigest.of(List.of(pear)));
    assertThat(StateDigest.of(List.of(pear)))
        .isNotEqualTo(StateDigest.of(List.of(version("pear", 2))))
        .isNotEqualTo(StateDigest.of(List.of(version("fig", 1))));
    assertThat(StateDigest.of(List.of(new Version(pear.value(), pear.clock(), 7, 1))))
        .as("times are no part of it: nodes of two releases would seem to have diverged")
        .isEqualTo(StateDigest.of(List.of(pear)));
    assertThat(StateDigest.of(List.of())).isZero();
    assertThat(StateDigest.of(List.of(pear)))
        .as("it is the same in all releases")
        .isEqualTo(5_327_940_730_519_146_187L);
  }

  @Test
  void aNewPredicatePublishesAllStatesAndThenTheEndOfTheSearch() {
    detector.setPredicates(List.of());
    store.put("cart_1", "pear");
    store.put("cart_2", "plum");
    assertThat(drain()).isEmpty();
    assertThat(progress().searched()).isEmpty();
    detector.setPredicates(List.of(CARTS));
    assertThat(states(drain()))
        .extracting(KeyState::instance)
        .containsExactlyInAnyOrder("carts|u=1", "carts|u=2");
    assertThat(progress().searched()).containsExactly(CARTS);
    detector.setPredicates(List.of());
    assertThat(progress().searched()).isEmpty();
  }

  @Test
  void anEpochBeginsWithAllStates() {
    store.put("cart_1", "pear");
    store.put("cart_2", "plum");
    store.delete("cart_2");
    drain();
    store.pause(8);
    detector.endEpoch();
    detector.reset(8);
    KeyState states = states(drain()).get(0);
    assertThat(states.instance()).isEqualTo("carts|u=1");
    assertThat(states.epoch()).isEqualTo(8);
    assertThat(progress().searched()).containsExactly(CARTS);
  }

  @Test
  void aFailedSearchIsNotPublishedAsComplete() {
    detector.setPredicates(List.of());
    store.put("cart_1", "pear");
    store.failReads(true);
    assertThatIllegalStateException().isThrownBy(() -> detector.setPredicates(List.of(CARTS)));
    assertThat(progress().searched()).isEmpty();
    store.failReads(false);
    detector.setPredicates(List.of(CARTS));
    assertThat(states(drain())).hasSize(1);
    assertThat(progress().searched()).containsExactly(CARTS);
  }

  @Test
  void aStateWithoutRoomIsPublishedLateWithItsTimeAndBeforeAnyProgress() {
    for (int i = 0; i < 150; i++) {
      store.put("cart_" + i, "pear");
    }
    assertThat(detector.reportProgress()).isFalse();
    List<Emission> first = drain();
    assertThat(first).anyMatch(emission -> emission instanceof Gap);
    assertThat(detector.reportProgress()).isTrue();
    List<KeyState> states = new ArrayList<>(states(first));
    states.addAll(states(drain()));
    assertThat(states).extracting(KeyState::instance).doesNotHaveDuplicates().hasSize(150);
    assertThat(states).extracting(KeyState::sequence).isSorted();
    assertThat(states).extracting(KeyState::hlc).isSorted();
  }

  @Test
  void aRefusedStateIsPublishedAgain() {
    store.put("cart_1", "pear");
    KeyState refused = states(drain()).get(0);
    detector.lost(refused);
    assertThat(detector.reportProgress()).isTrue();
    KeyState again = states(drain()).get(0);
    assertThat(again).isEqualTo(refused.withSequence(2));
  }

  /** Else the state before it would seem to last until the next published state. */
  @Test
  void aRefusedStateIsPublishedUnchangedThoughTheKeyHasChanged() {
    store.put("cart_1", "pear");
    KeyState refused = states(drain()).get(0);
    store.delete("cart_1");
    KeyState since = states(drain()).get(0);
    detector.lost(refused);
    assertThat(states(drain())).as("in its turn").isEmpty();
    assertThat(detector.reportProgress()).isTrue();
    List<Emission> late = drain();
    assertThat(states(late)).containsExactly(refused.withSequence(3));
    assertThat(since.digest()).isZero();
    assertThat(late.get(late.size() - 1)).as("progress is behind it").isInstanceOf(Progress.class);
  }

  @Test
  void aRefusedStateIsPublishedAgainEvenIfTheStoreCannotBeRead() {
    store.put("cart_1", "pear");
    KeyState refused = states(drain()).get(0);
    store.failReads(true);
    detector.lost(refused);
    store.failReads(false);
    assertThat(detector.reportProgress()).isTrue();
    assertThat(states(drain())).containsExactly(refused.withSequence(2));
  }

  /** Includes deletes, which no scan finds. */
  @Test
  void statesWithoutRoomInTheQueueArePublishedAsOfLater() {
    LocalDetector small = new LocalDetector(store, ring, instance -> 0, 20);
    store.listen(small);
    small.setPredicates(List.of(CARTS));
    small.reset(8);
    for (int i = 0; i < 130; i++) {
      store.put("cart_1" + i, "pear");
    }
    for (int i = 0; i < 11; i++) {
      store.delete("cart_1" + (110 + i));
    }
    List<KeyState> states = new ArrayList<>();
    states.addAll(states(drain()));
    assertThat(small.reportProgress()).isTrue();
    states.addAll(states(drain()));
    assertThat(states)
        .extracting(KeyState::instance)
        .as("20 of the 41 that came late")
        .hasSize(120);
    small.openRefused();
    states.addAll(states(drain()));
    Map<String, Integer> last = new HashMap<>();
    states.forEach(each -> last.put(each.instance(), each.siblings().size()));
    assertThat(last).hasSize(130);
    assertThat(last.values()).filteredOn(siblings -> siblings == 0).hasSize(11);
    assertThat(states).extracting(KeyState::hlc).isSorted();
  }

  @Test
  void statesOfWritesThatWereMissedAreLookedFor() {
    store.put("cart_1", "pear");
    drain();
    detector.missed();
    detector.openRefused();
    assertThat(states(drain())).extracting(KeyState::instance).containsExactly("carts|u=1");
    detector.openRefused();
    assertThat(drain()).as("once").isEmpty();
  }

  @Test
  void statesAreLookedForThoughThereIsNoRoomForIntervals() {
    ActivePredicate flags =
        Watched.predicate(
            "flags", 1, "violation: [{all: [{var: x, equals: 1}, {var: y, equals: 1}]}]");
    LocalDetector full = new LocalDetector(store, ring, instance -> 0, 2);
    store.listen(full);
    full.setPredicates(List.of(CARTS, flags));
    full.reset(8);
    store.put("x", "1");
    store.put("y", "1");
    store.put("cart_1", "pear");
    drain();
    full.missed();
    full.openRefused();
    assertThat(states(drain())).extracting(KeyState::instance).containsExactly("carts|u=1");
  }

  @Test
  void theStateOfAWriteThatMetABugIsPublished() {
    store.put("cart_1", "pear");
    drain();
    List<Version> broken =
        new AbstractList<>() {
          @Override
          public Version get(int index) {
            throw new IllegalStateException("a bug");
          }

          @Override
          public int size() {
            return 1;
          }
        };
    Hvc before = store.clock().tick();
    Hvc after = store.clock().tick();
    StoreKey key = MemoryNode.key("cart_1");
    detector.written(new WriteEvent(key, broken, version("plum", 1), before, after, "client", 0));
    assertThat(detector.failures()).isEqualTo(1);
    detector.openRefused();
    assertThat(states(drain())).extracting(KeyState::instance).containsExactly("carts|u=1");
  }

  @Test
  void aStateIsNothingThatHolds() {
    store.put("cart_1", "pear");
    assertThat(detector.holding()).isEmpty();
  }

  private Progress progress() {
    assertThat(detector.reportProgress()).isTrue();
    return (Progress) drain().get(0);
  }

  private static Version version(String value, int writer) {
    return new Version(value.getBytes(StandardCharsets.UTF_8), new byte[] {0, 1, (byte) writer, 1});
  }

  private static List<KeyState> states(List<Emission> emissions) {
    return emissions.stream()
        .filter(emission -> emission instanceof KeyState)
        .map(emission -> (KeyState) emission)
        .toList();
  }

  private List<Emission> drain() {
    List<Emission> out = new ArrayList<>();
    int unused = ring.drain(out, 1_000);
    return out;
  }
}
