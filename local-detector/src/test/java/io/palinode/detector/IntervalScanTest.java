package io.palinode.detector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.detector.terms.OpenInterval;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Intervals that hold before their predicate is watched. */
class IntervalScanTest extends DetectorFixture {
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

  @Test
  void aNewPredicatesIntervalsOpenOnceTheClockIsPromised() {
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
  void aCopyThatIsFoundKeepsItsOrigin() {
    StoreKey copied = MemoryNode.key("cs_1_2_1");
    store.put(copied, "1".getBytes(UTF_8), VectorClock.zero(9).increment(1), "copier", 5);
    store.put("cs_1_2_2", "1");
    detector.setPredicates(List.of(Watched.edgeMutex(1)));
    assertThat(drain())
        .extracting(e -> ((Opened) e).interval().source())
        .as("other nodes may have a first accepted version earlier")
        .containsExactlyInAnyOrder(
            new OpenInterval.Source("", 5, true), OpenInterval.Source.UNKNOWN);
  }

  @Test
  void anOldVersionsIntervalsAreForgottenAndTheNewVersionsOpened() {
    store.put("x", "1");
    store.put("cs_1_2_1", "1");
    detector.setPredicates(List.of(Watched.exact(1), Watched.edgeMutex(1)));
    drain();
    detector.setPredicates(List.of(Watched.exact(1), Watched.edgeMutex(2)));
    Opened again = (Opened) only(drain());
    assertThat(again.interval().holding().term().version()).isEqualTo(2);
    assertThat(detector.openIntervals()).isEqualTo(2);
    store.put("cs_1_2_1", "0");
    Closed closed = (Closed) only(drain());
    assertThat(closed.interval()).isEqualTo(again.interval());
  }

  @Test
  void aDeletedPredicateIsNotWatched() {
    store.put("x", "1");
    drain();
    detector.setPredicates(List.of());
    store.put("x", "0");
    store.put("x", "1");
    assertThat(drain()).isEmpty();
    assertThat(detector.openIntervals()).isZero();
  }

  @Test
  void aNewPredicatesIntervalsOpenAfterAFailedScan() {
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
  void predicatesThatAreSetAgainAfterAFailedScanAreScannedForOnce() {
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
}
