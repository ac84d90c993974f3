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
      "With --keep or --rebuild the node starts without what is lost. What was found is put aside"
          + " in 'damaged-<n>', and the node's past begins again.",
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
      description = "The node's files are in the folder 'node-I' there.")
  private Path data = Path.of("");

  @Option(
      names = "--id",
      required = true,
      paramLabel = "I",
      description = "Which node of the cluster it is.")
  private int id;

  @ArgGroup private @Nullable Way way;

  @Mixin private Confirmation confirmation = new Confirmation();

  @Spec private CommandSpec spec = CommandSpec.create();

  /** At most one. */
  private static final class Way {
    @Option(
        names = "--keep",
        description =
            "Keep what comes before the damage. Deletes after it are lost too, so their keys"
                + " return.")
    private boolean keep;

    @Option(
        names = "--rebuild",
        description =
            "Begin with an empty store. The node serves after 'palinode repair' has filled it from"
                + " the other replicas.")
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
          chosen.keep ? "Start without what is lost?" : "Start with an empty store?",
          "accept the loss");
      Path aside = chosen.rebuild ? recovery.rebuild() : recovery.keep();
      out.println("recovered; what was found is in " + aside);
      if (folder.awaitsRepair()) {
        out.println("start the node, then run 'palinode repair': it serves no client before that");
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
