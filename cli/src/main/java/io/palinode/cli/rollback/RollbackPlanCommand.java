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
      "Show the effect of a rollback: discarded writes, changed keys, their clients, the expected"
          + " pause, and the reach of each node.",
      "If the window-logs do not reach the time of a snapshot, the amounts are not known.",
      "Changes nothing. The last line of the output names the plan for 'palinode rollback run'.",
      "A rollback that is not possible is refused, for example if its target is out of a node's"
          + " reach. If scope 'affected' is not possible, the plan has scope 'all' and shows the"
          + " reason.",
      ""
    },
    footer = {
      "",
      "Example:  palinode rollback plan --to -30s",
      "          palinode rollback plan --violation ID -o json",
      "          palinode rollback plan --to-snapshot before-deploy",
      "          palinode rollback plan --violation ID --scope affected",
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
