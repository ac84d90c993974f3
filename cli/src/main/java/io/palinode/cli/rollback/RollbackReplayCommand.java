package io.palinode.cli.rollback;

import io.palinode.cli.options.Confirmation;
import io.palinode.cli.rollback.LostWrites.Lost;
import io.palinode.cli.store.StoreAccess;
import io.palinode.hvc.PointInTime;
import io.palinode.terminal.ApiClient;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.session.RolledBackException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes some of the discarded values again. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    description = {
      "Write the last discarded value of each matching key again, as an ordinary write. It"
          + " supersedes the present value.",
      "Exit status 1 if another rollback happens during the writes."
    },
    footer = {"", "Example:  palinode rollback replay 3 --keys 'order_17*'"})
final class RollbackReplayCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "ID",
      description = "The epoch that it opened, as 'palinode get rollbacks' shows it.")
  private String id = "";

  @Option(
      names = "--keys",
      required = true,
      paramLabel = "PATTERN",
      description = "Keys that match; * stands for any text, ? for one character.")
  private String keys = "";

  @Mixin private Confirmation confirmation = new Confirmation();

  @Mixin private ApiClient api = new ApiClient();
  @Mixin private StoreAccess access = new StoreAccess();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    Map<String, Lost> last = new LinkedHashMap<>();
    List<Lost> lost = RollbackLostCommand.read(api, access, id, keys);
    lost.forEach(write -> last.put(write.key(), write));
    PrintWriter out = spec.commandLine().getOut();
    if (last.isEmpty()) {
      out.println("rollback " + id + " discarded no write of keys like " + keys);
      return 0;
    }
    confirmation.require(
        "%,d keys will get the value that rollback %s discarded instead of the present one. Write them?"
            .formatted(last.size(), id),
        "write %,d keys".formatted(last.size()));
    try {
      access.use(store -> write(store, last));
    } catch (RolledBackException e) {
      spec.commandLine()
          .getErr()
          .println(
              "palinode: the store was rolled back to %s during the writes: read the keys to know what holds"
                  .formatted(PointInTime.format(e.rolledBack().target())));
      return 1;
    }
    out.println("%,d keys written".formatted(last.size()));
    return 0;
  }

  private static boolean write(Store store, Map<String, Lost> last) {
    for (Lost one : last.values()) {
      String value = one.after();
      if (value == null) {
        var unused = store.delete(one.key());
      } else {
        var unused = store.put(one.key(), value);
      }
    }
    return true;
  }
}
