package io.palinode.cli.run;

import io.palinode.cli.options.AlertOptions;
import io.palinode.terminal.Refusal;
import io.palinode.wire.KafkaAccess;
import io.palinode.wire.Topics;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.utils.SecurityUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What Palinode needs of Kafka. */
@Command(
    name = "kafka",
    mixinStandardHelpOptions = true,
    description = "Print the rights that the parts need in Kafka.",
    subcommands = KafkaCommand.Acls.class)
public final class KafkaCommand {
  /** The rights as arguments of Kafka's own command. */
  @Command(
      name = "acls",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Print the commands that give each part the least rights that it needs in Kafka: a user for"
            + " the nodes and agents, one for the detection job, one for the orchestrators.",
        "The orchestrators may also create the topics, so start one first."
      },
      footer = {
        "",
        "Example:  palinode kafka acls --bootstrap kafka:9092 --admin-config admin.properties | sh"
      })
  static final class Acls implements Callable<Integer> {
    @Option(
        names = "--bootstrap",
        defaultValue = "localhost:9092",
        paramLabel = "HOST:PORT",
        description = "A broker of Kafka (default: ${DEFAULT-VALUE}).")
    private String bootstrap = "";

    @Option(
        names = "--admin-config",
        defaultValue = "admin.properties",
        paramLabel = "FILE",
        description = "The properties of a user who may change rights (default: ${DEFAULT-VALUE}).")
    private String adminConfig = "";

    @Option(
        names = "--user-prefix",
        defaultValue = "palinode-",
        paramLabel = "TEXT",
        description =
            "What the names of the users begin with; node, detection or orchestrator follows"
                + " (default: ${DEFAULT-VALUE}).")
    private String userPrefix = "";

    @Option(
        names = "--alert-topic",
        paramLabel = "TOPIC",
        description =
            "A topic of '--alert kafka:TOPIC'. The orchestrators may create it and write to it."
                + " Repeatable.")
    private List<String> alertTopics = List.of();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
      List<String> topics =
          Refusal.valid("--alert-topic", () -> AlertOptions.requireTopics(alertTopics));
      for (KafkaAccess part : KafkaAccess.values()) {
        print(user(part), part.bindings(Topics.DEFAULT, "User:" + user(part)));
      }
      String orchestrator = user(KafkaAccess.ORCHESTRATOR);
      topics.forEach(
          topic -> print(orchestrator, KafkaAccess.alerts(topic, "User:" + orchestrator)));
      return 0;
    }

    private String user(KafkaAccess part) {
      return userPrefix + part.name().toLowerCase(Locale.ROOT);
    }

    private void print(String user, List<AclBinding> bindings) {
      PrintWriter out = spec.commandLine().getOut();
      operations(bindings)
          .forEach((resource, operations) -> out.println(command(user, resource, operations)));
    }

    private static Map<ResourcePattern, Set<AclOperation>> operations(List<AclBinding> bindings) {
      Map<ResourcePattern, Set<AclOperation>> operations = new LinkedHashMap<>();
      for (AclBinding binding : bindings) {
        boolean unused =
            operations
                .computeIfAbsent(binding.pattern(), pattern -> new TreeSet<>())
                .add(binding.entry().operation());
      }
      return operations;
    }

    private String command(String user, ResourcePattern resource, Set<AclOperation> operations) {
      return "kafka-acls.sh --bootstrap-server %s --command-config %s --add --allow-principal User:%s %s --%s"
          .formatted(
              bootstrap,
              adminConfig,
              user,
              operations.stream()
                  .map(operation -> "--operation " + SecurityUtils.operationName(operation))
                  .collect(Collectors.joining(" ")),
              option(resource));
    }

    private static String option(ResourcePattern resource) {
      String type = resource.resourceType().name().toLowerCase(Locale.ROOT);
      // A cluster has no name there.
      return resource.resourceType() == ResourceType.CLUSTER ? type : type + " " + resource.name();
    }
  }
}
