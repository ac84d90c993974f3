package io.palinode.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.status.ViolationWords;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.OnSignal;
import io.palinode.terminal.Outage;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.TextTable;
import io.palinode.terminal.Unreachable;
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
import org.jspecify.annotations.Nullable;
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

  /** The ID of the latest item that was printed, in a list by pages; empty: no item was. */
  private String latest = "";

  /**
   * What is asked for.
   *
   * @param list the path of the list, with its query
   * @param limit of how many items the first print is at most
   * @param id of the only item that is watched; null: all are
   * @param complete adds to an item what its list lacks
   */
  record Source(String list, int limit, @Nullable String id, Consumer<ObjectNode> complete) {}

  ListWatch(ApiClient api, Resource resource, Source source, ListOutput output, CommandSpec spec) {
    this.api = api;
    this.resource = resource;
    this.source = source;
    this.output = output;
    this.out = spec.commandLine().getOut();
    this.err = spec.commandLine().getErr();
    this.table = resource.table(output.isWide());
  }

  /**
   * Returns 0 when the thread is interrupted. Ctrl-C ends the process with status 0. Throws what
   * the first request throws, and {@link Refusal} if the server refuses a later one.
   */
  @SuppressWarnings("try") // A resource for its close alone.
  int call() {
    try (OnSignal stop = OnSignal.does(() -> Runtime.getRuntime().halt(0))) {
      printFirst();
      while (true) {
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
        print(answered());
      }
    } catch (InterruptedException e) {
      return 0;
    }
  }

  private void printFirst() {
    ApiClient.Page page = api.pages(source.list(), source.limit());
    List<JsonNode> items = watched(page.items());
    String id = source.id();
    if (id != null && items.isEmpty()) {
      throw resource.absent(id);
    }
    print(items);
    if (id == null) {
      PrintWriter notes = output.isForPrograms() ? err : out;
      ListNotes.cut(resource, items.size(), page.total()).forEach(notes::println);
      notes.flush();
    }
  }

  /** What has changed, once the server answers: another orchestrator takes over within seconds. */
  private List<JsonNode> answered() throws InterruptedException {
    boolean isSilent = false;
    while (true) {
      try {
        if (isSilent) {
          requireReplayed();
        }
        List<JsonNode> changed = changed();
        if (isSilent) {
          report("the server answers again");
        }
        return changed;
      } catch (Outage | Unreachable silence) {
        if (!isSilent) {
          report("the server does not answer; asking again each second: " + silence.getMessage());
        }
        isSilent = true;
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }

  /** An orchestrator that takes over lists only what it has read of the logs so far. */
  private void requireReplayed() {
    JsonNode status = api.get("/api/v1/status");
    if (status.hasNonNull("failure")) {
      throw new Outage(status.path("failure").asText());
    }
  }

  private void report(String line) {
    err.println("palinode: " + line);
    err.flush();
  }

  /** What is new or has changed since the last call. It may take more than one page. */
  private List<JsonNode> changed() {
    List<JsonNode> all = new ArrayList<>();
    List<JsonNode> page = page("");
    if (!resource.isPaged()) {
      reportDeleted(page);
      page.stream().filter(this::hasChanged).forEach(all::add);
      return all;
    }
    while (!page.isEmpty()) {
      boolean reachedSeen = addChanged(page, all);
      page = reachedSeen ? List.of() : page(resource.id(page.get(page.size() - 1)));
    }
    return all;
  }

  /**
   * Adds what is new or has changed. Returns whether the page reaches back to items that were seen:
   * an unseen item after these is old, and is listed only since another one left the list.
   */
  private boolean addChanged(List<JsonNode> page, List<JsonNode> all) {
    boolean isOld = false;
    String old = page.stream().anyMatch(this::isSeen) ? "" : firstOld();
    for (JsonNode item : page) {
      isOld = isOld || isSeen(item) || resource.id(item).equals(old);
      if (isOld && !isSeen(item)) {
        seen.put(resource.id(item), resource.watched(item));
      } else if (hasChanged(item)) {
        all.add(item);
      }
    }
    return isOld;
  }

  /** The ID of the first item that is older than the latest printed one; empty: none is. */
  private String firstOld() {
    List<JsonNode> old = latest.isEmpty() ? List.of() : page(latest);
    return old.isEmpty() ? "" : resource.id(old.get(0));
  }

  private boolean isSeen(JsonNode item) {
    return seen.containsKey(resource.id(item));
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
    return watched(api.page(path).items());
  }

  private List<JsonNode> watched(JsonNode items) {
    String id = source.id();
    List<JsonNode> watched = new ArrayList<>();
    (id == null ? items : resource.only(id, items)).forEach(watched::add);
    return watched;
  }

  private void print(List<JsonNode> listed) {
    if (resource.isPaged() || resource == Resource.SNAPSHOTS) {
      Collections.reverse(listed);
    }
    ArrayNode shown = ApiClient.JSON.createArrayNode();
    for (JsonNode item : listed) {
      if (seen.put(resource.id(item), resource.watched(item)) == null) {
        latest = resource.id(item);
      }
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
      if (resource == Resource.VIOLATIONS && !output.isWide()) {
        ViolationWords.meanings(shown).forEach(out::println);
      }
      ListNotes.of(resource, shown).forEach(out::println);
    }
    out.flush();
    while (seen.size() > SEEN_MAX) {
      seen.remove(seen.keySet().iterator().next());
    }
  }
}
