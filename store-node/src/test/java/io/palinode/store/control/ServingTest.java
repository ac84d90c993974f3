package io.palinode.store.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.control.MemoryBinding.Disk;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Serving;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A node acknowledges in the control log that it serves an epoch. */
class ServingTest {
  private final AtomicLong micros = new AtomicLong(1_000_000);
  private final MemoryBinding store =
      new MemoryBinding(0, 1, new Disk(), micros::incrementAndGet, 0);
  private final List<ControlRecord> log = new ArrayList<>();
  private final ControlExecution node =
      new ControlExecution(
          store,
          new LocalDetector(store, new CandidateRing(16, 1), i -> 0, 16),
          log::addAll,
          micros::get,
          () -> {});

  @Test
  void aNodeAnnouncesTheAcknowledgementAndSendsItWhenItServes() {
    node.pause(1);
    assertThat(log.get(0).getPaused().getAcknowledgesServing()).isTrue();
    node.serve(1, 0, 0, MissedEpochs.NONE, List.of());
    assertThat(log).hasSize(2);
    assertThat(log.get(1).getEpoch()).isEqualTo(1);
    assertThat(log.get(1).getServing())
        .isEqualTo(Serving.newBuilder().setIncarnation(store.incarnation()).build());
  }

  @Test
  void theEpochThatNoPlanHasOpenedIsNotAcknowledged() {
    node.serve(0, 0, 0, MissedEpochs.NONE, List.of());
    assertThat(log).isEmpty();
  }
}
