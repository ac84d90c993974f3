package io.palinode.cli.run;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The parts of a cluster, one process each. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = {
      "Run one part of a cluster in this process, until Ctrl-C. ('palinode up' runs all of them in one.)",
      "Parts connect through Kafka only, so each can end and be restarted by itself.",
      ""
    },
    subcommands = {
      RunKafkaCommand.class,
      RunDetectionCommand.class,
      RunOrchestratorCommand.class,
      RunNodeCommand.class
    },
    footer = {
      "",
      "Exit status 1: the part has failed; restart it, and it continues where it stopped.",
      "",
      "Example, each in a separate terminal or unit:",
      "  palinode run kafka --data ./data --port 9092     (or a Kafka that you have)",
      "  palinode run orchestrator --kafka 127.0.0.1:9092 --nodes 3",
      "  palinode run detection --kafka 127.0.0.1:9092 --nodes 3 --data ./data     (or the job on your Flink)",
      "  palinode run node --id 0 --cluster cluster.xml --kafka 127.0.0.1:9092 --data ./data"
    })
public final class RunCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
