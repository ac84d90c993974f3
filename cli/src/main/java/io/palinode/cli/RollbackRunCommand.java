package io.palinode.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.cli.terminal.ApiClient;
import io.palinode.cli.terminal.Confirmation;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Rolls the store back by hand. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = {
      "Take the whole store back to a time, or to right before a violation. Shows first what that does, as 'plan', and asks.",
      "It goes through the control log like any other: if the orchestrator dies meanwhile, the next one goes on. When a predicate that asks for"
          + " rollback is violated at that time too, it goes further back, and says so.",
      "Waits for the end. Exit status 1 when it was not carried out."
    },
    footer = {
      "",
      "Example:  palinode rollback run --to -30s",
      "          palinode rollback run --to 2026-11-21T12:00:00Z --yes"
    })
final class RollbackRunCommand implements Callable<Integer> {
  @ArgGroup(multiplicity = "1")
  private RollbackTarget target = new RollbackTarget();

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask.")
  private boolean yes;

  @Option(names = "--no-wait", description = "Return when it is in the control log.")
  private boolean noWait;

  @Mixin private ApiClient api = new ApiClient();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    JsonNode effect = api.post(RollbackCommand.PLAN, target.body().toString());
    spec.commandLine().getOut().print(EffectText.of("going back to", effect));
    spec.commandLine().getOut().flush();
    Confirmation.require(yes, "Roll the store back?", "roll the store back");
    JsonNode rollback = api.post(RollbackCommand.PATH, target.body().toString());
    return new RollbackWatch(api, spec).follow(rollback.path("epoch").asText(), noWait);
  }
}
