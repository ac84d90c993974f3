package io.palinode.cli.snapshot;

import io.palinode.cli.store.StoreAccess;
import io.palinode.orchestrator.rest.SnapshotView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Refusal;
import io.palinode.voldemort.client.PastStore;
import io.palinode.voldemort.client.session.StoreException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Has the nodes read a snapshot whole. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    description = {
      "Verify a snapshot: each node reads its whole part, with its base, and compares checksums"
          + " and counts.",
      "Exit status 1 if a part is damaged or missing."
    },
    footer = {"", "Example:  palinode snapshot verify before-deploy"})
final class SnapshotVerifyCommand implements Callable<Integer> {
  @Parameters(paramLabel = "NAME")
  private String id = "";

  @Mixin private ApiClient api = new ApiClient();
  @Mixin private StoreAccess access = new StoreAccess();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    SnapshotView snapshot = api.get(SnapshotCommand.path(id), SnapshotView.class);
    if (!SnapshotCommand.isDone(snapshot)) {
      throw new Refusal("snapshot " + id + " cannot be verified, it is " + snapshot.state());
    }
    int damaged = 0;
    for (SnapshotView.PartView part : snapshot.nodes()) {
      damaged += isWhole(part, snapshot.number()) ? 0 : 1;
    }
    spec.commandLine().getOut().flush();
    return damaged == 0 ? 0 : 1;
  }

  private boolean isWhole(SnapshotView.PartView part, long number) {
    int at = part.node();
    if (part.checksum() == null) {
      report(at, "has no part: " + part.failure());
      return false;
    }
    try {
      PastStore.Verified found = access.usePatiently(store -> store.past().verifyAt(at, id));
      String checksum = "%08x".formatted(found.checksum());
      if (found.number() != number || !checksum.equals(part.checksum())) {
        report(at, "has another part than the one that was taken: checksum " + checksum);
        return false;
      }
      spec.commandLine()
          .getOut()
          .println("node %d: whole, %d keys, checksum %s".formatted(at, found.keys(), checksum));
      return true;
    } catch (Refusal failed) {
      Throwable cause = failed.getCause();
      report(at, String.valueOf((cause instanceof StoreException ? cause : failed).getMessage()));
      return false;
    }
  }

  private void report(int node, String what) {
    spec.commandLine().getErr().println("palinode: node " + node + ": " + what);
  }
}
