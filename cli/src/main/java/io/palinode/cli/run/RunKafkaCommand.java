package io.palinode.cli.run;

import io.palinode.launcher.embedded.EmbeddedKafka;
import io.palinode.terminal.Refusal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A broker to try things with. */
@Command(
    name = "kafka",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Run one Kafka broker for tests. It listens on this machine only. For production, run your"
          + " own Kafka.",
      ""
    },
    footer = {"", "Example:  palinode run kafka --data ./data --port 9092"})
final class RunKafkaCommand implements Callable<Integer> {
  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "Folder; its subfolder 'kafka' has the broker's files.")
  private Path data = Path.of("");

  @Option(
      names = "--port",
      defaultValue = "9092",
      paramLabel = "P",
      description = "Port of the broker (default: ${DEFAULT-VALUE}).")
  private int port;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    return Stay.until(
        spec,
        stopped -> start(),
        kafka -> "kafka    " + kafka.bootstrapServers(),
        // It ends the process when it fails.
        kafka -> null);
  }

  /** Throws {@link Refusal} when the port or the folder is not to be had. */
  private EmbeddedKafka start() {
    try {
      return EmbeddedKafka.start(data.resolve("kafka"), port);
    } catch (IOException e) {
      throw new Refusal(String.valueOf(e.getMessage()), e);
    }
  }
}
