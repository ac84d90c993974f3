package io.palinode.cli.rollback;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.orchestrator.rest.EffectView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Output;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows what a rollback by hand would do. */
@Command(
    name = "plan",
    mixinStandardHelpOptions = true,
    description = {
      "Show what a rollback would do: writes lost, keys that change, clients concerned, how long"
          + " nodes would pause, and how far back each reaches.",
      "Changes nothing. Refused when it could not be done, as out of a node's reach or in the"
          + " future.",
      "Names the plan, for 'palinode rollback run'. Where scope 'affected' was asked for and cannot"
          + " be, it says why, and the plan is of all.",
      ""
    },
    footer = {
      "",
      "Example:  palinode rollback plan --to -30s",
      "          palinode rollback plan --violation 5f0c9a -o json",
      "          palinode rollback plan --violation 5f0c9a --scope affected",
      "          palinode rollback plan --to -30s --scope affected --key cs_1_2_1"
    })
final class RollbackPlanCommand implements Callable<Integer> {
  @ArgGroup(exclusive = false, multiplicity = "1")
  private RollbackTarget target = new RollbackTarget();

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();

  @Override
  public Integer call() {
    JsonNode answer = api.post(RollbackCommand.PLAN, target.body().toString());
    EffectView effect = api.view(answer, EffectView.class);
    output.print(
        answer,
        () ->
            EffectText.of("would go back to", effect)
                + "%n'palinode rollback run %s' does this%n".formatted(effect.plan()));
    return 0;
  }
}
