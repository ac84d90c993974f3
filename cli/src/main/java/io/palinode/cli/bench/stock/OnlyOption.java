package io.palinode.cli.bench.stock;

import io.palinode.benchmarks.stock.WatchMode;
import io.palinode.terminal.Refusal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** What is compared with a stock store. A picocli mixin. */
final class OnlyOption {
  static final String NAME = "--only";

  @Option(
      names = NAME,
      split = ",",
      paramLabel = "MODE",
      description =
          "Compare the stock store with these alone: unwatched, watched, predicate (default: all).")
  private List<WatchMode> only = new ArrayList<>();

  /** The first is {@link WatchMode#NONE}. Throws {@link Refusal}. */
  List<WatchMode> modes() {
    if (only.contains(WatchMode.NONE)) {
      throw new Refusal("--only must be some of unwatched, watched, predicate: none");
    }
    Set<WatchMode> modes = only.isEmpty() ? EnumSet.allOf(WatchMode.class) : EnumSet.copyOf(only);
    modes.add(WatchMode.NONE);
    return List.copyOf(modes);
  }
}
