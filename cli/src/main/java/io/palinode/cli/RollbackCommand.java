package io.palinode.cli;

import io.palinode.cli.terminal.Confirmation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Says how a halted rollback goes on. */
@Command(
    name = "rollback",
    mixinStandardHelpOptions = true,
    description = "Say how a halted rollback goes on; 'palinode status' tells why it is halted.",
    subcommands = {RollbackCommand.Retry.class, RollbackCommand.Abandon.class},
    footer = {
      "",
      "Example:  palinode rollback retry 3",
      "          palinode rollback abandon 3 --yes"
    })
final class RollbackCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  @Command(
      name = "retry",
      mixinStandardHelpOptions = true,
      description = {
        "Have a halted rollback tried again, when what stopped it is mended.",
        "Refused when its target is out of a node's reach: that stays so."
      },
      footer = {"", "Example:  palinode rollback retry 3"})
  static final class Retry implements Callable<Integer> {
    @Parameters(
        paramLabel = "ID",
        description = "The epoch that it opens, as 'palinode get rollbacks' shows it.")
    private String id = "";

    @Mixin private ApiClient api = new ApiClient();
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      api.post(path(id, "retry"));
      spec.commandLine()
          .getOut()
          .println(
              "rollback " + id + " is tried again; 'palinode get rollbacks' shows how it goes");
      return 0;
    }
  }

  @Command(
      name = "abandon",
      mixinStandardHelpOptions = true,
      description = {
        "Have the cluster go on without a halted rollback, from the state that it has.",
        "Nothing is taken back, and the safe point is held until that is acknowledged."
      },
      footer = {"", "Example:  palinode rollback abandon 3 --yes"})
  static final class Abandon implements Callable<Integer> {
    @Parameters(
        paramLabel = "ID",
        description = "The epoch that it opens, as 'palinode get rollbacks' shows it.")
    private String id = "";

    @Option(
        names = {"-y", "--yes"},
        description = "Do not ask.")
    private boolean yes;

    @Mixin private ApiClient api = new ApiClient();
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      Confirmation.require(
          yes,
          "Rollback %s will not be carried out: what it was to take back stays. Abandon it?"
              .formatted(id),
          "abandon rollback " + id);
      api.post(path(id, "abandon"));
      spec.commandLine()
          .getOut()
          .println(
              "rollback %s is abandoned: its cut is not restored, and the safe point is held"
                      .formatted(id)
                  + " until 'palinode acknowledge'");
      return 0;
    }
  }

  private static String path(String id, String verb) {
    return "/api/v1/rollbacks/" + ApiClient.segment(id) + "/" + verb;
  }
}
