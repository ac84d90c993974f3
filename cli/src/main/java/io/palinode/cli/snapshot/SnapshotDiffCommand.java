package io.palinode.cli.snapshot;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.store.StoreAccess;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.rest.SnapshotView;
import io.palinode.orchestrator.rest.Views.StatusView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.voldemort.client.PastStore;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.past.KeyDifferences;
import io.palinode.voldemort.client.past.KeyPattern;
import io.palinode.voldemort.server.SystemMicros;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares the store at two points. */
@Command(
    name = "diff",
    mixinStandardHelpOptions = true,
    description = {
      "Show the keys that differ between two snapshots, two times, or one of each.",
      "A time has the forms of 'snapshot take --at', or is 'now'. Exit status 1 if something"
          + " differs.",
      "",
      "Lines: '+ key value' was added, '- key value' was removed, '~ key value -> value' was"
          + " changed. At the end of each line are the nodes that differ.",
      ""
    },
    footer = {
      "",
      "Example:  palinode snapshot diff before-deploy now",
      "          palinode snapshot diff -1m -30s --keys 'cs_*'"
    })
public final class SnapshotDiffCommand implements Callable<Integer> {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]*");

  @Parameters(index = "0", paramLabel = "NAME|TIME")
  private String before = "";

  @Parameters(index = "1", paramLabel = "NAME|TIME")
  private String after = "";

  @Option(
      names = "--keys",
      paramLabel = "PATTERN",
      description = "Only keys that match; * stands for any text, ? for one character.")
  private @Nullable String keys;

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();
  @Mixin private StoreAccess access = new StoreAccess();
  @Spec private CommandSpec spec;

  /** {@code -30s} is a time and looks like an option; what is neither is refused as no time. */
  public static void allowTimesLikeOptions(CommandLine palinode) {
    for (CommandLine command : palinode.getSubcommands().values()) {
      allowTimesLikeOptions(command);
    }
    if (palinode.getCommandSpec().userObject() instanceof SnapshotDiffCommand) {
      palinode.setUnmatchedOptionsArePositionalParams(true);
    }
  }

  @Override
  public Integer call() {
    TreeSet<Integer> nodes = new TreeSet<>();
    int count = api.get("/api/v1/status", StatusView.class).nodes();
    for (int i = 0; i < count; i++) {
      nodes.add(i);
    }
    PastStore.Point from = point(before, nodes);
    PastStore.Point to = point(after, nodes);
    if (nodes.isEmpty()) {
      throw new Refusal("no node has a part of both: there is nothing to compare");
    }
    return access.usePatiently(store -> compare(store, from, to, nodes)) ? 1 : 0;
  }

  /** Nodes without a part of the snapshot are not compared. */
  private PastStore.Point point(String text, Set<Integer> nodes) {
    if (!NAME.matcher(text).matches() || text.equals("now")) {
      return new PastStore.Point(null, access.readable(time(text), spec.commandLine().getErr()));
    }
    SnapshotView snapshot = api.get(SnapshotCommand.path(text), SnapshotView.class);
    if (!SnapshotCommand.isDone(snapshot)) {
      throw new Refusal(
          "snapshot '%s' is %s: there is nothing to compare".formatted(text, snapshot.state()));
    }
    for (SnapshotView.PartView part : snapshot.nodes()) {
      if (part.checksum() == null) {
        nodes.remove(part.node());
        spec.commandLine()
            .getErr()
            .println(
                "palinode: snapshot %s is %s: node %d is not compared"
                    .formatted(text, snapshot.state(), part.node()));
      }
    }
    return new PastStore.Point(new PastStore.Snapshot(text, snapshot.number()), 0);
  }

  private static long time(String text) {
    try {
      return PointInTime.parse(text, new SystemMicros().getAsLong());
    } catch (IllegalArgumentException e) {
      throw new Refusal("neither the name of a snapshot nor a time: " + e.getMessage(), e);
    }
  }

  private boolean compare(
      Store store, PastStore.Point from, PastStore.Point to, Set<Integer> nodes) {
    KeyDifferences differences = new KeyDifferences(store, from, to, nodes);
    Pattern wanted = keys == null ? null : KeyPattern.of(keys);
    List<KeyDifferences.Merged> listed = new ArrayList<>();
    boolean any = false;
    for (KeyDifferences.Merged one = differences.next(); one != null; one = differences.next()) {
      if (wanted == null || wanted.matcher(one.key()).matches()) {
        any = true;
        if (output.isJson()) {
          listed.add(one);
        } else {
          print(one);
        }
      }
    }
    if (output.isJson()) {
      spec.commandLine().getOut().println(json(listed).toPrettyString());
    }
    spec.commandLine().getOut().flush();
    return any;
  }

  private void print(KeyDifferences.Merged one) {
    PrintWriter out = spec.commandLine().getOut();
    String nodes = "  (" + (one.nodes().size() == 1 ? "node " : "nodes ") + one.nodesText() + ")";
    if (one.before() == null) {
      out.println("+ " + one.key() + "  " + one.after() + nodes);
    } else if (one.after() == null) {
      out.println("- " + one.key() + "  " + one.before() + nodes);
    } else {
      out.println("~ " + one.key() + "  " + one.before() + " -> " + one.after() + nodes);
    }
  }

  private static ArrayNode json(List<KeyDifferences.Merged> all) {
    ArrayNode array = ApiClient.JSON.createArrayNode();
    for (KeyDifferences.Merged one : all) {
      ObjectNode item = array.addObject();
      item.put("key", one.key()).put("before", one.before()).put("after", one.after());
      ArrayNode nodes = item.putArray("nodes");
      one.nodes().forEach(node -> nodes.add(node));
    }
    return array;
  }
}
