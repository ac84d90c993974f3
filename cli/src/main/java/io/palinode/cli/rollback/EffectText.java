package io.palinode.cli.rollback;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.terminal.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a rollback would do, in words. */
final class EffectText {
  private static final int CLIENTS_SHOWN_MAX = 10;

  private EffectText() {}

  /** Lines with a newline each; {@code first} says what would be done. */
  static String of(String first, JsonNode effect) {
    StringBuilder text = new StringBuilder();
    text.append("%s %s (%s)%n".formatted(first, at(effect, "target"), at(effect, "time")));
    text.append(line("scope", scope(effect)));
    text.append(line("writes lost", number(effect, "writes") + was(effect, "writes")));
    text.append(line("keys that change", number(effect, "keys") + was(effect, "keys")));
    text.append(
        line(
            "bytes",
            "%s of replaced keys and values, on all nodes".formatted(number(effect, "bytes"))
                + was(effect, "bytes")));
    text.append(line("clients", clients(effect) + was(effect, "clientsTotal")));
    text.append(
        line(
            "expected pause",
            String.format(Locale.ROOT, "%,.0f ms", effect.path("expectedPauseMs").asDouble())));
    if (effect.path("beforeSafePoint").asBoolean()) {
      text.append(
          line(
              "safe point",
              "%s is later: clients were notified that writes up to it stand, and this discards some"
                  .formatted(at(effect, "safePoint"))));
    }
    return text.append('\n').append(nodes(effect)).toString();
  }

  private static String scope(JsonNode effect) {
    if (effect.path("scope").asText().equals("affected")) {
      return "affected: the closure of writes: %s; all other writes stand, and other clients are not notified"
          .formatted(number(effect, "firstWrites"));
    }
    return effect.path("whyAll").isTextual()
        ? "all, not affected: " + at(effect, "whyAll")
        : "all that was written since";
  }

  /** The value at the time of planning, if it differs. */
  private static String was(JsonNode effect, String field) {
    JsonNode before = effect.path("before");
    return before.isObject() && before.path(field).asLong() != effect.path(field).asLong()
        ? " (%s when it was planned)".formatted(number(before, field))
        : "";
  }

  private static String clients(JsonNode effect) {
    List<String> names = new ArrayList<>();
    effect.path("clients").forEach(name -> names.add(name.asText()));
    int total = effect.path("clientsTotal").asInt();
    String shown = String.join(", ", names.subList(0, Math.min(CLIENTS_SHOWN_MAX, names.size())));
    String all = total == 0 ? "none with a name" : total + ": " + shown;
    String more = names.size() < total || names.size() > CLIENTS_SHOWN_MAX ? ", ..." : "";
    return effect.path("clientsKnownSince").isTextual()
        ? all + more + " (known since " + at(effect, "clientsKnownSince") + ")"
        : all + more;
  }

  private static String nodes(JsonNode effect) {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT, List.of("NODE", "REACH FROM", "TO", "WRITES", "KEYS", "BYTES"));
    for (JsonNode node : effect.path("nodes")) {
      table.row(
          List.of(
              at(node, "node"),
              at(node, "reach"),
              at(node, "now"),
              number(node, "writes"),
              number(node, "keys"),
              number(node, "bytes")));
    }
    return table.render();
  }

  private static String line(String name, String value) {
    return "%-18s%s%n".formatted(name, value);
  }

  private static String at(JsonNode node, String field) {
    return node.path(field).asText();
  }

  private static String number(JsonNode node, String field) {
    return String.format(Locale.ROOT, "%,d", node.path(field).asLong());
  }
}
