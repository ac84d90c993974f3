package io.palinode.cli.rollback;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows one rollback by step and node. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = "Show how far a rollback is, by step and node; the latest one without an ID.",
    footer = {"", "Example:  palinode rollback status 3"})
final class RollbackStatusCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "ID",
      arity = "0..1",
      description = "The epoch that it opens, as 'palinode get rollbacks' shows it.")
  private @Nullable String id;

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    @Nullable String wanted = id;
    JsonNode rollback = api.get(RollbackCommand.path(wanted == null ? latest() : wanted));
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      out.println(rollback.toPrettyString());
    } else {
      print(rollback, out);
    }
    out.flush();
    return 0;
  }

  private String latest() {
    JsonNode all = api.get(RollbackCommand.PATH + "?limit=1");
    if (all.isEmpty()) {
      throw new Refusal("there was no rollback yet");
    }
    return all.get(0).path("epoch").asText();
  }

  private static void print(JsonNode rollback, PrintWriter out) {
    line(out, "rollback", rollback.path("epoch").asText());
    line(out, "state", rollback.path("state").asText());
    line(out, "opened by", cause(rollback));
    line(out, "target", rollback.path("target").asText());
    if (rollback.path("givenUp").isTextual()) {
      line(out, "scope", "affected, which could not be: all that was written stands");
    } else if (rollback.path("scope").asText().equals("affected")) {
      line(out, "scope", affected(rollback));
    }
    rollback.path("moves").forEach(move -> line(out, "moved", move.asText()));
    line(
        out,
        "attempts",
        "%s, %,d copies of writes undone, %,d keys completed"
            .formatted(
                rollback.path("attempts").asText(),
                rollback.path("undoneWrites").asLong(),
                rollback.path("convergedKeys").asLong()));
    line(out, "steps", steps(rollback));
    if (rollback.path("haltReason").isTextual()) {
      line(out, "halted", rollback.path("haltReason").asText());
    }
    out.println();
    out.print(nodes(rollback));
  }

  private static String affected(JsonNode rollback) {
    return rollback.path("keys").isNumber()
        ? "affected: keys restored: %,d, clients concerned: %,d"
            .formatted(rollback.path("keys").asInt(), rollback.path("clients").size())
        : "affected";
  }

  private static String cause(JsonNode rollback) {
    if (!rollback.path("byHand").asBoolean()) {
      return "violations of " + rollback.path("predicate").asText();
    }
    JsonNode undoes = rollback.path("undoes");
    return undoes.isNumber() ? "hand, to undo rollback " + undoes.asText() : "hand";
  }

  private static String steps(JsonNode rollback) {
    List<String> steps = new ArrayList<>();
    for (String step : List.of("pause", "judgement", "restore", "converge")) {
      steps.add(
          String.format(Locale.ROOT, "%s %,.0f ms", step, rollback.path(step + "Ms").asDouble()));
    }
    return String.join(", ", steps);
  }

  private static String nodes(JsonNode rollback) {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "NODE", "DONE", "PAUSED", "RESTORED", "CONVERGED", "UNDONE", "COMPLETED", "REACH"));
    for (JsonNode node : rollback.path("nodes")) {
      table.row(
          List.of(
              node.path("node").asText(),
              node.path("done").asText(),
              after(node.path("pausedMs")),
              after(node.path("restoredMs")),
              after(node.path("convergedMs")),
              node.path("undoneWrites").asText(),
              node.path("convergedKeys").asText(),
              node.path("reach").asText()));
    }
    return table.render();
  }

  private static String after(JsonNode ms) {
    return ms.isNumber() ? String.format(Locale.ROOT, "+%,.0f ms", ms.asDouble()) : "-";
  }

  private static void line(PrintWriter out, String name, String value) {
    out.println("%-11s%s".formatted(name, value));
  }
}
