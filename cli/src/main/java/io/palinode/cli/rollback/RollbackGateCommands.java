package io.palinode.cli.rollback;

import io.palinode.terminal.ApiClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What an operator says to rollbacks that do not open by themselves. */
final class RollbackGateCommands {
  private RollbackGateCommands() {}

  @Command(
      name = "approve",
      mixinStandardHelpOptions = true,
      description = {
        "Open a rollback that waits for approval.",
        "It restores the cut before all waiting violations of its predicate. Refused if the"
            + " target is out of a node's reach."
      },
      footer = {"", "Example:  palinode rollback approve 2"})
  static final class Approve implements Callable<Integer> {
    @Parameters(paramLabel = "ID", description = "As 'palinode status' shows it.")
    private String id = "";

    @Mixin private ApiClient api = new ApiClient();
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      api.post("/api/v1/approvals/" + ApiClient.segment(id) + "/approve");
      spec.commandLine()
          .getOut()
          .println(id + " is approved; 'palinode rollback status' shows its progress");
      return 0;
    }
  }

  @Command(
      name = "reject",
      mixinStandardHelpOptions = true,
      description = {
        "Reject a rollback that waits for approval. Its violations stand.",
        "The safe point advances. A later violation of the predicate opens a new request."
      },
      footer = {"", "Example:  palinode rollback reject 2"})
  static final class Reject implements Callable<Integer> {
    @Parameters(paramLabel = "ID", description = "As 'palinode status' shows it.")
    private String id = "";

    @Mixin private ApiClient api = new ApiClient();
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      api.post("/api/v1/approvals/" + ApiClient.segment(id) + "/reject");
      spec.commandLine().getOut().println(id + " is rejected: its violations stand");
      return 0;
    }
  }

  @Command(
      name = "renew",
      mixinStandardHelpOptions = true,
      description = {
        "Restart a predicate's budget. From now on its violations are rolled back again.",
        "Violations that stand remain. To roll one back, use 'palinode rollback run --violation'."
      },
      footer = {"", "Example:  palinode rollback renew edge-mutex"})
  static final class Renew implements Callable<Integer> {
    @Parameters(paramLabel = "PREDICATE", description = "Name of the predicate.")
    private String predicate = "";

    @Mixin private ApiClient api = new ApiClient();
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      api.post("/api/v1/budgets/" + ApiClient.segment(predicate) + "/renew");
      spec.commandLine().getOut().println("the budget of " + predicate + " is renewed");
      return 0;
    }
  }
}
