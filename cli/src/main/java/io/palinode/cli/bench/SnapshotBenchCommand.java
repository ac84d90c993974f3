package io.palinode.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.palinode.benchmarks.SnapshotBenchmark;
import io.palinode.benchmarks.SnapshotBenchmark.Result;
import io.palinode.benchmarks.SnapshotBenchmark.Setting;
import io.palinode.cli.terminal.Output;
import io.palinode.cli.terminal.Refusal;
import io.palinode.cli.terminal.TextTable;
import io.palinode.retroscope.snapshot.Pace;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What snapshots cost, and what the clients notice. */
@Command(
    name = "snapshot",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measure snapshots of three store nodes on disk that serve clients: how long, how much is written, and what the clients notice.",
      "",
      "Clients read and write keys at random, half of each, all the time. Each kind of snapshot is taken once: of now, of a moment ago, what"
          + " differs from the first, and the second one moved to now. Nodes and clients share this machine.",
      ""
    },
    footer = {
      "",
      "How to read the figures: docs/benchmarks.md.",
      "",
      "Examples:",
      "  palinode bench snapshot",
      "  PALINODE_HEAP=4g palinode bench snapshot --keys 1000000"
    })
final class SnapshotBenchCommand implements Callable<Integer> {
  @Option(
      names = "--keys",
      defaultValue = "100000",
      paramLabel = "N",
      description = "Keys, each on all nodes (default: ${DEFAULT-VALUE}).")
  private int keys;

  @Option(
      names = "--value-bytes",
      defaultValue = "100",
      paramLabel = "N",
      description = "Length of a value (default: ${DEFAULT-VALUE}).")
  private int valueBytes;

  @Option(
      names = "--clients",
      defaultValue = "4",
      paramLabel = "N",
      description = "Threads that read and write (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--seconds",
      defaultValue = "5",
      paramLabel = "S",
      description = "Of load before each snapshot (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--share",
      defaultValue = "" + Pace.SHARE_DEFAULT,
      paramLabel = "SHARE",
      description =
          "Of a thread's time that each node works for a snapshot; 1: without pauses (default:"
              + " ${DEFAULT-VALUE}, as in nodes).")
  private double share;

  @Option(
      names = "--seed",
      defaultValue = "1",
      paramLabel = "N",
      description = "Seed of the clients (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Mixin private Output output = new Output();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Setting setting = setting();
    PrintWriter err = spec.commandLine().getErr();
    Path data = Files.createTempDirectory("palinode-bench-");
    try {
      List<Result> results =
          new SnapshotBenchmark(
                  setting,
                  data,
                  line -> {
                    err.println(line);
                    err.flush();
                  })
              .run();
      PrintWriter out = spec.commandLine().getOut();
      out.print(output.isJson() ? json(setting, results) : table(setting, results));
      out.flush();
      return 0;
    } finally {
      remove(data);
    }
  }

  private Setting setting() {
    try {
      return new Setting(keys, valueBytes, clients, seconds, share, seed);
    } catch (IllegalArgumentException refused) {
      throw new Refusal(String.valueOf(refused.getMessage()), refused);
    }
  }

  /** The components are the JSON output. */
  record Report(String machine, Setting setting, List<Result> results) {}

  private static String json(Setting setting, List<Result> results) throws JsonProcessingException {
    return new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .writeValueAsString(new Report(machine(), setting, results))
        + "\n";
  }

  private static String table(Setting setting, List<Result> results) {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "snapshot",
                "ms",
                "keys written",
                "MB written",
                "operations/s before",
                "during",
                "dip",
                "p99 ms before",
                "during"));
    for (Result result : results) {
      table.row(
          List.of(
              result.what(),
              "%,.0f".formatted(result.durationMs()),
              "%,d".formatted(result.changed()),
              String.format(Locale.ROOT, "%,.1f", result.bytes() / 1e6),
              "%,.0f".formatted(result.operationsBefore()),
              "%,.0f".formatted(result.operationsDuring()),
              "%.0f %%".formatted(100 * result.dip()),
              String.format(Locale.ROOT, "%.2f", result.p99BeforeMs()),
              String.format(Locale.ROOT, "%.2f", result.p99DuringMs())));
    }
    return "%s%n3 nodes, %,d keys of %d bytes on each, %d clients, seed %d%n%n%s"
        .formatted(
            machine(),
            setting.keys(),
            setting.valueBytes(),
            setting.clients(),
            setting.seed(),
            table.render());
  }

  private static String machine() {
    return "Java %s, %s, %d cores"
        .formatted(
            System.getProperty("java.version"),
            System.getProperty("os.arch"),
            Runtime.getRuntime().availableProcessors());
  }

  private static void remove(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
