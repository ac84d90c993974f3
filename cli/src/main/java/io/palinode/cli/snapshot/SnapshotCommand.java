package io.palinode.cli.snapshot;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.cli.options.Confirmation;
import io.palinode.cli.options.TimeText;
import io.palinode.orchestrator.rest.SnapshotView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Snapshots of the store. */
@Command(
    name = "snapshot",
    mixinStandardHelpOptions = true,
    description = {
      "Take, read, compare and delete snapshots: copies of all data at one time, on all nodes.",
      "Each node stores its part beside its data. It serves clients meanwhile.",
      ""
    },
    subcommands = {
      SnapshotTakeCommand.class,
      SnapshotCommand.ListAll.class,
      SnapshotShowCommand.class,
      SnapshotVerifyCommand.class,
      SnapshotDiffCommand.class,
      SnapshotScheduleCommand.class,
      SnapshotCommand.Delete.class
    },
    footer = {
      "",
      "Example:  palinode snapshot take --name before-deploy",
      "          palinode snapshot show before-deploy cs_1_2_1",
      "          palinode snapshot diff before-deploy now"
    })
public final class SnapshotCommand {
  private static final String PATH = "/api/v1/snapshots";

  public static String path() {
    return PATH;
  }

  public static String path(String id) {
    return PATH + "/" + ApiClient.segment(id);
  }

  /** Whether some node has a part that can be read. */
  static boolean isDone(SnapshotView snapshot) {
    return snapshot.state().equals("complete") || snapshot.state().equals("partial");
  }

  /** {@code 1.5 MB}. */
  public static String bytes(long bytes) {
    return bytes < 10_000
        ? bytes + " B"
        : String.format(Locale.ROOT, "%.1f MB", bytes / 1_000_000.0);
  }

  /** A table with a row for the part of each node. */
  public static String parts(SnapshotView snapshot, boolean isWide) {
    TextTable table =
        new TextTable(
            TextTable.Align.LEFT,
            List.of(
                "NODE", "STATE", "KEYS", "CHANGED", "WRITTEN", "FROM", "CHECKSUM", "MS", "WHY"));
    snapshot.nodes().forEach(part -> table.row(row(part)));
    return (isWide ? table : table.wrap("FROM", "WHY").optional("MS", "CHANGED", "CHECKSUM"))
        .render();
  }

  private static List<String> row(SnapshotView.PartView part) {
    return List.of(
        Integer.toString(part.node()),
        part.state(),
        Long.toString(part.keys()),
        Long.toString(part.changed()),
        bytes(part.bytes()),
        Objects.requireNonNullElse(part.from(), ""),
        Objects.requireNonNullElse(part.checksum(), ""),
        "%.0f".formatted(part.durationMs()),
        Objects.requireNonNullElse(part.failure(), ""));
  }

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description =
          "List the snapshots, the latest first. With -o wide, KEY-COPIES counts the keys of each"
              + " node's part.",
      footer = {"", "Example:  palinode snapshot list -o json"})
  static final class ListAll implements Callable<Integer> {
    @Mixin private Output output = new Output();

    @Mixin private ApiClient api = new ApiClient();

    @Override
    public Integer call() {
      JsonNode all = api.get(path());
      SnapshotView[] views = api.view(all, SnapshotView[].class);
      output.print(all, () -> table(views, output.isWide()));
      return 0;
    }

    private static String table(SnapshotView[] all, boolean isWide) {
      List<String> header =
          new ArrayList<>(List.of("NAME", "STATE", "BASE", "AT", "AGO", "WRITTEN"));
      if (isWide) {
        header.addAll(List.of("AT-HLC", "KIND", "KEY-COPIES"));
      }
      TextTable table = new TextTable(TextTable.Align.LEFT, header);
      for (SnapshotView snapshot : all) {
        table.row(row(snapshot, isWide));
      }
      if (!isWide) {
        table.wrap("NAME", "BASE").optional("AT", "BASE", "WRITTEN");
      }
      return all.length == 0 ? "none\n" : table.render();
    }

    private static List<String> row(SnapshotView snapshot, boolean isWide) {
      boolean isMoving = snapshot.roll() != null && snapshot.roll().state().equals("taking");
      List<String> row =
          new ArrayList<>(
              List.of(
                  snapshot.id(),
                  isMoving ? "moving" : snapshot.state(),
                  Objects.requireNonNullElse(snapshot.base(), ""),
                  TimeText.of(snapshot.at()),
                  TimeText.age(snapshot.at()),
                  bytes(snapshot.bytes())));
      if (isWide) {
        row.addAll(List.of(snapshot.at(), snapshot.kind(), Long.toString(snapshot.keys())));
      }
      return row;
    }
  }

  @Command(
      name = "delete",
      mixinStandardHelpOptions = true,
      description = {
        "Delete a snapshot on all nodes.",
        "Refused while the snapshot is being taken, and while it is the base of another one."
      },
      footer = {"", "Example:  palinode snapshot delete before-deploy --yes"})
  static final class Delete implements Callable<Integer> {
    @Parameters(paramLabel = "NAME")
    private String id = "";

    @Mixin private Confirmation confirmation = new Confirmation();

    @Mixin private ApiClient api = new ApiClient();
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      confirmation.require(
          "Snapshot %s will be deleted on all nodes. Delete it?".formatted(id),
          "delete snapshot " + id);
      api.delete(path(id));
      spec.commandLine().getOut().println("snapshot " + id + " deleted");
      return 0;
    }
  }
}
