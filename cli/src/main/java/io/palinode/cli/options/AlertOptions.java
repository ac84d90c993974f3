package io.palinode.cli.options;

import io.palinode.orchestrator.alert.AlertSettings;
import io.palinode.orchestrator.alert.WebhookRules;
import io.palinode.predicate.OnViolation;
import io.palinode.terminal.Refusal;
import io.palinode.wire.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where alerts to operators go. */
public final class AlertOptions {
  @Option(
      names = "--alert",
      paramLabel = "DESTINATION",
      defaultValue = "console",
      description =
          "Where alerts to operators go, such as a halted rollback or a coverage gap: console,"
              + " kafka:TOPIC or FORMAT:URL, where FORMAT is webhook, alertmanager, slack or cloudevents."
              + " Repeatable (default: ${DEFAULT-VALUE}). Alerts of violations go where"
              + " their predicate names.")
  private List<String> operators = List.of();

  @Option(
      names = "--alert-allow",
      split = ",",
      paramLabel = "HOST",
      description =
          "Hosts that the webhooks of predicates may name: a name, *.domain or an address (default:"
              + " every host whose addresses are public).")
  private List<String> allowed = List.of();

  @Option(
      names = "--alert-secret-file",
      paramLabel = "FILE",
      description =
          "File of a secret that signs the bodies of webhooks, in the header Palinode-Signature.")
  private @Nullable Path secretFile;

  @Option(
      names = "--external-url",
      paramLabel = "URL",
      description =
          "Address at which operators reach the console, for the links in alerts, such as"
              + " https://palinode.example (default: that of the API; if it listens on all"
              + " addresses, this machine's name).")
  private @Nullable String externalUrl;

  /** Throws {@link Refusal} for a destination that a predicate could not name either. */
  public AlertSettings settings() {
    AlertSettings settings =
        Refusal.valid("--alert", () -> AlertSettings.DEFAULT.withOperators(operators));
    var unused = Refusal.valid("--alert", () -> requireTopics(settings.topics()));
    WebhookRules rules = Refusal.valid("--alert-allow", () -> new WebhookRules(allowed));
    AlertSettings linked =
        Refusal.valid("--external-url", () -> settings.withExternalUrl(externalUrl));
    return linked.withWebhooks(rules).withSecret(secret());
  }

  /** Throws {@link IllegalArgumentException} for a topic that is no other one than Palinode's. */
  public static List<String> requireTopics(List<String> topics) {
    for (String topic : topics) {
      String unused = OnViolation.requireAlert(OnViolation.ALERT_TOPIC + topic);
      if (Topics.DEFAULT.all().contains(topic)) {
        throw new IllegalArgumentException("alerts may not go to a topic of Palinode: " + topic);
      }
    }
    return topics;
  }

  private @Nullable String secret() {
    Path file = secretFile;
    if (file == null) {
      return null;
    }
    try {
      String secret = Files.readString(file).strip();
      if (!secret.isEmpty()) {
        return secret;
      }
    } catch (IOException e) {
      throw new Refusal("--alert-secret-file: cannot read %s: %s".formatted(file, e), e);
    }
    throw new Refusal("--alert-secret-file: there is no secret in " + file);
  }
}
