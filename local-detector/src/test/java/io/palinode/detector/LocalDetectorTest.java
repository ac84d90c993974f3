package io.palinode.detector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.Emission.Closed;
import io.palinode.detector.Emission.Gap;
import io.palinode.detector.Emission.Opened;
import io.palinode.detector.Emission.Progress;
import io.palinode.hvc.Hvc;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.VariableVersion;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LocalDetectorTest {
  private final MemoryNode store = MemoryNode.alone(new Ticking());
  private final CandidateRing ring = new CandidateRing(1_000, 2);
  private final LocalDetector detector = detector(100);

  private LocalDetector detector(int openIntervalsMax) {
    return new LocalDetector(
        store, ring, instance -> instance.startsWith("exact") ? 0 : 1, openIntervalsMax);
  }

  @BeforeEach
  void watchAndServe() {
    store.listen(detector);
    detector.setPredicates(List.of(Watched.exact(1)));
    detector.reset(7);
    store.resume(7, 0, 0);
  }

  @Test
  void aTermThatTurnsTrueOpensAtOnceAndAfterTheWrite() {
    long before = store.clock().last().own();
    store.put("x", "1");
    Opened opened = (Opened) only(drain());
    assertThat(opened.instance()).isEqualTo("exact|");
    assertThat(opened.epoch()).isEqualTo(7);
    assertThat(opened.sequence()).isEqualTo(1);
    assertThat(opened.interval().start().own()).isGreaterThan(before);
    assertThat(opened.values()).containsExactly(store.siblings(MemoryNode.key("x")).get(0));
    assertThat(opened.interval().source().writer()).isEqualTo("client");
    assertThat(opened.interval().source().origin()).isZero();
    assertThat(detector.openIntervals()).isEqualTo(1);
  }

  @Test
  void aTermThatTurnsFalseClosesRightBeforeTheWrite() {
    store.put("x", "1");
    Opened opened = (Opened) only(drain());
    store.put("x", "0");
    Closed closed = (Closed) only(drain());
    assertThat(closed.interval()).isEqualTo(opened.interval());
    assertThat(closed.sequence()).isEqualTo(2);
    assertThat(closed.end().own())
        .isGreaterThan(opened.interval().start().own())
        .isLessThan(store.clock().last().own());
    assertThat(closed.endedBy()).isEqualTo(store.siblings(MemoryNode.key("x")).get(0));
    assertThat(detector.openIntervals()).isZero();
  }

  @Test
  void aDeleteClosesWithoutAVersion() {
    store.put("x", "1");
    store.delete("x");
    Closed closed = (Closed) drain().get(1);
    assertThat(closed.endedBy()).isNull();
  }

  @Test
  void aSupersedingVersionThatAlsoHoldsClosesAndOpensAnew() {
    store.put("x", "1");
    store.put("x", "1");
    List<Emission> out = drain();
    Closed closed = (Closed) out.get(1);
    Opened anew = (Opened) out.get(2);
    assertThat(closed.end().own()).isLessThan(anew.interval().start().own());
    assertThat(anew.values()).containsExactly(closed.endedBy());
    assertThat(out).hasSize(3);
  }

  @Test
  void eachSiblingThatHoldsHasItsInterval() {
    store.put("x", "1");
    store.putConcurrently("x", "1", 1);
    store.putConcurrently("x", "0", 2);
    List<Emission> out = drain();
    assertThat(out).hasSize(2);
    Opened second = (Opened) out.get(1);
    assertThat(second.values()).hasSize(2);
    assertThat(second.values().get(0)).isEqualTo(second.interval().holding().version());
    store.put("x", "0");
    assertThat(drain()).hasSize(2).allMatch(e -> e instanceof Closed);
  }

  @Test
  void capturesInValuesBindOneInstanceASibling() {
    detector.setPredicates(List.of(Watched.properColouring(1)));
    store.put("cs_1_2_1", "c3");
    store.putConcurrently("cs_1_2_1", "c4", 1);
    assertThat(drain())
        .extracting(e -> ((Opened) e).instance())
        .containsExactly("proper-colouring|a=1,b=2,k=3", "proper-colouring|a=1,b=2,k=4");
  }

  @Test
  void aValueThatIsNoTextIsCountedAndHoldsNothing() {
    detector.setPredicates(List.of(Watched.properColouring(1)));
    store.put(
        MemoryNode.key("cs_1_2_1"),
        new byte[] {'c', (byte) 0xFF},
        VectorClock.zero(9).increment(0),
        "",
        null);
    assertThat(drain()).isEmpty();
    assertThat(detector.valuesRefused()).isEqualTo(1);
  }

  @Test
  void everyVersionHasItsIntervalThoughTheTermHoldsThroughout() {
    watch("violation: [{all: [{var: load, above: 80}]}]");
    store.put("load", "81");
    store.put("load", "95.5");
    store.put("load", "80");
    List<Emission> out = drain();
    assertThat(out).hasSize(4);
    Opened first = (Opened) out.get(0);
    Closed superseded = (Closed) out.get(1);
    Opened second = (Opened) out.get(2);
    assertThat(superseded.interval()).isEqualTo(first.interval());
    assertThat(superseded.endedBy()).isEqualTo(second.interval().holding().version());
    assertThat(superseded.end().own()).isLessThan(second.interval().start().own());
    assertThat(((Closed) out.get(3)).interval()).isEqualTo(second.interval());
  }

  @Test
  void aKeyWithoutAValueSatisfiesNothingAndAnySiblingIsEnough() {
    watch("violation: [{all: [{var: leader, notEquals: n1}]}]");
    assertThat(detector.holding()).isEmpty();
    store.put("leader", "n1");
    assertThat(drain()).isEmpty();
    store.putConcurrently("leader", "n2", 1);
    assertThat(((Opened) only(drain())).values()).hasSize(1);
    store.delete("leader");
    assertThat(only(drain())).isInstanceOf(Closed.class);
  }

  @Test
  void aValueThatIsNoDecimalIsCountedOnceAWriteAndHoldsNothing() {
    watch("violation: [{any: [{var: x, below: 1}, {var: x, atLeast: 1}, {var: x, equals: y}]}]");
    store.put("x", "one");
    store.put("x", "1e999999999");
    assertThat(drain()).isEmpty();
    assertThat(detector.valuesRefused()).isEqualTo(2);
    store.put("x", "y");
    assertThat(drain()).hasSize(1);
    assertThat(detector.failures()).isZero();
  }

  @Test
  void aValueThatIsNoTextSatisfiesNotEvenNotEquals() {
    watch("violation: [{all: [{var: x, notEquals: 1}]}]");
    VectorClock clock = VectorClock.zero(9).increment(0);
    store.put(MemoryNode.key("x"), new byte[] {(byte) 0xFF}, clock, "", null);
    assertThat(drain()).isEmpty();
    assertThat(detector.valuesRefused()).isEqualTo(1);
  }

  @Test
  void aBindingThatBreaksAConditionOpensNothing() {
    watch(
        """
        forEach: {edge: "{a}_{b}"}
        where: ["{a} < {b}"]
        violation:
          - all: [{var: "cs_{a}_{b}", equals: "1"}, {var: "ct_{a}", equals: "{b}"}]
        """);
    store.put("cs_2_1", "1");
    store.put("ct_2", "1");
    assertThat(drain()).isEmpty();
    assertThat(detector.valuesRefused()).isZero();
    store.put("cs_2_10", "1");
    store.put("ct_2", "10");
    assertThat(drain())
        .extracting(e -> ((Opened) e).instance())
        .containsOnly("watched|a=2,b=10")
        .hasSize(2);
    store.put("cs_2_x", "1");
    assertThat(drain()).isEmpty();
    assertThat(detector.valuesRefused()).isEqualTo(1);
  }

  @Test
  void aValueTooLongToMatchIsGivenUpAndCounted() {
    watch("violation: [{all: [{var: x, matches: '(a|b)*'}]}]");
    store.put("x", "a".repeat(1_000));
    assertThat(drain()).hasSize(1);
    store.put("x", "a".repeat(1_000_000));
    assertThat(only(drain())).isInstanceOf(Closed.class);
    assertThat(detector.matchesGivenUp()).isEqualTo(1);
  }

  private void watch(String spec) {
    detector.setPredicates(List.of(Watched.predicate("watched", 1, spec)));
  }

  @Test
  void aPredicateThatArrivesLateOpensWhatHoldsAlready() {
    store.put("cs_1_2_1", "1");
    store.put("cs_1_2_2", "0");
    detector.setPredicates(List.of(Watched.exact(1), Watched.edgeMutex(1)));
    Opened found = (Opened) only(drain());
    assertThat(found.instance()).isEqualTo("edge-mutex|a=1,b=2");
    assertThat(found.interval().source().origin()).isNull();
    assertThat(found.interval().source().writer()).isEmpty();
    assertThat(found.interval().start()).isEqualTo(store.clock().last());
  }

  /** Else a life that follows soon would tell of times that count as told. */
  @Test
  void noProgressIsToldThatTheNextLifeOfTheNodeMayBeBehind() {
    store.put("x", "1");
    drain();
    store.failPromises(true);
    assertThat(detector.reportProgress()).isFalse();
    assertThat(drain()).isEmpty();
    store.put("x", "0");
    assertThat(drain()).as("what a write tells").hasSize(1).allMatch(e -> e instanceof Closed);
    store.failPromises(false);
    assertThat(detector.reportProgress()).isTrue();
    store.failPromises(true);
    assertThat(detector.stop()).as("a last word").isNull();
  }

  @Test
  void whatHoldsOfANewPredicateIsOpenedOnceTheClockCanBePromised() {
    store.put("cs_1_2_1", "1");
    List<ActivePredicate> both = List.of(Watched.exact(1), Watched.edgeMutex(1));
    store.failPromises(true);
    assertThatIllegalStateException().isThrownBy(() -> detector.setPredicates(both));
    assertThat(drain()).isEmpty();
    store.failPromises(false);
    detector.setPredicates(both);
    Opened found = (Opened) only(drain());
    assertThat(found.instance()).isEqualTo("edge-mutex|a=1,b=2");
  }

  @Test
  void afterTheEndOfTheEpochNothingIsToldAndTheNextOneBeginsThere() {
    store.put("x", "1");
    store.put("cs_1_2_1", "1");
    store.pause(8);
    detector.endEpoch();
    long end = store.clock().last().own();
    detector.endEpoch();
    drain();
    assertThat(detector.reportProgress()).isFalse();
    detector.setPredicates(List.of(Watched.exact(1), Watched.edgeMutex(1)));
    assertThat(drain()).isEmpty();
    detector.reset(7);
    assertThat(detector.reportProgress()).as("a repeat of the old epoch's start").isFalse();
    detector.reset(8);
    assertThat(drain())
        .hasSize(2)
        .allMatch(e -> e.epoch() == 8 && ((Opened) e).interval().start().own() == end);
    assertThat(detector.reportProgress()).isTrue();
  }

  @Test
  void aResetThatFailsHalfWayStillBeginsWhereTheOldEpochEnded() {
    store.put("x", "1");
    store.pause(8);
    detector.endEpoch();
    long end = store.clock().last().own();
    detector.setPredicates(List.of(Watched.exact(1), Watched.edgeMutex(1)));
    drain();
    store.failNext(1);
    assertThatIllegalStateException().isThrownBy(() -> detector.reset(8));
    assertThat(detector.reportProgress()).isFalse();
    detector.reset(8);
    assertThat(drain()).hasSize(1).allMatch(e -> ((Opened) e).interval().start().own() == end);
    assertThat(detector.reportProgress()).isTrue();
  }

  @Test
  @Timeout(10)
  void aWriteThatNothingWatchesIsActivityAndWakesTheReader() throws InterruptedException {
    assertThat(detector.takeActivity()).isFalse();
    store.put("unwatched", "1");
    ring.awaitEmission(TimeUnit.HOURS.toNanos(1));
    assertThat(ring.isEmpty()).isTrue();
    assertThat(detector.takeActivity()).isTrue();
    assertThat(detector.takeActivity()).isFalse();
  }

  /** Who waits at the ring was woken for it, and would look again only for the next one. */
  @Test
  void noActivityIsLostToOneThatLooksMeanwhile() throws InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    AtomicLong looks = new AtomicLong();
    AtomicLong taken = new AtomicLong();
    Thread looking =
        new Thread(
            () -> {
              while (!over.get()) {
                if (detector.takeActivity()) {
                  taken.incrementAndGet();
                }
                looks.incrementAndGet();
              }
            });
    looking.start();
    long times = 0;
    while (times < 300_000 && taken.get() == times) {
      times++;
      detector.expectProgress();
      // One look of these has begun after it.
      for (long from = looks.get(); looks.get() < from + 2; ) {
        Thread.onSpinWait();
      }
    }
    over.set(true);
    looking.join();
    assertThat(taken).hasValue(times);
  }

  @Test
  void whileSomethingHoldsTheNodeIsActive() {
    store.put("x", "1");
    assertThat(detector.takeActivity()).isTrue();
    assertThat(detector.takeActivity()).isTrue();
    store.put("x", "0");
    assertThat(detector.takeActivity()).isTrue();
    assertThat(detector.takeActivity()).isFalse();
  }

  @Test
  void aStopTellsHowFarTheNodeHasComeOnlyWhenNothingIsUntold() {
    assertThat(detector(100).stop()).as("before it began").isNull();
    store.put("x", "1");
    Progress last = Objects.requireNonNull(detector.stop());
    assertThat(last.epoch()).isEqualTo(7);
    assertThat(last.sequences()).containsExactly(1L, 0L);
    assertThat(detector.stop()).isNull();
  }

  @Test
  void aWriteThatWasMissedIsToldAsAGapInEachPartition() {
    detector.missed();
    assertThat(drain()).hasSize(2).allMatch(e -> e instanceof Gap);
    store.put("x", "1");
    assertThat(drain()).as("it goes on").hasSize(1);
  }

  @Test
  void aGapIsPublishedSinceTheGivenTimeAndKeepsOpenIntervals() {
    store.put("x", "1");
    long last = ((Progress) drainAfterProgress().get(1)).hvc().own();
    detector.publishGap(5);
    List<Emission> gaps = drain();
    assertLostSince(last, gaps);
    assertThat(gaps).allMatch(gap -> ((Gap) gap).fromHlc() == 5);
    int scans = store.scans();
    detector.openRefused();
    assertThat(store.scans()).as("the store is not searched again").isEqualTo(scans);
    assertThat(detector.openIntervals()).isEqualTo(1);
  }

  private List<Emission> drainAfterProgress() {
    assertThat(detector.reportProgress()).isTrue();
    return drain();
  }

  private long told() {
    assertThat(detector.reportProgress()).isTrue();
    return ((Progress) only(drain())).hvc().own();
  }

  private static void assertLostSince(long hlc, List<Emission> gaps) {
    assertThat(gaps)
        .hasSize(2)
        .allSatisfy(
            gap -> {
              assertThat(((Gap) gap).fromHlc()).isLessThanOrEqualTo(hlc);
              assertThat(((Gap) gap).toHlc()).isGreaterThan(hlc);
            });
  }

  /** The thread that missed it may not tell so before somebody else asks for progress. */
  @Test
  void noProgressIsToldPastAWriteThatWasMissed() {
    long last = told();
    detector.missedWrite();
    assertThat(detector.reportProgress()).isTrue();
    List<Emission> out = drain();
    assertLostSince(last, out.subList(0, 2));
    assertThat(out).hasSize(3).last().isInstanceOf(Progress.class);
    assertThat(detector.reportProgress()).isTrue();
    assertThat(drain()).as("once").hasSize(1);
  }

  @Test
  void theNextEpochKnowsNothingOfWhatWasMissedInTheOneBefore() {
    long last = told();
    detector.missedWrite();
    store.pause(8);
    detector.endEpoch();
    assertLostSince(last, drain());
    detector.reset(8);
    assertThat(detector.reportProgress()).isTrue();
    assertThat(drain()).hasSize(1).allMatch(e -> e.epoch() == 8);
  }

  /** As for want of memory, or of stack: the write stands, and goes on to fail. */
  @Test
  void aWriteWhoseTellingBreaksOffIsLostBeforeTheNextProgressAndLookedFor() {
    boolean[] breaksOff = {false};
    LocalDetector breaking =
        new LocalDetector(
            store,
            ring,
            instance -> {
              if (breaksOff[0]) {
                breaksOff[0] = false;
                throw new StackOverflowError("a test");
              }
              return 0;
            },
            100);
    store.listen(breaking);
    breaking.setPredicates(List.of(Watched.exact(1)));
    breaking.reset(7);
    assertThat(breaking.reportProgress()).isTrue();
    long last = ((Progress) only(drain())).hvc().own();
    breaksOff[0] = true;
    assertThatThrownBy(() -> store.put("x", "1")).isInstanceOf(StackOverflowError.class);

    assertThat(breaking.reportProgress()).isTrue();
    List<Emission> out = drain();
    assertLostSince(last, out.subList(0, 2));
    assertThat(out).hasSize(3).last().isInstanceOf(Progress.class);
    breaking.openRefused();
    assertThat(drain())
        .filteredOn(e -> e instanceof Opened)
        .singleElement()
        .extracting(e -> ((Opened) e).interval().key())
        .isEqualTo(MemoryNode.key("x"));
  }

  /** Else it would be told once, and everything that it violates later be missed. */
  @Test
  void whatAMissedWriteHasBegunIsFoundAndOpened() {
    store.listen(detector(100));
    store.put("x", "1");
    store.listen(detector);
    detector.missed();
    drain();
    detector.openRefused();
    assertThat(drain())
        .filteredOn(e -> e instanceof Opened)
        .singleElement()
        .extracting(e -> ((Opened) e).interval().key())
        .isEqualTo(MemoryNode.key("x"));
  }

  /** Else it would hold for ever, and be part of violations that never were. */
  @Test
  void theEndOfWhatAMissedWriteHasEndedIsNoLaterThanThat() {
    store.put("x", "1");
    store.put("y", "1");
    store.listen(detector(100));
    store.put("x", "0");
    store.listen(detector);
    detector.missed();
    final long missedBy = store.clock().last().own();
    store.put("z", "1");
    drain();
    detector.openRefused();
    Closed end = (Closed) only(drain());
    assertThat(end.interval().key()).isEqualTo(MemoryNode.key("x"));
    assertThat(end.hlc()).isEqualTo(missedBy);
    detector.openRefused();
    assertThat(drain()).as("once").isEmpty();
    assertThat(detector.stop()).isNotNull();
  }

  /** Its clock is the same, for it begins anew with a delete. */
  @Test
  void whatIsWrittenAfterADeleteThatWasMissedIsAnotherVersion() {
    store.putAt(5, "x", "1");
    store.listen(detector(100));
    store.delete("x");
    store.putAt(9, "x", "1");
    store.listen(detector);
    detector.missed();
    final long missedBy = store.clock().last().own();
    final Opened first = (Opened) drain().get(0);
    detector.openRefused();
    List<Emission> out = drain();
    assertThat(out).hasSize(2);
    Closed closed = (Closed) out.get(0);
    Opened second = (Opened) out.get(1);
    assertThat(closed.interval()).isEqualTo(first.interval());
    assertThat(closed.hlc()).isEqualTo(missedBy);
    assertThat(second.values()).containsExactlyElementsOf(store.siblings(MemoryNode.key("x")));
    assertThat(detector.openIntervals()).isEqualTo(1);
  }

  /** Though it is heard of only with the next write, which is of the same clock. */
  @Test
  void aVersionOfTheSameClockAtAnotherTimeEndsTheOneBefore() {
    store.putAt(5, "x", "1");
    store.listen(detector(100));
    store.delete("x");
    store.listen(detector);
    store.putAt(9, "x", "1");
    List<Emission> out = drain();
    assertThat(out).hasSize(3);
    assertThat(((Closed) out.get(1)).interval()).isEqualTo(((Opened) out.get(0)).interval());
    Opened second = (Opened) out.get(2);
    assertThat(second.values().get(0).timestampMs()).isEqualTo(9);
    assertThat(second.interval().source().writer()).as("it was written").isEqualTo("client");
  }

  @Test
  void aSearchForMissedEndsThatFailedIsDoneAgain() {
    store.put("x", "1");
    store.listen(detector(100));
    store.put("x", "0");
    store.listen(detector);
    detector.missed();
    drain();
    store.failReads(true);
    assertThatThrownBy(detector::openRefused).isInstanceOf(RuntimeException.class);
    store.failReads(false);
    detector.openRefused();
    assertThat(only(drain())).isInstanceOf(Closed.class);
  }

  /** By the versions that are gone, which asks no term: a term may be what is broken. */
  @Test
  void aWriteThatABugKeptFromBeingHeardEndsWhatItEnded() {
    store.put("x", "1");
    drain();
    Version next = new Version("0".getBytes(UTF_8), VectorClock.zero(9).increment(3).bytes());
    Hvc before = store.clock().tick();
    detector.written(
        new WriteEvent(
            MemoryNode.key("x"),
            failingOnce(next),
            next,
            before,
            store.clock().tick(),
            "client",
            0));
    assertThat(detector.failures()).isEqualTo(1);
    assertThat(drain())
        .filteredOn(e -> e instanceof Closed)
        .singleElement()
        .extracting(e -> ((Closed) e).end())
        .isEqualTo(before);
    assertThat(detector.openIntervals()).isZero();
  }

  /** Siblings whose first reader meets a bug. */
  private static List<Version> failingOnce(Version version) {
    boolean[] failed = {false};
    return new AbstractList<>() {
      @Override
      public Version get(int index) {
        if (!failed[0]) {
          failed[0] = true;
          throw new IllegalStateException("a bug");
        }
        return version;
      }

      @Override
      public int size() {
        return 1;
      }
    };
  }

  @Test
  void allEndsThatKafkaRefusedAreToldHoweverFewIntervalsAreKept() {
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

  /** The first end tells late whatever is untold and open; what ends beside it is not open. */
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

  /** A scan takes as long as the store is large, and writes are missed meanwhile. */
  @Test
  @Timeout(10)
  void whoGivesUpWhileTheStoreIsScannedTellsSoAtOnce() throws InterruptedException {
    long last = told();
    CountDownLatch scanned = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    store.put("cs_1_2_1", "1");
    store.duringScans(
        () -> {
          scanned.countDown();
          await(over);
        });
    Thread scanning =
        new Thread(() -> detector.setPredicates(List.of(Watched.exact(1), Watched.edgeMutex(1))));
    scanning.setDaemon(true);
    scanning.start();
    scanned.await();
    Thread givingUp = new Thread(detector::giveUp);
    givingUp.setDaemon(true);
    givingUp.start();
    givingUp.join();

    assertThat(detector.reportProgress()).isFalse();
    assertLostSince(last, drain());
    over.countDown();
    scanning.join();
    assertThat(drain()).as("what was found meanwhile").isEmpty();
  }

  /** Whoever turned the store's ears off may be about to say so. */
  @Test
  void aStoreThatIsNotHeardAnyMoreTellsNoProgress() {
    long last = told();
    store.goDeaf();
    store.put("x", "1");
    assertThat(detector.reportProgress()).isFalse();
    assertLostSince(last, drain());
    assertThat(detector.stop()).isNull();
    detector.reset(8);
    assertThat(detector.reportProgress()).isFalse();
    assertThat(drain()).isEmpty();
  }

  /** As one that takes part in plans after the one before has failed. */
  @Test
  void whoBeginsAtAStoreThatIsNotHeardTellsSoAndOpensNothing() {
    store.put("x", "1");
    drain();
    store.goDeaf();
    LocalDetector late = detector(100);
    late.setPredicates(List.of(Watched.exact(1)));
    late.reset(7);
    assertThat(drain()).hasSize(2).allMatch(e -> e instanceof Gap);
    assertThat(late.reportProgress()).isFalse();
    assertThat(drain()).isEmpty();
  }

  @Test
  void whoGivesUpTellsAGapInEachPartitionAndSaysNoMore() {
    detector.giveUp();
    store.put("x", "1");
    assertThat(detector.reportProgress()).isFalse();
    assertThat(drain()).hasSize(2).allMatch(e -> e instanceof Gap);
    assertThat(detector.stop()).as("no word of how far it came").isNull();
  }

  @Test
  void whoHasGivenUpIsSilentInLaterEpochsToo() {
    detector.giveUp();
    assertThat(drain()).hasSize(2);
    store.pause(8);
    detector.reset(8);
    assertThat(detector.reportProgress()).isFalse();
    assertThat(drain()).isEmpty();
  }

  @Test
  void aStopBetweenTwoEpochsLeavesSomethingUntold() {
    store.pause(8);
    detector.endEpoch();
    assertThat(detector.stop()).isNull();
  }

  private LocalDetector mutexDetector(CandidateRing small) {
    LocalDetector narrow = new LocalDetector(store, small, instance -> 1, 1_000);
    narrow.setPredicates(List.of(Watched.edgeMutex(1)));
    narrow.reset(7);
    store.listen(narrow);
    return narrow;
  }

  @Test
  void anOpeningThatTheRingDroppedIsToldLateWithItsOwnTime() {
    CandidateRing small = new CandidateRing(70, 2);
    LocalDetector narrow = mutexDetector(small);
    for (int i = 0; i < 100; i++) {
      store.put("cs_%d_1000_%d".formatted(i, i), "1");
    }
    store.put("cs_99_1000_99", "0");
    long before = store.clock().last().own();
    assertThat(drain(small).get(70)).isInstanceOf(Gap.class);
    List<Emission> anew = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      assertThat(narrow.reportProgress()).isTrue();
      anew.addAll(drain(small));
    }
    assertThat(anew)
        .filteredOn(e -> e instanceof Opened)
        .as("of 30 dropped, one was over")
        .hasSize(29)
        .allMatch(e -> ((Opened) e).interval().start().own() < before);
    assertThat(anew.get(anew.size() - 1)).isInstanceOf(Progress.class);
    assertThat(narrow.openIntervals()).isEqualTo(99);
  }

  /** Another node may end that version; with its beginning passed, the end would be forgotten. */
  @Test
  void noProgressPassesAnOpeningThatIsUntold() {
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
  void aStopIsNotWholeWhileAnEndIsUntold() {
    CandidateRing small = new CandidateRing(2, 2);
    LocalDetector narrow = mutexDetector(small);
    store.put("cs_1_1000_1", "1");
    store.put("cs_2_1000_2", "1");
    store.put("cs_1_1000_1", "0");
    assertThat(narrow.stop()).isNull();
  }

  @Test
  void anEndThatTheRingDroppedIsToldLateWithItsOwnTime() {
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
        .as("it may end another replica's interval, though its own was never told")
        .isEqualTo(MemoryNode.key("cs_5_1000_5"));
    assertThat(late.get(2)).isInstanceOf(Progress.class);
  }

  @Test
  void whatIsToldAnewKeepsItsOriginAndNeedsNoStore() {
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
    List<Emission> anew = drain(small);
    assertThat(anew).hasSize(3);
    Opened copy = (Opened) anew.get(0);
    assertThat(copy.interval().source()).isEqualTo(new OpenInterval.Source("copier", 5));
    assertThat(copy.values()).hasSize(2);
    assertThat(copy.values().get(0)).isEqualTo(copy.interval().holding().version());
    assertThat(((Opened) anew.get(1)).interval().source().origin()).isZero();
    assertThat(narrow.openIntervals()).isEqualTo(72);
  }

  @Test
  void whatIsUntoldOfAPredicateThatLeftIsNotToldAnew() {
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
  void aCopyThatIsFoundIsToldAsOne() {
    StoreKey copied = MemoryNode.key("cs_1_2_1");
    store.put(copied, "1".getBytes(UTF_8), VectorClock.zero(9).increment(1), "copier", 5);
    store.put("cs_1_2_2", "1");
    detector.setPredicates(List.of(Watched.edgeMutex(1)));
    assertThat(drain())
        .extracting(e -> ((Opened) e).interval().source())
        .as("of what was accepted here first, replicas may know more")
        .containsExactlyInAnyOrder(
            new OpenInterval.Source("", 5), new OpenInterval.Source("", null));
  }

  @Test
  void ofALongValueTheBeginningIsToldAndHowLongItIs() {
    watch("violation: [{all: [{var: x, notEquals: '0'}]}]");
    String longest = "1".repeat(600_000);
    store.put("x", longest);
    store.put("x", longest + "2");
    List<Emission> out = drain();
    CandidateEncoder encoder = new CandidateEncoder(0, 1);
    VariableVersion told = encoder.opened((Opened) out.get(0)).getOpened().getValues(0);
    assertThat(told.getValue().size()).isEqualTo(IntervalPublisher.VALUE_PUBLISHED_MAX);
    assertThat(told.getValueBytes()).isEqualTo(600_000);
    Closed closed = (Closed) out.get(1);
    assertThat(encoder.closed(closed).getSerializedSize()).isLessThan(1_000);
    assertThat(closed.interval()).isEqualTo(((Opened) out.get(0)).interval());
  }

  @Test
  void anOldVersionsIntervalsAreForgottenAndTheNewVersionsOpened() {
    store.put("x", "1");
    store.put("cs_1_2_1", "1");
    detector.setPredicates(List.of(Watched.exact(1), Watched.edgeMutex(1)));
    drain();
    detector.setPredicates(List.of(Watched.exact(1), Watched.edgeMutex(2)));
    Opened anew = (Opened) only(drain());
    assertThat(anew.interval().holding().term().version()).isEqualTo(2);
    assertThat(detector.openIntervals()).isEqualTo(2);
    store.put("cs_1_2_1", "0");
    Closed closed = (Closed) only(drain());
    assertThat(closed.interval()).isEqualTo(anew.interval());
  }

  @Test
  void aDeletedPredicateIsWatchedNoMore() {
    store.put("x", "1");
    drain();
    detector.setPredicates(List.of());
    store.put("x", "0");
    store.put("x", "1");
    assertThat(drain()).isEmpty();
    assertThat(detector.openIntervals()).isZero();
  }

  @Test
  void aResetOpensWhatHoldsInTheNewEpochOnce() {
    store.put("x", "1");
    drain();
    detector.reset(8);
    Opened found = (Opened) only(drain());
    assertThat(found.epoch()).isEqualTo(8);
    assertThat(found.sequence()).isEqualTo(2);
    detector.reset(8);
    assertThat(drain()).isEmpty();
  }

  @Test
  void aRollbackCostsWhatChangedAndNotAScanOfTheStore() {
    store.put("x", "1");
    long target = store.clock().last().own();
    store.put("x", "0");
    store.put("y", "1");
    store.put("z", "1");
    drain();
    int scans = store.scans();
    store.pause(8);
    detector.noteChanged(store.restore(8, 1, target).changed());
    assertThat(detector.holding()).extracting(IntervalRef::getTerm).containsExactly(0);
    detector.reset(8);
    Opened found = (Opened) only(drain());
    assertThat(found.interval().key()).isEqualTo(MemoryNode.key("x"));
    assertThat(store.scans()).isEqualTo(scans);
  }

  @Test
  void whatARestoreHasTakenBackToIsFoundInTheNextEpochAndNotInTheOldOne() {
    store.put("x", "1");
    long target = store.clock().last().own();
    store.put("x", "0");
    drain();
    store.pause(8);
    store.restore(8, 1, target);
    // As after a start: the plan is not over, and the records are already those of its target.
    LocalDetector late = detector(10);
    late.setPredicates(List.of(Watched.exact(1)));
    late.reset(7);
    late.setPredicates(List.of(Watched.exact(2)));
    assertThat(drain()).isEmpty();
    late.endEpoch();
    late.reset(8);
    assertThat(drain()).extracting(Emission::epoch).containsExactly(8L);
  }

  @Test
  void aResetThatFailedIsFinishedByTheNext() {
    LocalDetector late = detector(10);
    late.setPredicates(List.of(Watched.exact(1)));
    store.put("x", "1");
    drain();
    store.failNext(1);
    assertThatIllegalStateException().isThrownBy(() -> late.reset(1));
    late.reset(1);
    assertThat(drain()).hasSize(1);
    late.reset(1);
    assertThat(drain()).isEmpty();
  }

  @Test
  void whatHoldsOfANewPredicateIsFoundAfterAScanThatFailed() {
    store.put("cs_1_2_1", "1");
    drain();
    List<ActivePredicate> both = List.of(Watched.exact(1), Watched.edgeMutex(1));
    store.failNext(1);
    assertThatIllegalStateException().isThrownBy(() -> detector.setPredicates(both));
    store.pause(8);
    detector.endEpoch();
    detector.reset(8);
    assertThat(drain()).as("the next epoch").hasSize(1);
  }

  @Test
  void predicatesThatAreSetAgainAfterAScanThatFailedAreScannedForOnce() {
    store.put("cs_1_2_1", "1");
    drain();
    List<ActivePredicate> both = List.of(Watched.exact(1), Watched.edgeMutex(1));
    store.failNext(1);
    assertThatIllegalStateException().isThrownBy(() -> detector.setPredicates(both));
    assertThat(detector.holding()).hasSize(1);
    detector.setPredicates(both);
    assertThat(drain()).hasSize(1);
    int scans = store.scans();
    detector.setPredicates(both);
    assertThat(store.scans()).isEqualTo(scans);
  }

  @Test
  void aStoreThatServesBeforeTheFirstResetLosesNothing() {
    LocalDetector late = detector(10);
    late.setPredicates(List.of(Watched.exact(1)));
    store.put("x", "1");
    store.listen(late);
    store.put("y", "1");
    late.reset(1);
    store.put("z", "1");
    assertThat(drain().stream().filter(e -> e.epoch() == 1)).hasSize(3);
  }

  @Test
  void progressIsBehindEveryEventAndTellsTheSequences() {
    store.put("x", "1");
    store.put("x", "0");
    detector.setPredicates(List.of(Watched.edgeMutex(1)));
    store.put("cs_1_2_1", "1");
    assertThat(detector.reportProgress()).isTrue();
    List<Emission> out = drain();
    Progress progress = (Progress) out.get(3);
    assertThat(progress.sequences()).containsExactly(2L, 1L);
    assertThat(progress.epoch()).isEqualTo(7);
    assertThat(progress.hvc()).isEqualTo(store.clock().last());
  }

  @Test
  void nothingIsHeardBeforeTheFirstResetOrAfterStop() {
    detector.stop();
    store.put("x", "1");
    assertThat(detector.reportProgress()).isFalse();
    LocalDetector fresh = detector(10);
    store.listen(fresh);
    fresh.setPredicates(List.of(Watched.exact(1)));
    store.put("x", "1");
    assertThat(fresh.reportProgress()).isFalse();
    assertThat(drain()).isEmpty();
  }

  @Test
  void whatDoesNotFitIntoMemoryIsToldAsAGap() {
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
    // Nor is it known without asking the store what holds.
    int scans = store.scans();
    assertThat(small.holding()).hasSize(1);
    assertThat(store.scans()).isGreaterThan(scans);
  }

  @Test
  void whatHadNoRoomIsToldAgainAndAgainUntilItIsOpened() {
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
  void stateThatDoesNotFitIntoMemoryIsToldAsAGapOfEveryPartition() {
    store.put("x", "1");
    store.put("y", "1");
    drain();
    LocalDetector small = detector(1);
    small.setPredicates(List.of(Watched.exact(1)));
    small.reset(1);
    assertThat(drain().stream().filter(e -> e instanceof Gap)).hasSize(2);
  }

  @Test
  void aBugIsKeptFromTheStoreAndToldAsAGapOfEveryPartition() {
    LocalDetector broken =
        new LocalDetector(
            store,
            ring,
            instance -> {
              throw new IllegalStateException("no such partition");
            },
            10);
    store.listen(broken);
    broken.setPredicates(List.of(Watched.exact(1)));
    broken.reset(1);
    assertThatCode(() -> store.put("x", "1")).doesNotThrowAnyException();
    assertThat(broken.failures()).isEqualTo(1);
    assertThat(broken.firstFailure()).hasMessage("no such partition");
    assertThat(drain()).hasSize(2).allMatch(e -> e instanceof Gap);
  }

  @Test
  void holdingNamesEachTermAndBindingOnce() {
    detector.setPredicates(List.of(Watched.exact(4), Watched.edgeMutex(5)));
    store.put("x", "1");
    store.putConcurrently("x", "1", 1);
    store.put("cs_1_2_2", "1");
    assertThat(detector.holding())
        .containsExactlyInAnyOrder(
            IntervalRef.newBuilder().setPredicate("exact").setPredicateVersion(4).build(),
            IntervalRef.newBuilder()
                .setPredicate("edge-mutex")
                .setPredicateVersion(5)
                .setBinding("a=1,b=2")
                .setTerm(1)
                .build());
  }

  @Test
  void valuesAreComparedAsBytes() {
    store.put(
        MemoryNode.key("x"), "1 ".getBytes(UTF_8), VectorClock.zero(9).increment(0), "", null);
    assertThat(drain()).isEmpty();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Emission> drain(CandidateRing from) {
    List<Emission> out = new ArrayList<>();
    from.drain(out, Integer.MAX_VALUE);
    return out;
  }

  private List<Emission> drain() {
    List<Emission> out = new ArrayList<>();
    ring.drain(out, Integer.MAX_VALUE);
    return out;
  }

  private static Emission only(List<Emission> emissions) {
    assertThat(emissions).hasSize(1);
    return emissions.get(0);
  }
}
