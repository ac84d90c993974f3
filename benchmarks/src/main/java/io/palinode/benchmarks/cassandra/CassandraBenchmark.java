package io.palinode.benchmarks.cassandra;

import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.benchmarks.stock.BenchPredicate;
import io.palinode.benchmarks.stock.Comparison;
import io.palinode.benchmarks.stock.LoadProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * What Palinode costs a stock Apache Cassandra server: one server without it and one with it, each
 * a separate process, under a closed loop of clients. The one with it has a table that is not
 * watched, and one that is, with and without a predicate on a tenth of its keys. All take turns,
 * forth and back, so that what slowly changes on the machine meets all.
 */
public final class CassandraBenchmark {
  private static final int WARM_UPS = 2;

  /** Of a round, before it is measured. */
  private static final double RAMP = 0.25;

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
  private final Parts parts;
  private final Consumer<String> progress;
  private int loads;

  /** What a round uses. */
  public enum Mode {
    /** A stock server as it is. */
    NONE,
    /** A table with Cassandra's memtable, beside one with Palinode's. */
    UNWATCHED,
    /** A table with Palinode's memtable. */
    WATCHED,
    /** The same with a predicate. */
    PREDICATE
  }

  /**
   * What is needed beside this module.
   *
   * @param kafka {@code host:port}; the topics are there
   * @param data an empty folder
   */
  public record Parts(StockCassandra cassandra, Path jar, String kafka, Path data) {}

  /**
   * @param rollback whether mutations of the watched table are logged
   * @param progress is given a line a step
   */
  public CassandraBenchmark(
      Setting setting, boolean rollback, Parts parts, Consumer<String> progress) {
    this.setting = setting;
    this.rollback = rollback;
    this.parts = parts;
    this.progress = progress;
  }

  /** Takes the rounds' time, and as much again to start, fill and warm up. */
  public List<Comparison<Mode>> run() throws IOException, InterruptedException, ExecutionException {
    List<Comparison<Mode>> results = new ArrayList<>();
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
      progress.accept("warming up");
      List<Integer> percents = setting.load().writePercents();
      for (int i = 0; i < WARM_UPS; i++) {
        for (int percent : percents) {
          double seconds = setting.warmUpSeconds() / WARM_UPS / percents.size();
          Map<Mode, Side> unused = roundOfEach(i, seconds, rig, percent);
        }
      }
      for (int percent : percents) {
        results.add(compare(rig, percent));
      }
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

  private Comparison<Mode> compare(Rig rig, int percent)
      throws IOException, InterruptedException, ExecutionException {
    List<Map<Mode, Side>> rounds = new ArrayList<>();
    for (int i = 0; i < setting.rounds().rounds(); i++) {
      progress.accept(
          "%d %% writes: round %d of %d".formatted(percent, i + 1, setting.rounds().rounds()));
      rounds.add(roundOfEach(i, setting.rounds().roundSeconds(), rig, percent));
    }
    return Comparison.of(
        percent, rounds, Mode.NONE, List.of(Mode.UNWATCHED, Mode.WATCHED, Mode.PREDICATE));
  }

  /** Forth, or back. */
  private Map<Mode, Side> roundOfEach(int round, double seconds, Rig rig, int percent)
      throws IOException, InterruptedException, ExecutionException {
    Map<Mode, Side> sides = new EnumMap<>(Mode.class);
    Mode[] modes = Mode.values();
    for (int i = 0; i < modes.length; i++) {
      Mode mode = modes[round % 2 == 0 ? i : modes.length - 1 - i];
      if (mode != Mode.NONE) {
        set(rig, mode == Mode.PREDICATE);
      }
      sides.put(mode, round(rig, mode, percent, seconds));
    }
    return sides;
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

  private Side round(Rig rig, Mode mode, int percent, double seconds) throws IOException {
    boolean isPlain = mode == Mode.NONE;
    String table = isPlain || mode == Mode.UNWATCHED ? PLAIN : WATCHED;
    CassandraProcess server = isPlain ? rig.plain() : rig.watched();
    long seed = setting.seed() + setting.load().clients() * (long) loads++;
    return (isPlain ? rig.toPlain() : rig.toWatched())
        .round(table + " ", percent, RAMP * seconds, seconds, seed, server::cpuNanos);
  }
}
