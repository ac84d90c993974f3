package io.palinode.cli.rollback;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.cli.options.Confirmation;
import io.palinode.terminal.ApiClient;
import java.io.PrintWriter;
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
      "Compare all keys of all nodes, and make replicas equal. Nothing is undone.",
      "A node that 'palinode recover --rebuild' emptied serves clients after this. All nodes are"
          + " paused meanwhile. A delete that only the emptied node knew of is lost, so its key"
          + " returns.",
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
    JsonNode opened =
        api.post(
            RollbackCommand.PATH,
            ApiClient.JSON.createObjectNode().put("compareAll", true).toString());
    String id = opened.path("epoch").asText();
    PrintWriter out = spec.commandLine().getOut();
    String printed = "";
    while (true) {
      JsonNode now = api.get(RollbackCommand.path(id));
      String state = now.path("state").asText();
      String line =
          "comparison %s is %s, round %d".formatted(id, state, now.path("attempts").asInt());
      if (!line.equals(printed)) {
        printed = line;
        out.println(line);
        out.flush();
      }
      if (now.path("totalMs").isNumber()) {
        return end(id, state, now, out);
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }

  private int end(String id, String state, JsonNode plan, PrintWriter out) {
    if (state.equals("cancelled")) {
      out.printf(
          "all replicas are equal on all keys, after %,.0f ms%n", plan.path("totalMs").asDouble());
      out.flush();
      return 0;
    }
    spec.commandLine()
        .getErr()
        .printf(
            "palinode: comparison %s is %s: %s; see 'palinode rollback status %s'%n",
            id, state, plan.path("haltReason").asText(""), id);
    return 1;
  }
}
