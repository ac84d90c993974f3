package io.palinode.chaos;

import io.palinode.terminal.Refusal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** One run: load and violations, kills meanwhile, then the questions. For one thread. */
public final class ChaosRun {
  private static final Duration READY_MAX = Duration.ofMinutes(2);
  private static final Duration WELL_MAX = Duration.ofMinutes(2);
  private static final Duration WELL_SOON = Duration.ofSeconds(20);
  private static final long STEP_MILLIS = 200;
  private static final long REPORT_STEPS = 50;

  private final ChaosCluster cluster;
  private final Duration duration;
  private final long seed;
  private final Consumer<String> progress;
  private final Monitor monitor;
  private final List<Writer> writers;
  private final ForeignWriter foreignWriter;
  private final Offender offender;
  private final Chaos chaos;
  private final Queue<String> threadFailures = new ConcurrentLinkedQueue<>();

  public ChaosRun(
      ChaosCluster cluster,
      int clients,
      Duration duration,
      Duration every,
      long seed,
      Consumer<String> progress) {
    this.cluster = cluster;
    this.duration = duration;
    this.seed = seed;
    this.progress = progress;
    Random random = new Random(seed);
    this.writers =
        IntStream.range(0, clients)
            .mapToObj(i -> new Writer("writer" + i, cluster.nodeAddresses(), random.nextLong()))
            .toList();
    this.foreignWriter = new ForeignWriter(cluster.nodeAddresses());
    long offenderSeed = random.nextLong();
    this.chaos =
        new Chaos(
            cluster.parts(),
            new Random(random.nextLong()),
            every.toMillis(),
            nowMillis() + every.toMillis(),
            cluster::log);
    this.offender = new Offender(cluster.nodeAddresses(), offenderSeed, moments(chaos));
    this.monitor =
        new Monitor(
            cluster.api(),
            cluster.nodeAddresses().size(),
            chaos::allNodesDown,
            () -> chaos.coverageLost(nowMillis()));
  }

  private static Offender.Moments moments(Chaos chaos) {
    return new Offender.Moments() {
      @Override
      public void acknowledged(int node) {
        chaos.acknowledged(node, nowMillis());
      }

      @Override
      public void violated() {
        chaos.violated(nowMillis());
      }
    };
  }

  /**
   * @param interrupted when true, the kills end early, and what came is checked
   */
  public ChaosReport run(BooleanSupplier interrupted) throws IOException, InterruptedException {
    for (PartProcess part : cluster.parts()) {
      chaos.start(part);
    }
    progress.accept("starting " + cluster.parts().size() + " processes");
    Thread unusedMonitor = started(monitor);
    boolean up = await(READY_MAX, () -> monitor.isWell() || interrupted.getAsBoolean());
    if (interrupted.getAsBoolean()) {
      throw new Refusal("stopped before the cluster was up");
    }
    if (!up) {
      throw new Refusal(
          "the cluster does not come up in %d s: read the parts' logs, or choose another --port-base"
              .formatted(READY_MAX.toSeconds()));
    }
    var unused = cluster.api().put("/api/v1/predicates/chaos-mutex", Offender.PREDICATE);
    List<Thread> writing = writers.stream().map(this::started).toList();
    Thread writingForeign = started(foreignWriter);
    Thread offending = started(offender);
    long begun = nowMillis();
    strike(begun, interrupted);
    long seconds = (nowMillis() - begun) / 1_000;
    List<String> faults = new ArrayList<>();
    settle(offending, interrupted.getAsBoolean() ? WELL_SOON : WELL_MAX, faults);
    askWriters(writing, faults);
    foreignWriter.end();
    writingForeign.join();
    faults.addAll(monitor.faults());
    faults.addAll(threadFailures);
    return report(seconds, askForeignWriter(faults), faults);
  }

  private void strike(long begun, BooleanSupplier interrupted)
      throws IOException, InterruptedException {
    long steps = 0;
    while (nowMillis() - begun < duration.toMillis() && !interrupted.getAsBoolean()) {
      chaos.act(nowMillis());
      chaos.supervise(nowMillis());
      if (++steps % REPORT_STEPS == 0) {
        report((nowMillis() - begun) / 1_000);
      }
      Thread.sleep(STEP_MILLIS);
    }
  }

  private void report(long seconds) {
    progress.accept(
        "%d of %d s, %d kills, %d violations reported"
            .formatted(
                seconds,
                duration.toSeconds(),
                chaos.strikes(monitor.outagesByPhase()).allKills(),
                monitor.bindings().size()));
  }

  /** No more kills nor violations, but writes, until all that was found is settled. */
  private void settle(Thread offending, Duration max, List<String> faults)
      throws IOException, InterruptedException {
    progress.accept("no more kills; waiting until the cluster is well");
    chaos.heal();
    offender.end();
    offending.join();
    long last = offender.made().last();
    boolean isWell = awaitWell(max, last);
    if (isWell) {
      // What was judged may be a violation of which the rollback had yet to begin.
      isWell = awaitWell(max, last);
    }
    if (!isWell) {
      faults.add(
          "after %d s the cluster is not well, with all judged up to the last violation"
              .formatted(max.toSeconds()));
    }
  }

  /** What it knows now may be older than the kills, or the last violation. */
  private boolean awaitWell(Duration max, long last) throws IOException, InterruptedException {
    long fresh = monitor.asked() + 2;
    return await(
        max, () -> monitor.asked() >= fresh && monitor.isWell() && monitor.hasJudged(last));
  }

  private void askWriters(List<Thread> writing, List<String> faults) throws InterruptedException {
    writers.forEach(Writer::end);
    for (Thread thread : writing) {
      thread.join();
    }
    for (Writer writer : writers) {
      Writer.Last last = writer.last();
      if (last == null || !last.acknowledged()) {
        faults.add("no write is acknowledged when all runs again");
      }
      if (last != null) {
        faults.addAll(writer.ledger().faults(last.found(), monitor.keptEpochs()));
      }
    }
  }

  private ChaosReport.Foreign askForeignWriter(List<String> faults) {
    ForeignWriter.Outcome outcome = foreignWriter.outcome(monitor.rollbackViews());
    outcome
        .missing()
        .forEach(key -> faults.add(key + " was acknowledged, and no rollback discarded it"));
    if (outcome.acknowledged() == 0) {
      faults.add("no write without the client library was acknowledged");
    }
    if (outcome.unread() > 0) {
      faults.add(outcome.unread() + " keys are not readable when all runs again");
    }
    return new ChaosReport.Foreign(outcome.acknowledged(), outcome.inDoubt());
  }

  private ChaosReport report(long seconds, ChaosReport.Foreign foreign, List<String> faults) {
    MadeViolations.Outcome outcome =
        offender.made().outcome(monitor.bindings(), monitor.unjudged(), monitor.keptEpochs());
    outcome.missed().forEach(missed -> faults.add("not reported: " + missed));
    if (outcome.made() == 0) {
      faults.add("no violation was made, so detection was not tested");
    } else if (outcome.reported() > 0 && monitor.rollbacks() == 0) {
      faults.add("violations were reported, but no rollback ran");
    }
    return new ChaosReport(
        new ChaosReport.Run(seconds, seed, cluster.nodeAddresses().size()),
        chaos.strikes(monitor.outagesByPhase()),
        writers.stream()
            .map(writer -> writer.ledger().counts(monitor.keptEpochs()))
            .reduce(new ChaosReport.Writes(0, 0, 0), ChaosReport.Writes::plus),
        foreign,
        outcome,
        new ChaosReport.Rollbacks(monitor.rollbacks(), monitor.keptEpochs().size()),
        List.copyOf(faults));
  }

  /** Supervised meanwhile. */
  private boolean await(Duration max, BooleanSupplier condition)
      throws IOException, InterruptedException {
    long until = nowMillis() + max.toMillis();
    while (nowMillis() < until) {
      chaos.supervise(nowMillis());
      if (condition.getAsBoolean()) {
        return true;
      }
      Thread.sleep(STEP_MILLIS);
    }
    return false;
  }

  private Thread started(Runnable work) {
    Thread thread = new Thread(work, "chaos-" + work.getClass().getSimpleName());
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler(
        (ended, failure) -> threadFailures.add(ended.getName() + " ended: " + failure));
    thread.start();
    return thread;
  }

  private static long nowMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }
}
