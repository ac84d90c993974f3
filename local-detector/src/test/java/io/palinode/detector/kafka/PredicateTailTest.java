package io.palinode.detector.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.MemoryNode;
import io.palinode.detector.Ticking;
import io.palinode.detector.Watched;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.predicate.form.Predicates;
import io.palinode.wire.LogTail;
import io.palinode.wire.RecordChecks;
import io.palinode.wire.RecordReader;
import io.palinode.wire.RefusedRecords;
import io.palinode.wire.RefusedRecords.Reason;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.PredicateRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The predicates topic sets the predicates of a detector. */
class PredicateTailTest {
  private final MemoryNode store = MemoryNode.alone(new Ticking());
  private final CandidateRing ring = new CandidateRing(100, 1);
  private final LocalDetector detector = new LocalDetector(store, ring, instance -> 0, 100);
  private final List<String> watched = new ArrayList<>();
  private final RefusedRecords refused = new RefusedRecords();
  private boolean logIsAway;
  private final PredicateTail predicates =
      new PredicateTail(
          new RecordReader<>(PredicateRecord.parser(), RecordChecks::predicate, 1, refused),
          detector,
          new WatchedVersions(0, 7, new Ticking(), this::publish));

  private void publish(List<ControlRecord> records) {
    if (logIsAway) {
      throw new IllegalStateException("Kafka is away");
    }
    records.stream()
        .map(ControlRecord::getWatching)
        .forEach(w -> watched.add(w.getPredicate() + w.getVersion() + "@" + w.getIncarnation()));
  }

  @BeforeEach
  void serve() {
    store.resume(1, 0, 0);
  }

  @Test
  void predicatesAreAppliedChangedAndDeleted() {
    pass(predicates, predicate("exact", 1));
    assertThat(detector.predicates()).as("before the end is known").isZero();
    predicates.onCaughtUp();
    pass(predicates, predicate("exact", 1), predicate("edge-mutex", 2));
    assertThat(detector.predicates()).isEqualTo(2);
    pass(predicates, deleted("exact", 2));
    assertThat(detector.predicates()).isEqualTo(1);
    // An old record again, as compaction may leave it.
    pass(predicates, predicate("exact", 1));
    assertThat(detector.predicates()).isEqualTo(1);
    pass(predicates, predicate("exact", 3));
    assertThat(detector.predicates()).isEqualTo(2);
    assertThat(predicates.refused()).isZero();
  }

  @Test
  void aFailedScanIsRepeatedLater() {
    detector.reset(1);
    predicates.onCaughtUp();
    store.put("cs_1_2_1", "1");
    store.failNext(1);
    pass(predicates, predicate("edge-mutex", 1));
    assertThat(predicates.failures()).isEqualTo(1);
    assertThat(detector.openIntervals()).isZero();
    Awaitility.await("the retry, a second later")
        .atMost(10, TimeUnit.SECONDS)
        .until(
            () -> {
              predicates.onPolled();
              return detector.openIntervals() == 1;
            });
    pass(predicates, deleted("edge-mutex", 2));
    assertThat(detector.predicates()).isZero();
  }

  @Test
  void eachWatchedVersionIsPublishedOnce() {
    pass(predicates, predicate("exact", 1));
    assertThat(watched).as("before the end is known").isEmpty();
    predicates.onCaughtUp();
    predicates.onPolled();
    assertThat(watched).containsExactly("exact1@7");
    pass(predicates, deleted("exact", 2));
    assertThat(watched).containsExactly("exact1@7", "exact2@7");
  }

  @Test
  void aVersionWhoseScanFailedIsNotPublishedYet() {
    detector.reset(1);
    predicates.onCaughtUp();
    store.put("cs_1_2_1", "1");
    store.failNext(1);
    pass(predicates, predicate("edge-mutex", 1));
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
    pass(predicates, predicate("exact", 1));
    assertThat(detector.predicates()).as("still watched").isEqualTo(1);
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
  void anUnreadableVersionEndsTheEarlierVersion() {
    predicates.onCaughtUp();
    pass(predicates, predicate("exact", 1));
    PredicateRecord wrong =
        PredicateRecord.newBuilder().setName("exact").setVersion(2).setYaml("kind: x").build();
    pass(predicates, record("predicates", wrong.toByteArray()));
    pass(predicates, record("predicates", new byte[] {1}));
    assertThat(detector.predicates()).isZero();
    assertThat(predicates.refused()).isEqualTo(1);
    assertThat(refused.count("predicates", Reason.UNREADABLE)).isEqualTo(1);
  }

  @Test
  void anAbsurdVersionLeavesThePredicateUsable() {
    predicates.onCaughtUp();
    pass(predicates, predicate("exact", 1), deleted("exact", Long.MAX_VALUE));
    pass(predicates, predicate("exact", 2));
    assertThat(detector.predicates()).isEqualTo(1);
    assertThat(refused.count("predicates", Reason.ABSURD)).isEqualTo(1);
  }

  @SafeVarargs
  private static void pass(LogTail.Listener tail, ConsumerRecord<byte[], byte[]>... records) {
    for (ConsumerRecord<byte[], byte[]> record : records) {
      tail.onRecord(record);
    }
    tail.onPolled();
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
