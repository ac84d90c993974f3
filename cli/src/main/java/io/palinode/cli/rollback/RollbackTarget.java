package io.palinode.cli.rollback;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.options.TimeText;
import io.palinode.hvc.Hlc;
import io.palinode.terminal.ApiClient;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Where a rollback by hand goes, and what it undoes; a picocli group. */
final class RollbackTarget {
  @ArgGroup(multiplicity = "1")
  private Time time = new Time();

  @Option(
      names = "--scope",
      paramLabel = "all|affected",
      description = {
        "'all' (the default): all writes since then are discarded.",
        "'affected': only the closure of the violation's witnesses, or of the first write to each"
            + " --key since then: these writes, and all writes of clients that read them, in turn."
            + " Other writes stand, and other clients are not notified. Nodes keep the access log"
            + " for this while some predicate asks for a rollback of scope 'affected'."
      })
  private @Nullable String scope;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description =
          "Of scope 'affected': discard the first write to this key since then, with its closure."
              + " May be repeated.")
  private List<String> keys = new ArrayList<>();

  @Option(
      names = "--store",
      paramLabel = "NAME",
      defaultValue = "default",
      description = "The store of --key (default: ${DEFAULT-VALUE}).")
  private String store = "default";

  /** To when; one of them. */
  private static final class Time {
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
  }

  /**
   * The body of the API's request; the time is fixed here, so that what was shown is what is done.
   */
  ObjectNode body() {
    ObjectNode body = ApiClient.JSON.createObjectNode();
    @Nullable Long hlc = time.to;
    if (hlc == null) {
      body.put("violation", time.violation);
    } else {
      body.put("to", Hlc.format(hlc));
    }
    if (scope != null) {
      body.put("scope", scope);
    }
    if (!keys.isEmpty()) {
      ArrayNode named = body.putArray("keys");
      keys.forEach(key -> named.addObject().put("store", store).put("key", key));
    }
    return body;
  }
}
