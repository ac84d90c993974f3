package io.palinode.detector.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.detector.LocalDetector;
import io.palinode.detector.MemoryNode;
import io.palinode.detector.Ticking;
import io.palinode.detector.Watched;
import io.palinode.detector.ring.CandidateEncoder;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.Gap;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.detector.ring.Emission.Progress;
import io.palinode.predicate.template.Template;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.CandidateRecord.EventCase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CandidateWriterTest {
  private static final int PARTITIONS = 2;
  private static final Duration NO_TIME = Duration.ZERO;
  private static final long STARTED = System.nanoTime();

  private final MemoryNode store = MemoryNode.alone(new Ticking());
  private final CandidateRing ring = new CandidateRing(100, PARTITIONS);
  private final LocalDetector detector =
      new LocalDetector(store, ring, new CandidatePartitions(PARTITIONS), 10_000);

  @BeforeEach
  void watchAndServe() {
    store.listen(detector);
    detector.setPredicates(List.of(Watched.exact(1), Watched.properColouring(1)));
    detector.reset(0);
    store.resume(0, 0, 0);
  }

  @Test
  void candidatesGoToTheirPartitionWithTheirKeyAndProgressToAll() throws Exception {
    MockProducer<byte[], byte[]> producer = producer(true);
    CandidateWriter writer = writer(producer);
    store.put("x", "1");
    detector.reportProgress();
    writeAll(writer);
    int partition = new CandidatePartitions(PARTITIONS).applyAsInt("exact|");
    List<ProducerRecord<byte[], byte[]>> sent = producer.history();
    assertThat(sent).hasSize(1 + PARTITIONS);
    assertThat(sent.get(0).partition()).isEqualTo(partition);
    assertThat(new String(sent.get(0).key(), UTF_8)).isEqualTo("exact|");
    assertThat(parse(sent.get(0)).hasOpened()).isTrue();
    for (int p = 0; p < PARTITIONS; p++) {
      assertThat(sent.get(1 + p).partition()).isEqualTo(p);
      CandidateRecord progress = parse(sent.get(1 + p));
      assertThat(progress.hasProgress()).isTrue();
      assertThat(progress.getSequence()).isEqualTo(p == partition ? 1 : 0);
    }
    assertThat(writer.progress()).isEqualTo(1);
  }

  @Test
  void aRefusedClockPromiseIsPublishedInEveryPartitionWithoutASequence() throws Exception {
    MockProducer<byte[], byte[]> producer = producer(true);
    CandidateWriter writer = writer(producer);
    writer.writeUnpromised(77);
    assertThat(producer.history()).hasSize(PARTITIONS);
    for (ProducerRecord<byte[], byte[]> sent : producer.history()) {
      CandidateRecord record = parse(sent);
      assertThat(record.getUnpromisedSinceMicros()).isEqualTo(77);
      assertThat(record.getEventCase()).isEqualTo(EventCase.EVENT_NOT_SET);
      assertThat(record.getSequence()).isZero();
    }
    assertThat(writer.awaitRecorded(NO_TIME)).as("it takes no sequence number").isFalse();
  }

  @Test
  void aRefusedRecordIsAGapBeforeTheNextProgress() {
    MockProducer<byte[], byte[]> producer = producer(false);
    CandidateWriter writer = writer(producer);
    store.put("x", "1");
    writeAll(writer);
    producer.errorNext(new RecordTooLargeException("refused"));
    assertThat(writer.refused()).isEqualTo(1);
    detector.reportProgress();
    List<Emission> out = new ArrayList<>();
    ring.drain(out, 10);
    assertThat(out.get(0)).isInstanceOf(Gap.class);
    assertThat(out.get(out.size() - 1)).isInstanceOf(Progress.class);
  }

  @Test
  void anOpeningThatKafkaRefusesIsPublishedAgainWhileItIsOpen() {
    MockProducer<byte[], byte[]> producer = producer(false);
    CandidateWriter writer = writer(producer);
    store.put("x", "1");
    store.put("y", "1");
    writeAll(writer);
    producer.errorNext(new RecordTooLargeException("refused"));
    producer.errorNext(new RecordTooLargeException("refused"));
    store.put("y", "0");
    detector.reportProgress();
    List<Emission> out = new ArrayList<>();
    ring.drain(out, 10);
    assertThat(out)
        .filteredOn(emission -> emission instanceof Opened)
        .as("y is over")
        .singleElement()
        .extracting(opened -> ((Opened) opened).values().get(0).value())
        .isEqualTo("1".getBytes(UTF_8));
  }

  @Test
  void anEndThatKafkaRefusesIsPublishedLate() {
    MockProducer<byte[], byte[]> producer = producer(false);
    CandidateWriter writer = writer(producer);
    store.put("x", "1");
    store.put("x", "0");
    writeAll(writer);
    producer.completeNext();
    producer.errorNext(new RecordTooLargeException("refused"));
    detector.reportProgress();
    List<Emission> out = new ArrayList<>();
    ring.drain(out, 10);
    assertThat(out).hasSize(3);
    assertThat(out.get(0)).isInstanceOf(Gap.class);
    assertThat(((Closed) out.get(1)).instance()).isEqualTo("exact|");
    assertThat(out.get(2)).isInstanceOf(Progress.class);
  }

  @Test
  void anOpeningThatKafkaRefusesIsPublishedLateWithItsOwnTime() {
    MockProducer<byte[], byte[]> producer = producer(false);
    CandidateWriter writer = writer(producer);
    store.put("x", "1");
    final long opened = store.clock().last().own();
    writeAll(writer);
    producer.errorNext(new RecordTooLargeException("refused"));
    detector.reportProgress();
    List<Emission> out = new ArrayList<>();
    ring.drain(out, 10);
    assertThat(out).hasSize(3);
    assertThat(((Opened) out.get(1)).hlc()).isEqualTo(opened);
    assertThat(out.get(2)).isInstanceOf(Progress.class);
  }

  /** An event published out of the order of its sequence would count as a repeat. */
  @Test
  void eventsAfterARefusedEndHaveLaterSequences() {
    for (String next : List.of("an opening", "an end")) {
      MockProducer<byte[], byte[]> producer = producer(false);
      CandidateWriter writer = writer(producer);
      store.put("x", "1");
      store.put("y", "1");
      store.put("x", "0");
      writeAll(writer);
      producer.completeNext();
      producer.completeNext();
      producer.errorNext(new RecordTooLargeException("refused"));
      if (next.equals("an end")) {
        store.put("y", "0");
      } else {
        store.put("x", "1");
      }
      List<Emission> out = new ArrayList<>();
      ring.drain(out, 10);
      List<Long> sequences = new ArrayList<>();
      for (Emission emission : out) {
        if (emission instanceof Emission.Event event) {
          sequences.add(event.sequence());
        }
      }
      assertThat(sequences).as(next).hasSize(2).isSorted();
      store.put("x", "0");
      store.put("y", "0");
      writeAll(writer);
    }
  }

  @Test
  void theLongestEventFitsARecord() throws Exception {
    detector.setPredicates(
        List.of(
            Watched.predicate(
                "long",
                1,
                "forEach: {a: '{a}'}\nviolation: [{all: [{var: 'k{a}', notEquals: '0'}]}]")));
    MockProducer<byte[], byte[]> producer = producer(true);
    CandidateWriter writer = writer(producer);
    String key = "k" + "\u20ac".repeat(Template.TEXT_MAX - 1);
    for (int sibling = 0; sibling < 8; sibling++) {
      store.putConcurrently(key, sibling + "1".repeat(100_000), sibling);
    }
    writeAll(writer);
    assertThat(writer.refused()).isZero();
    assertThat(producer.history()).hasSize(8);
    assertThat(parse(producer.history().get(7)).getSerializedSize())
        .isBetween(CandidateWriter.RECORD_BYTES_MAX / 2, CandidateWriter.RECORD_BYTES_MAX);
  }

  @Test
  void theEmitterSendsCandidatesAndProgressAndEndsInTime() {
    MockProducer<byte[], byte[]> producer = producer(true);
    CandidateEmitter emitter =
        new CandidateEmitter(
            0,
            detector,
            ring,
            writer(producer),
            ProgressPace.DEFAULT,
            CandidateWriterTest::wallMicros);
    emitter.start();
    store.put("x", "1");
    Awaitility.await("a candidate and ten progress records after it")
        .atMost(10, TimeUnit.SECONDS)
        .until(() -> producer.history().size() > 10 * PARTITIONS);
    assertThat(emitter.isRunning()).isTrue();
    store.put("x", "0");
    emitter.close(detector.stop());
    assertThat(emitter.isRunning()).isFalse();
    assertThat(producer.history()).filteredOn(r -> r.key() != null).hasSize(2);
    List<CandidateRecord> sent =
        producer.history().stream().map(CandidateWriterTest::read).toList();
    assertThat(sent).filteredOn(CandidateRecord::hasStopped).hasSize(PARTITIONS);
    assertThat(sent.subList(sent.size() - PARTITIONS, sent.size()))
        .allMatch(CandidateRecord::hasStopped);
  }

  /** A thread that ended would keep every plan of the cluster waiting for this node. */
  @Test
  void theEmitterSurvivesLackOfMemoryAndSendsTheRestLater() {
    AtomicInteger left = new AtomicInteger(2);
    MockProducer<byte[], byte[]> producer =
        new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
          @Override
          public synchronized Future<RecordMetadata> send(
              ProducerRecord<byte[], byte[]> record, Callback callback) {
            if (record.key() != null && left.getAndDecrement() > 0) {
              throw new OutOfMemoryError("a test");
            }
            return super.send(record, callback);
          }
        };
    store.put("x", "1");
    store.put("x", "0");
    CandidateEmitter emitter =
        new CandidateEmitter(
            0,
            detector,
            ring,
            writer(producer),
            ProgressPace.DEFAULT,
            CandidateWriterTest::wallMicros);
    emitter.start();
    Awaitility.await("both candidates and progress after them")
        .atMost(10, TimeUnit.SECONDS)
        .until(() -> producer.history().size() >= 2 + PARTITIONS);
    assertThat(emitter.isRunning()).isTrue();
    emitter.close(null);
    assertThat(producer.history().stream().map(CandidateWriterTest::read))
        .filteredOn(record -> !record.hasProgress())
        .extracting(CandidateRecord::getEventCase)
        .containsExactly(EventCase.OPENED, EventCase.CLOSED);
  }

  @Test
  void onABusyMachineTheEmitterWaitsForEnoughCandidates() {
    MockProducer<byte[], byte[]> producer = producer(true);
    Duration hour = Duration.ofHours(1);
    ProgressPace pace =
        new ProgressPace(hour, hour, Duration.ofMillis(1), Duration.ZERO, hour, hour);
    AtomicInteger asked = new AtomicInteger();
    CandidateEmitter emitter =
        new CandidateEmitter(
                0, detector, ring, writer(producer), pace, CandidateWriterTest::wallMicros)
            .sparingIf(() -> asked.incrementAndGet() > 0);
    emitter.start();
    Awaitility.await("the first progress goes out at once")
        .atMost(10, TimeUnit.SECONDS)
        .until(() -> producer.history().size() == PARTITIONS);
    store.put("x", "1");
    Awaitility.await("a candidate waits").atMost(10, TimeUnit.SECONDS).until(() -> asked.get() > 1);
    assertThat(producer.history()).hasSize(PARTITIONS);
    for (int i = 2; i <= CandidateEmitter.COMPANY; i++) {
      store.put("x", Integer.toString(i % 2));
    }
    Awaitility.await("the last one ends the wait")
        .atMost(10, TimeUnit.SECONDS)
        .until(() -> producer.history().size() == PARTITIONS + CandidateEmitter.COMPANY);
    emitter.close(null);
  }

  @Test
  void anyWriteEndsTheQuietOfTheEmitter() {
    MockProducer<byte[], byte[]> producer = producer(true);
    Duration milli = Duration.ofMillis(1);
    ProgressPace pace =
        new ProgressPace(Duration.ofHours(1), milli, milli, Duration.ZERO, milli, milli);
    CandidateEmitter emitter =
        new CandidateEmitter(
            0, detector, ring, writer(producer), pace, CandidateWriterTest::wallMicros);
    emitter.start();
    Awaitility.await("the node publishes at once")
        .atMost(10, TimeUnit.SECONDS)
        .until(() -> producer.history().size() == PARTITIONS);
    store.put("unwatched", "1");
    Awaitility.await("progress past the write")
        .atMost(10, TimeUnit.SECONDS)
        .until(() -> producer.history().size() > PARTITIONS);
    emitter.close(detector.stop());
    assertThat(detector.openedCount()).isZero();
  }

  @Test
  void aStopIsPublishedInEveryPartitionOnceAllElseIsAcknowledged() throws Exception {
    MockProducer<byte[], byte[]> producer = producer(false);
    CandidateWriter writer = writer(producer);
    store.put("x", "1");
    Progress last = stopped();
    writeAll(writer);
    assertThat(writer.writeStopped(last, NO_TIME)).as("unanswered").isFalse();
    assertThat(producer.history()).hasSize(1);
    producer.completeNext();
    assertThat(writer.writeStopped(last, NO_TIME)).as("unanswered itself").isFalse();
    List<CandidateRecord> sent =
        producer.history().stream().map(CandidateWriterTest::read).toList();
    assertThat(sent.subList(1, sent.size()))
        .hasSize(PARTITIONS)
        .allMatch(CandidateRecord::hasStopped)
        .extracting(CandidateRecord::getSequence)
        .containsExactlyInAnyOrder(0L, 1L);
  }

  @Test
  void noStopIsPublishedIfARecordWasRefused() throws Exception {
    MockProducer<byte[], byte[]> producer = producer(false);
    CandidateWriter writer = writer(producer);
    store.put("x", "1");
    Progress last = stopped();
    writeAll(writer);
    producer.errorNext(new RecordTooLargeException("refused"));
    assertThat(writer.writeStopped(last, NO_TIME)).isFalse();
    assertThat(producer.history()).hasSize(1);
  }

  @Test
  void aGapThatWaitsIsSentBeforeTheEnd() {
    MockProducer<byte[], byte[]> producer = producer(true);
    CandidateEmitter emitter =
        new CandidateEmitter(
            0,
            detector,
            ring,
            writer(producer),
            ProgressPace.DEFAULT,
            CandidateWriterTest::wallMicros);
    Progress last = stopped();
    ring.lost(new Gap(0, 0, 1, 2, 10, 20));
    emitter.start();
    emitter.close(last);
    assertThat(producer.history().stream().map(CandidateWriterTest::read))
        .filteredOn(record -> !record.hasProgress())
        .extracting(CandidateRecord::getEventCase)
        .containsExactly(EventCase.GAP, EventCase.STOPPED, EventCase.STOPPED);
  }

  @Test
  void aNodeIsRecordedOnceEveryPartitionHasARecord() throws Exception {
    MockProducer<byte[], byte[]> producer = producer(false);
    CandidateWriter writer = writer(producer);
    detector.reportProgress();
    writeAll(writer);
    producer.completeNext();
    assertThat(writer.awaitRecorded(NO_TIME)).isFalse();
    producer.completeNext();
    assertThat(writer.awaitRecorded(NO_TIME)).isTrue();
  }

  private Progress stopped() {
    return Objects.requireNonNull(detector.stop());
  }

  private CandidateWriter writer(MockProducer<byte[], byte[]> producer) {
    return new CandidateWriter(
        producer, "candidates", new CandidateEncoder(0, 1), ring, detector::lost);
  }

  private void writeAll(CandidateWriter writer) {
    List<Emission> out = new ArrayList<>();
    ring.drain(out, 1_000);
    out.forEach(writer::write);
  }

  private static MockProducer<byte[], byte[]> producer(boolean answers) {
    return new MockProducer<>(answers, null, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static CandidateRecord read(ProducerRecord<byte[], byte[]> record) {
    try {
      return parse(record);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private static CandidateRecord parse(ProducerRecord<byte[], byte[]> record)
      throws InvalidProtocolBufferException {
    return CandidateRecord.parseFrom(record.value());
  }

  /** Far from the moments at which nodes publish their progress together. */
  private static long wallMicros() {
    return (System.nanoTime() - STARTED) / 1_000 + 1;
  }
}
