package io.palinode.cli.rollback;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.rollback.LostWrites.Lost;
import io.palinode.cli.store.StoreAccess;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.rest.Views.StatusView;
import io.palinode.orchestrator.rest.past.DiscardedView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import io.palinode.voldemort.client.past.KeyPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows what a rollback discarded. */
@Command(
    name = "lost",
    mixinStandardHelpOptions = true,
    description = {
      "List the writes that a rollback discarded: time, key, the value before, the value written,"
          + " and the client if it is known.",
      "Reads the nodes' window-logs, so these must reach back to the rollback's target."
    },
    footer = {"", "Example:  palinode rollback lost 3 --keys 'cs_*'"})
final class RollbackLostCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "ID",
      description = "The epoch that it opened, as 'palinode get rollbacks' shows it.")
  private String id = "";

  @Option(
      names = "--keys",
      paramLabel = "PATTERN",
      description = "Only keys that match; * stands for any text, ? for one character.")
  private @Nullable String keys;

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();
  @Mixin private StoreAccess access = new StoreAccess();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    List<Lost> lost = read(api, access, id, keys);
    spec.commandLine().getOut().print(output.isJson() ? json(lost) : table(lost, output.isWide()));
    spec.commandLine().getOut().flush();
    return 0;
  }

  /** In the order of time. */
  static List<Lost> read(ApiClient api, StoreAccess access, String id, @Nullable String keys) {
    DiscardedView discarded = api.get(RollbackCommand.path(id) + "/discarded", DiscardedView.class);
    int nodes = api.get("/api/v1/status", StatusView.class).nodes();
    Pattern wanted = KeyPattern.of(keys == null ? "*" : keys);
    return access.usePatiently(
        store ->
            LostWrites.of(store.past(), discarded, nodes, key -> wanted.matcher(key).matches()));
  }

  private static String json(List<Lost> lost) {
    ArrayNode array = ApiClient.JSON.createArrayNode();
    for (Lost one : lost) {
      ObjectNode item = array.addObject();
      item.put("key", one.key()).put("at", Hlc.format(one.hlc()));
      item.put("before", one.before()).put("written", one.after());
      item.put("client", one.client().isEmpty() ? null : one.client());
      ArrayNode nodes = item.putArray("nodes");
      one.nodes().forEach(node -> nodes.add(node));
    }
    return array.toPrettyString() + "\n";
  }

  private static String table(List<Lost> lost, boolean isWide) {
    if (lost.isEmpty()) {
      return "none\n";
    }
    List<String> header =
        new ArrayList<>(List.of("AT", "KEY", "BEFORE", "WRITTEN", "CLIENT", "NODES"));
    if (isWide) {
      header.add("AT-HLC");
    }
    TextTable table = new TextTable(TextTable.Align.LEFT, header);
    for (Lost one : lost) {
      List<String> row =
          new ArrayList<>(
              List.of(
                  PointInTime.format(one.hlc()),
                  one.key(),
                  Objects.requireNonNullElse(one.before(), "(absent)"),
                  Objects.requireNonNullElse(one.after(), "(deleted)"),
                  one.client().isEmpty() ? "?" : one.client(),
                  String.join(",", one.nodes().stream().map(String::valueOf).toList())));
      if (isWide) {
        row.add(Hlc.format(one.hlc()));
      }
      table.row(row);
    }
    return (isWide ? table : table.wrap("KEY", "BEFORE", "WRITTEN", "CLIENT", "NODES")).render();
  }
}
