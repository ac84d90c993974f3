package io.palinode.cli.options;

import io.palinode.terminal.Refusal;
import io.palinode.wire.KafkaSecurity;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.signing.DecisionKeys;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where Kafka is, and how its clients prove who they are; a picocli mixin. */
public final class KafkaAddress {
  @Option(
      names = "--kafka",
      required = true,
      paramLabel = "HOST:PORT,...",
      description = "Brokers of Kafka.")
  private String bootstrap = "";

  @Option(
      names = "--kafka-config",
      paramLabel = "FILE",
      description = {
        "Properties for Kafka's clients, as kafka-topics.sh reads them with --command-config: those"
            + " that begin with security., sasl. or ssl. Also palinode.decision.keys and"
            + " palinode.decision.key, the files with the keys that sign decisions."
      })
  private @Nullable Path security;

  public String bootstrap() {
    return bootstrap;
  }

  /** Throws {@link Refusal} for an address or a file that Kafka's clients cannot use. */
  public KafkaSettings settings() {
    try {
      KafkaSettings settings = KafkaSettings.of(bootstrap);
      if (security == null) {
        return settings;
      }
      KafkaSecurity read = KafkaSecurity.read(security);
      // A file of keys that cannot be read is refused here, with its name.
      DecisionKeys unused = DecisionKeys.of(read);
      return settings.withSecurity(read);
    } catch (IllegalArgumentException e) {
      throw new Refusal(String.valueOf(e.getMessage()), e);
    }
  }
}
