package io.palinode.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.palinode.cli.options.TimeText;
import io.palinode.cli.snapshot.SnapshotCommand;
import io.palinode.cli.status.ViolationWords;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.TextTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What {@code palinode get} lists, with the columns of its tables. */
enum Resource {
  PREDICATES,
  VIOLATIONS,
  ROLLBACKS,
  NODES,
  SNAPSHOTS;

  /** A column of the table; {@code cell} reads an item of the API's list. */
  private record Column(String heading, boolean isWrapped, Function<JsonNode, String> cell) {
    Column wraps() {
      return new Column(heading, true, cell);
    }
  }

  /** The word of the command line: the plural or the singular. */
  static final class Word implements ITypeConverter<Resource> {
    @Override
    public Resource convert(String text) {
      String word = text.toLowerCase(Locale.ROOT);
      return Arrays.stream(values())
          .filter(resource -> word.equals(resource.plural()) || word.equals(resource.one()))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "expected one of %s but was '%s'"
                          .formatted(
                              Arrays.stream(values()).map(Resource::plural).toList(), text)));
    }
  }

  String plural() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What one item is called. */
  String one() {
    return plural().substring(0, plural().length() - 1);
  }

  /** What names an item of the list. */
  String id(JsonNode item) {
    String field =
        switch (this) {
          case PREDICATES -> "name";
          case VIOLATIONS -> "id";
          case ROLLBACKS -> "epoch";
          case NODES -> "node";
          case SNAPSHOTS -> "id";
        };
    return item.path(field).asText();
  }

  /** The item with this ID; empty if no item has it. */
  ArrayNode only(String id, JsonNode items) {
    ArrayNode only = ApiClient.JSON.createArrayNode();
    items.forEach(
        item -> {
          if (id(item).equals(id)) {
            only.add(item);
          }
        });
    return only;
  }

  Refusal absent(String id) {
    return new Refusal("there is no %s %s; omit '%s' to list all".formatted(one(), id, id));
  }

  /** Whether the API lists it by pages, the latest first. */
  boolean isPaged() {
    return this == VIOLATIONS || this == ROLLBACKS;
  }

  /** What a watch prints an item again for; a violation is printed once. */
  String watched(JsonNode item) {
    List<String> fields =
        switch (this) {
          case PREDICATES -> List.of("version", "nodeVersions", "jobVersion");
          case VIOLATIONS -> List.of();
          case ROLLBACKS -> List.of("state", "attempts");
          case NODES -> List.of("state", "needsOperator", "why", "incarnation", "version");
          case SNAPSHOTS -> List.of("state", "at");
        };
    return fields.stream().map(field -> text(item.path(field))).collect(Collectors.joining(" "));
  }

  /** Of the headings only; the narrow one keeps to the terminal, and to 100 columns. */
  TextTable table(boolean isWide) {
    List<Column> columns = columns(isWide);
    TextTable table =
        new TextTable(TextTable.Align.LEFT, columns.stream().map(Column::heading).toList());
    return isWide
        ? table
        : table
            .wrap(
                columns.stream()
                    .filter(Column::isWrapped)
                    .map(Column::heading)
                    .toArray(String[]::new))
            .optional(leastImportant());
  }

  /** What a narrow terminal leaves out first; {@code AGO} states the time too. */
  private String[] leastImportant() {
    return switch (this) {
      case PREDICATES -> new String[] {"JOB-VERSION"};
      case VIOLATIONS -> new String[] {"VIOLATE", "GRADE"};
      case ROLLBACKS -> new String[] {"TARGET", "UNDONE-COPIES", "TOTAL-MS"};
      case NODES -> new String[] {"AGO", "MEMORY", "DISK"};
      case SNAPSHOTS -> new String[] {"AT", "BASE", "WRITTEN"};
    };
  }

  /** The row of an item in {@link #table}. */
  List<String> row(JsonNode item, boolean isWide) {
    return columns(isWide).stream().map(column -> column.cell().apply(item)).toList();
  }

  private List<Column> columns(boolean isWide) {
    return isWide ? wide() : narrow();
  }

  private List<Column> narrow() {
    return switch (this) {
      case PREDICATES ->
          List.of(
              text("name").wraps(),
              text("version"),
              text("nodeVersions").wraps(),
              text("jobVersion"),
              text("converged"));
      case VIOLATIONS ->
          List.of(
              text("predicate").wraps(),
              text("binding").wraps(),
              text("grade"),
              time("violate"),
              age("violate"),
              new Column("OUTCOME", true, Resource::outcome),
              new Column(
                  "ID", false, violation -> ViolationWords.shortId(violation.path("id").asText())));
      case ROLLBACKS ->
          List.of(
              text("epoch"),
              text("state"),
              new Column("PREDICATE", true, Resource::cause),
              time("target"),
              age("target"),
              renamed("UNDONE-COPIES", "undoneWrites"),
              text("totalMs"));
      case NODES ->
          List.of(
              text("node"),
              text("state"),
              time("reach"),
              age("reach").wraps(),
              text("memory"),
              text("disk"));
      case SNAPSHOTS ->
          List.of(
              renamed("NAME", "id").wraps(),
              text("state"),
              text("base").wraps(),
              time("at"),
              age("at"),
              new Column(
                  "WRITTEN",
                  false,
                  snapshot -> SnapshotCommand.bytes(snapshot.path("bytes").asLong())));
    };
  }

  private List<Column> wide() {
    return switch (this) {
      case PREDICATES -> narrow();
      case VIOLATIONS ->
          List.of(
              text("predicate"),
              text("binding"),
              text("grade"),
              time("violate"),
              age("violate"),
              hlc("violate"),
              new Column("LASTED", false, Resource::lasted),
              hlc("ended"),
              new Column("EPOCH", false, Resource::epochs),
              text("latencyMs"),
              text("outcome"),
              text("phantom"),
              text("meaning"),
              text("id"));
      case ROLLBACKS ->
          List.of(
              text("epoch"),
              text("state"),
              new Column("PREDICATE", false, Resource::cause),
              time("target"),
              age("target"),
              hlc("target"),
              text("attempts"),
              renamed("UNDONE-COPIES", "undoneWrites"),
              renamed("COMPLETED-COPIES", "convergedKeys"),
              text("totalMs"),
              new Column("BY", false, Resource::users));
      case NODES ->
          List.of(
              text("node"),
              text("state"),
              text("incarnation"),
              text("version"),
              time("reach"),
              age("reach"),
              hlc("reach"),
              time("exactReach"),
              hlc("exactReach"),
              text("granularity"),
              time("memoryReach"),
              hlc("memoryReach"),
              time("reachTo"),
              hlc("reachTo"),
              text("memory"),
              text("disk"),
              text("stockConnections"),
              text("stockWrites"),
              text("lastAck"));
      case SNAPSHOTS -> {
        List<Column> more = new ArrayList<>(narrow());
        more.addAll(List.of(hlc("at"), text("kind"), renamed("KEY-COPIES", "keys")));
        yield more;
      }
    };
  }

  private static Column text(String field) {
    return renamed(heading(field), field);
  }

  private static Column renamed(String heading, String field) {
    return new Column(heading, false, item -> text(item.path(field)));
  }

  private static Column time(String field) {
    return new Column(heading(field), false, item -> TimeText.of(known(item, field)));
  }

  private static Column age(String field) {
    return new Column("AGO", false, item -> TimeText.age(known(item, field)));
  }

  /** The HLC 0 means that there is none. */
  private static String known(JsonNode item, String field) {
    String hlc = item.path(field).asText("");
    return hlc.equals("0") ? "" : hlc;
  }

  private static Column hlc(String field) {
    return renamed(heading(field) + "-HLC", field);
  }

  /** {@code undoneWrites} becomes {@code UNDONE-WRITES}. */
  private static String heading(String field) {
    return String.join("-", Arrays.asList(field.split("(?=\\p{Upper})", -1)))
        .toUpperCase(Locale.ROOT);
  }

  /** {@code 0:3 1:3 2:2} for values by node; empty for an unknown value. */
  private static String text(JsonNode field) {
    List<String> parts = new ArrayList<>();
    field.properties().forEach(part -> parts.add(part.getKey() + ":" + part.getValue().asText()));
    return field.isObject() ? String.join(" ", parts) : field.isNull() ? "" : field.asText("");
  }

  /** The predicate of a rollback, or what an operator asked for. */
  private static String cause(JsonNode rollback) {
    String snapshot = text(rollback.path("snapshot"));
    String undoes = text(rollback.path("undoes"));
    String predicate = text(rollback.path("predicate"));
    return !snapshot.isEmpty()
        ? "to snapshot " + snapshot
        : !undoes.isEmpty() ? "undo of " + undoes : predicate.isEmpty() ? "by hand" : predicate;
  }

  /** The users of a rollback, each once. */
  private static String users(JsonNode rollback) {
    Set<String> users = new LinkedHashSet<>();
    rollback.path("acts").forEach(act -> users.add(act.path("user").asText()));
    return String.join(" ", users);
  }

  private static String outcome(JsonNode violation) {
    String outcome = text(violation.path("outcome"));
    return violation.path("phantom").asBoolean() ? outcome + " phantom" : outcome;
  }

  /** {@code 1.2 s} from the time at which all held to the end; or {@code holds}. */
  private static String lasted(JsonNode violation) {
    String ended = text(violation.path("ended"));
    return ended.isEmpty() ? "holds" : TimeText.between(text(violation.path("violate")), ended);
  }

  private static String epochs(JsonNode violation) {
    String first = text(violation.path("epoch"));
    String last = text(violation.path("lastEpoch"));
    return last.isEmpty() || last.equals(first) ? first : first + " to " + last;
  }
}
