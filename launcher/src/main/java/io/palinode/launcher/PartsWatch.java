package io.palinode.launcher;

import io.palinode.orchestrator.health.FailedPart;
import io.palinode.orchestrator.kafka.Orchestrator;
import io.palinode.voldemort.server.SystemMicros;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the detection job and at each node's detector twice per second, starts again what has
 * failed, with growing pauses, and reports it to the orchestrator until it runs.
 */
public final class PartsWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PartsWatch.class);
  private static final Duration EVERY = Duration.ofMillis(500);
  private static final Duration PAUSE_MIN = Duration.ofMillis(500);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(30);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(30);

  private final List<Watched> parts = new ArrayList<>();
  private final Orchestrator orchestrator;
  private final Consumer<String> console;
  private final Thread thread;
  private volatile boolean closed;

  private PartsWatch(List<WatchedPart> parts, Orchestrator orchestrator, Consumer<String> console) {
    parts.forEach(part -> this.parts.add(new Watched(part)));
    this.orchestrator = orchestrator;
    this.console = console;
    this.thread = new Thread(this::run, "palinode-parts");
    this.thread.setDaemon(true);
  }

  /** Watches the job of {@code plane} and the nodes of {@code cluster}; close it before them. */
  public static PartsWatch start(
      ControlPlane plane, StoreCluster cluster, Consumer<String> console) {
    List<WatchedPart> parts = new ArrayList<>();
    parts.add(plane.watchedJob());
    parts.addAll(cluster.watchedNodes());
    PartsWatch watch = new PartsWatch(parts, plane.orchestrator(), console);
    watch.thread.start();
    return watch;
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(CLOSE_MAX.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (!closed) {
        for (Watched part : parts) {
          if (!closed) {
            part.check();
          }
        }
        TimeUnit.NANOSECONDS.sleep(EVERY.toNanos());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One part, and when it may be started again. */
  private final class Watched {
    private final WatchedPart part;
    private boolean failed;
    private Duration pause = PAUSE_MIN;
    private long restartAtNanos;
    private long runsSinceNanos = System.nanoTime();

    Watched(WatchedPart part) {
      this.part = part;
    }

    void check() {
      WatchedPart.Condition now = part.look();
      if (now.runs()) {
        runs();
        return;
      }
      report(now.reason());
      if (now.needsRestart() && System.nanoTime() - restartAtNanos >= 0) {
        restart(now.reason());
      }
    }

    private void runs() {
      if (failed) {
        failed = false;
        runsSinceNanos = System.nanoTime();
        orchestrator.partRuns(part.name());
        LOG.info("part='{}' state=RUNNING again", part.name());
        console.accept(part.name() + " runs again");
      } else if (System.nanoTime() - runsSinceNanos > PAUSE_MAX.toNanos()) {
        pause = PAUSE_MIN;
      }
    }

    private void report(String reason) {
      if (!failed) {
        failed = true;
        restartAtNanos = System.nanoTime();
        LOG.error("part='{}' state=FAILED {}", part.name(), reason);
        console.accept(part.name() + " has failed: " + reason);
      }
      orchestrator.partFailed(
          part.name(),
          new FailedPart(part.name(), part.node(), new SystemMicros().getAsLong(), reason));
    }

    private void restart(String reason) {
      try {
        part.restart();
        LOG.info("part='{}' started again after: {}", part.name(), reason);
      } catch (Exception e) { // A restart fails like a start: with any.
        if (!closed) {
          LOG.warn("part='{}' does not start", part.name(), e);
          report(reason + "; it does not start again: " + e.getMessage());
        }
      }
      restartAtNanos = System.nanoTime() + pause.toNanos();
      Duration twice = pause.multipliedBy(2);
      pause = twice.compareTo(PAUSE_MAX) < 0 ? twice : PAUSE_MAX;
    }
  }
}
