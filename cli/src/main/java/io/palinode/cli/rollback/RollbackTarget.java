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
        "'all' (the default): discard all writes after the target.",
        "'affected': discard only the violation's witnesses, or the first write to each --key"
            + " after the target, and all writes that depend on these. Other writes stand, and"
            + " other clients are not notified. Nodes keep the access log for this only while some"
            + " predicate has a rollback of scope 'affected'."
      })
  private @Nullable String scope;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description =
          "With scope 'affected': discard the first write to this key after the target, and all"
              + " writes that depend on it. May be repeated.")
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
        description = "The target, a time: " + TimeText.FORMS + ".")
    private @Nullable Long to;

    @Option(
        names = "--violation",
        required = true,
        paramLabel = "ID",
        description =
            "The target is right before this violation, as 'palinode get violations' shows it.")
    private @Nullable String violation;

    @Option(
        names = "--to-snapshot",
        required = true,
        paramLabel = "NAME",
        description = {
          "Restore this snapshot, as 'palinode snapshot list' shows it. It must be complete.",
          "This needs no window-log, so the snapshot may be older than the reach of the nodes. The"
              + " scope is 'all'."
        })
    private @Nullable String snapshot;
  }

  /**
   * The body of the API's request; the time is fixed here, so that what was shown is what is done.
   */
  ObjectNode body() {
    ObjectNode body = ApiClient.JSON.createObjectNode();
    @Nullable Long hlc = time.to;
    if (hlc != null) {
      body.put("to", Hlc.format(hlc));
    } else if (time.snapshot != null) {
      body.put("snapshot", time.snapshot);
    } else {
      body.put("violation", time.violation);
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
