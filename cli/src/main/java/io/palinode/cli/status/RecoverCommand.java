package io.palinode.cli.status;

import io.palinode.cli.options.Confirmation;
import io.palinode.terminal.Refusal;
import io.palinode.voldemort.bdb.DataFolder;
import io.palinode.voldemort.bdb.Recovery;
import io.palinode.voldemort.bdb.Recovery.Finding;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Looks at the store of a stopped node, and accepts what is lost. */
@Command(
    name = "recover",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Check the store of a stopped node. A node refuses to start on a damaged store.",
      "With --keep or --rebuild the node can start again without the lost data. The damaged files"
          + " go to the folder 'damaged-<n>'. Earlier times can no longer be read.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 the store is whole, or was recovered; 1 it is damaged.",
      "",
      "Example:  palinode recover --data ./data --id 1",
      "          palinode recover --data ./data --id 1 --keep"
    })
public final class RecoverCommand implements Callable<Integer> {
  private static final Pattern NODES = Pattern.compile("palinode-data=.* nodes=(\\d{1,4})");

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "Folder; its subfolder 'node-I' has the node's files.")
  private Path data = Path.of("");

  @Option(names = "--id", required = true, paramLabel = "I", description = "Id of the node.")
  private int id;

  @ArgGroup private @Nullable Way way;

  @Mixin private Confirmation confirmation = new Confirmation();

  @Spec private CommandSpec spec = CommandSpec.create();

  /** At most one. */
  private static final class Way {
    @Option(
        names = "--keep",
        description =
            "Keep the commits before the damage. Later deletes are lost, so their keys return.")
    private boolean keep;

    @Option(
        names = "--rebuild",
        description =
            "Begin with an empty store. The node serves clients after 'palinode repair' has"
                + " filled it from the other replicas.")
    private boolean rebuild;
  }

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    try (DataFolder folder = DataFolder.open(data, id, nodes())) {
      Recovery recovery = new Recovery(folder);
      Finding found = recovery.look();
      out.println(
          found.isWhole()
              ? "node %d: the store is whole, %,d commits".formatted(id, found.commits())
              : "node %d: %s".formatted(id, found.damage()));
      out.flush();
      Way chosen = way;
      if (found.isWhole() || chosen == null) {
        return found.isWhole() ? 0 : 1;
      }
      confirmation.require(
          chosen.keep ? "Start without the lost data?" : "Start with an empty store?",
          "accept the loss of data");
      Path aside = chosen.rebuild ? recovery.rebuild() : recovery.keep();
      out.println("recovered; the damaged files are in " + aside);
      if (folder.awaitsRepair()) {
        out.println(
            "start the node, then run 'palinode repair'; before that the node serves no client");
      }
      return 0;
    }
  }

  private int nodes() throws IOException {
    Path label = data.resolve("node-" + id).resolve("VERSION");
    String text = Files.exists(label) ? Files.readString(label).strip() : "";
    Matcher matcher = NODES.matcher(text);
    if (!matcher.matches()) {
      throw new Refusal(
          "%s must name the number of nodes: '%s'; give the folder of a node"
              .formatted(label, text));
    }
    return Integer.parseInt(matcher.group(1));
  }
}
