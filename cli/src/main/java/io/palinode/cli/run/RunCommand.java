package io.palinode.cli.run;

import picocli.CommandLine.Command;

/** The parts of a cluster, one process each. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = {
      "Run one part of a cluster in this process, until Ctrl-C. ('palinode up' runs all parts in"
          + " one process.)",
      "The parts exchange records only through Kafka, so each can be stopped and restarted alone.",
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
      "Exit status 1: the part has failed. Restart it; it continues where it stopped.",
      "",
      "Example, each command in a separate terminal or service:",
      "  palinode run kafka --data ./data --port 9092     (or your own Kafka)",
      "  palinode run orchestrator --kafka 127.0.0.1:9092 --nodes 3",
      "  palinode run detection --kafka 127.0.0.1:9092 --nodes 3 --data ./data     (or your own"
          + " Flink)",
      "  palinode run node --id 0 --cluster cluster.xml --kafka 127.0.0.1:9092 --data ./data"
    })
public final class RunCommand {}
