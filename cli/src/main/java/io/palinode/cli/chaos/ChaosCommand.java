package io.palinode.cli.chaos;

import io.palinode.chaos.ChaosCluster;
import io.palinode.chaos.ChaosReport;
import io.palinode.chaos.ChaosRun;
import io.palinode.retroscope.disk.OwnerOnly;
import io.palinode.terminal.DurationText;
import io.palinode.terminal.OnSignal;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.ScratchFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Kills real processes, and asks what is left. */
@Command(
    name = "chaos",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Start a cluster of real processes, write to it, and cause violations. Kill and freeze its"
          + " parts at random: nodes, Kafka, the detection job, the orchestrator.",
      "Also kill nodes right after they acknowledge a write, all nodes at once during rollbacks,"
          + " and an orchestrator right after a coverage gap. Each node starts with another clock,"
          + " within epsilon. If you are root, fill the disks of nodes (up to 2 GiB of memory).",
      "One of the clients does not use the client library.",
      "Then check from outside: The cluster serves again. Each acknowledged write is there,"
          + " unless a rollback discarded it. Each discarded write is gone. Each violation was"
          + " published, was discarded, or lies in a coverage gap. No rollback halted. Each"
          + " coverage gap is still shown.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 all checks passed; 1 one failed.",
      "",
      "Example:  palinode chaos --for 10m"
    })
public final class ChaosCommand implements Callable<Integer> {
  private static final int PORT_BASE_MAX = 65_000;
  private static final int NODES_MAX = 16;

  @Option(
      names = "--for",
      converter = DurationText.class,
      defaultValue = "2m",
      paramLabel = "TIME",
      description = "The time during which parts are killed (default: ${DEFAULT-VALUE}).")
  private Duration duration = Duration.ZERO;

  @Option(
      names = "--every",
      converter = DurationText.class,
      defaultValue = "5s",
      paramLabel = "TIME",
      description = "The mean time between two kills (default: ${DEFAULT-VALUE}).")
  private Duration every = Duration.ZERO;

  @Option(
      names = "--nodes",
      defaultValue = "3",
      paramLabel = "N",
      description = "Number of store nodes (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--clients",
      defaultValue = "4",
      paramLabel = "N",
      description = "Clients that write (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description =
          "Seed of the parts and of their order (default: from the clock). The times depend on"
              + " the machine, so two runs with one seed differ.")
  private @Nullable Long seed;

  @Option(
      names = "--port-base",
      defaultValue = "7900",
      paramLabel = "P",
      description =
          "The first port; node i listens on P+i, the API on P+100, Kafka on P+101 (default:"
              + " ${DEFAULT-VALUE}).")
  private int portBase;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "A new folder for data and logs; chaos.log has what was done when (default: a temporary"
              + " one, kept after a failure). The files of nodes whose disks were filled are gone.")
  private @Nullable Path data;

  @Mixin private Output output = new Output();

  @Override
  @SuppressWarnings("try") // A resource for its close alone.
  public Integer call() throws IOException, InterruptedException {
    Refusal.requireIn("--nodes", nodes, 1, NODES_MAX);
    Refusal.requireIn("--clients", clients, 1, Integer.MAX_VALUE);
    Refusal.requireIn("--port-base", portBase, 1, PORT_BASE_MAX);
    Path folder = folder();
    AtomicBoolean interrupted = new AtomicBoolean();
    ChaosReport report;
    try (OnSignal stop = OnSignal.does(() -> interrupted.set(true));
        ChaosCluster cluster = new ChaosCluster(folder, nodes, portBase)) {
      long drawn = seed == null ? System.currentTimeMillis() : seed;
      report =
          new ChaosRun(cluster, clients, duration, every, drawn, output::say).run(interrupted::get);
    }
    output.print(report);
    if (report.holds() && data == null) {
      new ScratchFolder(folder).close();
    } else {
      output.say("data and logs are in " + folder);
    }
    return report.holds() ? 0 : 1;
  }

  private Path folder() throws IOException {
    Path wanted = data;
    if (wanted == null) {
      return ScratchFolder.create("chaos").path();
    }
    if (Files.exists(wanted)) {
      throw new Refusal("--data must be a folder that is not there yet: " + wanted);
    }
    return OwnerOnly.createFolders(wanted).toAbsolutePath();
  }
}
