package io.palinode.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.terminal.ApiClient;
import io.palinode.cli.terminal.TimeText;
import io.palinode.hvc.Hlc;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a rollback by hand goes; a picocli group. */
final class RollbackTarget {
  @Option(
      names = "--to",
      required = true,
      paramLabel = "TIME",
      converter = TimeText.class,
      description = "The store as it was at this time: " + TimeText.FORMS + ".")
  private @Nullable Long to;

  @Option(
      names = "--violation",
      required = true,
      paramLabel = "ID",
      description = "The store right before this violation, of 'palinode get violations'.")
  private @Nullable String violation;

  /**
   * The body of the API's request; the time is fixed here, so that what was shown is what is done.
   */
  ObjectNode body() {
    ObjectNode body = ApiClient.JSON.createObjectNode();
    @Nullable Long hlc = to;
    return hlc == null ? body.put("violation", violation) : body.put("to", Hlc.format(hlc));
  }
}
