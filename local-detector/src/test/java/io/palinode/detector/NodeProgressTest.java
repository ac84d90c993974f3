package io.palinode.detector;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.Progress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Progress, activity and the last progress of a node. */
class NodeProgressTest extends DetectorFixture {
  /** Else a next incarnation could publish times that count as judged. */
  @Test
  void noProgressExceedsTheClockPromise() {
    store.put("x", "1");
    drain();
    store.failPromises(true);
    assertThat(detector.reportProgress()).isFalse();
    assertThat(drain()).isEmpty();
    store.put("x", "0");
    assertThat(drain())
        .as("an event needs no promise")
        .hasSize(1)
        .allMatch(e -> e instanceof Closed);
    store.failPromises(false);
    assertThat(detector.reportProgress()).isTrue();
    store.failPromises(true);
    assertThat(detector.stop()).as("the last progress").isNull();
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

  /** The thread at the ring was woken for it and would check again only after the next activity. */
  @Test
  void noActivityIsLostToAConcurrentCheck() throws InterruptedException {
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
      // One of these checks began after it.
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
  void aStopReturnsTheLastProgressOnce() {
    assertThat(detector(100).stop()).as("before it began").isNull();
    store.put("x", "1");
    Progress last = Objects.requireNonNull(detector.stop());
    assertThat(last.epoch()).isEqualTo(7);
    assertThat(last.sequences()).containsExactly(1L, 0L);
    assertThat(detector.stop()).isNull();
  }

  @Test
  void aStopBetweenTwoEpochsReturnsNoLastProgress() {
    store.pause(8);
    detector.endEpoch();
    assertThat(detector.stop()).isNull();
  }

  @Test
  void progressFollowsEveryEventAndHasTheSequences() {
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
  void noWriteIsWatchedBeforeTheFirstResetOrAfterStop() {
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
}
