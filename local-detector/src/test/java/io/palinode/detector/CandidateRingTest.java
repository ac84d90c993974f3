package io.palinode.detector;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.Version;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Gap;
import io.palinode.detector.ring.Emission.Progress;
import io.palinode.detector.ring.Gaps;
import io.palinode.detector.terms.Holding;
import io.palinode.detector.terms.OpenInterval;
import io.palinode.detector.terms.WatchedTerm;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.template.Binding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CandidateRingTest {
  private static final WatchedTerm TERM = new WatchedTerm(Watched.exact(1), 0, 0);
  private static final Version VERSION = new Version(new byte[1], new byte[1]);

  @Test
  void emissionsComeOutInTheirOrder() {
    CandidateRing ring = new CandidateRing(4, 1);
    ring.add(event(0, 1));
    ring.add(event(0, 2));
    assertThat(drain(ring)).containsExactly(event(0, 1), event(0, 2));
    assertThat(ring.emitted()).isEqualTo(2);
  }

  @Test
  void eventsThatDoNotFitBecomeOneGapBehindThoseThatDo() {
    CandidateRing ring = new CandidateRing(2, 2);
    for (int sequence = 1; sequence <= 5; sequence++) {
      ring.add(event(0, sequence));
    }
    assertThat(drain(ring)).containsExactly(event(0, 1), event(0, 2), new Gap(1, 0, 3, 5, 30, 50));
    assertThat(ring.dropped()).isEqualTo(3);
    assertThat(ring.gaps()).isEqualTo(1);
  }

  @Test
  void anEventBetweenTwoRefusedOnesIsInNoGap() {
    CandidateRing ring = new CandidateRing(4, 1);
    ring.add(event(0, 1));
    ring.add(event(0, 2));
    ring.add(event(0, 3));
    drain(ring);
    ring.lost(Gap.ofOne(1, 0, 1, 10));
    ring.lost(Gap.ofOne(1, 0, 3, 30));
    ring.lost(Gap.ofOne(1, 0, 4, 40));
    ring.add(event(0, 5));
    assertThat(drain(ring))
        .containsExactly(Gap.ofOne(1, 0, 1, 10), new Gap(1, 0, 3, 4, 30, 40), event(0, 5));
  }

  @Test
  void moreGapsThanSlotsGoOutWhenTheRingIsEmpty() {
    CandidateRing ring = new CandidateRing(2, 1);
    for (int sequence = 1; sequence <= 9; sequence += 2) {
      ring.lost(Gap.ofOne(1, 0, sequence, 10));
    }
    assertThat(ring.hasRoom(1)).isFalse();
    assertThat(ring.add(event(0, 10))).isFalse();
    assertThat(ring.add(new Progress(1, Hvc.of(0, 1), List.of(10L)))).isFalse();
    assertThat(drain(ring)).hasSize(5).last().isEqualTo(new Gap(1, 0, 9, 10, 10, 100));
    assertThat(ring.hasRoom(1)).isTrue();
  }

  @Test
  void manyGapsAreJoinedInTheEnd() {
    Gaps gaps = new Gaps(1);
    for (int i = 0; i < 2 * Gaps.APART_MAX; i++) {
      gaps.add(Gap.ofOne(1, 0, 2 * i + 1, 10));
    }
    assertThat(gaps.size()).isEqualTo(Gaps.APART_MAX);
    assertThat(gaps.take(0)).isEqualTo(Gap.ofOne(1, 0, 1, 10));
  }

  @Test
  void aGapComesBeforeLaterEventsOfItsPartitionAndHoldsUpNoOther() {
    CandidateRing ring = new CandidateRing(3, 2);
    for (int sequence = 1; sequence <= 4; sequence++) {
      ring.add(event(0, sequence));
    }
    List<Emission> out = new ArrayList<>();
    ring.drain(out, 1);
    ring.add(event(0, 5)); // One slot is free, but the gap needs one too.
    ring.add(event(1, 1));
    ring.drain(out, 2);
    ring.add(event(0, 6));
    ring.drain(out, 9);
    assertThat(out)
        .containsExactly(
            event(0, 1),
            event(0, 2),
            event(0, 3),
            event(1, 1),
            new Gap(1, 0, 4, 5, 40, 50),
            event(0, 6));
  }

  @Test
  void waitingValuesTakeBoundedMemory() {
    CandidateRing ring = new CandidateRing(100, 1);
    int quarter = (int) (CandidateRing.VERSION_BYTES_MAX / 4);
    for (int sequence = 1; sequence <= 5; sequence++) {
      assertThat(ring.add(event(0, sequence, quarter))).isEqualTo(sequence <= 4);
    }
    drain(ring);
    assertThat(ring.add(event(0, 6, quarter))).isTrue();
  }

  /** Clients select the length of a vector clock: up to 32,767 entries, and 0.6 MB. */
  @Test
  void waitingClocksTakeBoundedMemory() {
    int quarter = (int) (CandidateRing.VERSION_BYTES_MAX / 4);
    Version version = new Version(new byte[0], new byte[quarter]);
    OpenInterval interval = interval(0, 1, version);
    CandidateRing ring = new CandidateRing(100, 1);
    for (int sequence = 1; sequence <= 5; sequence++) {
      assertThat(ring.add(new Emission.Opened(1, interval, List.of(version))))
          .isEqualTo(sequence <= 4);
    }
    drain(ring);
    for (int sequence = 1; sequence <= 3; sequence++) {
      Hvc end = Hvc.of(0, sequence * 10L);
      assertThat(ring.add(new Emission.Closed(1, sequence, interval, end, version, "", null)))
          .isEqualTo(sequence <= 2);
    }
  }

  @Test
  void progressGoesBehindEveryGapOrNotAtAll() {
    CandidateRing ring = new CandidateRing(2, 1);
    ring.add(event(0, 1));
    ring.lost(Gap.ofOne(1, 0, 2, 20));
    assertThat(ring.add(progress(2))).isFalse();
    assertThat(drain(ring)).containsExactly(event(0, 1), Gap.ofOne(1, 0, 2, 20));
    assertThat(ring.add(progress(2))).isTrue();
    assertThat(drain(ring)).containsExactly(progress(2));
  }

  @Test
  void aRingIsEmptyWhenItsGapsAreDrainedToo() {
    CandidateRing ring = new CandidateRing(2, 1);
    assertThat(ring.isEmpty()).isTrue();
    ring.lost(Gap.ofOne(1, 0, 1, 10));
    assertThat(ring.size()).isZero();
    assertThat(ring.isEmpty()).isFalse();
    assertThat(drain(ring)).hasSize(1);
    assertThat(ring.isEmpty()).isTrue();
  }

  @Test
  void awaitingEmissionsEndsWithTheLastOfThemOrInTime() throws InterruptedException {
    CandidateRing ring = new CandidateRing(8, 1);
    ring.add(event(0, 1));
    ring.awaitSize(2, 1);
    Thread writer =
        new Thread(
            () -> {
              for (int sequence = 2; sequence <= 5; sequence++) {
                ring.add(event(0, sequence));
              }
            },
            "writer");
    writer.start();
    ring.awaitSize(5, TimeUnit.MINUTES.toNanos(1));
    assertThat(ring.size()).isEqualTo(5);
    writer.join();
  }

  @Test
  void awaitingRoomEndsInTime() throws InterruptedException {
    CandidateRing ring = new CandidateRing(2, 1);
    assertThat(ring.awaitRoom(5, 1, TimeUnit.SECONDS)).isTrue();
    ring.add(event(0, 1));
    assertThat(ring.awaitRoom(2, 1, TimeUnit.MILLISECONDS)).isFalse();
  }

  /** Every sequence comes out once, as an event or in a gap, in order; progress is never ahead. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void everySequenceIsInAnEventOrAGap(long seed) {
    Random random = new Random(seed);
    int partitions = 1 + random.nextInt(4);
    CandidateRing ring = new CandidateRing(2 + random.nextInt(6), partitions);
    long[] added = new long[partitions];
    Coverage coverage = new Coverage(partitions);
    List<Emission> out = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      switch (random.nextInt(6)) {
        case 0 -> ring.add(new Progress(1, Hvc.of(0, 1), boxed(added)));
        case 1 -> ring.drain(out, random.nextInt(5));
        case 2 -> {
          int partition = random.nextInt(partitions);
          ring.lost(Gap.ofOne(1, partition, ++added[partition], 1));
        }
        default -> {
          int partition = random.nextInt(partitions);
          ring.add(event(partition, ++added[partition]));
        }
      }
    }
    while (ring.drain(out, 100) > 0) {}
    out.forEach(coverage::receive);
    assertThat(coverage.last).as("seed=%d", seed).isEqualTo(added);
    assertThat(ring.dropped() + ring.emitted() + ring.gaps())
        .isGreaterThanOrEqualTo(Arrays.stream(added).sum());
  }

  @Test
  void aConcurrentWriterAndReaderLoseNoSequence() throws InterruptedException {
    CandidateRing ring = new CandidateRing(64, 2);
    long events = 200_000;
    AtomicLong written = new AtomicLong();
    Thread writer =
        new Thread(
            () -> {
              for (int i = 1; i <= events; i++) {
                ring.add(event(0, i));
                written.set(i);
              }
            },
            "writer");
    Coverage coverage = new Coverage(2);
    writer.start();
    List<Emission> batch = new ArrayList<>();
    while (written.get() < events || ring.size() > 0) {
      ring.awaitEmission(TimeUnit.MILLISECONDS.toNanos(1));
      ring.drain(batch, 50);
      batch.forEach(coverage::receive);
      batch.clear();
    }
    writer.join();
    while (ring.drain(batch, 50) > 0) {
      batch.forEach(coverage::receive);
      batch.clear();
    }
    assertThat(coverage.last).containsExactly(events, 0);
  }

  /** Follows the sequences of each partition. */
  private static final class Coverage {
    private final long[] last;

    Coverage(int partitions) {
      last = new long[partitions];
    }

    void receive(Emission emission) {
      if (emission instanceof Gap gap) {
        assertThat(gap.firstSequence()).isEqualTo(last[gap.partition()] + 1);
        last[gap.partition()] = gap.lastSequence();
      } else if (emission instanceof Progress progress) {
        assertThat(boxed(last)).isEqualTo(progress.sequences());
      } else if (emission instanceof Emission.Event event) {
        assertThat(event.sequence()).isEqualTo(last[event.partition()] + 1);
        last[event.partition()] = event.sequence();
      }
    }
  }

  private static List<Long> boxed(long[] values) {
    return Arrays.stream(values).boxed().toList();
  }

  private static Emission.Event event(int partition, long sequence) {
    return event(partition, sequence, VERSION.value().length);
  }

  private static Emission.Event event(int partition, long sequence, int valueBytes) {
    Version published = new Version(new byte[valueBytes], new byte[0]);
    return new Emission.Opened(1, interval(partition, sequence, VERSION), List.of(published));
  }

  private static OpenInterval interval(int partition, long sequence, Version version) {
    return new OpenInterval(
        MemoryNode.key("x"),
        new Holding(TERM, Binding.NONE, version),
        "exact|",
        partition,
        sequence,
        Hvc.of(0, sequence * 10),
        OpenInterval.Source.UNKNOWN);
  }

  private static Progress progress(long sequence) {
    return new Progress(1, Hvc.of(0, sequence * 10), List.of(sequence));
  }

  private static List<Emission> drain(CandidateRing ring) {
    List<Emission> out = new ArrayList<>();
    ring.drain(out, Integer.MAX_VALUE);
    return out;
  }
}
