package io.palinode.benchmarks.cassandra;

import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.benchmarks.stock.BenchPredicate;
import io.palinode.benchmarks.stock.Comparison;
import io.palinode.benchmarks.stock.LoadProgram;
import io.palinode.benchmarks.stock.ModeTurns;
import io.palinode.benchmarks.stock.ModeTurns.Length;
import io.palinode.benchmarks.stock.WatchMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * What Palinode costs a stock Apache Cassandra server: one server without it and one with it, each
 * a separate process, under a closed loop of clients. The one with it has a table that is not
 * watched, and one that is, with and without a predicate on a tenth of its keys. All take turns.
 */
public final class CassandraBenchmark {
  private static final String PLAIN = "bench.plain";
  private static final String WATCHED = "bench.watched";
  private static final String CREATE =
      "cql CREATE TABLE IF NOT EXISTS %s (key text PRIMARY KEY, value text)";
  private static final String STOCK = "palinode:\n  inherits: skiplist\n";
  private static final String PALINODE =
      """
      palinode:
        class_name: io.palinode.cassandra.PalinodeMemtable
        parameters:
          nodes: %s
          kafka: %s
          epsilon: 10ms
          rollback: %s
      """;

  private final Setting setting;
  private final boolean rollback;
  private final List<WatchMode> modes;
  private final Parts parts;
  private final Consumer<String> progress;

  /**
   * What is needed beside this module.
   *
   * @param kafka {@code host:port}; the topics are there
   * @param data an empty folder
   */
  public record Parts(StockCassandra cassandra, Path jar, String kafka, Path data) {}

  /**
   * @param rollback whether mutations of the watched table are logged
   * @param modes with {@link WatchMode#NONE} first
   * @param progress is given a line a step
   */
  public CassandraBenchmark(
      Setting setting,
      boolean rollback,
      List<WatchMode> modes,
      Parts parts,
      Consumer<String> progress) {
    this.setting = setting;
    this.rollback = rollback;
    this.modes = List.copyOf(modes);
    this.parts = parts;
    this.progress = progress;
  }

  /** Takes the rounds' time, and as much again to start, fill and warm up. */
  public List<Comparison<WatchMode>> run()
      throws IOException, InterruptedException, ExecutionException {
    List<Comparison<WatchMode>> results;
    progress.accept("starting both servers");
    try (CassandraProcess plain =
            CassandraProcess.start(parts.cassandra(), parts.data().resolve("stock"), STOCK);
        CassandraProcess watched =
            CassandraProcess.start(
                parts.cassandra(),
                parts.jar(),
                parts.data().resolve("palinode"),
                PALINODE.formatted(CassandraProcess.ADDRESS, parts.kafka(), rollback));
        LoadProgram toPlain = clients(plain, "stock-clients");
        LoadProgram toWatched = clients(watched, "palinode-clients");
        BenchPredicate predicate =
            new BenchPredicate(
                parts.kafka(), WATCHED + "/", "/value", setting.load().valueBytes())) {
      fill(toPlain, CREATE.formatted(PLAIN), PLAIN);
      fill(toWatched, CREATE.formatted(PLAIN), PLAIN);
      fill(toWatched, CREATE.formatted(WATCHED) + " WITH memtable = 'palinode'", WATCHED);
      watched.awaitLogged("state=JOINED");
      Rig rig = new Rig(plain, watched, toPlain, toWatched, predicate);
      results =
          new ModeTurns<>(
                  setting,
                  modes,
                  (mode, percent, length) -> round(rig, mode, percent, length),
                  progress)
              .run();
      requireWatched(watched);
    }
    return results;
  }

  private static void requireWatched(CassandraProcess watched) throws IOException {
    if (watched.isLogged("state=OFF") || watched.isLogged("state=FAILED")) {
      throw new IllegalStateException("the node must watch all that is measured; see its log");
    }
  }

  /** What is measured side by side. */
  private record Rig(
      CassandraProcess plain,
      CassandraProcess watched,
      LoadProgram toPlain,
      LoadProgram toWatched,
      BenchPredicate predicate) {}

  private LoadProgram clients(CassandraProcess server, String home) throws IOException {
    Path folder = Files.createDirectories(parts.data().resolve(home));
    // Without it, the log goes to the output that has the answers.
    Path noLog = Files.writeString(folder.resolve("logback.xml"), "<configuration/>");
    return LoadProgram.start(
        CassandraBenchmark.class,
        "CqlLoad.java",
        folder,
        List.of(
            "-Xms256m",
            "-Xmx256m",
            "-Dlogback.configurationFile=" + noLog,
            "-cp",
            parts.cassandra().classPath()),
        List.of(
            CassandraProcess.ADDRESS,
            Integer.toString(server.port()),
            Integer.toString(setting.load().keys()),
            Integer.toString(setting.load().valueBytes()),
            Integer.toString(setting.load().clients())));
  }

  private void fill(LoadProgram clients, String create, String table) throws IOException {
    progress.accept("filling %s with %,d keys".formatted(table, setting.load().keys()));
    clients.run(
        "cql CREATE KEYSPACE IF NOT EXISTS bench WITH replication ="
            + " {'class': 'SimpleStrategy', 'replication_factor': 1}");
    clients.run(create);
    clients.run("fill " + table);
  }

  private static void set(Rig rig, boolean on)
      throws IOException, InterruptedException, ExecutionException {
    rig.predicate().set(on);
    if (rig.predicate().version() > 0) {
      rig.watched()
          .awaitLogged(
              "predicate=%s version=%d state=%s"
                  .formatted(
                      BenchPredicate.NAME, rig.predicate().version(), on ? "ACTIVE" : "DELETED"));
    }
  }

  private Side round(Rig rig, WatchMode mode, int percent, Length length)
      throws IOException, InterruptedException, ExecutionException {
    boolean isPlain = mode == WatchMode.NONE;
    if (!isPlain) {
      set(rig, mode == WatchMode.PREDICATE);
    }
    String table = isPlain || mode == WatchMode.UNWATCHED ? PLAIN : WATCHED;
    CassandraProcess server = isPlain ? rig.plain() : rig.watched();
    return (isPlain ? rig.toPlain() : rig.toWatched())
        .round(
            table + " ",
            percent,
            length.rampSeconds(),
            length.seconds(),
            length.seed(),
            server::cpuNanos);
  }
}
