package io.palinode.cli.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.store.StoreAccess;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.DurationText;
import io.palinode.terminal.Output;
import java.io.PrintWriter;
import java.time.Instant;
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
        "Show the epoch, the safe point and its lag, and what a verdict waits for. Exit status 1"
            + " when that lasts longer than 5 s.",
    footer = {"", "Example:  palinode status -o json"})
public final class StatusCommand implements Callable<Integer> {
  private static final int INSTANCES_SHOWN_MAX = 5;

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();
  @Mixin private StoreAccess access = new StoreAccess();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    JsonNode status = api.get("/api/v1/status");
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      out.println(
          status
              .<ObjectNode>deepCopy()
              .<ObjectNode>set("stockClients", StockClientsLine.json(access))
              .toPrettyString());
    } else {
      out.println("epoch       " + status.path("epoch").asText());
      out.println(
          "rollback    "
              + (status.path("phase").isTextual()
                  ? "under way: " + status.path("phase").asText() + notServing(status)
                  : "none under way, " + status.path("rollbacks").asText() + " so far"));
      sequential(status).forEach(line -> out.println("sequential  " + line));
      approvals(status).forEach(line -> out.println("approval    " + line));
      budgets(status).forEach(line -> out.println("budget      " + line));
      out.println("violations  " + violations(status));
      out.println("safe point  " + WaitLines.safePoint(status));
      out.println("coverage    " + WaitLines.coverage(status));
      unknown(status).forEach(line -> out.println("            " + line));
      out.println(
          "nodes       %s of %s joined"
              .formatted(status.path("nodesJoined").asText(), status.path("nodes").asText()));
      out.println("predicates  " + status.path("predicates").asText());
      WaitLines.waits(status).forEach(line -> out.println("waits for   " + line));
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
      spec.commandLine().getErr().println("palinode: " + WaitLines.waysOut(status));
    }
    if (status.path("trouble").isTextual()) {
      spec.commandLine().getErr().println("palinode: " + status.path("trouble").asText());
    }
    if (status.path("failure").isTextual()) {
      spec.commandLine()
          .getErr()
          .println("palinode: the orchestrator stands still: " + status.path("failure").asText());
    }
    return standsStill(status) ? 1 : 0;
  }

  /** Of a rollback that has ended at some nodes: how many serve, and which do not. */
  private static String notServing(JsonNode status) {
    JsonNode missing = status.path("notServing");
    int nodes = status.path("nodes").asInt();
    List<String> names = new ArrayList<>();
    missing.forEach(node -> names.add(node.asText()));
    return names.isEmpty()
        ? ""
        : " (nodes %d of %d; not yet: %s)"
            .formatted(nodes - names.size(), nodes, String.join(", ", names));
  }

  private static String violations(JsonNode status) {
    String all = status.path("violations").asText();
    long phantoms = status.path("phantoms").asLong();
    return phantoms == 0 ? all : all + "; phantoms " + phantoms;
  }

  /** What clients are asked to use with R + W > N; no line when that is nothing. */
  static List<String> sequential(JsonNode status) {
    JsonNode sequential = status.path("sequential");
    if (!sequential.path("untilMicros").isNumber()) {
      return List.of();
    }
    long leftMs = sequential.path("untilMicros").asLong() / 1_000 - System.currentTimeMillis();
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s with R + W > N for another %.1f s, if no rollback touches them: rollbacks are frequent"
            .formatted(
                sequential.path("allKeys").asBoolean()
                    ? "all keys"
                    : sequential.path("keys").asText() + " keys",
                Math.max(0, leftMs) / 1_000.0));
    int shown = 0;
    for (JsonNode instance : sequential.path("instances")) {
      if (!instance.path("keys").isEmpty() && shown++ < INSTANCES_SHOWN_MAX) {
        lines.add(
            "%s %s: %s"
                .formatted(
                    instance.path("predicate").asText(),
                    instance.path("binding").asText(),
                    keys(instance)));
      }
    }
    return lines;
  }

  /** One line for each rollback that waits for an operator. */
  static List<String> approvals(JsonNode status) {
    List<String> lines = new ArrayList<>();
    for (JsonNode waiting : status.path("approvals")) {
      lines.add(
          "%s waits since %s: %s, %d violations, back to %s; 'palinode rollback approve %s' or 'reject %s'. The safe point waits too"
              .formatted(
                  waiting.path("id").asText(),
                  second(waiting.path("askedMicros")),
                  waiting.path("predicate").asText(),
                  waiting.path("violations").asInt(),
                  waiting.path("target").asText(),
                  waiting.path("id").asText(),
                  waiting.path("id").asText()));
    }
    return lines;
  }

  /** One line for each predicate whose rollbacks are limited. */
  static List<String> budgets(JsonNode status) {
    List<String> lines = new ArrayList<>();
    for (JsonNode budget : status.path("budgets")) {
      String spent =
          "%s: %d of %d rollbacks in %s"
              .formatted(
                  budget.path("predicate").asText(),
                  budget.path("spent").asInt(),
                  budget.path("atMost").asInt(),
                  DurationText.of(budget.path("perMs").asLong() / 1_000));
      JsonNode until = budget.path("standsUntilMicros");
      lines.add(
          until.isNumber()
              ? "%s: violations stand until %s, or 'palinode rollback renew %s'"
                  .formatted(spent, second(until), budget.path("predicate").asText())
              : spent);
    }
    return lines;
  }

  private static Instant second(JsonNode micros) {
    return Instant.ofEpochSecond(micros.asLong() / 1_000_000);
  }

  private static String keys(JsonNode instance) {
    List<String> keys = new ArrayList<>();
    instance.path("keys").forEach(key -> keys.add(key.asText()));
    return String.join(", ", keys);
  }

  /** One line for each span in which violations may have been missed. */
  public static List<String> unknown(JsonNode status) {
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
        || status.path("trouble").isTextual()
        || status.path("failure").isTextual()
        || status.path("safePointHeldAt").isTextual()
        || WaitLines.standStill(status);
  }
}
