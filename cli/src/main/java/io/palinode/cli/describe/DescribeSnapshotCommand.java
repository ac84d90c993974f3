package io.palinode.cli.describe;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.options.TimeText;
import io.palinode.cli.snapshot.SnapshotCommand;
import io.palinode.orchestrator.rest.SnapshotView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Output;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one snapshot: its parts by node, what depends on it, and its rollbacks. */
@Command(
    name = "snapshot",
    mixinStandardHelpOptions = true,
    description =
        "Show one snapshot: its time, its parts by node, the snapshots that need it, and the"
            + " rollbacks to it.",
    footer = {
      "",
      "'palinode snapshot show NAME KEY' shows a value in it.",
      "Exit status 1 if a node has no part of it.",
      "",
      "Example:  palinode describe snapshot before-deploy"
    })
final class DescribeSnapshotCommand implements Callable<Integer> {
  private static final int REMEMBERED_MAX = 10_000;
  private static final double MICROS_PER_SECOND = 1_000_000.0;
  private static final String TAKING = "taking";

  @Parameters(
      paramLabel = "NAME",
      description = "The name of a snapshot, as 'palinode get snapshots' shows it.")
  private String name = "";

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();

  @Override
  public Integer call() {
    JsonNode answer = api.get(SnapshotCommand.path(name));
    SnapshotView snapshot = api.view(answer, SnapshotView.class);
    ObjectNode all = ApiClient.JSON.createObjectNode();
    all.set("snapshot", answer);
    all.set("neededBy", neededBy());
    all.set("rollbacks", rollbacks());
    output.print(all, () -> text(snapshot, all));
    return List.of("partial", "failed").contains(snapshot.state()) ? 1 : 0;
  }

  /** The names of the incremental snapshots over it. */
  private ArrayNode neededBy() {
    ArrayNode names = ApiClient.JSON.createArrayNode();
    Arrays.stream(api.get(SnapshotCommand.path(), SnapshotView[].class))
        .filter(other -> name.equals(other.base()))
        .forEach(other -> names.add(other.id()));
    return names;
  }

  /** Those that the orchestrator remembers, the latest first. */
  private ArrayNode rollbacks() {
    ArrayNode found = ApiClient.JSON.createArrayNode();
    String path = "/api/v1/rollbacks?limit=" + REMEMBERED_MAX;
    for (JsonNode rollback : api.pages(path, REMEMBERED_MAX).items()) {
      if (rollback.path("snapshot").asText().equals(name)) {
        found.add(rollback);
      }
    }
    return found;
  }

  private String text(SnapshotView snapshot, JsonNode all) {
    Lines lines =
        new Lines()
            .add("snapshot", name)
            .add("state", snapshot.state())
            .time("at", snapshot.at(), output.isWide())
            .add("kind", kind(snapshot))
            .add("taken", taken(snapshot))
            .add("written", SnapshotCommand.bytes(snapshot.bytes()));
    SnapshotView roll = snapshot.roll();
    if (roll != null) {
      lines.add("move", move(roll));
    }
    lines.add("needed by", names(all.path("neededBy"), "no other snapshot"));
    lines.add("rollbacks", rollbacks(all.path("rollbacks")));
    if (snapshot.state().equals("complete")) {
      lines.add("restore", "palinode rollback run --to-snapshot " + name);
    }
    return lines.block(SnapshotCommand.parts(snapshot, output.isWide())).toString();
  }

  private static String kind(SnapshotView snapshot) {
    String base = snapshot.base() == null ? "" : ", stores what differs from " + snapshot.base();
    return snapshot.kind() + base;
  }

  private static String taken(SnapshotView snapshot) {
    String by = snapshot.scheduled() ? "by the schedule, " : "";
    Long ended = snapshot.endedMicros();
    return by
        + TimeText.secondWithAge(snapshot.openedMicros())
        + (ended == null
            ? ", not at its end yet"
            : ", in %.1f s".formatted((ended - snapshot.openedMicros()) / MICROS_PER_SECOND));
  }

  private static String move(SnapshotView roll) {
    String to = TimeText.withAge(roll.at());
    return roll.state().equals(TAKING) ? "moves to " + to : "a move to " + to + " failed";
  }

  private static String rollbacks(JsonNode rollbacks) {
    ArrayNode texts = ApiClient.JSON.createArrayNode();
    rollbacks.forEach(
        one -> texts.add(one.path("epoch").asText() + " (" + one.path("state").asText() + ")"));
    return names(texts, "none is remembered");
  }

  private static String names(JsonNode names, String none) {
    List<String> all = new ArrayList<>();
    names.forEach(one -> all.add(one.asText()));
    return all.isEmpty() ? none : String.join(", ", all);
  }
}
