package io.palinode.detector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.ring.CandidateEncoder;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.detector.ring.Emission.Progress;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Searched;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Since when a node has published each interval of a predicate with {@code within}. */
class WithinSearchTest extends DetectorFixture {
  private static final ActivePredicate PARCELS =
      Watched.predicate(
          "parcels",
          1,
          """
          forEach: {order: "{o}"}
          violation:
            - within:
                time: 5s
                after: {var: "order_{o}", equals: paid}
                missing: {var: "parcel_{o}", equals: sent}
          """);

  private static List<ActivePredicate> searched(List<Emission> emissions) {
    Progress last = null;
    for (Emission emission : emissions) {
      last = emission instanceof Progress progress ? progress : last;
    }
    return Objects.requireNonNull(last, "no progress was published").searched();
  }

  @Test
  void whatHoldsIsPublishedAsFoundBeforeTheSearch() {
    store.put("order_1", "paid");
    detector.setPredicates(List.of(PARCELS));
    List<Emission> published = drainAfterProgress();
    assertThat(published.get(0)).isInstanceOf(Opened.class);
    assertThat(searched(published)).containsExactly(PARCELS);
    CandidateEncoder encoder = new CandidateEncoder(0, 1);
    CandidateRecord found = encoder.opened((Opened) published.get(0));
    assertThat(found.getOpened().getFound()).isTrue();
    CandidateRecord progress = encoder.progress((Progress) published.get(published.size() - 1), 0);
    assertThat(progress.getProgress().getWholeList())
        .containsExactly(Searched.newBuilder().setPredicate("parcels").setVersion(1).build());
    assertThat(progress.getProgress().getSearchedList()).as("those that compare").isEmpty();
  }

  /** As a hint brings it: its write asked for the answer when it was made. */
  @Test
  void aLateCopyOfAnUnknownOriginIsFound() {
    detector.setPredicates(List.of(PARCELS));
    drainAfterProgress();
    Hvc hourLater = store.clock().tickPast(Hlc.ofMicros(3_600_000_000L));
    long nowMs = Hlc.micros(hourLater.own()) / 1_000;
    assertThat(isFound("order_1", nowMs - 9_000, null)).isFalse();
    assertThat(isFound("order_2", nowMs - 11_000, null)).isTrue();
    assertThat(isFound("order_3", nowMs - 11_000, 0)).as("written here").isFalse();
    assertThat(isFound("order_4", 0, null)).as("without a time").isFalse();
  }

  private boolean isFound(String key, long timestampMs, @Nullable Integer origin) {
    Version version = new Version("paid".getBytes(UTF_8), new byte[] {1}, timestampMs, origin);
    Hvc before = store.clock().tick();
    Hvc after = store.clock().tick();
    detector.written(
        new WriteEvent(MemoryNode.key(key), List.of(version), version, before, after, "", origin));
    Opened opened = (Opened) drain().get(0);
    return new CandidateEncoder(0, 1).opened(opened).getOpened().getFound();
  }

  /** The answer is over, and its end is missed. */
  @Test
  void untilMissedEndsAreLookedForNothingIsWhole() {
    detector.setPredicates(List.of(PARCELS));
    store.put("parcel_1", "sent");
    assertThat(searched(drainAfterProgress())).containsExactly(PARCELS);
    store.listen(detector(100));
    store.delete("parcel_1");
    store.listen(detector);
    detector.missedWrite();
    assertThat(searched(drainAfterProgress())).isEmpty();
    store.failReads(true);
    assertThatThrownBy(detector::openRefused).isInstanceOf(RuntimeException.class);
    assertThat(searched(drainAfterProgress())).as("the key could not be read").isEmpty();
    store.failReads(false);
    detector.openRefused();
    assertThat(searched(drainAfterProgress())).containsExactly(PARCELS);
  }

  @Test
  void aWriteIsNotFound() {
    detector.setPredicates(List.of(PARCELS));
    drainAfterProgress();
    store.put("order_1", "paid");
    Opened opened = (Opened) only(drain());
    assertThat(new CandidateEncoder(0, 1).opened(opened).getOpened().hasFound()).isFalse();
  }

  @Test
  void eachEpochIsSearchedAgain() {
    detector.setPredicates(List.of(PARCELS));
    store.put("parcel_1", "sent");
    store.pause(8);
    detector.endEpoch();
    drain();
    detector.reset(8);
    assertThat(searched(drainAfterProgress())).containsExactly(PARCELS);
  }

  @Test
  void aFailedScanIsNoSearch() {
    store.put("order_1", "paid");
    store.failNext(1);
    assertThatIllegalStateException().isThrownBy(() -> detector.setPredicates(List.of(PARCELS)));
    assertThat(searched(drainAfterProgress())).isEmpty();
    detector.setPredicates(List.of(PARCELS));
    assertThat(searched(drainAfterProgress())).containsExactly(PARCELS);
  }

  /** An answer without room in the table of open intervals is not published. */
  @Test
  void anOmittedIntervalEndsTheSearchUntilItIsFound() {
    LocalDetector small = detector(1);
    store.listen(small);
    small.setPredicates(List.of(PARCELS));
    small.reset(8);
    store.put("parcel_1", "sent");
    assertThat(small.reportProgress()).isTrue();
    assertThat(searched(drain())).containsExactly(PARCELS);
    store.put("parcel_2", "sent");
    assertThat(small.reportProgress()).isTrue();
    assertThat(searched(drain())).isEmpty();
    store.put("parcel_1", "lost");
    assertThat(small.reportProgress()).isTrue();
    assertThat(searched(drain())).as("it still is not published").isEmpty();
    small.openRefused();
    assertThat(small.reportProgress()).isTrue();
    List<Emission> published = drain();
    assertThat(published).hasAtLeastOneElementOfType(Opened.class);
    assertThat(searched(published)).containsExactly(PARCELS);
  }

  @Test
  void aMissedWriteEndsTheSearchUntilItIsFound() {
    detector.setPredicates(List.of(PARCELS));
    assertThat(searched(drainAfterProgress())).containsExactly(PARCELS);
    detector.missed();
    assertThat(searched(drainAfterProgress())).isEmpty();
    detector.openRefused();
    assertThat(searched(drainAfterProgress())).containsExactly(PARCELS);
    detector.publishGap(0);
    assertThat(searched(drainAfterProgress())).as("writes that were not evaluated").isEmpty();
    detector.openRefused();
    assertThat(searched(drainAfterProgress())).containsExactly(PARCELS);
  }
}
