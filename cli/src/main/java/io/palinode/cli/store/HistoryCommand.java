package io.palinode.cli.store;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.options.TimeText;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.launcher.WriteHistory;
import io.palinode.launcher.WriteHistory.State;
import io.palinode.launcher.WriteHistory.Write;
import io.palinode.orchestrator.rest.Views.RollbackView;
import io.palinode.orchestrator.rest.Views.StatusView;
import io.palinode.orchestrator.rest.past.DiscardedView;
import io.palinode.orchestrator.rest.past.RollbackSpan;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.TextTable;
import io.palinode.voldemort.client.PastStore;
import io.palinode.voldemort.client.PastStore.Change;
import io.palinode.voldemort.client.session.NodeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lists the writes to one key. */
@Command(
    name = "history",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "List the writes to a key: time, epoch, value, client if it is known, nodes, and what became"
          + " of each.",
      "Reads the window-logs of all nodes. The state is that at the end of the span: 'present',"
          + " 'replaced' by other writes, or 'undone' by a rollback.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 all nodes answered; 1 one did not, so writes may be missing.",
      "",
      "Example:  palinode history cs_1_2_1",
      "          palinode history cs_1_2_1 --from -10m --to -5m"
    })
public final class HistoryCommand implements Callable<Integer> {
  private static final int ROLLBACKS = 1_000;

  @Parameters(index = "0", paramLabel = "KEY")
  private String key = "";

  @Option(
      names = "--from",
      paramLabel = "TIME",
      converter = TimeText.class,
      description =
          "Only writes after it: " + TimeText.FORMS + " (default: as far back as all nodes reach).")
  private @Nullable Long from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      converter = TimeText.class,
      description = "Only writes up to it (default: now).")
  private @Nullable Long to;

  @Mixin private Output output = new Output();
  @Mixin private StoreAccess access = new StoreAccess();
  @Mixin private ApiClient api = new ApiClient();
  @Spec private CommandSpec spec;

  /** A span of HLCs: after {@code from}, up to {@code to}. */
  private record Span(long from, long to) {}

  @Override
  public Integer call() {
    int nodes = api.get("/api/v1/status", StatusView.class).nodes();
    TreeMap<Integer, String> failures = new TreeMap<>();
    List<Write> writes =
        access.usePatiently(
            store -> {
              Span span = span(store.past(), nodes);
              Map<Integer, List<Change>> changes = changes(store.past(), nodes, span, failures);
              return WriteHistory.of(changes, rollbacks(span));
            });
    failures.forEach(
        (node, reason) ->
            spec.commandLine()
                .getErr()
                .println("palinode: writes may be missing: node %d: %s".formatted(node, reason)));
    spec.commandLine()
        .getOut()
        .print(output.isJson() ? json(writes) : table(writes, output.isWide()));
    spec.commandLine().getOut().flush();
    return failures.isEmpty() ? 0 : 1;
  }

  private Span span(PastStore past, int nodes) {
    long until = to == null ? nowHlc() : to;
    long since = from == null ? reach(past, nodes) : from;
    if (since > until) {
      throw new Refusal(
          "--from must be before --to: %s, %s"
              .formatted(PointInTime.format(since), PointInTime.format(until)));
    }
    return new Span(since, until);
  }

  /** From here on all nodes that answer have every change. */
  private static long reach(PastStore past, int nodes) {
    long reach = 0;
    for (int node = 0; node < nodes; node++) {
      try {
        reach = Math.max(reach, past.reachAt(node).exact().from());
      } catch (NodeException unanswered) {
        // The question about the changes fails too, and is reported.
      }
    }
    return reach;
  }

  private Map<Integer, List<Change>> changes(
      PastStore past, int nodes, Span span, Map<Integer, String> failures) {
    Map<Integer, List<Change>> changes = new TreeMap<>();
    for (int node = 0; node < nodes; node++) {
      try {
        changes.put(node, past.historyAt(node, key, span.from(), span.to()));
      } catch (NodeException e) {
        failures.put(node, e.reason());
      }
    }
    return changes;
  }

  private List<RollbackSpan> rollbacks(Span span) {
    RollbackView[] known = api.get("/api/v1/rollbacks?limit=" + ROLLBACKS, RollbackView[].class);
    return Arrays.stream(known)
        .map(
            one ->
                RollbackSpan.of(
                    one.epoch(), one.endedMicros(), span.from(), () -> discarded(one.epoch())))
        .toList();
  }

  private @Nullable DiscardedView discarded(long epoch) {
    try {
      return api.get("/api/v1/rollbacks/%d/discarded".formatted(epoch), DiscardedView.class);
    } catch (Refusal nothing) {
      // It has not ended, or changed nothing.
      return null;
    }
  }

  private static long nowHlc() {
    return Hlc.ofMicros(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
  }

  private static String json(List<Write> writes) {
    ArrayNode array = ApiClient.JSON.createArrayNode();
    for (Write one : writes) {
      ObjectNode item = array.addObject();
      item.put("at", Hlc.format(one.hlc())).put("epoch", one.epoch()).put("value", one.value());
      item.put("client", one.client().isEmpty() ? null : one.client());
      ArrayNode nodes = item.putArray("nodes");
      one.nodes().forEach(node -> nodes.add(node));
      item.put("state", one.state().name().toLowerCase(Locale.ROOT));
      item.put("undoneBy", one.undoneBy());
    }
    return array.toPrettyString() + "\n";
  }

  private static String table(List<Write> writes, boolean isWide) {
    if (writes.isEmpty()) {
      return "none\n";
    }
    List<String> header =
        new ArrayList<>(List.of("AT", "EPOCH", "VALUE", "CLIENT", "NODES", "STATE"));
    if (isWide) {
      header.add("AT-HLC");
    }
    TextTable table = new TextTable(TextTable.Align.LEFT, header);
    for (Write one : writes) {
      List<String> row =
          new ArrayList<>(
              List.of(
                  PointInTime.format(one.hlc()),
                  Long.toString(one.epoch()),
                  Objects.requireNonNullElse(one.value(), "(deleted)"),
                  one.client().isEmpty() ? "?" : one.client(),
                  String.join(",", one.nodes().stream().map(String::valueOf).toList()),
                  state(one)));
      if (isWide) {
        row.add(Hlc.format(one.hlc()));
      }
      table.row(row);
    }
    return (isWide ? table : table.wrap("VALUE", "CLIENT", "NODES", "STATE")).render();
  }

  private static String state(Write write) {
    String state = write.state().name().toLowerCase(Locale.ROOT);
    return write.state() == State.UNDONE ? state + " by rollback " + write.undoneBy() : state;
  }
}
