package io.palinode.cli.run;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.cli.terminal.PredicateOptions;
import io.palinode.cli.terminal.Refusal;
import io.palinode.orchestrator.kafka.Orchestrator;
import io.palinode.orchestrator.kafka.OrchestratorConfig;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.wire.Topics;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The orchestrator with its API. */
@Command(
    name = "orchestrator",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Run the orchestrator: it takes predicates, alerts, and carries rollbacks through. Its whole state is in Kafka.",
      "One at a time.",
      ""
    },
    footer = {"", "Example:  palinode run orchestrator --kafka 127.0.0.1:9092 --nodes 3"})
final class RunOrchestratorCommand implements Callable<Integer> {
  @Mixin private KafkaOptions kafka = new KafkaOptions();

  @Option(names = "--nodes", required = true, paramLabel = "N", description = "Store nodes.")
  private int nodes;

  @Option(
      names = "--port",
      defaultValue = "6766",
      paramLabel = "P",
      description = "Where the API listens, on this machine only (default: ${DEFAULT-VALUE}).")
  private int port;

  @Mixin private PredicateOptions predicates = new PredicateOptions();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    NodesOption.require(nodes);
    return Stay.until(
        spec,
        this::start,
        orchestrator -> "api      " + orchestrator.url(),
        orchestrator -> orchestrator.status().failure());
  }

  private Orchestrator start() {
    PrintWriter err = spec.commandLine().getErr();
    var unused = kafka.connected();
    try {
      return Orchestrator.start(
          OrchestratorConfig.of(kafka.bootstrap(), Topics.DEFAULT, nodes)
              .withPredicates(predicates.limits())
              .withHttpPort(port),
          new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
          line -> {
            err.println(line);
            err.flush();
          });
    } catch (UnavailableException e) {
      throw new Refusal(String.valueOf(e.getMessage()), e);
    }
  }
}
