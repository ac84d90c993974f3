package io.palinode.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.palinode.cli.status.ViolationWords;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.OnSignal;
import io.palinode.terminal.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.CommandSpec;

/** Prints the violations of a list, and then each new one, the oldest first. */
final class ViolationWatch {
  private static final long POLL_MS = 1_000;

  /** As many as the API remembers. */
  private static final int SEEN_MAX = 10_000;

  private final ApiClient api;
  private final String list;
  private final ListOutput output;
  private final PrintWriter out;
  private final TextTable table;
  private final Set<String> seen = new LinkedHashSet<>();

  /**
   * @param list the path of the list, with its query
   */
  ViolationWatch(ApiClient api, String list, ListOutput output, CommandSpec spec) {
    this.api = api;
    this.list = list;
    this.output = output;
    this.out = spec.commandLine().getOut();
    this.table = Resource.VIOLATIONS.table(output.isWide());
  }

  /** Returns 0 when the thread is interrupted. Ctrl-C ends the process with status 0. */
  @SuppressWarnings("try") // A resource for its close alone.
  int call() {
    try (OnSignal stop = OnSignal.does(() -> Runtime.getRuntime().halt(0))) {
      print(page(""));
      while (true) {
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
        print(unseen());
      }
    } catch (InterruptedException e) {
      return 0;
    }
  }

  /** What came since the last call. It may take more than one page. */
  private List<JsonNode> unseen() {
    List<JsonNode> all = new ArrayList<>();
    List<JsonNode> page = page("");
    while (!page.isEmpty()) {
      for (JsonNode violation : page) {
        if (seen.contains(id(violation))) {
          return all;
        }
        all.add(violation);
      }
      page = page(id(page.get(page.size() - 1)));
    }
    return all;
  }

  /** The latest first. */
  private List<JsonNode> page(String before) {
    String more = list.contains("?") ? "&before=" : "?before=";
    List<JsonNode> page = new ArrayList<>();
    String path = before.isEmpty() ? list : list + more + ApiClient.segment(before);
    api.page(path).items().forEach(page::add);
    return page;
  }

  private void print(List<JsonNode> latestFirst) {
    Collections.reverse(latestFirst);
    ArrayNode shown = ApiClient.JSON.createArrayNode();
    for (JsonNode violation : latestFirst) {
      seen.add(id(violation));
      if (output.isForPrograms()) {
        out.print(output.next(Resource.VIOLATIONS, violation));
      } else {
        table.row(Resource.VIOLATIONS.row(violation, output.isWide()));
        shown.add(violation);
      }
    }
    if (!output.isForPrograms()) {
      out.print(table.render());
    }
    if (!output.isWide()) {
      ViolationWords.meanings(shown).forEach(out::println);
    }
    out.flush();
    while (seen.size() > SEEN_MAX) {
      seen.remove(seen.iterator().next());
    }
  }

  private static String id(JsonNode violation) {
    return violation.path("id").asText();
  }
}
