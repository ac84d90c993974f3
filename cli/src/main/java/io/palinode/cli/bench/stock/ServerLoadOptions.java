package io.palinode.cli.bench.stock;

import io.palinode.benchmarks.Rounds;
import io.palinode.benchmarks.stock.AgentBenchmark.Load;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.cli.bench.option.SeedOption;
import io.palinode.cli.bench.option.ValueBytesOption;
import io.palinode.terminal.Refusal;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The load on a stock server beside one with Palinode, and its rounds. A picocli mixin. */
final class ServerLoadOptions {
  @Option(
      names = "--keys",
      defaultValue = "20000",
      paramLabel = "N",
      description = "Number of keys (default: ${DEFAULT-VALUE}).")
  private int keys;

  @Option(
      names = "--writes",
      defaultValue = "10,50",
      split = ",",
      paramLabel = "PERCENT",
      description =
          "Share of writes in the operations; the others are reads (default: ${DEFAULT-VALUE}).")
  private List<Integer> writes = new ArrayList<>();

  @Mixin private ValueBytesOption valueBytes = new ValueBytesOption();

  @Option(
      names = "--clients",
      defaultValue = "4",
      paramLabel = "N",
      description = "Number of clients, each with a thread (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Rounds of each mode under each load (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--seconds",
      defaultValue = "3",
      paramLabel = "S",
      description = "Length of a round (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--warm-up",
      defaultValue = "20",
      paramLabel = "S",
      description = "Warm-up of each mode (default: ${DEFAULT-VALUE}).")
  private double warmUp;

  @Mixin private SeedOption seed = new SeedOption();

  /** Throws {@link Refusal} for one that makes no sense. */
  Setting setting() {
    return Refusal.valid(
        () ->
            new Setting(
                new Load(keys, writes, valueBytes.value(), clients),
                new Rounds(rounds, seconds),
                warmUp,
                seed.value()));
  }
}
