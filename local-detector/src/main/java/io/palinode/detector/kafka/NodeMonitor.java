package io.palinode.detector.kafka;

import io.micrometer.core.instrument.MeterRegistry;
import io.palinode.detector.CandidateEncoder;
import io.palinode.detector.CandidateRing;
import io.palinode.detector.ControlExecution;
import io.palinode.detector.LocalDetector;
import io.palinode.detector.NodeControl;
import io.palinode.detector.StoreBinding;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node under watch: its detector, its side of control, and their three threads. A node that runs
 * unwatched simply has none.
 *
 * <p>The node serves nothing until {@link #start} has learned from the control log which epoch it
 * is in, and has called {@link StoreBinding#resume}; when a plan is open it stays paused and takes
 * part.
 */
public final class NodeMonitor implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(NodeMonitor.class);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

  private final LocalDetector detector;
  private final Producer<byte[], byte[]> candidates;
  private final Producer<byte[], byte[]> control;
  private final CandidateEmitter emitter;
  private final TopicTail predicateTail;
  private final TopicTail controlTail;
  private final NodeMeters meters;

  private NodeMonitor(
      StoreBinding store,
      NodeMonitorConfig config,
      CandidatePartitions partitions,
      LongSupplier epochMicros,
      MeterRegistry registry) {
    CandidateRing ring = new CandidateRing(config.ringCapacity(), partitions.count());
    detector = new LocalDetector(store, ring, partitions, config.openIntervalsMax());

    candidates = producer(config, config.linger());
    CandidateWriter writer =
        new CandidateWriter(
            candidates,
            config.topics().candidates(),
            new CandidateEncoder(store.node(), store.incarnation()),
            ring);
    emitter = new CandidateEmitter(store.node(), detector, ring, writer, config.pace());

    PredicateTail predicates = new PredicateTail(detector);
    predicateTail = tail(config, config.topics().predicates(), store, "predicates", predicates);

    control = producer(config, Duration.ZERO);
    ControlPublisher publisher = new ControlPublisher(control, config.topics().control());
    ControlTail steps =
        new ControlTail(
            NodeControl.initial(store.node(), store.nodes(), store.incarnation()),
            new ControlExecution(store, detector, publisher, epochMicros));
    controlTail = tail(config, config.topics().control(), store, "control", steps);

    meters = new NodeMeters(registry, store.node());
    meters.add(detector);
    meters.add(ring);
    meters.add(writer);
    meters.add(predicates);
    meters.add(steps);
    meters.add(this);
    store.listen(detector);
  }

  /**
   * Watches {@code store} from now on. Returns when the node has joined: predicates and control log
   * read, the intervals that hold opened, the store serving or paused. Throws {@link
   * IllegalStateException} when that takes longer than the configuration allows.
   *
   * @param epochMicros wall clock, microseconds since the epoch
   */
  public static NodeMonitor start(
      StoreBinding store,
      NodeMonitorConfig config,
      LongSupplier epochMicros,
      MeterRegistry registry) {
    long deadline = System.nanoTime() + config.startTimeout().toNanos();
    CandidatePartitions partitions;
    try (Consumer<byte[], byte[]> consumer = consumer(config)) {
      partitions = CandidatePartitions.find(consumer, config, deadline);
    }
    NodeMonitor monitor = new NodeMonitor(store, config, partitions, epochMicros, registry);
    try {
      monitor.start(config, deadline);
    } catch (IllegalStateException e) {
      monitor.close();
      throw e;
    }
    log.info("node={} incarnation={} state=JOINED", store.node(), store.incarnation());
    return monitor;
  }

  private void start(NodeMonitorConfig config, long deadline) {
    emitter.start();
    predicateTail.start();
    await(predicateTail, config.topics().predicates(), deadline);
    // Only now: the state is evaluated once, with all predicates known.
    controlTail.start();
    await(controlTail, config.topics().control(), deadline);
  }

  private static void await(TopicTail tail, String topic, long deadline) {
    try {
      tail.caughtUp().get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("a start must not be interrupted: topic=" + topic, e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the node must reach the end of a topic: topic=" + topic, e);
    }
  }

  private static Producer<byte[], byte[]> producer(NodeMonitorConfig config, Duration linger) {
    return new KafkaProducer<>(ClientSettings.producer(config.bootstrapServers(), linger));
  }

  private static Consumer<byte[], byte[]> consumer(NodeMonitorConfig config) {
    return new KafkaConsumer<>(ClientSettings.tail(config.bootstrapServers()));
  }

  private static TopicTail tail(
      NodeMonitorConfig config,
      String topic,
      StoreBinding store,
      String role,
      TopicTail.Reader reader) {
    String thread = "palinode-" + role + "-" + store.node();
    return new TopicTail(consumer(config), topic, thread, reader);
  }

  /** False when one of the threads has ended by a failure, which the log tells. */
  public boolean isRunning() {
    return emitter.isRunning() && predicateTail.isRunning() && controlTail.isRunning();
  }

  /** Sends what is still queued if it can; ends within about 20 seconds even without a broker. */
  @Override
  public void close() {
    controlTail.close();
    predicateTail.close();
    detector.stop();
    emitter.close();
    candidates.close(CLOSE_MAX);
    control.close(CLOSE_MAX);
    meters.close();
  }
}
