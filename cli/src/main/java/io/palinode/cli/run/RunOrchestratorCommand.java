package io.palinode.cli.run;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.cli.options.AlertOptions;
import io.palinode.cli.options.PredicateOptions;
import io.palinode.cli.store.StoreAccess;
import io.palinode.launcher.PastReads;
import io.palinode.launcher.ProcessMeters;
import io.palinode.orchestrator.alert.AlertSettings;
import io.palinode.orchestrator.kafka.Election;
import io.palinode.orchestrator.kafka.Orchestrator;
import io.palinode.orchestrator.kafka.OrchestratorConfig;
import io.palinode.orchestrator.rest.RestSettings;
import io.palinode.terminal.Outage;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.StartProgress;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import io.palinode.wire.signing.DecisionSigner;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
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
      "Run the orchestrator. It accepts predicates, raises alerts and carries out rollbacks. Its"
          + " whole state is in Kafka.",
      "If several run, one is active and the others are standbys. A standby takes over about six"
          + " seconds after the active one stops.",
      ""
    },
    footer = {"", "Example:  palinode run orchestrator --kafka 127.0.0.1:9092 --nodes 3"})
final class RunOrchestratorCommand implements Callable<Integer> {
  private static final Duration ELECTED_SOON = Duration.ofSeconds(2);

  @Mixin private KafkaOptions kafka = new KafkaOptions();

  @Option(
      names = "--nodes",
      required = true,
      paramLabel = "N",
      description = "Number of store nodes.")
  private int nodes;

  @Option(
      names = "--port",
      defaultValue = "6766",
      paramLabel = "P",
      description = "Port of the API (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "--host",
      defaultValue = RestSettings.LOOPBACK,
      paramLabel = "ADDRESS",
      description =
          "Address that the API listens on (default: ${DEFAULT-VALUE}). Others than this machine's"
              + " loopback need --tls-certificate and --users.")
  private String host = "";

  @Mixin private AccessOptions access = new AccessOptions();

  @Option(
      names = "--store-nodes",
      split = ",",
      paramLabel = "HOST:PORT",
      description =
          "Addresses of store nodes, from which the API and the console read the past; one is"
              + " enough. tls://HOST:PORT for nodes with TLS: the orchestrator's certificate needs"
              + " the right to read their stores (default: none; such requests are refused).")
  private List<String> storeNodes = List.of();

  @Mixin private PredicateOptions predicates = new PredicateOptions();
  @Mixin private AlertOptions alerts = new AlertOptions();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    NodesOption.require(nodes);
    // Refuses before the election.
    AlertSettings operators = alerts.settings();
    RestSettings api = access.http("--host", host, port).withPast(past());
    return Stay.until(
        spec,
        stopped -> start(stopped, operators, api),
        active -> "api      " + active.orchestrator().url(),
        Active::failure);
  }

  private @Nullable PastReads past() {
    return storeNodes.isEmpty()
        ? null
        : Refusal.valid(
            "--store-nodes", () -> new PastReads(StoreAccess.config(storeNodes, "palinode-api")));
  }

  /** Closed in this order: no other process is elected while this one still acts. */
  private record Active(Election election, Orchestrator orchestrator) implements AutoCloseable {
    @Nullable String failure() {
      String ending = election.ending();
      return ending == null ? orchestrator.status().failure() : ending;
    }

    @Override
    public void close() {
      try (election) {
        orchestrator.close();
      }
    }
  }

  private @Nullable Active start(BooleanSupplier stopped, AlertSettings operators, RestSettings api)
      throws InterruptedException {
    KafkaSettings connected = kafka.connected(Output.progress(spec), operators.topics());
    requireKeys(connected);
    Election election = Election.join(connected, Topics.DEFAULT);
    try {
      for (boolean announced = false; !election.await(ELECTED_SOON); announced = true) {
        String ending = election.ending();
        if (ending != null) {
          throw new Outage(ending + "; see the log, then restart this process");
        }
        if (stopped.getAsBoolean()) {
          election.close();
          return null;
        }
        if (!announced) {
          Output.progress(spec)
              .accept("standing by: another orchestrator is active, or was a moment ago");
        }
      }
      return new Active(election, orchestrator(connected, operators, api));
    } catch (InterruptedException | RuntimeException e) {
      election.close();
      throw e;
    }
  }

  private static void requireKeys(KafkaSettings connected) {
    try {
      DecisionSigner unused = DecisionSigner.of(connected.security());
    } catch (IllegalArgumentException e) {
      throw new Refusal("--kafka-config: " + e.getMessage(), e);
    }
  }

  @SuppressWarnings("try") // A resource for its close alone.
  private Orchestrator orchestrator(
      KafkaSettings connected, AlertSettings operators, RestSettings api) {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    // To the end of this process.
    ProcessMeters unused = ProcessMeters.of(registry);
    try (StartProgress progress = StartProgress.of("reading the logs", Output.progress(spec))) {
      return Orchestrator.start(
          OrchestratorConfig.of(connected, Topics.DEFAULT, nodes)
              .withPredicates(predicates.limits())
              .withAlerts(operators)
              .withStartMax(StartProgress.NO_LIMIT)
              .withRest(api),
          registry,
          Output.progress(spec));
    }
  }
}
