package io.palinode.benchmarks.online;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.detector.kafka.NodeDetectorConfig;
import io.palinode.hvc.Hlc;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.store.kafka.ClusterMember;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.LogTail;
import io.palinode.wire.v1.PredicateRecord;
import io.palinode.wire.v1.ViolationRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Three watched nodes without a store, and a listener to what the detection job says of them. */
final class WatchedNodes implements AutoCloseable {
  /** A slow machine may judge long after a burst, as long as it judges more and more. */
  private static final Duration STANDSTILL_MAX = Duration.ofSeconds(60);

  private final NodeDetectorConfig watch;
  private final KafkaSettings kafka;
  private final LongSupplier epochMicros;
  private final List<ClusterMember> monitors = new ArrayList<>();
  private final List<UnstoredNode> nodes;
  private final Listener listener;
  private final LogTail tail;
  private volatile long judged = Long.MIN_VALUE;

  /** Receives every record of the violations' topic, in the tail's thread. */
  interface Listener {
    void received(ViolationRecord record, long nanos);
  }

  WatchedNodes(Cluster cluster, LongSupplier epochMicros, Listener listener) {
    this.watch = cluster.watch();
    this.kafka = cluster.kafka();
    this.epochMicros = epochMicros;
    this.listener = listener;
    this.nodes =
        IntStream.range(0, Cluster.NODES)
            .mapToObj(n -> new UnstoredNode(n, Cluster.NODES, cluster.epsilon(), epochMicros))
            .toList();
    this.tail =
        new LogTail(
            "bench-violations",
            kafka,
            LogTail.Source.partition(watch.topics().violations(), 0, LogTail.From.BEGINNING),
            this::received);
  }

  List<UnstoredNode> nodes() {
    return nodes;
  }

  /** Applies the predicate, lets the nodes join, and waits until the job judges what they say. */
  void start() throws InterruptedException, ExecutionException {
    apply();
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    for (UnstoredNode node : nodes) {
      LocalSnapshots none =
          new LocalSnapshots(node.node(), new NoHistory(), Path.of("no-snapshots"));
      monitors.add(ClusterMember.start(node, none, watch, epochMicros, registry));
    }
    tail.start();
    awaitJudged();
  }

  /** Until nothing that was written before is left to be judged. */
  void awaitJudged() throws InterruptedException {
    awaitJudged(Hlc.ofMicros(epochMicros.getAsLong()));
  }

  /** Until everything at or before {@code hlc} is judged. */
  void awaitJudged(long hlc) throws InterruptedException {
    while (judged < hlc) {
      long before = judged;
      if (!Await.until(() -> judged > before, STANDSTILL_MAX)) {
        throw new IllegalStateException(
            "the detection job has judged nothing more for " + STANDSTILL_MAX, tail.failure());
      }
    }
  }

  @Override
  public void close() {
    tail.close();
    monitors.forEach(ClusterMember::close);
  }

  private void received(ConsumerRecord<byte[], byte[]> record) {
    long now = System.nanoTime();
    ViolationRecord read = parse(record.value());
    listener.received(read, now);
    if (read.hasJudged()) {
      judged = Math.max(judged, read.getJudged().getHlc());
    }
  }

  private static ViolationRecord parse(byte[] bytes) {
    try {
      return ViolationRecord.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a violation record must be protobuf", e);
    }
  }

  private void apply() throws InterruptedException, ExecutionException {
    PredicateRecord record =
        PredicateRecord.newBuilder()
            .setName(MutexTraffic.PREDICATE)
            .setVersion(1)
            .setYaml(MutexTraffic.YAML)
            .build();
    byte[] name = MutexTraffic.PREDICATE.getBytes(UTF_8);
    try (Producer<byte[], byte[]> producer = kafka.newProducer("bench-predicates")) {
      producer
          .send(new ProducerRecord<>(watch.topics().predicates(), 0, name, record.toByteArray()))
          .get();
    }
  }
}
