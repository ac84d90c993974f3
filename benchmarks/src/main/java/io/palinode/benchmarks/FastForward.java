package io.palinode.benchmarks;

import io.palinode.detector.binding.StoreKey;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.voldemort.server.SystemMicros;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Nodes that live through minutes of writes in seconds: their clocks are ahead of the real one by
 * what was skipped. No client may be at work meanwhile. For one thread.
 */
final class FastForward {
  /** No caller waits for the copies of the last writes; they arrive earlier than this. */
  private static final long SETTLES_MICROS = 100_000;

  private final LongSupplier real = new SystemMicros();
  private final List<NodeClock> clocks = new ArrayList<>();
  private final int keys;
  private final String value;
  private volatile long aheadMicros;

  FastForward(int keys, int valueBytes) {
    this.keys = keys;
    this.value = StoreLoad.value(valueBytes);
  }

  /** Of a node; while it is taken forward, the clock goes with its writes. */
  private final class NodeClock implements LongSupplier {
    private volatile long writes;

    @Override
    public long getAsLong() {
      long at = writes;
      return at > 0 ? at : now();
    }
  }

  /** The clock of the next node. */
  LongSupplier nextClock() {
    NodeClock clock = new NodeClock();
    clocks.add(clock);
    return clock;
  }

  /** Microseconds since 1970, by the nodes' clocks. */
  long now() {
    return real.getAsLong() + aheadMicros;
  }

  /**
   * Takes all nodes forward by so many seconds, in each of which there are {@code rate} writes of
   * keys at random; the same ones, of the same versions, on all nodes.
   */
  void pass(List<StoreNode> nodes, int seconds, int rate, long seed) {
    long begin = now() + SETTLES_MICROS;
    List<CompletableFuture<Void>> passing = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      StoreNode node = nodes.get(i);
      NodeClock clock = clocks.get(i);
      passing.add(
          CompletableFuture.runAsync(
              () -> write(node, clock, begin, (long) seconds * rate, rate, new Random(seed)),
              work -> new Thread(work, "history").start()));
    }
    passing.forEach(CompletableFuture::join);
    long end = begin + TimeUnit.SECONDS.toMicros(seconds);
    aheadMicros = Math.max(aheadMicros, end - real.getAsLong());
    clocks.forEach(clock -> clock.writes = 0);
  }

  private void write(
      StoreNode node, NodeClock clock, long begin, long writes, int rate, Random random) {
    Caller writer = new Caller(null, null, "history", 0);
    try {
      for (long i = 0; i < writes; i++) {
        clock.writes = begin + i * TimeUnit.SECONDS.toMicros(1) / rate;
        byte[] key = StoreLoad.key(random.nextInt(keys)).getBytes(StandardCharsets.UTF_8);
        StoreKey of = new StoreKey(LoadedNode.STORE, key);
        VectorClock seen = VectorClock.EMPTY;
        for (Versioned version : node.reads().get(of, writer).value()) {
          seen = seen.merge(version.clock());
        }
        var unused = node.writes().put(of, Versioned.ofText(value, seen.incremented(0, i)), writer);
      }
    } catch (RefusedException e) {
      throw new IllegalStateException("node %d: %s".formatted(node.node(), e.getMessage()), e);
    }
  }
}
