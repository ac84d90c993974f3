package io.palinode.detector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.Gap;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.detector.ring.Emission.Progress;
import io.palinode.hvc.Hvc;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Writes that the store did not pass on, or that a bug kept from the detector. */
class MissedWritesTest extends DetectorFixture {
  @Test
  void aMissedWriteIsAGapInEachPartition() {
    detector.missed();
    assertThat(drain()).hasSize(2).allMatch(e -> e instanceof Gap);
    store.put("x", "1");
    assertThat(drain()).as("later writes are watched").hasSize(1);
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

  /**
   * Another thread may publish progress before the thread that missed the write publishes a gap.
   */
  @Test
  void aMissedWriteIsAGapBeforeTheNextProgress() {
    long last = publishedUpTo();
    detector.missedWrite();
    assertThat(detector.reportProgress()).isTrue();
    List<Emission> out = drain();
    assertLostSince(last, out.subList(0, 2));
    assertThat(out).hasSize(3).last().isInstanceOf(Progress.class);
    assertThat(detector.reportProgress()).isTrue();
    assertThat(drain()).as("once").hasSize(1);
  }

  @Test
  void aMissedWriteIsNoGapInTheNextEpoch() {
    long last = publishedUpTo();
    detector.missedWrite();
    store.pause(8);
    detector.endEpoch();
    assertLostSince(last, drain());
    detector.reset(8);
    assertThat(detector.reportProgress()).isTrue();
    assertThat(drain()).hasSize(1).allMatch(e -> e.epoch() == 8);
  }

  /** As out of memory or stack: the write stands although its call fails. */
  @Test
  void aWriteWhoseListenerFailsIsAGapBeforeTheNextProgressAndIsFoundLater() {
    boolean[] fails = {false};
    LocalDetector failing =
        new LocalDetector(
            store,
            ring,
            instance -> {
              if (fails[0]) {
                fails[0] = false;
                throw new StackOverflowError("a test");
              }
              return 0;
            },
            100);
    store.listen(failing);
    failing.setPredicates(List.of(Watched.exact(1)));
    failing.reset(7);
    assertThat(failing.reportProgress()).isTrue();
    long last = ((Progress) only(drain())).hvc().own();
    fails[0] = true;
    assertThatThrownBy(() -> store.put("x", "1")).isInstanceOf(StackOverflowError.class);

    assertThat(failing.reportProgress()).isTrue();
    List<Emission> out = drain();
    assertLostSince(last, out.subList(0, 2));
    assertThat(out).hasSize(3).last().isInstanceOf(Progress.class);
    failing.openRefused();
    assertThat(drain())
        .filteredOn(e -> e instanceof Opened)
        .singleElement()
        .extracting(e -> ((Opened) e).interval().key())
        .isEqualTo(MemoryNode.key("x"));
  }

  /** Else its later violations would be missed. */
  @Test
  void anIntervalThatAMissedWriteBeganIsOpened() {
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

  /** Else it would stay open and be a witness of false violations. */
  @Test
  void anIntervalThatAMissedWriteEndedEndsAtThatTime() {
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

  /** Its clock is the same, because a delete restarts the clock. */
  @Test
  void aWriteAfterAMissedDeleteIsAnotherVersion() {
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

  /** Also if the delete was missed and the next write has the same clock. */
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
  void aFailedSearchForMissedEndsIsRepeated() {
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

  /** Ends follow from superseded versions without a term, as the term may have the bug. */
  @Test
  void aWriteThatMeetsABugStillEndsIntervals() {
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

  /** Siblings whose first read throws. */
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

  /** A scan takes long in a large store, and writes are missed meanwhile. */
  @Test
  @Timeout(10)
  void givingUpDuringAScanPublishesItsGapAtOnce() throws InterruptedException {
    long last = publishedUpTo();
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
    assertThat(drain()).as("found after giving up").isEmpty();
  }

  /** The call of giveUp() may follow later. */
  @Test
  void aStoreThatPassesOnNoMoreWritesPublishesNoProgress() {
    long last = publishedUpTo();
    store.passOnNoMoreWrites();
    store.put("x", "1");
    assertThat(detector.reportProgress()).isFalse();
    assertLostSince(last, drain());
    assertThat(detector.stop()).isNull();
    detector.reset(8);
    assertThat(detector.reportProgress()).isFalse();
    assertThat(drain()).isEmpty();
  }

  /** As a detector that joins for plans after the agent turned off. */
  @Test
  void aResetAtAStoreThatPassesOnNoWritesPublishesAGapAndOpensNothing() {
    store.put("x", "1");
    drain();
    store.passOnNoMoreWrites();
    LocalDetector late = detector(100);
    late.setPredicates(List.of(Watched.exact(1)));
    late.reset(7);
    assertThat(drain()).hasSize(2).allMatch(e -> e instanceof Gap);
    assertThat(late.reportProgress()).isFalse();
    assertThat(drain()).isEmpty();
  }

  @Test
  void givingUpPublishesAGapInEachPartitionAndNothingElse() {
    detector.giveUp();
    store.put("x", "1");
    assertThat(detector.reportProgress()).isFalse();
    assertThat(drain()).hasSize(2).allMatch(e -> e instanceof Gap);
    assertThat(detector.stop()).as("no last progress").isNull();
  }

  @Test
  void afterGivingUpNothingIsPublishedInLaterEpochs() {
    detector.giveUp();
    assertThat(drain()).hasSize(2);
    store.pause(8);
    detector.reset(8);
    assertThat(detector.reportProgress()).isFalse();
    assertThat(drain()).isEmpty();
  }

  @Test
  void aBugIsKeptFromTheStoreAndIsAGapInEveryPartition() {
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
}
