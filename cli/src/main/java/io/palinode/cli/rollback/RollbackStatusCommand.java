package io.palinode.cli.rollback;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.cli.options.TimeText;
import io.palinode.orchestrator.rest.OneRollbackView;
import io.palinode.orchestrator.rest.OneRollbackView.NodeView;
import io.palinode.orchestrator.rest.Views.ActView;
import io.palinode.orchestrator.rest.Views.RollbackView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.TextTable;
import io.palinode.terminal.Wrap;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one rollback by step and node. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description =
        "Show the progress of a rollback, by step and node. Without an ID: of the latest one.",
    footer = {"", "Example:  palinode rollback status 3"})
public final class RollbackStatusCommand implements Callable<Integer> {
  private static final String BY_HAND = "by hand";

  @Parameters(
      paramLabel = "ID",
      arity = "0..1",
      description = "The epoch that it opens, as 'palinode get rollbacks' shows it.")
  private @Nullable String id;

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();

  @Override
  public Integer call() {
    @Nullable String wanted = id;
    JsonNode answer = api.get(RollbackCommand.path(wanted == null ? latest() : wanted));
    OneRollbackView rollback = api.view(answer, OneRollbackView.class);
    output.print(answer, () -> text(rollback, output.isWide()));
    return 0;
  }

  private String latest() {
    RollbackView[] all = api.get(RollbackCommand.PATH + "?limit=1", RollbackView[].class);
    if (all.length == 0) {
      throw new Refusal("there was no rollback yet");
    }
    return Long.toString(all[0].epoch());
  }

  /** The screen, which ends with a newline. */
  public static String text(OneRollbackView one, boolean isWide) {
    RollbackView rollback = one.rollback();
    StringBuilder text = new StringBuilder();
    text.append(line("rollback", Long.toString(rollback.epoch())));
    text.append(line("state", rollback.state()));
    text.append(line("opened by", cause(one)));
    if (one.undoneBy() != null) {
      text.append(line("undone by", "rollback " + one.undoneBy()));
    }
    for (ActView act : rollback.acts()) {
      String what = "%s by %s, %s";
      String at = TimeText.secondWithAge(act.atMicros());
      text.append(line("user", what.formatted(act.action(), act.user(), at)));
    }
    text.append(line("target", TimeText.withAge(rollback.target())));
    if (isWide) {
      text.append(line("", "HLC " + rollback.target()));
    }
    if (one.givenUp() != null) {
      text.append(line("scope", "affected, which was not possible: all writes stand"));
    } else if (one.scope().equals("affected")) {
      text.append(line("scope", affected(one)));
    }
    one.moves().forEach(move -> text.append(line("moved", move)));
    text.append(
        line(
            "attempts",
            "%d; copies on all nodes: %,d of %s, %,d of keys completed"
                .formatted(
                    rollback.attempts(),
                    rollback.undoneWrites(),
                    undone(rollback),
                    rollback.convergedKeys())));
    text.append(line("steps", steps(rollback)));
    if (rollback.haltReason() != null) {
      text.append(line("halted", rollback.haltReason()));
    }
    String nodes = nodes(one.nodes(), undone(rollback), isWide);
    return text.append(System.lineSeparator()).append(nodes).toString();
  }

  private static String affected(OneRollbackView one) {
    return one.keys() == null
        ? "affected"
        : "affected: keys restored: %,d, clients concerned: %,d"
            .formatted(one.keys(), RollbackCommand.clients(one));
  }

  private static String cause(OneRollbackView one) {
    if (!one.byHand()) {
      return "violations of " + one.rollback().predicate();
    }
    String reason = Objects.requireNonNullElse(one.reason(), BY_HAND);
    return reason.startsWith(BY_HAND)
        ? "hand" + reason.substring(BY_HAND.length())
        : "hand, " + reason;
  }

  private static String steps(RollbackView rollback) {
    return String.format(
        Locale.ROOT,
        "pause %,.0f ms, judgement %,.0f ms, restore %,.0f ms, converge %,.0f ms",
        rollback.pauseMs(),
        rollback.judgementMs(),
        rollback.restoreMs(),
        rollback.convergeMs());
  }

  /** What nodes count: with an undo, restores of the rollback count too. */
  private static String undone(RollbackView rollback) {
    if (rollback.snapshot() != null) {
      return "keys restored";
    }
    return rollback.undoes() == null ? "writes undone" : "changes undone";
  }

  private static String nodes(List<NodeView> nodes, String undone, boolean isWide) {
    List<String> header =
        new ArrayList<>(
            List.of(
                "NODE",
                "DONE",
                "PAUSED",
                "RESTORED",
                "CONVERGED",
                undone.toUpperCase(Locale.ROOT).replace(' ', '-'),
                "KEYS-COMPLETED"));
    if (isWide) {
      header.addAll(List.of("REACH", "REACH-HLC"));
    }
    TextTable table = new TextTable(TextTable.Align.RIGHT, header);
    for (NodeView node : nodes) {
      List<String> row =
          new ArrayList<>(
              List.of(
                  Integer.toString(node.node()),
                  node.done(),
                  after(node.pausedMs()),
                  after(node.restoredMs()),
                  after(node.convergedMs()),
                  Long.toString(node.undoneWrites()),
                  Long.toString(node.convergedKeys())));
      if (isWide) {
        row.addAll(List.of(TimeText.of(node.reach()), node.reach()));
      }
      table.row(row);
    }
    return table.render();
  }

  private static String after(@Nullable Double ms) {
    return ms == null ? "-" : String.format(Locale.ROOT, "+%,.0f ms", ms);
  }

  private static String line(String name, String value) {
    return Wrap.paragraph("%-11s".formatted(name), value) + "\n";
  }
}
