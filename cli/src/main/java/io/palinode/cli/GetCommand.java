package io.palinode.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.describe.NodeReach;
import io.palinode.cli.options.TimeText;
import io.palinode.cli.status.StatusCommand;
import io.palinode.cli.status.ViolationWords;
import io.palinode.cli.status.WaitLines;
import io.palinode.cli.store.StoreAccess;
import io.palinode.orchestrator.rest.Views.StatusView;
import io.palinode.orchestrator.rest.predicate.PredicateView;
import io.palinode.predicate.form.Predicates;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.TextTable;
import io.palinode.terminal.Wrap;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lists what a cluster knows. */
@Command(
    name = "get",
    mixinStandardHelpOptions = true,
    description = {
      "List predicates, violations, rollbacks, nodes or snapshots; the latest first. 'palinode"
          + " describe' shows all that is known of one.",
      "Nodes: STATE is 'serves' for a node that works; lines below the table state what another one"
          + " waits for, and the way out. Times from REACH on can be read. MEMORY and DISK are what"
          + " the window-log uses. If a node does not answer, the orchestrator's last values are"
          + " shown.",
      "Tables have at most 100 columns, or those of the terminal ($COLUMNS, from 40); longer names"
          + " and bindings continue on the next line. A line names columns that do not fit. With -o"
          + " wide each time is also shown as an exact HLC, and there are further columns."
    },
    footer = {
      "",
      "Predicates: NODE-VERSIONS (node:version) and JOB-VERSION are the versions that each node's"
          + " detector and the detection job use. CONVERGED is true if all of them are VERSION.",
      "",
      "Violations: lines below the table explain each violation with its times, if there are at most"
          + " 5, and the grades and outcomes. An outcome can change later, for example when a"
          + " rollback is abandoned; see docs/reference/status.md. The digits of ID suffice as an"
          + " ID; -o wide has all of them.",
      "",
      "Rollbacks: a line below the table names the users of each, if the API has users.",
      "Rollbacks: UNDONE-COPIES is the number of undone writes, and COMPLETED-COPIES that of"
          + " completed keys; each node's copy counts.",
      "",
      "Nodes: with -o wide, times before EXACT-REACH can be read only at whole steps of"
          + " GRANULARITY, and not restored. Reads from MEMORY-REACH on need no"
          + " disk. STOCK-CONNECTIONS and STOCK-WRITES count clients without a clock"
          + " (docs/reference/stores-and-clients.md). Exit status 1 if a node needs an operator.",
      "",
      "'get violations ID -o json' writes a witness file: the violation with all that is needed"
          + " to check it without a cluster (see 'palinode verify --help').",
      "",
      "Examples:  palinode get violations -o json",
      "           palinode get violations --grade definite -o name",
      "           palinode get violations ID -o json > witness.json",
      "           palinode get rollbacks -w",
      "           palinode get predicates edge-mutex > edge-mutex.yaml",
      "           palinode get predicates edge-mutex -o xml"
    })
final class GetCommand implements Callable<Integer> {
  /** As many as the API lists at once. */
  private static final Integer LIMIT_MAX = 10_000;

  private static final int LIMIT_DEFAULT = 100;
  private static final Set<String> GRADES = Set.of("definite", "possible", "uncertain");

  @Parameters(
      index = "0",
      paramLabel = "WHAT",
      converter = Resource.Word.class,
      description = "predicates, violations, rollbacks, nodes or snapshots; or the singular.")
  private Resource resource = Resource.PREDICATES;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "ID",
      description =
          "The ID of a violation, the epoch of a rollback, the number of a node, or the name of a"
              + " snapshot: shows this one only. The name of a predicate: prints the predicate in"
              + " force, in YAML; with -o xml, in XML.")
  private @Nullable String id;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Violations or rollbacks: list at most N (1 to 10000; default: 100).")
  private @Nullable Integer limit;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Violations or rollbacks: list those since TIME: " + TimeText.FORMS + ".")
  private @Nullable String since;

  @Option(
      names = "--predicate",
      paramLabel = "NAME",
      description = "Violations or rollbacks: list those of this predicate.")
  private @Nullable String predicate;

  @Option(
      names = "--grade",
      paramLabel = "GRADE",
      description = "Violations: list those that are definite, possible or uncertain.")
  private @Nullable String grade;

  @Option(names = "--holding", description = "Violations: list those that have not ended.")
  private boolean holding;

  @Option(
      names = {"-w", "--watch"},
      description =
          "Then print what is new or has another state or reason, checked once per second, until"
              + " Ctrl-C (exit status 0). While the server does not answer, the watch asks again each"
              + " second. Each violation is printed once, so later outcomes are not shown. With -o"
              + " json: a line of JSON each; with -o yaml, a document.")
  private boolean watch;

  @Mixin private ListOutput output = new ListOutput();

  @Mixin private ApiClient api = new ApiClient();
  @Mixin private StoreAccess access = new StoreAccess();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    String path = "/api/v1/" + resource.plural();
    if (output.isXml() && (resource != Resource.PREDICATES || id == null || watch)) {
      throw new Refusal("-o xml is for one predicate: 'palinode get predicates NAME -o xml'");
    }
    requireFits("--limit", limit, Resource.VIOLATIONS, Resource.ROLLBACKS);
    requireFits("--since", since, Resource.VIOLATIONS, Resource.ROLLBACKS);
    requireFits("--predicate", predicate, Resource.VIOLATIONS, Resource.ROLLBACKS);
    requireFits("--grade", grade, Resource.VIOLATIONS);
    requireFits("--holding", holding ? true : null, Resource.VIOLATIONS);
    requireValues();
    if (watch) {
      return watch(path);
    }
    boolean isInList = resource == Resource.ROLLBACKS || resource == Resource.NODES;
    if (id != null && !isInList) {
      return one(path + "/" + ApiClient.segment(id));
    }
    ApiClient.Page page = api.pages(path + query(), most());
    JsonNode items = id == null ? page.items() : resource.only(id, page.items());
    if (id != null && items.isEmpty()) {
      throw resource.absent(id);
    }
    items.forEach(item -> complete((ObjectNode) item));
    if (output.isForPrograms()) {
      print(items);
    } else {
      table(items);
    }
    if (id == null) {
      CommandLine line = spec.commandLine();
      PrintWriter notes = output.isForPrograms() ? line.getErr() : line.getOut();
      ListNotes.cut(resource, items.size(), page.total()).forEach(notes::println);
    }
    return needOperator(items).isEmpty() ? 0 : 1;
  }

  /** The API would name its path and its parameter, not the option. */
  private void requireFits(String option, @Nullable Object value, Resource... lists) {
    List<Resource> fitting = List.of(lists);
    if (value != null && !fitting.contains(resource)) {
      throw new Refusal(
          "%s is for %s, not for %s; omit it"
              .formatted(
                  option,
                  fitting.stream().map(Resource::plural).collect(Collectors.joining(" and ")),
                  resource.plural()));
    }
  }

  private void requireValues() {
    if (limit != null && (limit < 1 || limit > LIMIT_MAX)) {
      throw new Refusal("--limit must be between 1 and %d: '%d'".formatted(LIMIT_MAX, limit));
    }
    if (grade != null && !GRADES.contains(grade)) {
      throw new Refusal("--grade must be definite, possible or uncertain: '%s'".formatted(grade));
    }
  }

  private int watch(String path) {
    if (resource == Resource.VIOLATIONS && id != null) {
      throw new Refusal(
          "--watch is for a list of violations: 'palinode describe violation %s' shows one"
              .formatted(id));
    }
    ListWatch.Source source = new ListWatch.Source(path + query(), most(), id, this::complete);
    return new ListWatch(api, resource, source, output, spec).call();
  }

  private int most() {
    return limit == null ? LIMIT_DEFAULT : limit;
  }

  /** The API knows what a node said when it joined or paused; the node itself knows better. */
  private void complete(ObjectNode item) {
    if (resource == Resource.NODES && !output.isName()) {
      NodeReach.addTo(item, access);
    }
  }

  private static List<JsonNode> needOperator(JsonNode nodes) {
    List<JsonNode> need = new ArrayList<>();
    nodes.forEach(
        node -> {
          if (node.path("needsOperator").asBoolean()) {
            need.add(node);
          }
        });
    return need;
  }

  /** The options as the API takes them. */
  private String query() {
    StringJoiner query = new StringJoiner("&", "?", "").setEmptyValue("");
    add(query, "limit", id != null && resource == Resource.ROLLBACKS ? LIMIT_MAX : limit);
    add(query, "since", since);
    add(query, "predicate", predicate);
    add(query, "grade", grade);
    add(query, "holding", holding ? true : null);
    return query.toString();
  }

  private static void add(StringJoiner query, String name, @Nullable Object value) {
    if (value != null) {
      query.add(name + "=" + ApiClient.segment(value.toString()));
    }
  }

  private int one(String path) {
    boolean isPredicate = resource == Resource.PREDICATES;
    if (output.isName() || (isPredicate && output.isJson())) {
      print(api.get(path));
    } else if (isPredicate) {
      String yaml = api.get(path, PredicateView.class).yaml();
      PrintWriter out = spec.commandLine().getOut();
      out.print(output.isXml() ? Predicates.toXml(Predicates.parse(yaml, path)) : yaml);
      out.flush();
    } else if (output.isForPrograms()) {
      print(api.get(resource == Resource.VIOLATIONS ? path + "/witness" : path));
    } else {
      table(ApiClient.JSON.createArrayNode().add(api.get(path)));
    }
    return 0;
  }

  private void print(JsonNode items) {
    PrintWriter out = spec.commandLine().getOut();
    out.print(output.whole(resource, items));
    out.flush();
  }

  private void table(JsonNode items) {
    PrintWriter out = spec.commandLine().getOut();
    TextTable table = resource.table(output.isWide());
    items.forEach(item -> table.row(resource.row(item, output.isWide())));
    out.print(items.isEmpty() ? "none\n" : table.render());
    if (resource == Resource.VIOLATIONS) {
      if (!output.isWide()) {
        ViolationWords.meanings(items).forEach(out::println);
      }
      ViolationWords.lines(items).forEach(out::println);
    }
    if (resource == Resource.VIOLATIONS && id == null) {
      // What is not listed is not known not to be.
      StatusView status = api.get("/api/v1/status", StatusView.class);
      Stream.of(StatusCommand.unknown(status), WaitLines.notJudged(status))
          .flatMap(List::stream)
          .map(line -> Wrap.paragraph("", line))
          .forEach(out::println);
    }
    ListNotes.of(resource, items).forEach(out::println);
    out.flush();
  }
}
