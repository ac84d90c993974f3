package io.palinode.cli.describe;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.options.TimeText;
import io.palinode.orchestrator.rest.Views.ApprovalView;
import io.palinode.orchestrator.rest.Views.BudgetView;
import io.palinode.orchestrator.rest.predicate.PredicateView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Output;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one predicate: where it is in force, what it found, and what followed. */
@Command(
    name = "predicate",
    mixinStandardHelpOptions = true,
    description =
        "Show one predicate: its version on each node and in the detection job, its violations and"
            + " rollbacks, what of it waits for an operator, and its YAML.",
    footer = {"", "Example:  palinode describe predicate edge-mutex"})
final class DescribePredicateCommand implements Callable<Integer> {
  @Parameters(paramLabel = "NAME", description = "The name of a predicate in force.")
  private String name = "";

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();

  @Override
  public Integer call() {
    ObjectNode all = ApiClient.JSON.createObjectNode();
    all.set("predicate", api.get("/api/v1/predicates/" + ApiClient.segment(name)));
    all.set("violations", latest("/api/v1/violations", ""));
    all.set("holding", latest("/api/v1/violations", "&holding=true"));
    all.set("rollbacks", latest("/api/v1/rollbacks", ""));
    JsonNode status = api.get("/api/v1/status");
    all.set("approvals", own(status.path("approvals")));
    all.set("budgets", own(status.path("budgets")));
    all.set("sequential", own(status.path("sequential").path("instances")));
    output.print(all, () -> text(all));
    return 0;
  }

  /** Those of this predicate. */
  private ArrayNode own(JsonNode items) {
    ArrayNode own = ApiClient.JSON.createArrayNode();
    for (JsonNode item : items) {
      if (item.path("predicate").asText().equals(name)) {
        own.add(item);
      }
    }
    return own;
  }

  /** How many there are of this predicate, and the latest one. */
  private ObjectNode latest(String list, String more) {
    ApiClient.Page page = api.page(list + "?limit=1&predicate=" + ApiClient.segment(name) + more);
    ObjectNode latest = ApiClient.JSON.createObjectNode().put("count", page.total());
    latest.set("latest", page.items().isEmpty() ? ApiClient.JSON.nullNode() : page.items().get(0));
    return latest;
  }

  private String text(ObjectNode all) {
    PredicateView predicate = api.view(all.get("predicate"), PredicateView.class);
    Lines lines = new Lines().add("predicate", predicate.name());
    lines.add("version", Long.toString(predicate.version()));
    lines.add("nodes", versions(predicate.nodeVersions()));
    lines.add("job", predicate.jobVersion() == null ? "not known" : "" + predicate.jobVersion());
    lines.add("converged", predicate.converged() ? "yes" : "not yet: versions differ");
    predicate.warnings().forEach(warning -> lines.add("warning", warning));
    lines.add("violations", violations(all));
    addHlc(lines, all.at("/violations/latest/violate"));
    lines.add("rollbacks", rollbacks(all.path("rollbacks")));
    addHlc(lines, all.at("/rollbacks/latest/target"));
    addWaiting(lines, all);
    return lines.block(predicate.yaml()).toString();
  }

  private void addHlc(Lines lines, JsonNode hlc) {
    if (!hlc.isMissingNode()) {
      lines.hlc(hlc.asText(), output.isWide());
    }
  }

  private static String versions(Map<Integer, Long> byNode) {
    return byNode.isEmpty()
        ? "not known"
        : byNode.entrySet().stream()
            .map(version -> version.getKey() + ":" + version.getValue())
            .collect(Collectors.joining(" "));
  }

  private static String violations(JsonNode all) {
    JsonNode found = all.path("violations");
    JsonNode latest = found.path("latest");
    return latest.isNull()
        ? "none is remembered"
        : "%s, %s of these hold; the latest: %s, %s, %s"
            .formatted(
                found.path("count").asText(),
                all.path("holding").path("count").asText(),
                TimeText.withAge(latest.path("violate").asText()),
                latest.path("grade").asText(),
                latest.path("outcome").asText());
  }

  private static String rollbacks(JsonNode found) {
    JsonNode latest = found.path("latest");
    return latest.isNull()
        ? "none is remembered"
        : "%s; the latest: %s, %s, target %s"
            .formatted(
                found.path("count").asText(),
                latest.path("epoch").asText(),
                latest.path("state").asText(),
                TimeText.withAge(latest.path("target").asText()));
  }

  private void addWaiting(Lines lines, ObjectNode all) {
    for (ApprovalView approval : api.view(all.get("approvals"), ApprovalView[].class)) {
      lines.add(
          "approval",
          "request %d waits since %s: 'palinode rollback approve %d' or 'reject %d'"
              .formatted(
                  approval.id(),
                  TimeText.secondWithAge(approval.askedMicros()),
                  approval.id(),
                  approval.id()));
    }
    for (BudgetView budget : api.view(all.get("budgets"), BudgetView[].class)) {
      lines.add("budget", budget(budget));
    }
    int sequential = all.path("sequential").size();
    if (sequential > 0) {
      lines.add("sequential", "keys of %d instances, with R + W > N".formatted(sequential));
    }
  }

  private static String budget(BudgetView budget) {
    String spent = "%d of %d rollbacks are spent".formatted(budget.spent(), budget.atMost());
    return budget.standsUntilMicros() == null
        ? spent
        : spent
            + ": violations stand until "
            + TimeText.secondWithAge(budget.standsUntilMicros())
            + ", or 'palinode rollback renew "
            + budget.predicate()
            + "'";
  }
}
