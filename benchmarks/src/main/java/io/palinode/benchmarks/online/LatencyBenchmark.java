package io.palinode.benchmarks.online;

import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import io.palinode.wire.v1.ViolationRecord;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * From the creation of a candidate to the violation that it completes, at a listener: three watched
 * nodes write to a Kafka at which the detection job runs. The creation is when the candidate was
 * due, so what a stall delays is counted. For one thread.
 */
public final class LatencyBenchmark implements AutoCloseable {
  private static final Topics ROUND_TRIP = new Topics("palinode-bench");
  private static final double HELD_SECONDS = 0.02;
  private static final int HELD_MIN = 4;
  private static final int ROUND_TRIP_SHARE = 3;

  private final Cluster cluster;
  private final WatchedNodes nodes;
  private final MutexTraffic traffic;
  private volatile @Nullable Arrivals arrivals;
  private long candidates;

  /** One rate. Reached is in candidates a second; a candidate is an opening and a closing. */
  public record Result(
      double rate, double reached, Counts counts, Latency detection, Latency kafkaAlone) {
    /** The medians, by each other. */
    public double ratio() {
      return detection.p50() / kafkaAlone.p50();
    }
  }

  /** Of violations; of {@code coverageLost}, of gaps. */
  public record Counts(long expected, long received, long extra, long coverageLost) {
    /** Nothing lost, nothing extra. */
    public boolean areComplete() {
      return expected == received && extra == 0 && coverageLost == 0;
    }
  }

  /**
   * @param epochMicros wall clock, microseconds since the epoch
   */
  public LatencyBenchmark(Cluster cluster, LongSupplier epochMicros) {
    this.cluster = cluster;
    this.nodes = new WatchedNodes(cluster, epochMicros, this::received);
    this.traffic = new MutexTraffic(nodes.nodes(), cluster.epsilon(), epochMicros);
  }

  /** Lets the nodes join, and waits until the job judges what they say. */
  public void start() throws InterruptedException, ExecutionException {
    try (TopicsAdmin admin = new TopicsAdmin(cluster.kafka(), ROUND_TRIP)) {
      admin.createAbsent(TopicLayout.DEFAULT.withCandidatePartitions(1));
    }
    nodes.start();
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
    nodes.awaitJudged();
    Latency alone =
        new RoundTrip(cluster.watch().kafka(), cluster.kafka(), ROUND_TRIP.candidates())
            .run(Cluster.NODES, rate, seconds / ROUND_TRIP_SHARE);
    return new Result(
        rate,
        reached,
        new Counts(run.expected(), run.received(), run.extra(), run.coverageLost()),
        run.latency(),
        alone);
  }

  /** How many template instances the candidates were of so far. */
  public long instances() {
    return traffic.instances();
  }

  @Override
  public void close() {
    nodes.close();
  }

  private void received(ViolationRecord record, long nanos) {
    Arrivals run = arrivals;
    if (run != null) {
      run.received(record, nanos);
    }
  }
}
