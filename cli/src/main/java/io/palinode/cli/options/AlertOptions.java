package io.palinode.cli.options;

import io.palinode.orchestrator.alert.AlertSettings;
import io.palinode.terminal.Refusal;
import java.util.List;
import picocli.CommandLine.Option;

/** Where alerts to operators go. */
public final class AlertOptions {
  @Option(
      names = "--alert",
      paramLabel = "DESTINATION",
      defaultValue = "console",
      description =
          "Where alerts to operators go, such as a halted rollback or a coverage gap: console or"
              + " webhook:URL. Repeatable (default: ${DEFAULT-VALUE}). Alerts of violations go where"
              + " their predicate names.")
  private List<String> operators = List.of();

  /** Throws {@link Refusal} for a destination that a predicate could not name either. */
  public AlertSettings settings() {
    try {
      return AlertSettings.DEFAULT.withOperators(operators);
    } catch (IllegalArgumentException e) {
      throw new Refusal("--alert: " + e.getMessage(), e);
    }
  }
}
