package io.palinode.cli.rollback;

import io.palinode.cli.options.Confirmation;
import io.palinode.orchestrator.rest.OneRollbackView;
import io.palinode.orchestrator.rest.Views.RollbackView;
import io.palinode.terminal.ApiClient;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Rollbacks by hand, and what becomes of any. */
@Command(
    name = "rollback",
    mixinStandardHelpOptions = true,
    description = {
      "Plan, run, follow and undo rollbacks by hand, and decide about halted or waiting ones.",
      ""
    },
    subcommands = {
      RollbackPlanCommand.class,
      RollbackRunCommand.class,
      RollbackStatusCommand.class,
      RollbackCommand.Cancel.class,
      RollbackLostCommand.class,
      RollbackReplayCommand.class,
      RollbackUndoCommand.class,
      RollbackCommand.Retry.class,
      RollbackCommand.Abandon.class,
      RollbackGateCommands.Approve.class,
      RollbackGateCommands.Reject.class,
      RollbackGateCommands.Renew.class
    },
    footer = {
      "",
      "Example:  palinode rollback plan --to -30s",
      "          palinode rollback run --to -30s",
      "          palinode rollback abandon 3 --yes"
    })
public final class RollbackCommand {
  static final String PATH = "/api/v1/rollbacks";
  static final String PLAN = PATH + "/plan";

  @Command(
      name = "retry",
      mixinStandardHelpOptions = true,
      description = {
        "Try a halted rollback again, after you have removed the cause.",
        "Refused if the target is out of a node's reach: a retry cannot change that."
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
              "rollback " + id + " is tried again; 'palinode get rollbacks' shows its progress");
      return 0;
    }
  }

  @Command(
      name = "abandon",
      mixinStandardHelpOptions = true,
      description = {
        "End a rollback in any phase. The store keeps its data, and replicas are made equal.",
        "The safe point does not move until 'palinode acknowledge'.",
        "If a node cannot make replicas equal, --as-is ends the rollback with the present data of"
            + " each node."
      },
      footer = {
        "",
        "Example:  palinode rollback abandon 3 --yes",
        "          palinode rollback abandon 3 --as-is --stopped 2"
      })
  static final class Abandon implements Callable<Integer> {
    @Parameters(
        paramLabel = "ID",
        description = "The epoch that it opens, as 'palinode get rollbacks' shows it.")
    private String id = "";

    @Mixin private Confirmation confirmation = new Confirmation();

    @Option(
        names = "--as-is",
        description = "Do not make replicas equal: they may differ afterwards.")
    private boolean asIs;

    @Option(
        names = "--stopped",
        split = ",",
        paramLabel = "NODE",
        description = {
          "With --as-is: nodes that do not run. The rollback does not wait for these nodes.",
          "Do not name a node that runs. A stopped node reads the control log when it starts."
        })
    private Set<Integer> stopped = Set.of();

    @Mixin private ApiClient api = new ApiClient();
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      if (!asIs && !stopped.isEmpty()) {
        throw new ParameterException(
            spec.commandLine(), "--stopped %s needs --as-is".formatted(stopped));
      }
      confirmation.require(
          "Rollback %s will not be carried out: the writes that it was to discard stand. Abandon it?"
              .formatted(id),
          "abandon rollback " + id);
      api.post(path(id, "abandon") + (asIs ? "?asIs=true&stopped=" + nodes() : ""));
      spec.commandLine()
          .getOut()
          .println(
              "rollback %s is abandoned: no write is discarded, and the safe point is held"
                      .formatted(id)
                  + " until 'palinode acknowledge'"
                  + (asIs ? "; each node keeps its data, so replicas may differ" : ""));
      return 0;
    }

    private String nodes() {
      return stopped.stream().sorted().map(String::valueOf).collect(Collectors.joining(","));
    }
  }

  @Command(
      name = "cancel",
      mixinStandardHelpOptions = true,
      description = {
        "Cancel a rollback by hand before its first restore.",
        "The new epoch opens with the present data; no write is discarded. After the first"
            + " restore, use 'palinode rollback undo'."
      },
      footer = {"", "Example:  palinode rollback cancel 3"})
  static final class Cancel implements Callable<Integer> {
    @Parameters(
        paramLabel = "ID",
        description = "The epoch that it opens, as 'palinode get rollbacks' shows it.")
    private String id = "";

    @Mixin private ApiClient api = new ApiClient();
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      api.post(path(id, "cancel"));
      spec.commandLine().getOut().println("rollback " + id + " is cancelled: all writes stand");
      return 0;
    }
  }

  /** Opens the rollback that {@code body} asks for, and returns its id. */
  static String open(ApiClient api, String body) {
    return Long.toString(api.post(PATH, body, RollbackView.class).epoch());
  }

  /** How many clients a rollback of scope {@code affected} concerns, as far as it is known. */
  static int clients(OneRollbackView rollback) {
    return rollback.clients() == null ? 0 : rollback.clients().size();
  }

  static String path(String id) {
    return PATH + "/" + ApiClient.segment(id);
  }

  private static String path(String id, String verb) {
    return path(id) + "/" + verb;
  }
}
