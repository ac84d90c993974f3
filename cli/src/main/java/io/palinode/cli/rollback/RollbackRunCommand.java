package io.palinode.cli.rollback;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.options.Confirmation;
import io.palinode.orchestrator.rest.EffectView;
import io.palinode.terminal.ApiClient;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Rolls the store back by hand. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = {
      "Roll the store back: by a plan of 'palinode rollback plan', to a time, to right before a"
          + " violation, or to a snapshot. The command first shows the effect and what has changed"
          + " since the plan. Then it asks, and waits for the end.",
      "If the orchestrator or this command ends, the rollback continues. If a predicate with a"
          + " rollback is violated at the target too, the target moves further back, and the"
          + " command reports that.",
      "A rollback of scope 'affected' never becomes one of scope 'all'. If only 'all' is"
          + " possible, it is refused, or it discards no write. A plan runs once. For a plan that"
          + " has run, the command shows the result.",
      "Exit status 1 if the rollback was not carried out.",
      ""
    },
    footer = {
      "",
      "Example:  palinode rollback run --to -30s",
      "          palinode rollback run --to 2026-11-21T12:00:00Z --yes",
      "          palinode rollback run --violation ID --scope affected",
      "          palinode rollback run --to-snapshot before-deploy",
      "          palinode rollback run 3fa0c1d2"
    })
final class RollbackRunCommand implements Callable<Integer> {
  @Parameters(
      arity = "0..1",
      paramLabel = "PLAN",
      description =
          "Name of a plan, as 'palinode rollback plan' printed it; instead of --to, --violation or"
              + " --to-snapshot.")
  private @Nullable String plan;

  @ArgGroup(exclusive = false, multiplicity = "0..1")
  private @Nullable RollbackTarget target;

  @Mixin private Confirmation confirmation = new Confirmation();

  @Option(
      names = "--no-wait",
      description = "Do not wait for the end. Return when the rollback is in the control log.")
  private boolean noWait;

  @Mixin private ApiClient api = new ApiClient();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    EffectView effect = api.post(RollbackCommand.PLAN, asked().toString(), EffectView.class);
    spec.commandLine().getOut().print(EffectText.of("going back to", effect));
    spec.commandLine().getOut().flush();
    String question =
        effect.scope().equals("affected") ? "Undo these writes?" : "Roll the store back?";
    confirmation.require(question, "roll the store back");
    ObjectNode planned = ApiClient.JSON.createObjectNode().put("plan", effect.plan());
    return new RollbackWatch(api, spec)
        .follow(RollbackCommand.open(api, planned.toString()), noWait);
  }

  private ObjectNode asked() {
    @Nullable String id = plan;
    @Nullable RollbackTarget to = target;
    if ((id == null) == (to == null)) {
      throw new ParameterException(
          spec.commandLine(),
          "name a PLAN, or where to go with --to, --violation or --to-snapshot");
    }
    return to != null ? to.body() : ApiClient.JSON.createObjectNode().put("plan", id);
  }
}
