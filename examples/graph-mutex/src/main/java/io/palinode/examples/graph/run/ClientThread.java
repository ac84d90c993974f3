package io.palinode.examples.graph.run;

import java.time.Duration;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** One client on its own thread: connects, waits for the others, runs, closes its cells. */
final class ClientThread {
  private static final Duration CLOSE_MAX = Duration.ofSeconds(5);

  private final int index;
  private final ColouringRun run;
  private final IntFunction<Cells> connect;
  private final CyclicBarrier connected;
  private final Thread thread;
  private volatile @Nullable Cells cells;
  private volatile @Nullable ColouringClient client;
  private volatile long endedNanos;
  private volatile boolean ended;

  ClientThread(int index, ColouringRun run, IntFunction<Cells> connect, CyclicBarrier connected) {
    this.index = index;
    this.run = run;
    this.connect = connect;
    this.connected = connected;
    this.thread = new Thread(this::work, "colouring-client-" + index);
    this.thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Null until it is connected. */
  @Nullable ColouringClient client() {
    return client;
  }

  /** The client has done all it had to. */
  boolean hasEnded() {
    return ended;
  }

  long endedNanos() {
    return endedNanos;
  }

  void join() throws InterruptedException {
    thread.join();
  }

  /** Whether the thread has ended; waits for it for {@code max} at most. */
  boolean join(Duration max) throws InterruptedException {
    TimeUnit.NANOSECONDS.timedJoin(thread, max.toNanos());
    return !thread.isAlive();
  }

  /** The run was stopped: ends what the client waits for. */
  void interruptUnlessCurrent() {
    if (Thread.currentThread() != thread) {
      thread.interrupt();
    }
  }

  /** Waits for the end; a client that does not react to the interrupt loses its connections. */
  void joinOrCutUnlessCurrent() throws InterruptedException {
    if (Thread.currentThread() == thread) {
      return;
    }
    thread.join(CLOSE_MAX.toMillis());
    Cells mine = cells;
    if (thread.isAlive() && mine != null) {
      mine.close();
      thread.join(CLOSE_MAX.toMillis());
    }
  }

  private void work() {
    try (Cells mine = connect.apply(index)) {
      cells = mine;
      ColouringClient colouring = run.newClient(index, mine);
      client = colouring;
      connected.await();
      colouring.run();
      endedNanos = System.nanoTime();
      ended = true;
    } catch (InterruptedException | BrokenBarrierException | CancellationException stopped) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error failure) {
      // The one place where anything is caught: whatever ends a client must end the run.
      run.fail(index, failure);
    }
  }
}
