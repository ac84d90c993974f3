package io.palinode.cli.rollback;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.cli.options.Confirmation;
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
      "Bring back all that a rollback discarded: the store becomes what it was right before it, in a new epoch. An undo can be undone too.",
      "What was written since is lost; if there is anything, --yes has to say so. When what comes back violates a predicate that asks for"
          + " rollback, it is discarded again, and the store stays as it is."
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
    JsonNode effect = api.post(RollbackCommand.PLAN, body);
    spec.commandLine().getOut().print(EffectText.of("going forward to", effect));
    spec.commandLine().getOut().flush();
    long writes = effect.path("writes").asLong();
    if (writes > 0 && !confirmation.isGiven()) {
      throw new Refusal(
          "%,d writes were made since rollback %d, and an undo discards them: say --yes to lose them"
              .formatted(writes, id));
    }
    confirmation.require(
        "Bring back what rollback %d discarded?".formatted(id), "undo rollback " + id);
    JsonNode rollback = api.post(RollbackCommand.PATH, body);
    String undo = rollback.path("epoch").asText();
    int status = new RollbackWatch(api, spec).follow(undo, false);
    boolean isBack =
        api.get(RollbackCommand.path(undo)).path("target").equals(effect.path("target"));
    return status == 0 && !isBack ? 1 : status;
  }
}
