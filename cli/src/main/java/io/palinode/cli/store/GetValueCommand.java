package io.palinode.cli.store;

import io.palinode.cli.options.TimeText;
import io.palinode.hvc.PointInTime;
import io.palinode.voldemort.client.Store;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Reads one value. */
@Command(
    name = "get-value",
    mixinStandardHelpOptions = true,
    description = {
      "Read the present value of a key, or an earlier one. Exit status 1 if the key is absent.",
      "With --at, the value that the nodes had at that time, even if a rollback discarded it"
          + " later."
    },
    footer = {
      "",
      "Example:  palinode get-value cs_1_2_1",
      "          palinode get-value cs_1_2_1 --at -30s"
    })
public final class GetValueCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "KEY")
  private String key = "";

  @Option(
      names = "--at",
      paramLabel = "TIME",
      converter = TimeText.class,
      description = "The time of the value: " + TimeText.FORMS + ".")
  private @Nullable Long at;

  @Mixin private StoreAccess access = new StoreAccess();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    Found found = access.use(this::read);
    if (found.value() == null) {
      spec.commandLine()
          .getErr()
          .println(
              "palinode: no value for key '%s'%s"
                  .formatted(
                      key, found.at() == null ? "" : " at " + PointInTime.format(found.at())));
      return 1;
    }
    spec.commandLine().getOut().println(found.value());
    return 0;
  }

  private Found read(Store store) {
    if (at == null) {
      return new Found(null, store.get(key));
    }
    long then = StoreAccess.readable(store, at, spec.commandLine().getErr());
    return new Found(then, store.past().getAt(key, then));
  }

  /** A value and its HLC; null: now, or absent. */
  private record Found(@Nullable Long at, @Nullable String value) {}
}
