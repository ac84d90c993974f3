package io.palinode.cli.describe;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.options.TimeText;
import io.palinode.cli.status.ViolationWords;
import io.palinode.cli.store.StoreAccess;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.rest.Views.ValueView;
import io.palinode.orchestrator.rest.Views.ViolationView;
import io.palinode.orchestrator.rest.Views.WitnessView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.TextTable;
import io.palinode.terminal.TextTable.Align;
import io.palinode.voldemort.client.PastStore;
import io.palinode.voldemort.client.StoreClient;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows one violation: its witnesses, its rollback, and its keys on two cuts. */
@Command(
    name = "violation",
    mixinStandardHelpOptions = true,
    description = {
      "Show one violation: its times, its rollback, its witnesses with keys, values and clients,"
          + " and the values of its keys on two cuts.",
      "BEFORE is the cut right before its first witness began. AT is the cut at which all"
          + " witnesses held. The node of each witness is asked for these values; if it does not"
          + " answer, or the time is out of reach, the reason is shown."
    },
    footer = {"", "Example:  palinode describe violation 0123456789"})
final class DescribeViolationCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "ID",
      description = "The ID of a violation, or its first 8 or more digits.")
  private String id = "";

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();
  @Mixin private StoreAccess access = new StoreAccess();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    JsonNode answer = api.get("/api/v1/violations/" + ApiClient.segment(id));
    ViolationView violation = api.view(answer, ViolationView.class);
    ObjectNode all = ApiClient.JSON.createObjectNode();
    all.set("violation", answer);
    all.set("rollback", rollback(violation));
    all.set("cuts", cuts(violation));
    output.print(all, () -> text(all, violation, output.isWide()));
    return 0;
  }

  /** The latest rollback that names the violation; null: none is remembered. */
  private JsonNode rollback(ViolationView violation) {
    String query = "?limit=10000&predicate=" + ApiClient.segment(violation.predicate());
    for (JsonNode rollback : api.get("/api/v1/rollbacks" + query)) {
      for (JsonNode named : rollback.path("violationIds")) {
        if (named.asText().equals(violation.id())) {
          return rollback;
        }
      }
    }
    return ApiClient.JSON.nullNode();
  }

  /** The values of the violation's keys before and at the violation, or why they are not known. */
  private ObjectNode cuts(ViolationView violation) {
    long first = Hlc.parse(violation.first()) - 1;
    long violate = Hlc.parse(violation.violate());
    ObjectNode cuts = ApiClient.JSON.createObjectNode();
    try {
      long before = access.readable(first, spec.commandLine().getErr());
      long at = access.readable(violate, spec.commandLine().getErr());
      cuts.put("before", Hlc.format(before)).put("at", Hlc.format(at));
      cuts.set("keys", access.useClient(client -> values(client, keys(violation), before, at)));
    } catch (Refusal unanswered) {
      cuts.put("why", unanswered.getMessage());
    }
    return cuts;
  }

  /** A key on the node on which a witness held; another node may have it later. */
  private record WitnessedKey(int node, String store, String key) {}

  private static Set<WitnessedKey> keys(ViolationView violation) {
    Set<WitnessedKey> keys = new LinkedHashSet<>();
    for (WitnessView witness : violation.witnesses()) {
      for (ValueView value : witness.values()) {
        keys.add(new WitnessedKey(witness.node(), value.store(), value.key()));
      }
    }
    return keys;
  }

  private static ArrayNode values(
      StoreClient client, Set<WitnessedKey> keys, long before, long at) {
    ArrayNode values = ApiClient.JSON.createArrayNode();
    for (WitnessedKey key : keys) {
      PastStore past = client.store(key.store()).past();
      values
          .addObject()
          .put("node", key.node())
          .put("store", key.store())
          .put("key", key.key())
          .put("before", past.getAt(key.node(), key.key(), before))
          .put("at", past.getAt(key.node(), key.key(), at));
    }
    return values;
  }

  private static String text(ObjectNode all, ViolationView violation, boolean isWide) {
    Lines lines = new Lines().add("violation", violation.id());
    lines.add(
        "predicate",
        "%s version %d, clause %d"
            .formatted(violation.predicate(), violation.predicateVersion(), violation.clause()));
    lines.add("binding", violation.binding());
    String label = "grade";
    for (String words :
        ViolationWords.lines(ApiClient.JSON.createArrayNode().add(all.get("violation")))) {
      lines.add(label, words);
      label = label.equals("grade") ? "outcome" : "";
    }
    if (violation.meaning() != null) {
      lines.add("meaning", violation.meaning());
    }
    if (violation.outcomeBy() != null) {
      lines.add("", "rejected by " + violation.outcomeBy());
    }
    lines.time("began", violation.first(), isWide);
    lines.time("all held", violation.violate(), isWide);
    if (violation.ended() == null) {
      lines.add("ended", "not yet: it holds");
    } else {
      lines.time("ended", violation.ended(), isWide);
    }
    lines.add("found", TimeText.secondWithAge(violation.detectedMicros()));
    lines.add("rollback", rollbackText(all.path("rollback")));
    return lines
        .block(witnesses(violation.witnesses()))
        .block(cutsText(all.path("cuts")))
        .toString();
  }

  private static String rollbackText(JsonNode rollback) {
    return rollback.isNull()
        ? "no remembered rollback names it"
        : "%s: %s, target %s"
            .formatted(
                rollback.path("epoch").asText(),
                rollback.path("state").asText(),
                TimeText.withAge(rollback.path("target").asText("")));
  }

  private static String witnesses(List<WitnessView> witnesses) {
    TextTable table =
        new TextTable(
                Align.LEFT, List.of("NODE", "CLIENT", "STORE", "KEY", "VALUE", "FROM", "UNTIL"))
            .wrap("CLIENT", "KEY", "VALUE");
    for (WitnessView witness : witnesses) {
      List<String> end = witness.end();
      String from = at(witness.start(), witness.node());
      String until = end == null ? "no end known" : at(end, witness.node());
      for (ValueView value : witness.values()) {
        table.row(
            List.of(
                Integer.toString(witness.node()),
                witness.writer(),
                value.store(),
                value.key(),
                shown(value),
                from,
                until));
      }
    }
    return table.render();
  }

  private static String shown(ValueView value) {
    String role = value.role();
    return role == null
        ? value.value()
        : role.equals("lost")
            ? "superseded unseen: " + value.value()
            : "later, " + role + " before";
  }

  /** The time of the node's clock; empty if the clock was unreadable. */
  private static String at(List<String> clock, int node) {
    return node < clock.size() ? TimeText.of(clock.get(node)) : "";
  }

  private static String cutsText(JsonNode cuts) {
    @Nullable JsonNode why = cuts.get("why");
    if (why != null) {
      return new Lines().add("values", "not known: " + why.asText()).toString();
    }
    Lines lines = new Lines().add("before", TimeText.of(cuts.path("before").asText()));
    lines.add("at", TimeText.of(cuts.path("at").asText()));
    TextTable table =
        new TextTable(Align.LEFT, List.of("NODE", "STORE", "KEY", "BEFORE", "AT"))
            .wrap("KEY", "BEFORE", "AT");
    for (JsonNode key : cuts.path("keys")) {
      table.row(
          List.of(
              key.path("node").asText(),
              key.path("store").asText(),
              key.path("key").asText(),
              value(key.get("before")),
              value(key.get("at"))));
    }
    return lines + table.render();
  }

  private static String value(@Nullable JsonNode value) {
    return value == null || value.isNull() ? "(none)" : value.asText();
  }
}
