package io.palinode.cli.run;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The parts of a cluster, each in a process of its own. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = {
      "Run one part of a cluster in this process, until Ctrl-C. ('palinode up' runs all of them in one.)",
      "Parts find each other by Kafka alone, so each may die, and be started anew, by itself.",
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
      "Exit status 1: the part has failed; start it anew, it goes on where it stood.",
      "",
      "Example, each in a terminal or unit of its own:",
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
