package io.palinode.cli.bench;

import io.palinode.benchmarks.paper.Environment;
import io.palinode.benchmarks.paper.HtmlPage;
import io.palinode.benchmarks.paper.PaperReport;
import io.palinode.benchmarks.paper.TableResult;
import io.palinode.cli.bench.option.SeedOption;
import io.palinode.cli.bench.paper.Budget;
import io.palinode.cli.bench.paper.PaperRun;
import io.palinode.cli.shell.Version;
import io.palinode.terminal.OnSignal;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.TextTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The tables of the papers. */
@Command(
    name = "paper",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measure the tables of the papers on this machine, each row beside the printed figure: ours,"
          + " the interval, the ratio and a verdict.",
      "",
      "Verdicts: better or worse, if the whole interval lies on one side of the printed figure; as"
          + " the paper, if the interval holds it; noise, if repetitions differ by more than what is"
          + " measured; not here, with the reason.",
      "",
      "Tables: latency, sustained, overhead, optimistic, rollbacks, retroscope, epsilon, scale. Ctrl-C keeps and prints what was finished.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 all tables are complete; 1 one is not; 2 the request was refused.",
      "",
      "How to read the figures: docs/reference/benchmarks.md.",
      "",
      "Examples:",
      "  palinode bench paper --list",
      "  palinode bench paper --quick --report papers",
      "  palinode bench paper --table latency -o json"
    })
final class PaperCommand implements Callable<Integer> {
  /** The longest step, and the end of a cluster. */
  private static final Duration STOP_MAX = Duration.ofMinutes(3);

  private static final String JSON_FILE = "report.json";
  private static final String HTML_FILE = "report.html";

  private final AtomicBoolean stopped = new AtomicBoolean();

  @Option(names = "--list", description = "List the tables, and measure nothing.")
  private boolean list;

  @Option(
      names = "--table",
      split = ",",
      paramLabel = "NAME",
      description = "Only these tables (default: all).")
  private List<String> tables = List.of();

  @Option(
      names = "--quick",
      description = "Fewer and shorter repetitions: all tables in less than 15 minutes on 2 cores.")
  private boolean quick;

  @Option(
      names = "--report",
      paramLabel = "DIR",
      description =
          "Also write " + JSON_FILE + " and " + HTML_FILE + " to this folder, which is created.")
  private @Nullable Path report;

  @Mixin private SeedOption seed = new SeedOption();

  @Mixin private Output output = new Output();

  @Spec private CommandSpec spec;

  private final Budget small;

  PaperCommand() {
    this(Budget.QUICK);
  }

  /**
   * @param small of {@code --quick}
   */
  PaperCommand(Budget small) {
    this.small = small;
  }

  @Override
  @SuppressWarnings("try") // A resource for its close alone.
  public Integer call() throws IOException {
    if (list) {
      print();
      return 0;
    }
    try (OnSignal unused = OnSignal.does(this::stop, STOP_MAX)) {
      return measure(quick ? small : Budget.FULL);
    }
  }

  private void stop() {
    stopped.set(true);
    output.say("stopping after this step; what was finished is kept");
  }

  private int measure(Budget budget) throws IOException {
    Path folder = report;
    if (folder != null) {
      create(folder);
    }
    String began = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    PaperRun run = new PaperRun(budget, seed.value(), System::nanoTime, stopped::get, output::say);
    PaperReport done =
        new PaperReport(
            PaperReport.FORMAT,
            began,
            Environment.ofThisProcess(new Version().getVersion()[0]),
            seed.value(),
            budget.name(),
            run.run(tables));
    if (folder != null) {
      Files.writeString(folder.resolve(JSON_FILE), done.json());
      Files.writeString(folder.resolve(HTML_FILE), HtmlPage.of(done));
      output.say("wrote " + folder.resolve(JSON_FILE) + " and " + folder.resolve(HTML_FILE));
    }
    output.print(done);
    boolean complete =
        !stopped.get()
            && done.tables().stream().map(TableResult::problem).allMatch(String::isEmpty);
    return complete ? 0 : 1;
  }

  private void print() {
    TextTable names = new TextTable(TextTable.Align.LEFT, List.of("table", "compares"));
    PaperRun.names().forEach(table -> names.row(List.of(table)));
    spec.commandLine().getOut().print(names.render());
    spec.commandLine().getOut().flush();
  }

  private static void create(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new Refusal("--report must be a folder that can be written to: " + folder, e);
    }
  }
}
