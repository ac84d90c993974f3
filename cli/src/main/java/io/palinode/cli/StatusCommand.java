package io.palinode.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.cli.terminal.ApiClient;
import io.palinode.cli.terminal.Output;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Says how a cluster is. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description =
        "Show the epoch, the safe point and its lag, and what is going on. Exit status 1 when something stands still.",
    footer = {"", "Example:  palinode status -o json"})
final class StatusCommand implements Callable<Integer> {
  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();
  @Mixin private StoreAccess access = new StoreAccess();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    JsonNode status = api.get("/api/v1/status");
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      out.println(status.toPrettyString());
    } else {
      out.println("epoch       " + status.path("epoch").asText());
      out.println(
          "rollback    "
              + (status.path("phase").isTextual()
                  ? "under way: " + status.path("phase").asText()
                  : "none under way, " + status.path("rollbacks").asText() + " so far"));
      out.println("violations  " + violations(status));
      out.println(
          "safe point  %s, %.0f ms behind"
              .formatted(
                  status.path("safePoint").asText(), status.path("safePointLagMs").asDouble()));
      int losses = status.path("coverageLosses").asInt();
      out.println(
          "coverage    " + (losses == 0 ? "complete" : losses + " losses not acknowledged"));
      unknown(status).forEach(line -> out.println("            " + line));
      out.println(
          "nodes       %s of %s joined"
              .formatted(status.path("nodesJoined").asText(), status.path("nodes").asText()));
      out.println("predicates  " + status.path("predicates").asText());
      StockClientsLine.of(access).ifPresent(line -> out.println("clients     " + line));
    }
    if (status.path("safePointHeldAt").isTextual()) {
      spec.commandLine()
          .getErr()
          .println(
              "palinode: %s; the safe point is held at %s"
                  .formatted(lost(status), status.path("safePointHeldAt").asText()));
    }
    if (isHalted(status)) {
      spec.commandLine().getErr().println("palinode: " + GetCommand.waysOut(status));
    }
    if (status.path("failure").isTextual()) {
      spec.commandLine()
          .getErr()
          .println("palinode: the orchestrator stands still: " + status.path("failure").asText());
    }
    return standsStill(status) ? 1 : 0;
  }

  private static String violations(JsonNode status) {
    String all = status.path("violations").asText();
    long phantoms = status.path("phantoms").asLong();
    return phantoms == 0 ? all : all + "; phantoms " + phantoms;
  }

  /** One line for each span in which violations may have been missed. */
  static List<String> unknown(JsonNode status) {
    List<String> lines = new ArrayList<>();
    for (JsonNode span : status.path("unknown")) {
      String from = span.path("from").isTextual() ? "from " + span.path("from").asText() + " " : "";
      lines.add(
          "unknown: %sup to %s violations may have been missed: %s"
              .formatted(from, span.path("to").asText(), span.path("reason").asText()));
    }
    return lines;
  }

  static String lost(JsonNode status) {
    JsonNode abandoned = status.path("abandonedEpoch");
    return abandoned.isNumber()
        ? "rollback %s was abandoned, its cut is not restored".formatted(abandoned.asText())
        : "coverage was lost";
  }

  private static boolean isHalted(JsonNode status) {
    return status.path("phase").asText().equals("halted");
  }

  private static boolean standsStill(JsonNode status) {
    return isHalted(status)
        || status.path("failure").isTextual()
        || status.path("safePointHeldAt").isTextual();
  }
}
