package io.palinode.detector;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Gap;
import io.palinode.detector.ring.Emission.Progress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;

/** A node in memory whose detector watches one predicate in epoch 7. */
class DetectorFixture {
  final MemoryNode store = MemoryNode.alone(new Ticking());
  final CandidateRing ring = new CandidateRing(1_000, 2);
  final LocalDetector detector = detector(100);

  LocalDetector detector(int openIntervalsMax) {
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

  void watch(String spec) {
    detector.setPredicates(List.of(Watched.predicate("watched", 1, spec)));
  }

  List<Emission> drainAfterProgress() {
    assertThat(detector.reportProgress()).isTrue();
    return drain();
  }

  long publishedUpTo() {
    assertThat(detector.reportProgress()).isTrue();
    return ((Progress) only(drain())).hvc().own();
  }

  static void assertLostSince(long hlc, List<Emission> gaps) {
    assertThat(gaps)
        .hasSize(2)
        .allSatisfy(
            gap -> {
              assertThat(((Gap) gap).fromHlc()).isLessThanOrEqualTo(hlc);
              assertThat(((Gap) gap).toHlc()).isGreaterThan(hlc);
            });
  }

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static List<Emission> drain(CandidateRing from) {
    List<Emission> out = new ArrayList<>();
    from.drain(out, Integer.MAX_VALUE);
    return out;
  }

  List<Emission> drain() {
    List<Emission> out = new ArrayList<>();
    ring.drain(out, Integer.MAX_VALUE);
    return out;
  }

  static Emission only(List<Emission> emissions) {
    assertThat(emissions).hasSize(1);
    return emissions.get(0);
  }
}
