package io.palinode.cli.bench.stock;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.benchmarks.stock.WatchMode;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class OnlyOptionTest {
  @Command
  static final class WithOption {
    @Mixin private OnlyOption only = new OnlyOption();
  }

  private static List<WatchMode> modes(String... args) {
    WithOption command = new WithOption();
    new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(args);
    return command.only.modes();
  }

  @Test
  void theNamedModesFollowTheStockStore() {
    assertThat(modes("--only", "watched")).containsExactly(WatchMode.NONE, WatchMode.WATCHED);
    assertThat(modes("--only", "predicate,unwatched"))
        .containsExactly(WatchMode.NONE, WatchMode.UNWATCHED, WatchMode.PREDICATE);
  }

  @Test
  void allModesAreTheDefault() {
    assertThat(modes()).containsExactly(WatchMode.values());
  }
}
