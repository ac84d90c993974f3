package io.palinode.cli.describe;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.options.TimeText;
import io.palinode.cli.store.StoreAccess;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.TextTable;
import io.palinode.terminal.TextTable.Align;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one node: its state, its window-log, and the predicates that it watches. */
@Command(
    name = "node",
    mixinStandardHelpOptions = true,
    description = {
      "Show one node: its state and the way out, its incarnation, its window-log, its clients, and"
          + " the versions of predicates that its detector uses.",
      "If the node does not answer, the orchestrator's last values are shown."
    },
    footer = {
      "",
      "Exit status 1 if the node needs an operator.",
      "",
      "Example:  palinode describe node 1"
    })
final class DescribeNodeCommand implements Callable<Integer> {
  @Parameters(paramLabel = "NUMBER", description = "The number of a node, from 0.")
  private int number;

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();
  @Mixin private StoreAccess access = new StoreAccess();

  @Override
  public Integer call() {
    ObjectNode all = ApiClient.JSON.createObjectNode();
    ObjectNode node = node();
    NodeReach.addTo(node, access);
    all.set("node", node);
    all.set("predicates", api.get("/api/v1/predicates"));
    output.print(all, () -> text(all));
    return node.path("needsOperator").asBoolean() ? 1 : 0;
  }

  private ObjectNode node() {
    JsonNode nodes = api.get("/api/v1/nodes");
    for (JsonNode node : nodes) {
      if (node.path("node").asInt() == number) {
        return (ObjectNode) node;
      }
    }
    throw new Refusal("there is no node %d: nodes are 0 to %d".formatted(number, nodes.size() - 1));
  }

  private String text(JsonNode all) {
    JsonNode node = all.path("node");
    Lines lines = new Lines().add("node", Integer.toString(number));
    String since =
        node.hasNonNull("sinceMicros")
            ? ", since " + TimeText.secondWithAge(node.path("sinceMicros").asLong())
            : "";
    lines.add("state", node.path("state").asText() + since);
    add(lines, "reason", node, "why");
    long joined = node.path("joinedMicros").asLong();
    lines.add(
        "incarnation",
        joined == 0
            ? "none: it has never joined"
            : "%s, joined %s"
                .formatted(node.path("incarnation").asText(), TimeText.secondWithAge(joined)));
    add(lines, "version", node, "version");
    addTime(lines, "reach", node, "reach");
    addTime(lines, "exact reach", node, "exactReach");
    add(lines, "granularity", node, "granularity");
    if (output.isWide()) {
      addTime(lines, "memory from", node, "memoryReach");
      addTime(lines, "reach to", node, "reachTo");
    }
    if (node.has("memory")) {
      lines.add(
          "window-log",
          "%s in memory, %s on disk"
              .formatted(node.path("memory").asText(), node.path("disk").asText()));
      lines.add(
          "clients",
          "without a clock: %s connections, %s writes"
              .formatted(
                  node.path("stockConnections").asText(), node.path("stockWrites").asText()));
    }
    add(lines, "unanswered", node, "unanswered");
    if (node.path("lastAckMicros").asLong() != 0) {
      String ack = TimeText.secondWithAge(node.path("lastAckMicros").asLong());
      lines.add("last ack", node.path("lastAck").asText() + ", " + ack);
    }
    return lines.block(predicates(all.path("predicates"))).toString();
  }

  private String predicates(JsonNode predicates) {
    TextTable table =
        new TextTable(Align.LEFT, List.of("PREDICATE", "IN-FORCE", "AT-NODE")).wrap("PREDICATE");
    for (JsonNode predicate : predicates) {
      table.row(
          List.of(
              predicate.path("name").asText(),
              predicate.path("version").asText(),
              predicate.path("nodeVersions").path(Integer.toString(number)).asText("not known")));
    }
    return predicates.isEmpty() ? "no predicate is in force\n" : table.render();
  }

  private static void add(Lines lines, String label, JsonNode node, String field) {
    String value = node.path(field).asText("");
    if (node.hasNonNull(field) && !value.isEmpty()) {
      lines.add(label, value);
    }
  }

  private void addTime(Lines lines, String label, JsonNode node, String field) {
    String hlc = node.path(field).asText("0");
    if (!hlc.equals("0")) {
      lines.time(label, hlc, output.isWide());
    }
  }
}
