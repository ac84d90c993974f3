package io.palinode.cli.access;

import io.palinode.terminal.Context;
import io.palinode.terminal.Contexts;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Takes the cluster's addresses from the context in use, unless the environment names them. */
public final class ContextDefaults implements IDefaultValueProvider {
  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    if (!(argument instanceof OptionSpec option)) {
      return null;
    }
    return switch (option.longestName()) {
      case "--server" -> isSet("PALINODE_SERVER") ? null : Contexts.inUse().server();
      case "--bootstrap" -> isSet("PALINODE_BOOTSTRAP") ? null : bootstrap(option);
      default -> null;
    };
  }

  /** Kafka's brokers have an option of this name too. */
  private static @Nullable String bootstrap(OptionSpec option) {
    Context context = Contexts.inUse();
    List<String> nodes = context.bootstrap();
    return option.isMultiValue() && nodes != null ? String.join(",", nodes) : null;
  }

  private static boolean isSet(String variable) {
    String value = System.getenv(variable);
    return value != null && !value.isEmpty();
  }
}
