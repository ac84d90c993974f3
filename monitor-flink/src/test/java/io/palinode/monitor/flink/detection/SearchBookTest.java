package io.palinode.monitor.flink.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.stream.Detector;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Uncertainty;
import io.palinode.monitor.Records;
import io.palinode.monitor.instance.Instance;
import io.palinode.monitor.instance.InstanceState;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import io.palinode.wire.v1.IntervalRef;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of which instances candidates were refused, so that answers to them may be missing. */
class SearchBookTest {
  private static final DetectionSpec WITHIN =
      new DetectionSpec(
          Records.NODES,
          List.of(
              new ClauseShape(
                  new ClauseRule.Within(Duration.ofMillis(5)), List.of(1, 1), Duration.ZERO)),
          new Causality(Epsilon.ofMicros(10), Uncertainty.CONSERVATIVE),
          ReplicaRule.ANY);

  private final SearchBook book = new SearchBook();

  @Test
  void aRefusalConcernsTheInstancesOfItsTimeAndEarlierOnes() {
    refuse(3, 2);
    assertThat(distrusts(book, 3, 2)).isTrue();
    assertThat(distrusts(book, 2, 2)).isTrue();
    assertThat(distrusts(book, 4, 2)).isFalse();
    assertThat(distrusts(book, 3, 3)).isFalse();
  }

  /** For example of a late candidate of an earlier version. */
  @Test
  void refusalsThatAreApartConcernNoInstanceOfBoth() {
    refuse(1, 5);
    refuse(3, 2);
    assertThat(distrusts(book, 3, 5)).isFalse();
    assertThat(distrusts(book, 2, 4)).isFalse();
    assertThat(distrusts(book, 1, 5)).isTrue();
    assertThat(distrusts(book, 3, 2)).isTrue();
    SearchBook restored = new SearchBook();
    restored.restore(book.saved());
    assertThat(restored.saved()).containsExactlyInAnyOrderElementsOf(book.saved());
    assertThat(distrusts(restored, 3, 5)).isFalse();
    assertThat(distrusts(restored, 1, 5)).isTrue();
  }

  @Test
  void ofTooManyTheOldestBecomeOneThatConcernsMore() {
    int more = SearchBook.REFUSED_MAX + 1;
    for (int i = 1; i <= more; i++) {
      refuse(i, 100 - i);
    }
    assertThat(book.saved()).hasSize(SearchBook.REFUSED_MAX);
    for (int i = 1; i <= more; i++) {
      assertThat(distrusts(book, i, 100 - i)).isTrue();
    }
    assertThat(distrusts(book, more, 100 - more + 1)).isFalse();
  }

  private void refuse(long epoch, long version) {
    book.refused(
        IntervalRef.newBuilder().setPredicate("p").setPredicateVersion(version).build(), epoch);
  }

  private static boolean distrusts(SearchBook of, long epoch, long version) {
    byte[] empty = Detector.create(WITHIN, DetectionLimits.DEFAULT).toBytes();
    Instance instance =
        Instance.of(new InstanceState(epoch, version, 0, InstanceState.NO_WAKE, empty));
    instance.unpack(WITHIN, DetectionLimits.DEFAULT);
    of.begun("p", instance);
    return instance.distrustsSearches();
  }
}
