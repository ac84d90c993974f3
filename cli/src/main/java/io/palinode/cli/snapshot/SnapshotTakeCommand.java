package io.palinode.cli.snapshot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.options.Opened;
import io.palinode.cli.options.TimeText;
import io.palinode.cli.store.StoreAccess;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.rest.SnapshotView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.OnSignal;
import io.palinode.terminal.Outage;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Takes a snapshot and waits for it. */
@Command(
    name = "take",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Take a snapshot: a consistent cut of all nodes at one time, now or earlier. A node starts"
          + " from another snapshot of a near time, if it has one, and reports that.",
      "Ctrl-C cancels the snapshot. Exit status 1 if it is partial, failed, cancelled or not"
          + " moved; standard error names the nodes and the reasons.",
      ""
    },
    footer = {
      "",
      "Example:",
      "  palinode snapshot take --name before-deploy",
      "  palinode snapshot take --at -30s",
      "  palinode snapshot take --base before-deploy --incremental     only the keys that differ",
      "  palinode snapshot take --base before-deploy --rolling         moves it to now"
    })
final class SnapshotTakeCommand implements Callable<Integer> {
  private static final long POLL_MS = 200;

  @Option(
      names = "--at",
      paramLabel = "TIME",
      converter = TimeText.class,
      description = "The time of the snapshot (default: now): " + TimeText.FORMS + ".")
  private @Nullable Long at;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "A letter a-z, then a-z, 0-9, - and _ (default: a generated name).")
  private @Nullable String name;

  @Option(
      names = "--base",
      paramLabel = "NAME",
      description = "Another snapshot, earlier or later; with --incremental or --rolling.")
  private @Nullable String base;

  @Option(
      names = "--incremental",
      description = "Store only what differs from the base. The snapshot then needs its base.")
  private boolean incremental;

  @Option(names = "--rolling", description = "Move the base to the time; it keeps its name.")
  private boolean rolling;

  @Option(
      names = "--defer",
      paramLabel = "K",
      description = "At most K nodes take their part at once (default: all).")
  private @Nullable Integer defer;

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();
  @Mixin private StoreAccess access = new StoreAccess();
  @Spec private CommandSpec spec;
  private final Map<Integer, String> printed = new HashMap<>();

  @Override
  @SuppressWarnings("try") // A resource for its close alone.
  public Integer call() throws InterruptedException {
    String body = body();
    CountDownLatch interrupted = new CountDownLatch(1);
    try (OnSignal stop = OnSignal.does(interrupted::countDown)) {
      JsonNode answer = api.post(SnapshotCommand.path(), body);
      SnapshotView asked = asked(answer);
      String id = api.view(answer, SnapshotView.class).id();
      err().println("snapshot " + id + " at " + TimeText.of(asked.at()));
      Opened opened =
          new Opened(api, spec, "snapshot " + id, SnapshotCommand.path(id), interrupted);
      boolean cancelling = false;
      while (asked.state().equals("taking")) {
        printProgress(asked);
        if (!cancelling && interrupted.await(POLL_MS, TimeUnit.MILLISECONDS)) {
          cancelling = true;
          cancel(id);
        }
        try {
          answer = opened.read();
        } catch (Outage silence) {
          // After this block the JVM ends.
          err().println("palinode: " + silence.getMessage());
          return 1;
        }
        asked = asked(answer);
      }
      printProgress(asked);
      return printResult(answer, asked);
    }
  }

  private String body() {
    if (incremental && rolling) {
      throw new Refusal("a snapshot is --incremental or --rolling, not both");
    }
    if ((base != null) != (incremental || rolling)) {
      throw new Refusal("--base needs --incremental or --rolling, and they need --base");
    }
    if (defer != null && defer < 1) {
      throw new Refusal("--defer must be at least 1: " + defer);
    }
    ObjectNode body = ApiClient.JSON.createObjectNode();
    body.put("name", name).put("base", base).put("rolling", rolling);
    Long time = at == null ? null : access.readable(at, err());
    body.put("at", time == null ? null : Hlc.format(time));
    return body.put("atOnce", defer == null ? 0 : defer).toString();
  }

  /** What was asked for: of a snapshot that rolls, its move while there is one. */
  private SnapshotView asked(JsonNode answer) {
    SnapshotView snapshot = api.view(answer, SnapshotView.class);
    return rolling && snapshot.roll() != null ? snapshot.roll() : snapshot;
  }

  private void cancel(String id) {
    err().println("cancelling snapshot " + id);
    try {
      var unused = api.post(SnapshotCommand.path(id) + "/cancel");
    } catch (Refusal over) {
      // The snapshot has just ended: print its result instead.
      err().println("palinode: " + over.getMessage());
    }
  }

  private void printProgress(SnapshotView snapshot) {
    for (SnapshotView.PartView part : snapshot.nodes()) {
      String line =
          "node %d: %s, %d keys, %s%s%s"
              .formatted(
                  part.node(),
                  part.state(),
                  part.keys(),
                  SnapshotCommand.bytes(part.bytes()),
                  part.from() == null ? "" : ", from " + part.from(),
                  part.failure() == null ? "" : ": " + part.failure());
      if (!line.equals(printed.put(part.node(), line))) {
        err().println(line);
      }
    }
    err().flush();
  }

  private int printResult(JsonNode answer, SnapshotView asked) {
    SnapshotView snapshot = api.view(answer, SnapshotView.class);
    output.print(
        answer,
        () ->
            "snapshot %s is %s at %s: %d copies of keys on all nodes, %s written%n"
                .formatted(
                    snapshot.id(),
                    snapshot.state(),
                    TimeText.of(snapshot.at()),
                    snapshot.keys(),
                    SnapshotCommand.bytes(asked.bytes())));
    if (asked.state().equals("complete")) {
      return 0;
    }
    err().println("palinode: " + incomplete(snapshot.id(), asked));
    return 1;
  }

  private String incomplete(String id, SnapshotView asked) {
    String what =
        rolling
            ? "snapshot " + id + " stays where it was, its move is " + asked.state()
            : "snapshot " + id + " is " + asked.state();
    return asked.nodes().stream()
        .filter(part -> part.failure() != null)
        .map(part -> "; node " + part.node() + ": " + part.failure())
        .collect(Collectors.joining("", what, ""));
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
