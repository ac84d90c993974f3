package io.palinode.launcher.embedded;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Closed;
import io.palinode.wire.v1.Gap;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.Progress;
import io.palinode.wire.v1.Stopped;
import io.palinode.wire.v1.VariableVersion;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Writes the records of a cluster's nodes to the candidates' topic, without the nodes. The nodes
 * exchange no messages, so ε alone orders their events. Progress is written every 5 ms.
 * Thread-safe.
 */
final class FakeNodes implements AutoCloseable {
  static final int NODES = 3;
  static final int PARTITIONS = 4;
  static final Epsilon EPSILON = Epsilon.ofMicros(10_000);

  private static final long PROGRESS_MS = 5;

  /** Of all nodes of this process: its tests share a broker. */
  private static final AtomicLong STARTS = new AtomicLong();

  private final String topic;
  private final Producer<byte[], byte[]> producer;
  private final HvcClock[] clocks = new HvcClock[NODES];
  private final long[] incarnations = new long[NODES];
  private final Map<String, Long> sequences = new HashMap<>();
  private final ScheduledExecutorService progress = Executors.newSingleThreadScheduledExecutor();
  private long epoch;

  /** An interval that is open at a node. */
  record Interval(int node, IntervalRef ref, long sequence, Hvc start) {}

  FakeNodes(KafkaSettings kafka, String topic) {
    this.topic = topic;
    this.producer = kafka.newProducer("fake-nodes");
    for (int node = 0; node < NODES; node++) {
      clocks[node] =
          new HvcClock(node, NODES, EPSILON, FakeNodes::nowMicros, Duration.ofMillis(500));
      incarnations[node] = STARTS.incrementAndGet();
    }
    var unused =
        progress.scheduleAtFixedRate(this::reportProgress, 0, PROGRESS_MS, TimeUnit.MILLISECONDS);
  }

  static IntervalRef ref(String predicate, long version, String binding, int term) {
    return IntervalRef.newBuilder()
        .setPredicate(predicate)
        .setPredicateVersion(version)
        .setBinding(binding)
        .setTerm(term)
        .build();
  }

  Interval open(int node, IntervalRef ref) {
    return open(node, ref, value(ref));
  }

  /** With a version that has this vector clock. */
  Interval open(int node, IntervalRef ref, byte[] clock) {
    return open(node, ref, value(ref).toBuilder().setClock(ByteString.copyFrom(clock)).build());
  }

  private synchronized Interval open(int node, IntervalRef ref, VariableVersion version) {
    Hvc start = clocks[node].tick();
    Interval interval = new Interval(node, ref, next(node, partition(ref)), start);
    send(
        ref,
        record(node, interval.sequence())
            .setOpened(
                Opened.newBuilder()
                    .setInterval(ref)
                    .setStart(CandidateRecords.encode(start))
                    .addValues(version)
                    .setWriter("client" + node))
            .build());
    return interval;
  }

  synchronized void close(Interval interval) {
    Hvc end = clocks[interval.node()].tick();
    IntervalRef ref = interval.ref();
    send(
        ref,
        record(interval.node(), next(interval.node(), partition(ref)))
            .setClosed(
                Closed.newBuilder()
                    .setInterval(ref)
                    .setOpenedSequence(interval.sequence())
                    .setStart(CandidateRecords.encode(interval.start()))
                    .setEnd(CandidateRecords.encode(end))
                    .setOpenedBy(value(ref)))
            .build());
  }

  /** Loses the next {@code count} events of a node on the partition of {@code ref}, with a gap. */
  synchronized void loseWithGap(int node, IntervalRef ref, int count) {
    explain(node, ref, skip(node, ref, count), count);
  }

  /** Publishes a gap of {@code count} events from the first on. */
  synchronized void explain(int node, IntervalRef ref, long first, int count) {
    send(
        partition(ref),
        record(node, first + count - 1)
            .setGap(
                Gap.newBuilder()
                    .setFirstSequence(first)
                    .setLastSequence(first + count - 1)
                    .setFromHlc(clocks[node].tick().own())
                    .setToHlc(clocks[node].tick().own()))
            .build());
  }

  /** Loses the events without a gap. Returns the first. */
  synchronized long skip(int node, IntervalRef ref, int count) {
    long first = next(node, partition(ref));
    for (int i = 1; i < count; i++) {
      next(node, partition(ref));
    }
    return first;
  }

  /** The node stops in order, forgets its open intervals and restarts. */
  synchronized void restart(int node) {
    Hvc now = clocks[node].tick();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      send(
          partition,
          record(node, sequence(node, partition))
              .setStopped(Stopped.newBuilder().setHvc(CandidateRecords.encode(now)))
              .build());
    }
    kill(node);
  }

  /** The node starts again, and had not published that it stopped. */
  synchronized void kill(int node) {
    incarnations[node] = STARTS.incrementAndGet();
    sequences.keySet().removeIf(channel -> channel.startsWith(node + "/"));
  }

  synchronized void beginEpoch(long next) {
    epoch = next;
  }

  static int partition(IntervalRef ref) {
    return CandidateRecords.partition(
        CandidateRecords.keyBytes(CandidateRecords.instanceKey(ref)), PARTITIONS);
  }

  static long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  @Override
  public void close() {
    progress.shutdownNow();
    producer.close(Duration.ofSeconds(2));
  }

  private synchronized void reportProgress() {
    for (int node = 0; node < NODES; node++) {
      Hvc now = clocks[node].tick();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        send(
            partition,
            record(node, sequence(node, partition))
                .setProgress(Progress.newBuilder().setHvc(CandidateRecords.encode(now)))
                .build());
      }
    }
  }

  private long sequence(int node, int partition) {
    return sequences.getOrDefault(node + "/" + partition, 0L);
  }

  private long next(int node, int partition) {
    return sequences.merge(node + "/" + partition, 1L, Long::sum);
  }

  private CandidateRecord.Builder record(int node, long sequence) {
    return CandidateRecord.newBuilder()
        .setNode(node)
        .setIncarnation(incarnations[node])
        .setEpoch(epoch)
        .setSequence(sequence);
  }

  private static VariableVersion value(IntervalRef ref) {
    return VariableVersion.newBuilder()
        .setStore("s")
        .setKey(ByteString.copyFromUtf8("x" + ref.getTerm() + "_" + ref.getBinding()))
        .setValue(ByteString.copyFromUtf8("1"))
        .build();
  }

  private void send(IntervalRef ref, CandidateRecord record) {
    send(partition(ref), record);
  }

  private void send(int partition, CandidateRecord record) {
    Future<RecordMetadata> unused =
        producer.send(new ProducerRecord<>(topic, partition, null, record.toByteArray()));
  }
}
