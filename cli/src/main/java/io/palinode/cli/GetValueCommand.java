package io.palinode.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Reads one value. */
@Command(
    name = "get-value",
    mixinStandardHelpOptions = true,
    description = "Read a value. Exit status 1 when the key is absent.",
    footer = {"", "Example:  palinode get-value cs_1_2_1"})
final class GetValueCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "KEY")
  private String key = "";

  @Mixin private StoreAccess access = new StoreAccess();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    @Nullable String value = access.use(store -> store.get(key));
    if (value == null) {
      spec.commandLine().getErr().println("palinode: no value for key '" + key + "'");
      return 1;
    }
    spec.commandLine().getOut().println(value);
    return 0;
  }
}
