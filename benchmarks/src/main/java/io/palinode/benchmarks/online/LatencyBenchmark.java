package io.palinode.benchmarks.online;

import com.google.protobuf.InvalidProtocolBufferException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.detector.kafka.NodeMonitor;
import io.palinode.detector.kafka.NodeMonitorConfig;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.LogTail;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import io.palinode.wire.v1.PredicateRecord;
import io.palinode.wire.v1.ViolationRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * From the creation of a candidate to the violation that it completes, at a listener: three watched
 * nodes write to a Kafka at which the detection job runs. The creation is when the candidate was
 * due, so what a stall delays is counted. For one thread.
 */
public final class LatencyBenchmark implements AutoCloseable {
  public static final int NODES = 3;

  private static final Topics ROUND_TRIP = new Topics("palinode-bench");
  private static final Duration JUDGED_MAX = Duration.ofSeconds(30);
  private static final double HELD_SECONDS = 0.02;
  private static final int HELD_MIN = 4;

  private final NodeMonitorConfig watch;
  private final KafkaSettings listener;
  private final LongSupplier epochMicros;
  private final List<NodeMonitor> monitors = new ArrayList<>();
  private final List<UnstoredNode> nodes;
  private final MutexTraffic traffic;
  private final LogTail tail;
  private volatile @Nullable Arrivals arrivals;
  private volatile long judged = Long.MIN_VALUE;
  private long candidates;

  /** One rate. Reached is in candidates a second; a candidate is an opening and a closing. */
  public record Result(
      double rate,
      double reached,
      long expected,
      long received,
      long extra,
      long coverageLost,
      Latency detection,
      Latency kafkaAlone) {
    /** The medians, by each other. */
    public double ratio() {
      return detection.p50() / kafkaAlone.p50();
    }

    public boolean isComplete() {
      return expected == received && extra == 0 && coverageLost == 0;
    }
  }

  /**
   * @param watch how nodes are watched there
   * @param listener how the orchestrator reads
   * @param epochMicros wall clock, microseconds since the epoch
   */
  public LatencyBenchmark(
      NodeMonitorConfig watch, KafkaSettings listener, Epsilon epsilon, LongSupplier epochMicros) {
    this.watch = watch;
    this.listener = listener;
    this.epochMicros = epochMicros;
    this.nodes =
        IntStream.range(0, NODES)
            .mapToObj(node -> new UnstoredNode(node, NODES, epsilon, epochMicros))
            .toList();
    this.traffic = new MutexTraffic(nodes, epochMicros);
    this.tail =
        new LogTail(
            "bench-violations",
            listener,
            LogTail.Source.partition(watch.topics().violations(), 0, LogTail.From.BEGINNING),
            this::received);
  }

  /** Lets the nodes join, and waits until the job judges what they say. */
  public void start() throws InterruptedException, ExecutionException {
    try (TopicsAdmin admin = new TopicsAdmin(listener, ROUND_TRIP)) {
      admin.createAbsent(TopicLayout.DEFAULT.withCandidatePartitions(1));
    }
    apply();
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    for (UnstoredNode node : nodes) {
      monitors.add(NodeMonitor.start(node, watch, epochMicros, registry));
    }
    tail.start();
    awaitJudged();
  }

  /** Until nothing that was written before is left to be judged. */
  private void awaitJudged() throws InterruptedException {
    long now = Hlc.ofMicros(epochMicros.getAsLong());
    if (!Await.until(() -> judged >= now, JUDGED_MAX)) {
      throw new IllegalStateException(
          "the detection job must judge within " + JUDGED_MAX, tail.failure());
    }
  }

  /** Candidates for so many seconds, then Kafka alone for a third of that. */
  public Result run(double rate, double seconds) throws InterruptedException {
    OpenLoop loop = new OpenLoop(rate, seconds);
    long first = candidates;
    Arrivals run = new Arrivals(loop, first);
    arrivals = run;
    candidates += loop.steps();
    int heldMax = Math.max(HELD_MIN, (int) (rate * HELD_SECONDS));
    double reached = loop.run(index -> traffic.begin(first + index, heldMax));
    traffic.endAll();
    // All that is to come has come then: a violation stands before the judgement of its time.
    awaitJudged();
    Latency alone =
        new RoundTrip(watch.kafka(), listener, ROUND_TRIP.candidates())
            .run(NODES, rate, seconds / 3);
    return new Result(
        rate,
        reached,
        run.expected(),
        run.received(),
        run.extra(),
        run.coverageLost(),
        run.latency(),
        alone);
  }

  /** How many template instances the candidates were of so far. */
  public long instances() {
    return traffic.instances();
  }

  @Override
  public void close() {
    tail.close();
    monitors.forEach(NodeMonitor::close);
  }

  private void received(ConsumerRecord<byte[], byte[]> record) {
    long now = System.nanoTime();
    ViolationRecord violations = parse(record.value());
    Arrivals run = arrivals;
    if (run != null) {
      run.received(violations, now);
    }
    if (violations.hasJudged()) {
      judged = Math.max(judged, violations.getJudged().getHlc());
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
    byte[] name = MutexTraffic.PREDICATE.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    try (Producer<byte[], byte[]> producer = listener.newProducer("bench-predicates")) {
      producer
          .send(new ProducerRecord<>(watch.topics().predicates(), 0, name, record.toByteArray()))
          .get();
    }
  }
}
