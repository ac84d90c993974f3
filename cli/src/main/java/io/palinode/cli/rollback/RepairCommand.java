package io.palinode.cli.rollback;

import io.palinode.cli.options.Confirmation;
import io.palinode.cli.options.Opened;
import io.palinode.orchestrator.rest.OneRollbackView;
import io.palinode.orchestrator.rest.Views.RollbackView;
import io.palinode.terminal.ApiClient;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Makes all replicas equal on all keys. */
@Command(
    name = "repair",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Compare all keys of all nodes, and make replicas equal. No write is undone.",
      "All nodes are paused meanwhile. A node that 'palinode recover --rebuild' emptied serves"
          + " clients afterwards. If only that node had a delete, the deleted key returns.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 all keys are equal; 1 the plan ended otherwise.",
      "",
      "Example:  palinode repair --yes"
    })
public final class RepairCommand implements Callable<Integer> {
  private static final long POLL_MS = 200;

  @Mixin private Confirmation confirmation = new Confirmation();

  @Mixin private ApiClient api = new ApiClient();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws InterruptedException {
    confirmation.require("Pause all nodes and compare all keys?", "compare all keys");
    String id =
        RollbackCommand.open(
            api, ApiClient.JSON.createObjectNode().put("compareAll", true).toString());
    PrintWriter out = spec.commandLine().getOut();
    Opened rollback = new Opened(api, spec, "rollback " + id, RollbackCommand.path(id));
    String printed = "";
    while (true) {
      RollbackView now = rollback.read(OneRollbackView.class).rollback();
      Double totalMs = now.totalMs();
      // The last state is "cancelled" of a comparison that has done all, as no write is undone.
      if (totalMs != null) {
        return end(now, totalMs, out);
      }
      String line = "comparison %s is %s, round %d".formatted(id, now.state(), now.attempts());
      if (!line.equals(printed)) {
        printed = line;
        out.println(line);
        out.flush();
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }

  private int end(RollbackView plan, double totalMs, PrintWriter out) {
    if (plan.state().equals("cancelled")) {
      out.printf("all replicas are equal on all keys, after %,.0f ms%n", totalMs);
      out.flush();
      return 0;
    }
    spec.commandLine()
        .getErr()
        .printf(
            "palinode: comparison %d is %s: %s; see 'palinode rollback status %d'%n",
            plan.epoch(),
            plan.state(),
            Objects.requireNonNullElse(plan.haltReason(), ""),
            plan.epoch());
    return 1;
  }
}
