package io.palinode.examples.graph.run;

import io.palinode.examples.graph.Partition;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.session.RolledBack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * All clients of a run, each on its thread. Thread-safe. Use: {@link #start}, look at {@link
 * #progress} now and then, {@link #await} the result, {@link #close} in any case.
 */
public final class ColouringRun implements AutoCloseable {
  private final RunConfig config;
  private final Partition partition;
  private final List<ClientThread> threads = new ArrayList<>();
  private final CyclicBarrier connected;
  private final AtomicReference<@Nullable RunFailedException> failure = new AtomicReference<>();
  private volatile boolean stopped;
  private volatile long startedNanos;

  /**
   * @param connect the cells of a client by its index; called on the client's thread, which closes
   *     them
   */
  public ColouringRun(RunConfig config, IntFunction<Cells> connect) {
    this.config = config;
    this.partition = config.partition();
    this.connected = new CyclicBarrier(config.clients(), () -> startedNanos = System.nanoTime());
    for (int client = 0; client < config.clients(); client++) {
      threads.add(new ClientThread(client, this, connect, connected));
    }
  }

  /** On one store; {@code clientConfig} gives how each client reaches it. */
  public static ColouringRun onStore(
      RunConfig config, String store, IntFunction<ClientConfig> clientConfig) {
    return new ColouringRun(
        config, client -> StoreCells.connect(clientConfig.apply(client), store));
  }

  public Partition partition() {
    return partition;
  }

  /** Once. The clients begin together, when all are connected. */
  public void start() {
    threads.forEach(ClientThread::start);
  }

  public Progress progress() {
    List<ColouringClient> clients = clients();
    return new Progress(
        clients.stream().mapToInt(ColouringClient::tasks).sum(),
        config.tasks(),
        clients.stream().mapToLong(ColouringClient::operations).sum(),
        clients.stream().mapToLong(ColouringClient::wasted).sum(),
        clients.stream().mapToInt(client -> client.rollbacks().size()).max().orElse(0));
  }

  /** Whether all clients have ended, well or not; waits for it for {@code max} at most. */
  public boolean awaitEnd(Duration max) throws InterruptedException {
    long deadline = System.nanoTime() + max.toNanos();
    for (ClientThread thread : threads) {
      if (!thread.join(Duration.ofNanos(deadline - System.nanoTime()))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Waits for the end. Throws {@link RunFailedException} when a client failed, {@link
   * CancellationException} when the run was closed before.
   */
  public RunResult await() throws InterruptedException {
    for (ClientThread thread : threads) {
      thread.join();
    }
    RunFailedException failed = failure.get();
    if (failed != null) {
      throw failed;
    }
    if (!threads.stream().allMatch(ClientThread::hasEnded)) {
      throw new CancellationException("the run was closed before its end");
    }
    return result();
  }

  /** Stops the clients, if they still run, and waits for their threads, some seconds at most. */
  @Override
  public void close() {
    stop();
    joinOrCut();
  }

  ColouringClient newClient(int index, Cells cells) {
    return new ColouringClient(index, config, partition, cells, Timing.SYSTEM, () -> stopped);
  }

  /** The first failure is the run's; those that follow from stopping the others are not. */
  void fail(int client, Throwable cause) {
    if (!stopped && failure.compareAndSet(null, new RunFailedException(client, cause))) {
      stop();
      joinOrCut();
    }
  }

  private void stop() {
    stopped = true;
    threads.forEach(ClientThread::interruptUnlessCurrent);
  }

  private void joinOrCut() {
    try {
      for (ClientThread thread : threads) {
        thread.joinOrCutUnlessCurrent();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private RunResult result() {
    List<ColouringClient> clients = clients();
    return new RunResult(
        sinceStart(threads.stream().mapToLong(ClientThread::endedNanos)),
        sinceStart(clients.stream().mapToLong(ColouringClient::writtenNanos)),
        progress(),
        rollbacks(clients),
        clients.stream().map(ColouringClient::log).toList());
  }

  /** Until the last of {@code nanos}. */
  private Duration sinceStart(LongStream nanos) {
    return Duration.ofNanos(nanos.map(end -> end - startedNanos).max().orElse(0));
  }

  private static List<RolledBack> rollbacks(Collection<ColouringClient> clients) {
    Map<Long, RolledBack> byEpoch = new TreeMap<>();
    for (ColouringClient client : clients) {
      client.rollbacks().forEach(rolledBack -> byEpoch.put(rolledBack.toEpoch(), rolledBack));
    }
    return List.copyOf(byEpoch.values());
  }

  private List<ColouringClient> clients() {
    List<ColouringClient> clients = new ArrayList<>();
    for (ClientThread thread : threads) {
      ColouringClient client = thread.client();
      if (client != null) {
        clients.add(client);
      }
    }
    return clients;
  }
}
