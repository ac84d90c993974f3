package io.palinode.cli.describe;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.options.TimeText;
import io.palinode.cli.rollback.RollbackStatusCommand;
import io.palinode.cli.status.ViolationWords;
import io.palinode.cli.status.WaitLines;
import io.palinode.orchestrator.rest.OneRollbackView;
import io.palinode.orchestrator.rest.Views.RollbackView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import io.palinode.terminal.TextTable.Align;
import io.palinode.terminal.Wrap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one rollback: its steps by node, and the violations that it discards. */
@Command(
    name = "rollback",
    mixinStandardHelpOptions = true,
    description =
        "Show one rollback: what 'palinode rollback status' shows of it, and the violations that"
            + " it is for.",
    footer = {
      "",
      "'palinode rollback lost EPOCH' lists the writes that it discarded.",
      "Exit status 1 if the rollback is halted: it needs an operator.",
      "",
      "Example:  palinode describe rollback 3"
    })
final class DescribeRollbackCommand implements Callable<Integer> {
  /** Of more, the table would hide the rest. */
  private static final int SHOWN_MAX = 20;

  private static final int REMEMBERED_MAX = 10_000;

  @Parameters(
      paramLabel = "EPOCH",
      description = "The epoch that it opens, as 'palinode get rollbacks' shows it.")
  private String epoch = "";

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();

  @Override
  public Integer call() {
    JsonNode rollback = api.get("/api/v1/rollbacks/" + ApiClient.segment(epoch));
    OneRollbackView one = api.view(rollback, OneRollbackView.class);
    ObjectNode all = ApiClient.JSON.createObjectNode();
    all.set("rollback", rollback);
    all.set("violations", violations(one));
    output.print(all, () -> text(one, all.path("violations")));
    return isHalted(one) ? 1 : 0;
  }

  private static boolean isHalted(OneRollbackView one) {
    return one.rollback().state().equals("halted");
  }

  /** Those of the rollback that the orchestrator remembers, the latest first. */
  private ArrayNode violations(OneRollbackView one) {
    ArrayNode found = ApiClient.JSON.createArrayNode();
    Set<String> named = new HashSet<>(one.rollback().violationIds());
    if (!named.isEmpty()) {
      String predicate = ApiClient.segment(one.rollback().predicate());
      String path = "/api/v1/violations?limit=%d&predicate=%s".formatted(REMEMBERED_MAX, predicate);
      for (JsonNode violation : api.pages(path, REMEMBERED_MAX).items()) {
        if (named.contains(violation.path("id").asText())) {
          found.add(violation);
        }
      }
    }
    return found;
  }

  private String text(OneRollbackView one, JsonNode violations) {
    RollbackView rollback = one.rollback();
    String steps = RollbackStatusCommand.text(one, output.isWide());
    if (isHalted(one)) {
      String waysOut = WaitLines.waysOut(rollback.epoch(), rollback.haltReason());
      steps += "\n" + Wrap.paragraph("", waysOut) + "\n";
    }
    int named = rollback.violationIds().size();
    return named == 0 ? steps : steps + "\n" + violations(violations, named);
  }

  private static String violations(JsonNode found, int named) {
    TextTable table =
        new TextTable(Align.LEFT, List.of("VIOLATION", "BINDING", "GRADE", "VIOLATE", "AGO"))
            .wrap("BINDING");
    int shown = 0;
    for (JsonNode violation : found) {
      if (shown < SHOWN_MAX) {
        String violate = violation.path("violate").asText();
        table.row(
            List.of(
                ViolationWords.shortId(violation.path("id").asText()),
                violation.path("binding").asText(),
                violation.path("grade").asText(),
                TimeText.of(violate),
                TimeText.age(violate)));
        shown++;
      }
    }
    String more =
        shown == named
            ? ""
            : "%d of its %d violations are shown; with -o json, %d\n"
                .formatted(shown, named, found.size());
    return (shown == 0 ? "" : table.render()) + more;
  }
}
