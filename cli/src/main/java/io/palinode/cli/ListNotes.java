package io.palinode.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.cli.status.WaitLines;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** The lines below the table of a list. */
final class ListNotes {
  private ListNotes() {}

  /** The users and the ways out of rollbacks, or the reasons and the ways out of nodes. */
  static List<String> of(Resource resource, JsonNode items) {
    List<String> notes = new ArrayList<>();
    if (resource == Resource.ROLLBACKS) {
      notes.addAll(users(items));
      notes.addAll(halted(items));
    }
    if (resource == Resource.NODES) {
      notes.addAll(reasons(items, "why"));
      notes.addAll(reasons(items, "unanswered"));
    }
    return notes;
  }

  /** One line on a list that is cut; empty for a whole list. */
  static List<String> cut(Resource resource, int listed, long total) {
    return total > listed
        ? List.of(
            "%d of %d %s are listed, the latest; --limit %d lists all"
                .formatted(listed, total, resource.plural(), total))
        : List.of();
  }

  private static List<String> users(JsonNode rollbacks) {
    List<String> users = new ArrayList<>();
    for (JsonNode rollback : rollbacks) {
      StringJoiner acts = new StringJoiner(", ");
      for (JsonNode act : rollback.path("acts")) {
        acts.add(act.path("action").asText() + " by " + act.path("user").asText());
      }
      if (acts.length() > 0) {
        users.add("rollback %s: %s".formatted(rollback.path("epoch").asText(), acts));
      }
    }
    return users;
  }

  private static List<String> halted(JsonNode rollbacks) {
    List<String> halted = new ArrayList<>();
    for (JsonNode rollback : rollbacks) {
      if (rollback.path("state").asText().equals("halted")) {
        halted.add(
            WaitLines.waysOut(
                rollback.path("epoch").asLong(), rollback.path("haltReason").asText()));
      }
    }
    return halted;
  }

  /** A reason of nodes: {@code nodes 0, 1: reason}, each reason once. */
  private static List<String> reasons(JsonNode nodes, String field) {
    Map<String, String> byReason = new LinkedHashMap<>();
    for (JsonNode node : nodes) {
      if (node.hasNonNull(field)) {
        String id = node.path("node").asText();
        byReason.merge(node.path(field).asText(), id, (ids, one) -> ids + ", " + one);
      }
    }
    return byReason.entrySet().stream()
        .map(
            entry ->
                "%s %s: %s"
                    .formatted(
                        entry.getValue().contains(",") ? "nodes" : "node",
                        entry.getValue(),
                        entry.getKey()))
        .toList();
  }
}
