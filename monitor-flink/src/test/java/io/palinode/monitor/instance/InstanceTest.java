package io.palinode.monitor.instance;

import static io.palinode.monitor.Records.clock;
import static io.palinode.monitor.Records.event;
import static io.palinode.monitor.Records.interval;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.list;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Witness;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Uncertainty;
import io.palinode.monitor.Records;
import io.palinode.monitor.Restart;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Closed;
import io.palinode.wire.v1.Opened;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InstanceTest {
  private static final DetectionLimits LIMITS = DetectionLimits.DEFAULT.withIntervalsMax(100);
  private static final DetectionSpec SPEC =
      new DetectionSpec(
          Records.NODES,
          List.of(ClauseShape.all(2)),
          new Causality(Epsilon.ofMicros(10), Uncertainty.CONSERVATIVE),
          ReplicaRule.ANY);
  private static final DetectionSpec JOINED =
      new DetectionSpec(SPEC.nodes(), SPEC.clauses(), SPEC.causality(), ReplicaRule.FIRST);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void itReportsTheSameHoweverOftenItIsSerialized(long seed) {
    List<CandidateRecord> records = records(new Random(seed));
    Instance live = begun(records.get(0));
    Instance packed = begun(records.get(0));
    for (CandidateRecord record : records) {
      packed.pack();
      packed.unpack(SPEC, LIMITS);
      assertThat(texts(feed(packed, record)))
          .as("seed=" + seed)
          .isEqualTo(texts(feed(live, record)));
      assertThat(packed.wakeAt()).isEqualTo(live.wakeAt());
      assertThat(packed.isEmpty()).isEqualTo(live.isEmpty());
    }
    assertThat(live.isEmpty()).isTrue();
  }

  @Test
  void aGradeThatRoseIsReportedOnce() {
    Instance instance = begun(Records.opened(0, 1, interval("", 0), clock(0, 1_000, 0)));
    apply(instance, Records.opened(0, 1, interval("", 0), clock(0, 1_000, 0)));
    apply(instance, Records.opened(1, 1, interval("", 1), clock(1, 1_005, 0)));
    assertThat(instance.progress(Hlc.ofMicros(1_006))).hasSize(1);
    assertThat(instance.progress(Hlc.ofMicros(1_100))).hasSize(1);
    Restart known = new Restart(0, 1, clock(0, 1_000, 0));
    assertThat(instance.restarted(known)).isEmpty();
    assertThat(instance.progress(Hlc.ofMicros(1_200))).isEmpty();
  }

  /** A checkpoint writes the state while the task copies it. */
  @Test
  void itsStateMayBeReadByTwoThreads() throws Exception {
    Instance instance = null;
    for (int i = 0; i < 40; i++) {
      int node = i % Records.NODES;
      CandidateRecord record =
          Records.opened(node, i + 1, interval("", i % 2), clock(node, 1_000 + i, 0));
      Opened opened =
          record.getOpened().toBuilder()
              .setOrigin(node)
              .setValues(0, Records.version("k" + i, i))
              .build();
      record = record.toBuilder().setOpened(opened).build();
      instance = instance == null ? Instance.begin(event(record), 1, JOINED, LIMITS) : instance;
      applyJoined(instance, record);
    }
    Instance shared = Objects.requireNonNull(instance);
    byte[] expected = shared.state().encode();
    Callable<Boolean> reader =
        () -> {
          boolean same = true;
          for (int i = 0; i < 20_000; i++) {
            same &= Arrays.equals(expected, shared.state().encode());
          }
          return same;
        };
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (Future<Boolean> same : threads.invokeAll(List.of(reader, reader))) {
        assertThat(same.get()).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** The delete restarts the clock of its key. */
  @Test
  void aWriteAfterADeleteHasItsOwnInterval() {
    Instance instance = Instance.begin(event(accepted(1, 1_000, 5)), 1, JOINED, LIMITS);
    applyJoined(instance, accepted(1, 1_000, 5));
    applyJoined(instance, ended(0, 2, 1_000, 1_100, 5));
    applyJoined(instance, accepted(3, 1_200, 9));
    assertThat(seenBeside(instance, 1_300))
        .singleElement()
        .extracting(Witness::candidates, list(Candidate.class))
        .extracting(Candidate::id)
        .containsExactly(new CandidateId(0, 1, 3), new CandidateId(1, 1, 1));
  }

  @Test
  void aLateEndOfADeletedVersionDoesNotEndALaterOne() {
    Instance instance = Instance.begin(event(accepted(1, 1_000, 5)), 1, JOINED, LIMITS);
    applyJoined(instance, accepted(1, 1_000, 5));
    applyJoined(instance, ended(0, 2, 1_000, 1_100, 5));
    assertThat(instance.progress(Hlc.ofMicros(1_180))).isEmpty();
    applyJoined(instance, accepted(3, 1_200, 9));
    applyJoined(instance, ended(2, 2, 1_010, 1_250, 5));
    assertThat(seenBeside(instance, 1_300))
        .singleElement()
        .extracting(Witness::candidates, list(Candidate.class))
        .extracting(Candidate::id)
        .containsExactly(new CandidateId(0, 1, 3), new CandidateId(1, 1, 1));
  }

  @Test
  void aCopyChangesNothingInTheOther() {
    CandidateRecord first = Records.opened(0, 1, interval("", 0), clock(0, 1_000, 0));
    Instance instance = begun(first);
    apply(instance, first);
    instance.setTimer(17);
    Instance copy = instance.copy();
    assertThat(copy.timerAt()).isEqualTo(17);
    copy.unpack(SPEC, LIMITS);
    apply(copy, Records.opened(1, 1, interval("", 1), clock(1, 1_005, 0)));
    assertThat(instance.progress(Hlc.ofMicros(2_000))).isEmpty();
    assertThat(copy.progress(Hlc.ofMicros(2_000))).isNotEmpty();
  }

  @Test
  void itIsStaleInANewerEpochAndUnderANewerVersionOfItsPredicate() {
    Instance instance = Instance.of(new InstanceState(7, 2, 3, 0x1234, new byte[] {10, 11}));
    ActivePredicate same = new ActivePredicate("p", 2, SPEC, 0);
    assertThat(instance.isStale(7, same)).isFalse();
    assertThat(instance.isStale(8, same)).isTrue();
    assertThat(instance.isStale(7, new ActivePredicate("p", 3, SPEC, 0))).isTrue();
    assertThat(instance.isStale(7, ActivePredicate.deleted("p", 2))).isTrue();
  }

  /** Term 0 turned true on node 0, by a version of always the same clock. */
  private static CandidateRecord accepted(long sequence, long micros, long timestampMs) {
    CandidateRecord record = Records.opened(0, sequence, interval("", 0), clock(0, micros, 0));
    Opened.Builder opened =
        record.getOpened().toBuilder()
            .setOrigin(0)
            .setValues(0, Records.version("x0", 1, timestampMs));
    return record.toBuilder().setOpened(opened).build();
  }

  private static CandidateRecord ended(
      int node, long sequence, long from, long to, long timestampMs) {
    CandidateRecord record =
        Records.closed(
            node, sequence, 1, interval("", 0), clock(node, from, 0), clock(node, to, 0));
    Closed.Builder closed =
        record.getClosed().toBuilder().setOpenedBy(Records.version("x0", 1, timestampMs));
    return record.toBuilder().setClosed(closed).build();
  }

  private static List<Witness> applyJoined(Instance instance, CandidateRecord record) {
    return instance.apply(Change.of(record, JOINED));
  }

  /** The witnesses that are found when term 1 turns true on node 1. */
  private static List<Witness> seenBeside(Instance instance, long micros) {
    List<Witness> found =
        new ArrayList<>(
            applyJoined(instance, Records.opened(1, 1, interval("", 1), clock(1, micros, 0))));
    found.addAll(instance.progress(Hlc.ofMicros(2_000)));
    return found;
  }

  private static Instance begun(CandidateRecord first) {
    return Instance.begin(event(first), 1, SPEC, LIMITS);
  }

  private static List<Witness> feed(Instance instance, CandidateRecord record) {
    List<Witness> found = new ArrayList<>();
    if (record.hasProgress()) {
      found.addAll(instance.progress(event(record).hlc()));
    } else {
      found.addAll(apply(instance, record));
    }
    return found;
  }

  private static List<Witness> apply(Instance instance, CandidateRecord record) {
    return instance.apply(Change.of(record, SPEC));
  }

  private static List<String> texts(List<Witness> found) {
    return found.stream()
        .map(
            witness ->
                witness.grade() + " " + witness.candidates().stream().map(Candidate::id).toList())
        .toList();
  }

  /** Each node opens and closes one term in turns; then all publish progress. */
  private static List<CandidateRecord> records(Random random) {
    List<CandidateRecord> records = new ArrayList<>();
    for (int node = 0; node < 2; node++) {
      long micros = 1_000;
      for (int i = 0; i < 40; i++) {
        Hvc start = clock(node, micros += 1 + random.nextInt(40), 0);
        Hvc end = clock(node, micros += 1 + random.nextInt(40), 0);
        records.add(Records.opened(node, 2 * i + 1, interval("", node), start));
        records.add(Records.closed(node, 2 * i + 2, 2 * i + 1, interval("", node), start, end));
      }
    }
    records.sort(Comparator.comparingLong(record -> event(record).hlc()));
    List<CandidateRecord> all = new ArrayList<>();
    for (CandidateRecord record : records) {
      all.add(record);
      all.add(Records.progress(2, 0, clock(2, Hlc.micros(event(record).hlc()) - 1, 0)));
    }
    all.add(Records.progress(2, 0, clock(2, 1_000_000, 0)));
    return all;
  }
}
