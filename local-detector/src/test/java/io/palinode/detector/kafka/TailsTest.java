package io.palinode.detector.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.MemoryNode;
import io.palinode.detector.Ticking;
import io.palinode.detector.Watched;
import io.palinode.detector.control.ControlExecution;
import io.palinode.detector.control.NodeControl;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.predicate.form.Predicates;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.wire.ControlRecordCheck;
import io.palinode.wire.LogTail;
import io.palinode.wire.RecordChecks;
import io.palinode.wire.RecordReader;
import io.palinode.wire.RefusedRecords;
import io.palinode.wire.RefusedRecords.Reason;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.PredicateRecord;
import io.palinode.wire.v1.Restore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TailsTest {
  private final MemoryNode store = MemoryNode.alone(new Ticking());
  private final CandidateRing ring = new CandidateRing(100, 1);
  private final LocalDetector detector = new LocalDetector(store, ring, instance -> 0, 100);
  private final List<ControlRecord> published = new ArrayList<>();
  private final List<String> watched = new ArrayList<>();
  private final RefusedRecords refused = new RefusedRecords();
  private boolean logIsAway;
  private final PredicateTail predicates =
      new PredicateTail(
          new RecordReader<>(PredicateRecord.parser(), RecordChecks::predicate, 1, refused),
          detector,
          new WatchedVersions(0, 7, new Ticking(), this::recordWatched));
  private final ControlTail control =
      new ControlTail(
          NodeControl.initial(0, 1, store.incarnation()),
          new ControlExecution(
              store, detector, published::addAll, new Ticking(), this::beforeServing));

  private final LogTail.Listener log =
      new ControlListeners(
          new RecordReader<>(ControlRecord.parser(), ControlRecordCheck::require, 1, refused),
          control,
          List.of());
  private boolean passesEveryWrite = true;

  private void recordWatched(List<ControlRecord> records) {
    if (logIsAway) {
      throw new IllegalStateException("Kafka is away");
    }
    records.stream()
        .map(ControlRecord::getWatching)
        .forEach(w -> watched.add(w.getPredicate() + w.getVersion() + "@" + w.getIncarnation()));
  }

  private void beforeServing() {
    if (!passesEveryWrite) {
      throw new IllegalStateException("no record written yet");
    }
  }

  @Test
  void aNodeServesNothingBeforeEachPartitionHasItsRecord() {
    passesEveryWrite = false;
    control.onCaughtUp();
    assertThat(store.isServing()).isFalse();
    assertThat(control.failures()).isEqualTo(1);
    passesEveryWrite = true;
    Awaitility.await("the retry, a second later")
        .atMost(10, TimeUnit.SECONDS)
        .until(
            () -> {
              control.onPolled();
              return store.isServing();
            });
  }

  @Test
  void theStoreReceivesTheRollbacksBeforeItRestores() {
    control.onCaughtUp();
    deliver(log, planOpened(), pause());
    deliver(log, control(published.get(published.size() - 1).toBuilder()));
    store.failNext(1);
    Restore restore = Restore.newBuilder().setAttempt(1).build();
    deliver(log, control(ControlRecord.newBuilder().setRestore(restore)));
    assertThat(control.failures()).isEqualTo(1);
    assertThat(store.lastRollbacks().spans())
        .singleElement()
        .satisfies(span -> assertThat(span.before()).isEqualTo(RollbackTimes.NOT_ENDED));
  }

  @Test
  void predicatesAreAddedChangedAndDeleted() {
    deliver(predicates, predicate("exact", 1));
    assertThat(detector.predicates()).as("before the end is known").isZero();
    predicates.onCaughtUp();
    deliver(predicates, predicate("exact", 1), predicate("edge-mutex", 2));
    assertThat(detector.predicates()).isEqualTo(2);
    deliver(predicates, deleted("exact", 2));
    assertThat(detector.predicates()).isEqualTo(1);
    // An old record again, as compaction may leave it.
    deliver(predicates, predicate("exact", 1));
    assertThat(detector.predicates()).isEqualTo(1);
    deliver(predicates, predicate("exact", 3));
    assertThat(detector.predicates()).isEqualTo(2);
    assertThat(predicates.refused()).isZero();
  }

  @Test
  void aScanThatFailsIsDoneAgainLater() {
    control.onCaughtUp();
    predicates.onCaughtUp();
    store.put("cs_1_2_1", "1");
    store.failNext(1);
    deliver(predicates, predicate("edge-mutex", 1));
    assertThat(predicates.failures()).isEqualTo(1);
    assertThat(detector.openIntervals()).isZero();
    Awaitility.await("the retry, a second later")
        .atMost(10, TimeUnit.SECONDS)
        .until(
            () -> {
              predicates.onPolled();
              return detector.openIntervals() == 1;
            });
    deliver(predicates, deleted("edge-mutex", 2));
    assertThat(detector.predicates()).isZero();
  }

  @Test
  void theVersionsThatTheDetectorWatchesArePublishedOnce() {
    deliver(predicates, predicate("exact", 1));
    assertThat(watched).as("before the end is known").isEmpty();
    predicates.onCaughtUp();
    predicates.onPolled();
    assertThat(watched).containsExactly("exact1@7");
    deliver(predicates, deleted("exact", 2));
    assertThat(watched).containsExactly("exact1@7", "exact2@7");
  }

  @Test
  void aVersionIsNotPublishedBeforeItsScanSucceeds() {
    control.onCaughtUp();
    predicates.onCaughtUp();
    store.put("cs_1_2_1", "1");
    store.failNext(1);
    deliver(predicates, predicate("edge-mutex", 1));
    assertThat(watched).isEmpty();
    Awaitility.await("the retry, a second later")
        .atMost(10, TimeUnit.SECONDS)
        .until(
            () -> {
              predicates.onPolled();
              return watched.equals(List.of("edge-mutex1@7"));
            });
  }

  @Test
  void aVersionThatTheLogRefusedIsPublishedAgain() {
    predicates.onCaughtUp();
    logIsAway = true;
    deliver(predicates, predicate("exact", 1));
    assertThat(detector.predicates()).as("watched nevertheless").isEqualTo(1);
    logIsAway = false;
    Awaitility.await("the retry, a second later")
        .atMost(10, TimeUnit.SECONDS)
        .until(
            () -> {
              predicates.onPolled();
              return watched.equals(List.of("exact1@7"));
            });
  }

  @Test
  void aVersionThatCannotBeReadEndsTheOneBefore() {
    predicates.onCaughtUp();
    deliver(predicates, predicate("exact", 1));
    PredicateRecord wrong =
        PredicateRecord.newBuilder().setName("exact").setVersion(2).setYaml("kind: x").build();
    deliver(predicates, record("predicates", wrong.toByteArray()));
    deliver(predicates, record("predicates", new byte[] {1}));
    assertThat(detector.predicates()).isZero();
    assertThat(predicates.refused()).isEqualTo(1);
    assertThat(refused.count("predicates", Reason.UNREADABLE)).isEqualTo(1);
  }

  @Test
  void theLogIsReadWithoutActingAndThenThePendingStepIsDone() {
    deliver(log, planOpened(), pause());
    assertThat(published).isEmpty();
    control.onCaughtUp();
    assertThat(published)
        .extracting(ControlRecord::getStepCase)
        .containsExactly(ControlRecord.StepCase.PAUSED, ControlRecord.StepCase.NODE_JOINED);
    assertThat(control.steps()).isEqualTo(3);
  }

  @Test
  void aCommandThatFailsIsDoneAgainLater() {
    control.onCaughtUp();
    assertThat(store.isServing()).isTrue();
    store.failNext(1);
    deliver(log, planOpened(), pause());
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
  void anUnreadableRecordIsCountedAndSkipped() {
    deliver(log, record("control", null), record("control", new byte[] {1}), planOpened());
    assertThat(refused.count("control", Reason.EMPTY)).isEqualTo(1);
    assertThat(refused.count("control", Reason.UNREADABLE)).isEqualTo(1);
    assertThat(control.steps()).isEqualTo(1);
  }

  @Test
  void aPlanThatSkipsEpochsIsSkipped() {
    control.onCaughtUp();
    ControlRecord.Builder opened =
        ControlRecord.newBuilder().setPlanOpened(PlanOpened.getDefaultInstance());
    deliver(log, record("control", opened.setEpoch(900).build().toByteArray()));
    deliver(log, planOpened(), pause());
    assertThat(store.isServing()).isFalse();
  }

  @Test
  void anAbsurdVersionLeavesThePredicateUsable() {
    predicates.onCaughtUp();
    deliver(predicates, predicate("exact", 1), deleted("exact", Long.MAX_VALUE));
    deliver(predicates, predicate("exact", 2));
    assertThat(detector.predicates()).isEqualTo(1);
    assertThat(refused.count("predicates", Reason.ABSURD)).isEqualTo(1);
  }

  @SafeVarargs
  private static void deliver(LogTail.Listener tail, ConsumerRecord<byte[], byte[]>... records) {
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

  private static ConsumerRecord<byte[], byte[]> predicate(String name, long version) {
    var active = name.equals("exact") ? Watched.exact(version) : Watched.edgeMutex(version);
    PredicateRecord record =
        PredicateRecord.newBuilder()
            .setName(name)
            .setVersion(version)
            .setYaml(Predicates.toYaml(active.predicate()))
            .build();
    return record("predicates", record.toByteArray());
  }

  private static ConsumerRecord<byte[], byte[]> deleted(String name, long version) {
    PredicateRecord record =
        PredicateRecord.newBuilder().setName(name).setVersion(version).setDeleted(true).build();
    return record("predicates", record.toByteArray());
  }

  private static ConsumerRecord<byte[], byte[]> record(String topic, byte @Nullable [] value) {
    return new ConsumerRecord<>(topic, 0, 0, null, value);
  }
}
