package io.palinode.store.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.Ticking;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.store.control.ControlExecution;
import io.palinode.store.control.MemoryBinding;
import io.palinode.store.control.NodeControl;
import io.palinode.wire.ControlRecordCheck;
import io.palinode.wire.LogTail;
import io.palinode.wire.RecordReader;
import io.palinode.wire.RefusedRecords;
import io.palinode.wire.RefusedRecords.Reason;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The control log gives a node its duties. */
class ControlTailTest {
  private final MemoryBinding store = MemoryBinding.alone(new Ticking());
  private final CandidateRing ring = new CandidateRing(100, 1);
  private final LocalDetector detector = new LocalDetector(store, ring, instance -> 0, 100);
  private final List<ControlRecord> published = new ArrayList<>();
  private final RefusedRecords refused = new RefusedRecords();
  private final ControlTail control =
      new ControlTail(
          NodeControl.initial(0, 1, store.incarnation()),
          new ControlExecution(
              store, detector, published::addAll, new Ticking(), this::beforeServing));

  private final LogTail.Listener log =
      new ControlListeners(
          new RecordReader<>(ControlRecord.parser(), ControlRecordCheck::require, 1, refused),
          new PeerClocks(0, new Ticking()),
          control,
          List.of());
  private boolean recorded = true;

  private void beforeServing() {
    if (!recorded) {
      throw new IllegalStateException("not recorded yet");
    }
  }

  @Test
  void aNodeServesNoRequestBeforeItIsRecorded() {
    recorded = false;
    control.onCaughtUp();
    assertThat(store.isServing()).isFalse();
    assertThat(control.failures()).isEqualTo(1);
    recorded = true;
    Awaitility.await("the retry, a second later")
        .atMost(10, TimeUnit.SECONDS)
        .until(
            () -> {
              control.onPolled();
              return store.isServing();
            });
  }

  @Test
  void theStoreKnowsARollbackBeforeItsRestore() {
    control.onCaughtUp();
    pass(log, planOpened(), pause());
    pass(log, control(published.get(published.size() - 1).toBuilder()));
    store.failNext(1);
    Restore restore = Restore.newBuilder().setAttempt(1).build();
    pass(log, control(ControlRecord.newBuilder().setRestore(restore)));
    assertThat(control.failures()).isEqualTo(1);
    assertThat(store.lastRollbacks().spans())
        .singleElement()
        .satisfies(span -> assertThat(span.before()).isEqualTo(RollbackTimes.NOT_ENDED));
  }

  @Test
  void theFirstReadingActsOnlyAtItsEnd() {
    pass(log, planOpened(), pause());
    assertThat(published).isEmpty();
    control.onCaughtUp();
    assertThat(published)
        .extracting(ControlRecord::getStepCase)
        .containsExactly(ControlRecord.StepCase.PAUSED, ControlRecord.StepCase.NODE_JOINED);
    assertThat(control.steps()).isEqualTo(3);
  }

  @Test
  void aFailedCommandIsRepeatedLater() {
    control.onCaughtUp();
    assertThat(store.isServing()).isTrue();
    store.failNext(1);
    pass(log, planOpened(), pause());
    assertThat(store.isServing()).isTrue();
    assertThat(control.failures()).isEqualTo(1);
    assertThat(control.failing()).startsWith("Pause: ");
    Awaitility.await("the retry, a second later")
        .atMost(10, TimeUnit.SECONDS)
        .until(
            () -> {
              control.onPolled();
              return !store.isServing();
            });
    assertThat(published).filteredOn(ControlRecord::hasPaused).hasSize(1);
    assertThat(control.failing()).isNull();
  }

  @Test
  void aNodeHasNotBegunBeforeItServes() throws InterruptedException {
    store.failNext(1);
    control.onCaughtUp();
    assertThat(control.awaitBegun(Duration.ZERO)).isFalse();
    Awaitility.await("the retry, a second later")
        .atMost(10, TimeUnit.SECONDS)
        .until(
            () -> {
              control.onPolled();
              return control.awaitBegun(Duration.ZERO);
            });
    assertThat(store.isServing()).isTrue();
  }

  @Test
  void anUnreadableControlRecordIsCountedAndPassedOver() {
    pass(log, record("control", null), record("control", new byte[] {1}), planOpened());
    assertThat(refused.count("control", Reason.EMPTY)).isEqualTo(1);
    assertThat(refused.count("control", Reason.UNREADABLE)).isEqualTo(1);
    assertThat(control.steps()).isEqualTo(1);
  }

  @Test
  void aPlanThatSkipsEpochsIsPassedOver() {
    control.onCaughtUp();
    ControlRecord.Builder opened =
        ControlRecord.newBuilder().setPlanOpened(PlanOpened.getDefaultInstance());
    pass(log, record("control", opened.setEpoch(900).build().toByteArray()));
    pass(log, planOpened(), pause());
    assertThat(store.isServing()).isFalse();
  }

  @SafeVarargs
  private static void pass(LogTail.Listener tail, ConsumerRecord<byte[], byte[]>... records) {
    for (ConsumerRecord<byte[], byte[]> record : records) {
      tail.onRecord(record);
    }
    tail.onPolled();
  }

  private static ConsumerRecord<byte[], byte[]> planOpened() {
    return control(ControlRecord.newBuilder().setPlanOpened(PlanOpened.getDefaultInstance()));
  }

  private static ConsumerRecord<byte[], byte[]> pause() {
    return control(ControlRecord.newBuilder().setPause(Pause.getDefaultInstance()));
  }

  private static ConsumerRecord<byte[], byte[]> control(ControlRecord.Builder step) {
    return record("control", step.setEpoch(1).build().toByteArray());
  }

  private static ConsumerRecord<byte[], byte[]> record(String topic, byte @Nullable [] value) {
    return new ConsumerRecord<>(topic, 0, 0, null, value);
  }
}
