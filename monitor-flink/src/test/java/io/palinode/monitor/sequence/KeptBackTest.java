package io.palinode.monitor.sequence;

import static io.palinode.monitor.Records.closed;
import static io.palinode.monitor.Records.event;
import static io.palinode.monitor.Records.gap;
import static io.palinode.monitor.Records.interval;
import static io.palinode.monitor.Records.opened;
import static io.palinode.monitor.Records.progress;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Records;
import io.palinode.monitor.sequence.KeptBack.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeptBackTest {
  private static final int STEPS = 100;

  /**
   * Else a job that restarts between a hole and the late end uses the waiting events before that
   * end and finds false violations.
   */
  @Test
  void eventsThatWaitForALateEndWaitAfterARestartToo() {
    List<CandidateEvent> passedOn = new ArrayList<>();
    KeptBack before = new KeptBack();
    before.observe(opened(0, 1, 10), true, passedOn::add);
    before.observe(opened(0, 3, 30), true, passedOn::add);
    KeptBack after = restored(before.states());
    passedOn.clear();
    after.observe(progress(0, 3, 35), true, passedOn::add);
    after.observe(event(gap(0, 2, 2, 20, 20)), true, passedOn::add);
    CandidateEvent lateEnd =
        event(closed(0, 4, 1, interval("", 0), Records.clock(0, 10, 0), Records.clock(0, 20, 0)));
    after.observe(lateEnd, true, passedOn::add);
    assertThat(passedOn).as("before the end is read").isEmpty();
    assertThat(after.isWaiting()).isTrue();
    after.observe(progress(0, 4, 40), true, passedOn::add);
    assertThat(passedOn).extracting(CandidateEvent::sequence).containsExactly(4L, 3L);
    assertThat(after.isWaiting()).isFalse();
  }

  /** The hole may follow the checkpoint: its start is known. */
  @Test
  void aHoleRightBehindTheCheckpointIsSeen() {
    List<CandidateEvent> passedOn = new ArrayList<>();
    KeptBack before = new KeptBack();
    before.observe(opened(0, 1, 10), true, passedOn::add);
    KeptBack after = restored(before.states());
    passedOn.clear();
    after.observe(opened(0, 3, 30), true, passedOn::add);
    assertThat(passedOn).isEmpty();
    assertThat(after.isWaiting()).isTrue();
  }

  @Test
  void aNodeReadByAnotherSubtaskHoldsNoWatermark() {
    KeptBack before = new KeptBack();
    before.observe(opened(0, 1, 10), true, event -> {});
    before.observe(opened(0, 3, 30), true, event -> {});
    KeptBack after = restored(before.states());
    after.observe(progress(1, 1, 40), true, event -> {});
    assertThat(after.isWaiting()).isFalse();
    assertThat(after.states())
        .usingRecursiveFieldByFieldElementComparator()
        .containsAll(before.states());
  }

  /** Each subtask writes its state of all nodes; only one has read more since. */
  @Test
  void ofTwoCopiesTheOneThatHasReadMoreCounts() {
    List<CandidateEvent> passedOn = new ArrayList<>();
    KeptBack before = new KeptBack();
    before.observe(opened(0, 1, 10), true, event -> {});
    before.observe(opened(0, 3, 30), true, event -> {});
    KeptBack elsewhere = restored(before.states());
    KeptBack reader = restored(before.states());
    reader.observe(event(gap(0, 2, 2, 20, 20)), true, passedOn::add);
    reader.observe(progress(0, 3, 40), true, passedOn::add);
    for (List<KeptBack> order : List.of(List.of(reader, elsewhere), List.of(elsewhere, reader))) {
      List<State> both = new ArrayList<>();
      order.forEach(one -> both.addAll(one.states()));
      List<CandidateEvent> then = new ArrayList<>();
      restored(both).observe(opened(0, 4, 50), true, then::add);
      assertThat(then).extracting(CandidateEvent::sequence).containsExactly(4L);
    }
  }

  /** Every subtask reads each written copy and would write it again. */
  @Test
  void onlyTheReaderOfANodeWritesItsState() {
    KeptBack before = new KeptBack();
    before.observe(opened(0, 1, 10), true, event -> {});
    before.observe(opened(0, 3, 30), true, event -> {});
    before.observe(opened(1, 1, 10), true, event -> {});
    KeptBack elsewhere = restored(before.states());
    elsewhere.observe(progress(1, 1, 40), true, event -> {});
    assertThat(elsewhere.statesObserved())
        .extracting(state -> state.channel().node())
        .containsExactly(1);
    KeptBack reader = restored(before.states());
    reader.observe(progress(0, 3, 40), true, event -> {});
    assertThat(reader.statesObserved())
        .singleElement()
        .satisfies(state -> assertThat(state.events()).hasSize(1));
  }

  @Test
  void waitingEventsAreBoundedInBytesToo() {
    long bytesMax = 20_000;
    KeptBack kept = new KeptBack(bytesMax);
    List<CandidateEvent> passedOn = new ArrayList<>();
    kept.observe(opened(0, 1, 1), true, passedOn::add);
    int events = 1_000;
    for (int at = 2; at <= events; at++) {
      kept.observe(opened(0, at + 1, at), true, passedOn::add);
      long waiting =
          kept.states().get(0).events().stream().mapToLong(event -> event.record().length).sum();
      assertThat(waiting).as("at=%d", at).isLessThanOrEqualTo(bytesMax);
    }
    kept.observe(event(gap(0, 2, 2, 1, 1)), true, passedOn::add);
    kept.observe(progress(0, events + 1, events + 1), true, passedOn::add);
    assertThat(passedOn).hasSize(events);

    kept.observe(opened(0, events + 3, events + 3), true, passedOn::add);
    assertThat(passedOn).as("once it is empty there is room again").hasSize(events);
  }

  static LongStream seeds() {
    return LongStream.range(0, 200);
  }

  /** A job that restarts from a checkpoint passes on the same events as one that continues. */
  @ParameterizedTest
  @MethodSource("seeds")
  void aRestartedJobPassesOnTheSame(long seed) {
    Random random = new Random(seed);
    List<CandidateEvent> continued = new ArrayList<>();
    List<CandidateEvent> restarted = new ArrayList<>();
    KeptBack one = new KeptBack();
    KeptBack other = new KeptBack();
    long sequence = 0;
    for (int at = 1; at < STEPS; at++) {
      int node = random.nextInt(2);
      CandidateEvent next =
          switch (random.nextInt(6)) {
            case 0 -> opened(node, sequence += 2, at);
            case 1 -> event(gap(node, Math.max(1, sequence - 3), ++sequence, at, at));
            case 2, 3 -> progress(node, sequence, at);
            default -> opened(node, ++sequence, at);
          };
      one.observe(next, true, continued::add);
      if (random.nextInt(5) == 0) {
        other = restored(other.states());
      }
      other.observe(next, true, restarted::add);
      assertThat(restarted).as("seed=%d at=%d", seed, at).isEqualTo(continued);
    }
  }

  private static KeptBack restored(List<State> states) {
    KeptBack next = new KeptBack();
    next.restore(states);
    return next;
  }
}
