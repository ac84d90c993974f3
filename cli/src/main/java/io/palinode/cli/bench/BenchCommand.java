package io.palinode.cli.bench;

import io.palinode.cli.bench.stock.AgentCommand;
import io.palinode.cli.bench.stock.CassandraCommand;
import io.palinode.cli.bench.stock.HazelcastCommand;
import io.palinode.cli.bench.stock.StockCommand;
import picocli.CommandLine.Command;

/** The benchmarks, one a subcommand. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = {
      "Measure the cost of the parts on this machine, each against a simple equivalent.",
      ""
    },
    subcommands = {
      DetectionCommand.class,
      LatencyCommand.class,
      InstancesCommand.class,
      WindowLogCommand.class,
      SnapshotBenchCommand.class,
      StoreOverheadCommand.class,
      WatchingCommand.class,
      AgentCommand.class,
      StockCommand.class,
      CassandraCommand.class,
      HazelcastCommand.class,
      RollbackBenchCommand.class,
      TraceCommand.class,
      PaperCommand.class,
      CompareCommand.class
    },
    footer = {
      "",
      "Examples:  palinode bench detection --only spread",
      "           palinode bench latency --rates 10000"
    })
public final class BenchCommand {}
