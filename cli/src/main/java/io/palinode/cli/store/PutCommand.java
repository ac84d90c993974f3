package io.palinode.cli.store;

import io.palinode.hvc.PointInTime;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.session.RolledBackException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes one value. */
@Command(
    name = "put",
    mixinStandardHelpOptions = true,
    description =
        "Write a value. It supersedes the versions that a read quorum has. Exit status 1 if a"
            + " rollback happens during the write, or pauses the nodes for more than 5 s.",
    footer = {"", "Example:  palinode put cs_1_2_1 1"})
public final class PutCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "KEY")
  private String key = "";

  @Parameters(index = "1", paramLabel = "VALUE")
  private String value = "";

  @Mixin private StoreAccess access = new StoreAccess();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    Store.Written written;
    SlowAnswer slow = new SlowAnswer(spec.commandLine().getErr());
    try (slow) {
      written = access.use(store -> store.put(key, value));
    } catch (RolledBackException e) {
      spec.commandLine()
          .getErr()
          .println(
              "palinode: the store was rolled back to %s during the write, which may be undone: read the key to know"
                  .formatted(PointInTime.format(e.rolledBack().target())));
      return 1;
    }
    spec.commandLine()
        .getOut()
        .println(
            "accepted by node "
                + written.node()
                + " at "
                + PointInTime.format(written.acceptedAt()));
    return 0;
  }
}
