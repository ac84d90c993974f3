package io.palinode.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.status.ViolationWords;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.OnSignal;
import io.palinode.terminal.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;

/** Prints a list, the latest last, and then each item that is new or has changed. */
final class ListWatch {
  private static final long POLL_MS = 1_000;

  /** As many as the API remembers. */
  private static final int SEEN_MAX = 10_000;

  private final ApiClient api;
  private final Resource resource;
  private final Source source;
  private final ListOutput output;
  private final PrintWriter out;
  private final PrintWriter err;
  private final TextTable table;

  /** What was printed of each item, in the order of its print. */
  private final Map<String, String> seen = new LinkedHashMap<>();

  /**
   * What is asked for.
   *
   * @param list the path of the list, with its query
   * @param only takes from a list what is watched
   * @param complete adds to an item what its list lacks
   */
  record Source(String list, Only only, Consumer<ObjectNode> complete) {}

  /** Selects items of a list. */
  interface Only {
    JsonNode of(JsonNode items);
  }

  ListWatch(ApiClient api, Resource resource, Source source, ListOutput output, CommandSpec spec) {
    this.api = api;
    this.resource = resource;
    this.source = source;
    this.output = output;
    this.out = spec.commandLine().getOut();
    this.err = spec.commandLine().getErr();
    this.table = resource.table(output.isWide());
  }

  /** Returns 0 when the thread is interrupted. Ctrl-C ends the process with status 0. */
  @SuppressWarnings("try") // A resource for its close alone.
  int call() {
    try (OnSignal stop = OnSignal.does(() -> Runtime.getRuntime().halt(0))) {
      print(page(""));
      while (true) {
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
        print(changed());
      }
    } catch (InterruptedException e) {
      return 0;
    }
  }

  /** What is new or has changed since the last call. It may take more than one page. */
  private List<JsonNode> changed() {
    List<JsonNode> all = new ArrayList<>();
    List<JsonNode> page = page("");
    if (!resource.isPaged()) {
      reportDeleted(page);
    }
    while (!page.isEmpty()) {
      page.stream().filter(this::hasChanged).forEach(all::add);
      String oldest = resource.id(page.get(page.size() - 1));
      page = resource.isPaged() && !seen.containsKey(oldest) ? page(oldest) : List.of();
    }
    return all;
  }

  private boolean hasChanged(JsonNode item) {
    return !resource.watched(item).equals(seen.get(resource.id(item)));
  }

  private void reportDeleted(List<JsonNode> present) {
    Set<String> gone = new HashSet<>(seen.keySet());
    present.forEach(item -> gone.remove(resource.id(item)));
    for (String id : gone) {
      seen.remove(id);
      err.println("%s %s is deleted".formatted(resource.one(), id));
    }
    err.flush();
  }

  /** The latest first. */
  private List<JsonNode> page(String before) {
    String more = source.list().contains("?") ? "&before=" : "?before=";
    String path =
        before.isEmpty() ? source.list() : source.list() + more + ApiClient.segment(before);
    List<JsonNode> page = new ArrayList<>();
    source.only().of(api.page(path).items()).forEach(page::add);
    return page;
  }

  private void print(List<JsonNode> listed) {
    if (resource.isPaged() || resource == Resource.SNAPSHOTS) {
      Collections.reverse(listed);
    }
    ArrayNode shown = ApiClient.JSON.createArrayNode();
    for (JsonNode item : listed) {
      seen.put(resource.id(item), resource.watched(item));
      source.complete().accept((ObjectNode) item);
      if (output.isForPrograms()) {
        out.print(output.next(resource, item));
      } else {
        table.row(resource.row(item, output.isWide()));
        shown.add(item);
      }
    }
    if (!output.isForPrograms()) {
      out.print(table.render());
    }
    if (resource == Resource.VIOLATIONS && !output.isWide()) {
      ViolationWords.meanings(shown).forEach(out::println);
    }
    out.flush();
    while (seen.size() > SEEN_MAX) {
      seen.remove(seen.keySet().iterator().next());
    }
  }
}
