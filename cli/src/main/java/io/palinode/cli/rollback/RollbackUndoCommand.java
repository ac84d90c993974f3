package io.palinode.cli.rollback;

import io.palinode.cli.options.Confirmation;
import io.palinode.orchestrator.rest.EffectView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Refusal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Takes a rollback back. */
@Command(
    name = "undo",
    mixinStandardHelpOptions = true,
    description = {
      "Reinstate all writes that a rollback discarded: restore the cut right before it, in a new"
          + " epoch. An undo can be undone too.",
      "An undo discards all writes since the rollback; if there are any, it needs --yes. If the"
          + " result violates a predicate with a rollback, that rollback follows at once."
    },
    footer = {"", "Example:  palinode rollback undo 3"})
final class RollbackUndoCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "ID",
      description = "The epoch that it opened, as 'palinode get rollbacks' shows it.")
  private long id;

  @Mixin private Confirmation confirmation = new Confirmation();

  @Mixin private ApiClient api = new ApiClient();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    String body = ApiClient.JSON.createObjectNode().put("undo", id).toString();
    EffectView effect = api.post(RollbackCommand.PLAN, body, EffectView.class);
    spec.commandLine().getOut().print(EffectText.of("going forward to", effect));
    spec.commandLine().getOut().flush();
    EffectView.Size size = effect.size();
    if (size != null && size.writes() > 0 && !confirmation.isGiven()) {
      throw new Refusal(
          "%,d writes were made since rollback %d, and an undo discards them: add --yes"
              .formatted(size.writes(), id));
    }
    confirmation.require(
        "Reinstate the writes that rollback %d discarded?".formatted(id), "undo rollback " + id);
    String undo = RollbackCommand.open(api, body);
    return new RollbackWatch(api, spec).followTo(undo, effect.target());
  }
}
