package io.palinode.cli.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.options.TimeText;
import io.palinode.cli.store.StoreAccess;
import io.palinode.orchestrator.Status;
import io.palinode.orchestrator.rest.Views.BudgetView;
import io.palinode.orchestrator.rest.Views.SequentialView;
import io.palinode.orchestrator.rest.Views.StatusView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.DurationText;
import io.palinode.terminal.Output;
import io.palinode.terminal.Wrap;
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
        "Show the epoch, the safe point, and the causes for which it does not move. Exit status 1"
            + " if an operator is needed (docs/reference/status.md).",
    footer = {"", "Example:  palinode status -o json"})
public final class StatusCommand implements Callable<Integer> {
  private static final int INSTANCES_SHOWN_MAX = 5;

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();
  @Mixin private StoreAccess access = new StoreAccess();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    JsonNode answer = api.get("/api/v1/status");
    StatusView status = api.view(answer, StatusView.class);
    if (Status.REPLAYING.equals(status.failure())) {
      // Without its logs, an orchestrator shows an empty cluster.
      spec.commandLine().getErr().println("palinode: " + Status.REPLAYING);
      return 1;
    }
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      out.println(
          answer
              .<ObjectNode>deepCopy()
              .<ObjectNode>set("stockClients", StockClientsLine.json(access))
              .toPrettyString());
    } else {
      print(status, out);
    }
    faults(status).forEach(fault -> spec.commandLine().getErr().println("palinode: " + fault));
    return faults(status).isEmpty() && !WaitLines.standStill(status) ? 0 : 1;
  }

  private void print(StatusView status, PrintWriter out) {
    line(out, "epoch", Long.toString(status.epoch()));
    line(
        out,
        "rollback",
        status.phase() == null
            ? "none under way, " + status.rollbacks() + " so far"
            : "under way: " + status.phase() + notServing(status));
    sequential(status.sequential()).forEach(text -> line(out, "sequential", text));
    approvals(status).forEach(text -> line(out, "approval", text));
    budgets(status).forEach(text -> line(out, "budget", text));
    line(out, "violations", violations(status));
    line(out, "safe point", WaitLines.safePoint(status));
    line(out, "coverage", WaitLines.coverage(status));
    unknown(status).forEach(text -> line(out, "", text));
    line(out, "nodes", "%d of %d joined".formatted(status.nodesJoined(), status.nodes()));
    line(out, "predicates", Integer.toString(status.predicates()));
    WaitLines.waits(status).forEach(text -> line(out, "waits for", text));
    if (status.insecure() != null) {
      line(out, "insecure", status.insecure());
    }
    StockClientsLine.of(access).ifPresent(text -> line(out, "clients", text));
    if (output.isWide()) {
      line(out, "HLCs", WaitLines.hlcs(status));
    }
  }

  private static void line(PrintWriter out, String name, String text) {
    out.println(Wrap.paragraph("%-12s".formatted(name), text));
  }

  /** What an operator has to see; each makes the exit status 1. */
  private static List<String> faults(StatusView status) {
    List<String> faults = new ArrayList<>();
    if (status.safePointHeldAt() != null) {
      faults.add(
          "%s; the safe point is held at %s"
              .formatted(lost(status), TimeText.of(status.safePointHeldAt())));
    }
    if ("halted".equals(status.phase())) {
      long open = status.openEpoch() == null ? status.epoch() : status.openEpoch();
      faults.add(WaitLines.waysOut(open, status.haltReason()));
    }
    faults.addAll(status.unrestorable());
    if (status.trouble() != null) {
      faults.add(status.trouble());
    }
    if (status.failure() != null) {
      faults.add(status.failure());
    }
    return faults;
  }

  /** Of a rollback that has ended at some nodes: how many serve, and which do not. */
  private static String notServing(StatusView status) {
    List<String> names = status.notServing().stream().map(String::valueOf).toList();
    return names.isEmpty()
        ? ""
        : " (nodes %d of %d; not yet: %s)"
            .formatted(status.nodes() - names.size(), status.nodes(), String.join(", ", names));
  }

  private static String violations(StatusView status) {
    return status.phantoms() == 0
        ? Long.toString(status.violations())
        : status.violations() + "; phantoms " + status.phantoms();
  }

  /** What clients are asked to use with R + W > N; no line when that is nothing. */
  private static List<String> sequential(SequentialView sequential) {
    Long until = sequential.untilMicros();
    if (until == null) {
      return List.of();
    }
    long leftMs = until / 1_000 - System.currentTimeMillis();
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s with R + W > N for another %.1f s, if no rollback touches them: rollbacks are frequent"
            .formatted(
                sequential.allKeys() ? "all keys" : sequential.keys() + " keys",
                Math.max(0, leftMs) / 1_000.0));
    sequential.instances().stream()
        .filter(instance -> !instance.keys().isEmpty())
        .limit(INSTANCES_SHOWN_MAX)
        .map(
            instance ->
                "%s %s: %s"
                    .formatted(
                        instance.predicate(),
                        instance.binding(),
                        String.join(", ", instance.keys())))
        .forEach(lines::add);
    return lines;
  }

  /** One line for each rollback that waits for an operator. */
  private static List<String> approvals(StatusView status) {
    return status.approvals().stream()
        .map(
            waiting ->
                "%d waits since %s: %s, %d violations, back to %s; 'palinode rollback approve %d' or 'reject %d'. The safe point waits too"
                    .formatted(
                        waiting.id(),
                        TimeText.secondWithAge(waiting.askedMicros()),
                        waiting.predicate(),
                        waiting.violations(),
                        TimeText.of(waiting.target()),
                        waiting.id(),
                        waiting.id()))
        .toList();
  }

  /** One line for each predicate whose rollbacks are limited. */
  private static List<String> budgets(StatusView status) {
    return status.budgets().stream().map(StatusCommand::budget).toList();
  }

  private static String budget(BudgetView budget) {
    String spent =
        "%s: %d of %d rollbacks in %s"
            .formatted(
                budget.predicate(),
                budget.spent(),
                budget.atMost(),
                DurationText.of((long) budget.perMs() / 1_000));
    Long until = budget.standsUntilMicros();
    return until == null
        ? spent
        : "%s: violations stand until %s, or 'palinode rollback renew %s'"
            .formatted(spent, TimeText.secondWithAge(until), budget.predicate());
  }

  /** One line for each span in which violations may have been missed. */
  public static List<String> unknown(StatusView status) {
    return status.unknown().stream()
        .map(
            span ->
                "unknown: %s%sviolations may have been missed: %s"
                    .formatted(
                        span.from() == null ? "" : "from " + TimeText.of(span.from()) + " ",
                        span.to() == null ? "on, " : "up to " + TimeText.of(span.to()) + " ",
                        span.reason()))
        .toList();
  }

  static String lost(StatusView status) {
    return status.abandonedEpoch() == null
        ? "coverage gaps are not acknowledged"
        : "rollback %d was abandoned, its cut is not restored".formatted(status.abandonedEpoch());
  }
}
