package io.palinode.cli;

import io.palinode.cli.terminal.ApiClient;
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
        "It goes back to before all violations of its predicate that wait by now. Refused when that is out of a node's reach."
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
          .println(id + " is approved; 'palinode rollback status' shows how it goes");
      return 0;
    }
  }

  @Command(
      name = "reject",
      mixinStandardHelpOptions = true,
      description = {
        "Let the violations stand for which a rollback waits for approval.",
        "The safe point goes on. Later violations of the predicate ask anew."
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
        "Let a predicate's budget of rollbacks begin anew: from now on its violations are rolled back again.",
        "Those that were let stand meanwhile stay; 'palinode rollback run --violation' takes one back."
      },
      footer = {"", "Example:  palinode rollback renew edge-mutex"})
  static final class Renew implements Callable<Integer> {
    @Parameters(paramLabel = "PREDICATE", description = "Its name.")
    private String predicate = "";

    @Mixin private ApiClient api = new ApiClient();
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      api.post("/api/v1/budgets/" + ApiClient.segment(predicate) + "/renew");
      spec.commandLine().getOut().println("the budget of " + predicate + " begins anew");
      return 0;
    }
  }
}
