package io.palinode.benchmarks.online;

import io.palinode.hvc.Hlc;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * What template instances cost the whole way, from nodes to judgement: candidates as fast as they
 * are judged, of few instances or of many. For one thread.
 */
public final class InstancesBenchmark implements AutoCloseable {
  /** Candidates that may be under way, and how often it is looked how many there are. */
  private static final int UNDER_WAY_MAX = 15_000;

  private static final int LOOK_EVERY = 5_000;

  private final LongSupplier epochMicros;
  private final WatchedNodes nodes;
  private final MutexTraffic traffic;
  private final LongAdder coverageLost = new LongAdder();
  private long candidates;

  /**
   * @param instances that were seen since the start
   * @param active how many hold at a time
   * @param heapBytes in use by the whole process after a collection, while so many hold
   */
  public record Result(
      long instances, int active, long candidates, double candidatesPerSecond, long heapBytes) {}

  /**
   * @param epochMicros wall clock, microseconds since the epoch
   */
  public InstancesBenchmark(Cluster cluster, LongSupplier epochMicros) {
    this.epochMicros = epochMicros;
    this.nodes =
        new WatchedNodes(
            cluster,
            epochMicros,
            (record, nanos) -> coverageLost.add(record.hasCoverageLost() ? 1 : 0));
    this.traffic = new MutexTraffic(nodes.nodes(), cluster.epsilon(), epochMicros);
  }

  /** Lets the nodes join, and waits until the job judges what they say. */
  public void start() throws InterruptedException, ExecutionException {
    nodes.start();
  }

  /** So many candidates; of at least so many instances, counted from the first run on. */
  public Result run(long count, long instances, int active) throws InterruptedException {
    Deque<Long> marks = new ArrayDeque<>();
    long begin = System.nanoTime();
    for (long i = 0; i < count; i++) {
      traffic.begin(candidates++, active, instances);
      if (i % LOOK_EVERY == LOOK_EVERY - 1) {
        marks.add(Hlc.ofMicros(epochMicros.getAsLong()));
        if (marks.size() > UNDER_WAY_MAX / LOOK_EVERY) {
          nodes.awaitJudged(marks.remove());
        }
      }
    }
    nodes.awaitJudged();
    double seconds = (System.nanoTime() - begin) / 1e9;
    Result result = new Result(traffic.instances(), active, count, count / seconds, heapBytes());
    traffic.endAll();
    nodes.awaitJudged();
    return result;
  }

  /** Losses of coverage since the start; with none, every candidate was judged. */
  public long coverageLost() {
    return coverageLost.sum();
  }

  @Override
  public void close() {
    nodes.close();
  }

  private static long heapBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
