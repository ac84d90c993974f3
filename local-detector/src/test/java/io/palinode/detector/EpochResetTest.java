package io.palinode.detector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.wire.v1.IntervalRef;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The end of an epoch and the start of the next one. */
class EpochResetTest extends DetectorFixture {
  @Test
  void afterTheEndOfTheEpochNothingIsPublishedAndTheNextOneBeginsThere() {
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
    assertThat(detector.reportProgress()).as("a repeated reset of the old epoch").isFalse();
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
  void aRollbackReadsChangedKeysAndDoesNotScanTheStore() {
    store.put("x", "1");
    long target = store.clock().last().own();
    store.put("x", "0");
    store.put("y", "1");
    store.put("z", "1");
    drain();
    int scans = store.scans();
    store.pause(8);
    detector.noteChanged(List.copyOf(store.restoreTo(8, target)));
    assertThat(detector.holding()).extracting(IntervalRef::getTerm).containsExactly(0);
    detector.reset(8);
    Opened found = (Opened) only(drain());
    assertThat(found.interval().key()).isEqualTo(MemoryNode.key("x"));
    assertThat(store.scans()).isEqualTo(scans);
  }

  @Test
  void restoredIntervalsOpenInTheNextEpochAndNotInTheOldOne() {
    store.put("x", "1");
    long target = store.clock().last().own();
    store.put("x", "0");
    drain();
    store.pause(8);
    store.restoreTo(8, target);
    // As after a start: the plan has not ended, and the store is at its target.
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
  void aStoreThatServesBeforeTheFirstResetOpensAllIntervals() {
    LocalDetector late = detector(10);
    late.setPredicates(List.of(Watched.exact(1)));
    store.put("x", "1");
    store.listen(late);
    store.put("y", "1");
    late.reset(1);
    store.put("z", "1");
    assertThat(drain().stream().filter(e -> e.epoch() == 1)).hasSize(3);
  }
}
