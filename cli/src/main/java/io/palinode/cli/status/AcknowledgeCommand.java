package io.palinode.cli.status;

import io.palinode.cli.options.Confirmation;
import io.palinode.orchestrator.rest.Views.StatusView;
import io.palinode.terminal.ApiClient;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Lets the safe point pass what was lost. */
@Command(
    name = "acknowledge",
    mixinStandardHelpOptions = true,
    description = {
      "Acknowledge the coverage gaps and the abandoned rollback that 'palinode status' shows. The"
          + " safe point then advances.",
      "Programs that wait for the safe point may then publish results that were not judged."
    },
    footer = {"", "Example:  palinode acknowledge --yes"})
public final class AcknowledgeCommand implements Callable<Integer> {
  @Mixin private Confirmation confirmation = new Confirmation();

  @Mixin private ApiClient api = new ApiClient();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    StatusView status = api.get("/api/v1/status", StatusView.class);
    List<String> lost = lost(status);
    if (lost.isEmpty()) {
      out.println("nothing to acknowledge: coverage is complete");
      return 0;
    }
    lost.forEach(out::println);
    out.flush();
    confirmation.require("Let the safe point pass these gaps?", "acknowledge it");
    // Only the gaps shown above: a later gap needs its own acknowledgement.
    api.post("/api/v1/coverage/acknowledge?to=" + status.coverageGaps());
    out.println("acknowledged; 'palinode status' shows the safe point");
    return 0;
  }

  private static List<String> lost(StatusView status) {
    List<String> lost = new ArrayList<>(StatusCommand.unknown(status));
    if (status.abandonedEpoch() != null) {
      lost.add(StatusCommand.lost(status));
    }
    if (lost.isEmpty() && status.coverageLosses() > 0) {
      lost.add(status.coverageLosses() + " coverage gaps");
    }
    return lost;
  }
}
