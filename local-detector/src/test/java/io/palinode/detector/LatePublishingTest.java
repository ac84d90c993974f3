package io.palinode.detector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.Gap;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.detector.ring.Emission.Progress;
import io.palinode.detector.terms.OpenInterval;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Events that the ring or Kafka refused, and intervals without room. */
class LatePublishingTest extends DetectorFixture {
  @Test
  void allEndsThatKafkaRefusedArePublishedEvenIfFewIntervalsAreKept() {
    LocalDetector small = detector(2);
    store.listen(small);
    small.setPredicates(List.of(Watched.exact(1)));
    small.reset(1);
    for (int i = 0; i < 5; i++) {
      store.put("x", "1");
      store.put("x", "0");
    }
    for (Emission sent : drain()) {
      if (sent instanceof Closed end) {
        small.lost(end);
      }
    }
    store.put("x", "1");
    assertThat(small.reportProgress()).isTrue();
    assertThat(drain()).filteredOn(e -> e instanceof Closed).hasSize(5);
  }

  /** The first end publishes late openings; an interval that ends with it is not open. */
  @Test
  void aWriteThatEndsTwoEndsTheOneThatKafkaRefusedToo() {
    detector.setPredicates(
        List.of(
            Watched.predicate("one", 1, "violation: [{all: [{var: x, equals: \"1\"}]}]"),
            Watched.predicate("other", 1, "violation: [{all: [{var: x, equals: \"1\"}]}]")));
    drain();
    store.put("x", "1");
    List<Opened> opened =
        drain().stream().filter(Opened.class::isInstance).map(Opened.class::cast).toList();
    assertThat(opened).hasSize(2);
    detector.lost(opened.get(1));
    store.put("x", "0");
    assertThat(detector.openIntervals()).isZero();
    assertThat(drain())
        .filteredOn(Closed.class::isInstance)
        .extracting(end -> ((Closed) end).interval())
        .containsExactlyInAnyOrder(opened.get(0).interval(), opened.get(1).interval());
  }

  private LocalDetector mutexDetector(CandidateRing small) {
    LocalDetector narrow = new LocalDetector(store, small, instance -> 1, 1_000);
    narrow.setPredicates(List.of(Watched.edgeMutex(1)));
    narrow.reset(7);
    store.listen(narrow);
    return narrow;
  }

  @Test
  void anOpeningThatTheRingDroppedIsPublishedLateWithItsOwnTime() {
    CandidateRing small = new CandidateRing(70, 2);
    LocalDetector narrow = mutexDetector(small);
    for (int i = 0; i < 100; i++) {
      store.put("cs_%d_1000_%d".formatted(i, i), "1");
    }
    store.put("cs_99_1000_99", "0");
    long before = store.clock().last().own();
    assertThat(drain(small).get(70)).isInstanceOf(Gap.class);
    List<Emission> late = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      assertThat(narrow.reportProgress()).isTrue();
      late.addAll(drain(small));
    }
    assertThat(late)
        .filteredOn(e -> e instanceof Opened)
        .as("of 30 dropped, one had ended")
        .hasSize(29)
        .allMatch(e -> ((Opened) e).interval().start().own() < before);
    assertThat(late.get(late.size() - 1)).isInstanceOf(Progress.class);
    assertThat(narrow.openIntervals()).isEqualTo(99);
  }

  /** Another node may end that version; the monitor would forget the end without the opening. */
  @Test
  void noProgressExceedsAnUnpublishedOpening() {
    CandidateRing small = new CandidateRing(4, 2);
    LocalDetector narrow = mutexDetector(small);
    for (int i = 0; i < 5; i++) {
      store.put("cs_%d_1000_%d".formatted(i, i), "1");
    }
    small.drain(new ArrayList<>(), 2);
    assertThat(narrow.reportProgress()).as("room enough for progress alone").isFalse();
    store.put("cs_5_1000_5", "1");
    assertThat(drain(small)).as("nor does a later event").hasSize(3).last().isInstanceOf(Gap.class);
    assertThat(narrow.stop()).isNull();
  }

  @Test
  void aStopReturnsNoLastProgressWhileAnEndIsUnpublished() {
    CandidateRing small = new CandidateRing(2, 2);
    LocalDetector narrow = mutexDetector(small);
    store.put("cs_1_1000_1", "1");
    store.put("cs_2_1000_2", "1");
    store.put("cs_1_1000_1", "0");
    assertThat(narrow.stop()).isNull();
  }

  @Test
  void anEndThatTheRingDroppedIsPublishedLateWithItsOwnTime() {
    CandidateRing small = new CandidateRing(4, 2);
    LocalDetector narrow = mutexDetector(small);
    for (int i = 0; i < 4; i++) {
      store.put("cs_%d_1000_%d".formatted(i, i), "1");
    }
    store.put("cs_0_1000_0", "0");
    long ended = store.clock().last().own();
    store.put("cs_5_1000_5", "1");
    store.put("cs_5_1000_5", "0");
    assertThat(narrow.reportProgress()).isFalse();
    assertThat(drain(small)).hasSize(5).last().isInstanceOf(Gap.class);
    assertThat(narrow.reportProgress()).isTrue();
    List<Emission> late = drain(small);
    assertThat(late).hasSize(3);
    Closed end = (Closed) late.get(0);
    assertThat(end.interval().key()).isEqualTo(MemoryNode.key("cs_0_1000_0"));
    assertThat(end.hlc()).as("right before its write").isLessThan(ended);
    assertThat(((Closed) late.get(1)).interval().key())
        .as("may end another replica's interval, although its opening was not published")
        .isEqualTo(MemoryNode.key("cs_5_1000_5"));
    assertThat(late.get(2)).isInstanceOf(Progress.class);
  }

  @Test
  void aLateOpeningKeepsItsOriginAndReadsNoStore() {
    CandidateRing small = new CandidateRing(70, 2);
    LocalDetector narrow = mutexDetector(small);
    for (int i = 0; i < 69; i++) {
      store.put("cs_%d_1000_%d".formatted(i, i), "1");
    }
    StoreKey key = MemoryNode.key("cs_1_2_1");
    store.put("cs_1_2_2", "1");
    store.put(key, "1".getBytes(UTF_8), VectorClock.zero(9).increment(1), "copier", 5);
    store.putConcurrently("cs_1_2_1", "1", 2);
    drain(small);
    store.failReads(true);
    assertThat(narrow.reportProgress()).isTrue();
    store.failReads(false);
    List<Emission> late = drain(small);
    assertThat(late).hasSize(3);
    Opened copy = (Opened) late.get(0);
    assertThat(copy.interval().source()).isEqualTo(new OpenInterval.Source("copier", 5));
    assertThat(copy.values()).hasSize(2);
    assertThat(copy.values().get(0)).isEqualTo(copy.interval().holding().version());
    assertThat(((Opened) late.get(1)).interval().source().origin()).isZero();
    assertThat(narrow.openIntervals()).isEqualTo(72);
  }

  @Test
  void lateEventsOfARemovedPredicateAreDropped() {
    CandidateRing small = new CandidateRing(4, 2);
    LocalDetector narrow = mutexDetector(small);
    for (int i = 0; i < 6; i++) {
      store.put("cs_%d_1000_%d".formatted(i, i), "1");
    }
    narrow.setPredicates(List.of());
    drain(small);
    assertThat(narrow.reportProgress()).isTrue();
    assertThat(drain(small)).allMatch(e -> e instanceof Progress);
    assertThat(narrow.failures()).isZero();
  }

  @Test
  void anIntervalWithoutRoomIsAGap() {
    LocalDetector small = detector(1);
    store.listen(small);
    small.setPredicates(List.of(Watched.exact(1)));
    small.reset(1);
    store.put("x", "1");
    store.put("y", "1");
    long lostAt = store.clock().last().own();
    store.put("x", "0");
    assertThat(drain().stream().filter(e -> e instanceof Gap))
        .containsExactly(new Gap(1, 0, 2, 2, lostAt, lostAt));
    store.put("y", "1");
    assertThat(small.openIntervals()).isEqualTo(1);
    // Only a scan finds what holds.
    int scans = store.scans();
    assertThat(small.holding()).hasSize(1);
    assertThat(store.scans()).isGreaterThan(scans);
  }

  @Test
  void aRefusedIntervalIsAGapAgainUntilItIsOpened() {
    LocalDetector small = detector(1);
    store.listen(small);
    small.setPredicates(List.of(Watched.exact(1)));
    small.reset(1);
    store.put("x", "1");
    store.put("y", "1");
    drain();
    small.openRefused();
    assertThat(small.reportProgress()).isTrue();
    assertThat(drain()).filteredOn(e -> e instanceof Gap).as("x still takes the room").hasSize(2);
    store.put("x", "0");
    small.openRefused();
    assertThat(drain())
        .filteredOn(e -> e instanceof Opened)
        .singleElement()
        .extracting(e -> ((Opened) e).interval().key())
        .isEqualTo(MemoryNode.key("y"));
    small.reportProgress();
    assertThat(drain()).noneMatch(e -> e instanceof Gap);
  }

  @Test
  void aScanThatFindsTooManyIntervalsIsAGapInEveryPartition() {
    store.put("x", "1");
    store.put("y", "1");
    drain();
    LocalDetector small = detector(1);
    small.setPredicates(List.of(Watched.exact(1)));
    small.reset(1);
    assertThat(drain().stream().filter(e -> e instanceof Gap)).hasSize(2);
  }
}
