package io.palinode.detector;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.KeyState;
import io.palinode.detector.ring.Unpublished;
import io.palinode.detector.terms.Holding;
import io.palinode.detector.terms.OpenInterval;
import io.palinode.detector.terms.OpenIntervals;
import io.palinode.detector.terms.TermIndex;
import io.palinode.detector.terms.WatchedTerm;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.template.Binding;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnpublishedTest {
  private static final int STATES_MAX = 3;
  private static final StoreKey KEY = MemoryNode.key("x");

  private final CandidateRing ring = new CandidateRing(8, 1);
  private final Unpublished unpublished = new Unpublished(ring, STATES_MAX);

  @Test
  void statesThatAreTooManyPushOutTheOldestStateAndNoEnd() {
    assertThat(unpublished.add(end(1))).isEmpty();
    for (int i = 2; i < 2 + STATES_MAX; i++) {
      assertThat(unpublished.add(state(i))).isEmpty();
    }
    assertThat(unpublished.add(end(5))).isEmpty();
    assertThat(unpublished.add(state(6))).as("a state went for it").hasSize(1);
    assertThat(publishedHlcs()).containsExactly(1L, 3L, 4L, 5L, 6L);
  }

  @Test
  void longClocksTakeBoundedMemory() {
    assertThat(unpublished.add(state(1, 1_000))).isEmpty();
    assertThat(unpublished.add(state(2, 2_000))).isEmpty();
    assertThat(unpublished.add(state(3, 2_500))).hasSize(2);
    for (int at = 4; at < 10; at++) {
      unpublished.add(end(at, 1_000));
    }
    assertThat(unpublished.endBytes()).isLessThanOrEqualTo(STATES_MAX * OpenIntervals.BYTES_EACH);
    assertThat(publishedHlcs()).containsExactly(3L, 4L, 5L, 6L, 7L, 8L, 9L);
    assertThat(unpublished.endBytes()).isZero();
  }

  @Test
  void refusedEventsArePublishedInTheOrderOfTime() {
    unpublished.add(end(6));
    unpublished.add(end(3));
    unpublished.add(state(5));
    unpublished.add(state(2));
    assertThat(publishedHlcs()).containsExactly(2L, 3L, 5L, 6L);
  }

  private List<Long> publishedHlcs() {
    while (!unpublished.isEmpty()) {
      assertThat(unpublished.publishNext(new long[1])).isTrue();
    }
    return drained();
  }

  @Test
  void anEventThatTheRingRefusesStaysUnpublished() {
    unpublished.add(end(1));
    while (ring.size() < ring.capacity()) {
      ring.add(end(7));
    }
    assertThat(unpublished.publishNext(new long[1])).isFalse();
    drained();
    assertThat(publishedHlcs()).containsExactly(1L);
  }

  private List<Long> drained() {
    List<Emission> out = new ArrayList<>();
    ring.drain(out, Integer.MAX_VALUE);
    return out.stream()
        .filter(emission -> emission instanceof Emission.Event)
        .map(emission -> ((Emission.Event) emission).hlc())
        .toList();
  }

  private static Closed end(long at) {
    return end(at, 0);
  }

  private static Closed end(long at, int endedByBytes) {
    Version version = new Version(new byte[] {'1'}, new byte[] {1});
    Holding holding = new Holding(term(), Binding.NONE, version);
    OpenInterval interval =
        new OpenInterval(KEY, holding, "p|", 0, at, clock(1), OpenInterval.Source.UNKNOWN);
    Version endedBy = endedByBytes == 0 ? null : new Version(new byte[0], new byte[endedByBytes]);
    return new Closed(0, at, interval, clock(at), endedBy, "", null);
  }

  private static KeyState state(long at) {
    return state(at, 0);
  }

  private static KeyState state(long at, int clockBytes) {
    TermIndex.Match match = new TermIndex.Match(term(), Binding.NONE);
    return new KeyState(
        0,
        0,
        at,
        "p|",
        match,
        KEY,
        clock(at),
        1,
        List.of(0),
        List.of(new Version(new byte[0], new byte[clockBytes])),
        OpenInterval.Source.UNKNOWN);
  }

  private static WatchedTerm term() {
    return TermIndex.of(List.of(Watched.exact(1))).match(KEY).get(0).term();
  }

  private static Hvc clock(long at) {
    return Hvc.of(0, at);
  }
}
