package io.palinode.benchmarks;

import io.palinode.voldemort.client.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Clients that read and write keys of a store at random, as fast as they are answered. {@link #lap}
 * may be called by one thread.
 */
public final class StoreLoad implements AutoCloseable {
  private static final long NANOS_MAX = 60_000_000_000L;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MS = 1e6;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final long MILLIS_PER_SECOND = 1_000;

  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;
  private Histogram latencies = new Histogram(NANOS_MAX, 3);
  private long lapBegun;

  /** What the clients got in some time. The histogram is not changed any more. */
  public record Lap(double seconds, Histogram latencies) {
    public long operations() {
      return latencies.getTotalCount();
    }

    public double operationsPerSecond() {
      return operations() / seconds;
    }

    public double p50Ms() {
      return latencies.getValueAtPercentile(50) / NANOS_PER_MS;
    }

    public double p99Ms() {
      return latencies.getValueAtPercentile(99) / NANOS_PER_MS;
    }

    /** Both, as if they had been one. */
    public Lap plus(Lap other) {
      Histogram both = latencies.copy();
      both.add(other.latencies);
      return new Lap(seconds + other.seconds, both);
    }
  }

  /**
   * What clients ask for.
   *
   * @param writes the share of operations that are puts; the others are gets
   */
  public record Mix(int keys, int valueBytes, double writes) {}

  /**
   * One operation.
   *
   * @param put the value to put; null: the key is read
   */
  public record Request(String key, @Nullable String put) {}

  /**
   * @param stores of which each thread uses one; they are dealt out
   * @param clients threads
   */
  public StoreLoad(List<Store> stores, Mix mix, int clients, long seed) {
    this(stores, clients, client -> random(mix, new Random(seed + client)));
  }

  /**
   * @param stores of which each thread uses one; they are dealt out
   * @param requests what each client asks for, by its number
   */
  public StoreLoad(List<Store> stores, int clients, IntFunction<Supplier<Request>> requests) {
    this.lapBegun = System.nanoTime();
    for (int i = 0; i < clients; i++) {
      Supplier<Request> next = requests.apply(i);
      Store store = stores.get(i % stores.size());
      Thread thread = new Thread(() -> run(store, next), "load-" + i);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
  }

  /** What all keys are set to. */
  public static String value(int bytes) {
    return "x".repeat(bytes);
  }

  public static String key(int i) {
    return "key-%08d".formatted(i);
  }

  /** Puts all keys, with a thread for each store. Returns when they are there. */
  public static void fill(List<Store> stores, int keys, int valueBytes)
      throws InterruptedException {
    String value = value(valueBytes);
    AtomicInteger next = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (Store store : stores) {
      Thread thread =
          new Thread(
              () -> {
                for (int i = next.getAndIncrement(); i < keys; i = next.getAndIncrement()) {
                  store.put(key(i), value);
                  done.incrementAndGet();
                }
              },
              "fill");
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (done.get() < keys) {
      throw new IllegalStateException(
          "only %d of %d keys were put: standard error says why".formatted(done.get(), keys));
    }
  }

  private static Supplier<Request> random(Mix mix, Random random) {
    String value = value(mix.valueBytes());
    return () -> {
      String key = key(random.nextInt(mix.keys()));
      return new Request(key, random.nextDouble() < mix.writes() ? value : null);
    };
  }

  private void run(Store store, Supplier<Request> requests) {
    while (!closed) {
      Request next = requests.get();
      long begun = System.nanoTime();
      if (next.put() != null) {
        store.put(next.key(), next.put());
      } else {
        var unused = store.get(next.key());
      }
      note(System.nanoTime() - begun);
    }
  }

  private synchronized void note(long nanos) {
    latencies.recordValue(Math.min(nanos, NANOS_MAX));
  }

  /** Ends a lap and begins the next. */
  public synchronized Lap lap() {
    long now = System.nanoTime();
    Lap lap = new Lap(Math.max(1, now - lapBegun) / NANOS_PER_SECOND, latencies);
    latencies = new Histogram(NANOS_MAX, 3);
    lapBegun = now;
    return lap;
  }

  /**
   * Lets the clients work for {@code rampSeconds}, then measures them for {@code seconds}.
   *
   * @param cpuNanos the time of the measured process
   */
  public Side measure(double rampSeconds, double seconds, LongSupplier cpuNanos)
      throws InterruptedException {
    sleep(rampSeconds);
    var unused = lap();
    long cpuBegun = cpuNanos.getAsLong();
    sleep(seconds);
    Lap lap = lap();
    double cpuTook = cpuNanos.getAsLong() - cpuBegun;
    return new Side(
        lap.operationsPerSecond(),
        lap.p50Ms(),
        lap.p99Ms(),
        cpuTook / NANOS_PER_MICRO / Math.max(1, lap.operations()));
  }

  private static void sleep(double seconds) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(Math.round(seconds * MILLIS_PER_SECOND));
  }

  @Override
  public void close() {
    closed = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
