package io.palinode.cli.snapshot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.options.TimeText;
import io.palinode.cli.store.StoreAccess;
import io.palinode.orchestrator.rest.SnapshotView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Output;
import io.palinode.voldemort.client.PastStore;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows a snapshot, or values in it. */
@Command(
    name = "show",
    mixinStandardHelpOptions = true,
    description = {
      "Show the parts of a snapshot. With keys: show their values in the snapshot.",
      "Exit status 1 if a key is absent in the snapshot."
    },
    footer = {
      "",
      "Example:  palinode snapshot show before-deploy",
      "          palinode snapshot show before-deploy cs_1_2_1 cs_1_2_2"
    })
final class SnapshotShowCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "NAME")
  private String id = "";

  @Parameters(index = "1..*", paramLabel = "KEY", arity = "0..*")
  private List<String> keys = List.of();

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();
  @Mixin private StoreAccess access = new StoreAccess();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    JsonNode answer = api.get(SnapshotCommand.path(id));
    SnapshotView snapshot = api.view(answer, SnapshotView.class);
    if (!keys.isEmpty()) {
      return showValues(new PastStore.Snapshot(id, snapshot.number()));
    }
    output.print(answer, () -> parts(snapshot, output.isWide()));
    return 0;
  }

  private String parts(SnapshotView snapshot, boolean isWide) {
    String head =
        "%s  %s, %s%s, at %s%n"
            .formatted(
                id,
                snapshot.state(),
                snapshot.kind(),
                snapshot.base() == null ? "" : " over " + snapshot.base(),
                isWide
                    ? "%s, HLC %s".formatted(TimeText.withAge(snapshot.at()), snapshot.at())
                    : TimeText.withAge(snapshot.at()));
    return head + SnapshotCommand.parts(snapshot, isWide);
  }

  private int showValues(PastStore.Snapshot snapshot) {
    Map<String, @Nullable String> values =
        access.use(
            store -> {
              Map<String, @Nullable String> found = new LinkedHashMap<>();
              keys.forEach(key -> found.put(key, store.past().getIn(snapshot, key)));
              return found;
            });
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      ObjectNode json = ApiClient.JSON.createObjectNode();
      values.forEach((key, value) -> json.put(key, value));
      out.println(json.toPrettyString());
    } else {
      values.forEach((key, value) -> print(key, value));
    }
    out.flush();
    return values.containsValue(null) ? 1 : 0;
  }

  private void print(String key, @Nullable String value) {
    if (value == null) {
      spec.commandLine()
          .getErr()
          .println("palinode: no value for key '%s' in snapshot %s".formatted(key, id));
    } else {
      spec.commandLine().getOut().println(keys.size() == 1 ? value : key + "  " + value);
    }
  }
}
