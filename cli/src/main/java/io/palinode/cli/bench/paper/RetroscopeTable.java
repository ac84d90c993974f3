package io.palinode.cli.bench.paper;

import io.palinode.benchmarks.Rounds;
import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.SnapshotBenchmark;
import io.palinode.benchmarks.SnapshotBenchmark.Clients;
import io.palinode.benchmarks.StoreOverheadBenchmark;
import io.palinode.benchmarks.Turns;
import io.palinode.benchmarks.online.Cluster;
import io.palinode.benchmarks.paper.Better;
import io.palinode.benchmarks.paper.Printed;
import io.palinode.benchmarks.paper.Row;
import io.palinode.benchmarks.rollback.RollbackBenchmark;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Contestant;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Figures;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.ControlPlane;
import io.palinode.terminal.ScratchFolder;
import io.palinode.voldemort.RefusedException;
import io.palinode.wire.KafkaSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/** The window-log, snapshots and rollbacks beside what Retroscope printed. */
final class RetroscopeTable implements PaperTable {
  private static final String PAPER = "Retroscope, long version";
  private static final int VALUE_BYTES = 100;
  private static final int CLIENTS = 10;
  private static final int LOAD_CLIENTS = 4;
  private static final int BACK_SECONDS = 10;
  private static final int WRITES_A_SECOND = 2_000;
  private static final Epsilon EPSILON = Epsilon.ofMicros(1_000);
  private static final WindowLogBenchmark.Sizes SIZES =
      new WindowLogBenchmark.Sizes(16, VALUE_BYTES);

  @Override
  public String name() {
    return "retroscope";
  }

  @Override
  public String title() {
    return "Window-log, snapshots and rollbacks beside Retroscope";
  }

  @Override
  public int steps(Budget budget) {
    return 2 + 2 * budget.pairs();
  }

  @Override
  public double stepSeconds(Budget budget) {
    return budget.equals(Budget.FULL) ? 60 : 12;
  }

  @Override
  public void measure(Session session) throws IOException, InterruptedException {
    Budget budget = session.budget();
    session.setting(
        "window-log of %,d entries with keys of 16 and values of 100 bytes; stores of %,d keys on disk"
            .formatted(budget.entries(), budget.keys()));
    past(session);
    windowLog(session);
    snapshots(session);
    rollbacks(session);
    notHere(session);
  }

  private static void past(Session session) throws IOException, InterruptedException {
    Budget budget = session.budget();
    session.step("throughput with the past and without it");
    StoreOverheadBenchmark.Setting setting =
        new StoreOverheadBenchmark.Setting(
            List.of(budget.keys()),
            List.of(100),
            VALUE_BYTES,
            CLIENTS,
            new Rounds(2 * budget.pairs(), budget.seconds() / 4),
            session.seed());
    try (ScratchFolder data = ScratchFolder.create("bench")) {
      Turns<Side> turns =
          new StoreOverheadBenchmark(setting, data.path(), said -> {}).run().get(0).turns();
      session.add(
          Row.effect(
              "retroscope.past",
              "clocks and window-log, throughput lost",
              "%",
              Better.LOWER,
              Printed.figure(7.8, PAPER + ", HLC and window-log"),
              turns.lost(Side::operationsPerSecond),
              "10 clients, 100 % writes, 100 bytes, as in print; fewer keys"));
    }
  }

  private static void windowLog(Session session) {
    Budget budget = session.budget();
    List<Figures> ours = new ArrayList<>();
    List<Figures> simple = new ArrayList<>();
    for (int round = 1; round <= budget.pairs(); round++) {
      session.step("window-log, round %d of %d".formatted(round, budget.pairs()));
      var measured =
          new WindowLogBenchmark(
                  budget.entries(), 1, session.seed() + round, System::nanoTime, said -> {})
              .run(SIZES)
              .figures();
      ours.add(Objects.requireNonNull(measured.get(Contestant.ALONE)));
      simple.add(Objects.requireNonNull(measured.get(Contestant.LINKED)));
    }
    session.add(
        Row.of(
            "retroscope.bookkeeping",
            "window-log, bookkeeping of an entry",
            "bytes",
            Better.LOWER,
            Printed.figure(152, PAPER + ", S_o"),
            ours.stream().map(each -> each.memory().bookkeepingBytes()).toList(),
            "below 0: a key that changes often is kept once"));
    session.add(
        Row.of(
            "retroscope.memory",
            "window-log, memory of an entry",
            "bytes",
            Better.LOWER,
            Printed.figure(400, "the original library, measured by this project"),
            ours.stream().map(each -> each.memory().keptBytes()).toList(),
            ""));
    times("append", "append in a moving window", ours, simple, f -> f.fresh().slideNanos())
        .forEach(session::add);
    times("pause", "worst pause of an append", ours, simple, f -> f.fresh().worstPauseMillis())
        .forEach(session::add);
  }

  private static List<Row> times(
      String id,
      String what,
      List<Figures> ours,
      List<Figures> simple,
      ToDoubleFunction<Figures> figure) {
    return List.of(
        Row.of(
            "retroscope." + id,
            what + ", by a linked log's",
            "times",
            Better.LOWER,
            null,
            new Turns<>(simple, ours).ratios(figure).values(),
            "the linked log keeps objects, as the original does"));
  }

  private static void snapshots(Session session) throws IOException, InterruptedException {
    Budget budget = session.budget();
    session.step("snapshots of nodes that serve");
    SnapshotBenchmark.Setting setting =
        new SnapshotBenchmark.Setting(
            new SnapshotBenchmark.Load(budget.keys(), VALUE_BYTES, LOAD_CLIENTS, 1),
            new SnapshotBenchmark.Snapshots(
                SnapshotBenchmark.Snapshots.SHARE_DEFAULT,
                List.of(BACK_SECONDS),
                WRITES_A_SECOND,
                List.of(Math.max(1, budget.keys() / 10))),
            1,
            session.seed());
    try (ScratchFolder data = ScratchFolder.create("bench")) {
      List<SnapshotBenchmark.Result> kinds =
          new SnapshotBenchmark(setting, data.path(), said -> {}).run().kinds();
      Clients nothing = kinds.get(kinds.size() - 1).clients();
      for (SnapshotBenchmark.Result kind : kinds.subList(0, kinds.size() - 1)) {
        boolean isRetrospective = kind.what().endsWith("back");
        session.add(
            Row.effect(
                "retroscope.dip." + kind.what().replace(' ', '-'),
                "throughput lost during a snapshot, " + kind.what(),
                "%",
                Better.LOWER,
                isRetrospective ? Printed.figure(7.3, PAPER) : null,
                new Turns.Effect(percents(kind.clients()), percents(nothing)),
                isRetrospective ? "in print the throughput is back after a second" : ""));
      }
    }
  }

  private static List<Double> percents(Clients clients) {
    return clients.dips().stream().map(dip -> 100 * dip).toList();
  }

  private static void rollbacks(Session session) throws IOException, InterruptedException {
    Budget budget = session.budget();
    List<RollbackBenchmark.Result> rollbacks = new ArrayList<>();
    RollbackBenchmark.Work work = new RollbackBenchmark.Work(Math.max(1, budget.keys() / 10), 0);
    try (ScratchFolder data = ScratchFolder.create("bench");
        ControlPlane plane =
            ControlPlane.start(
                data.path().resolve("plane"),
                Cluster.NODES,
                EPSILON,
                ControlPlane.Ports.FREE,
                said -> {});
        RollbackBenchmark benchmark =
            new RollbackBenchmark(
                new Cluster(plane.watch(), KafkaSettings.of(plane.kafkaAddress()), EPSILON),
                data.path(),
                budget.keys(),
                VALUE_BYTES)) {
      benchmark.start();
      RollbackBenchmark.Operator operator =
          target -> OperatorRollback.run(plane.orchestrator(), target);
      // The first ones warm up.
      for (int round = -1; round < budget.pairs(); round++) {
        session.step(round < 0 ? "rollbacks, warming up" : "rollback " + (round + 1));
        RollbackBenchmark.Result done =
            benchmark.restAndRun(work, session.seed() + round, operator);
        if (round >= 0) {
          rollbacks.add(done);
        }
      }
    } catch (RefusedException e) {
      throw new IllegalStateException("a node refused what it had to do", e);
    }
    session.add(
        Row.of(
            "retroscope.rollback",
            "rollback of %,d changes, nodes serve nothing".formatted(work.changes()),
            "ms",
            Better.LOWER,
            null,
            rollbacks.stream().map(RollbackBenchmark.Result::pausedMs).toList(),
            "Retroscope restores by a snapshot; the papers printed no time of a rollback"));
  }

  private static void notHere(Session session) {
    notHere(
        session, "hlc", "HLC alone, throughput lost", "%", 3.9, "a node stamps and logs together");
    notHere(
        session, "reach", "reach of the window-log", "min", 60, "an hour of writes takes an hour");
    notHere(session, "hour", "snapshot 60 min back", "s", 45, "an hour of writes takes an hour");
    notHere(
        session,
        "grid",
        "snapshot of 1 GB as of now",
        "ms",
        100,
        "printed of a grid in memory; these nodes are on disk");
    session.add(
        Row.notHere(
            "retroscope.cluster",
            "10 M keys, clients and nodes on machines of their own",
            "",
            null,
            "there is one machine"));
  }

  private static void notHere(
      Session session, String id, String what, String unit, double printed, String reason) {
    session.add(
        Row.notHere("retroscope." + id, what, unit, Printed.figure(printed, PAPER), reason));
  }
}
