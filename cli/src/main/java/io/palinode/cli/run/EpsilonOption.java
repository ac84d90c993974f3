package io.palinode.cli.run;

import io.palinode.cli.options.EpsilonText;
import io.palinode.hvc.Epsilon;
import picocli.CommandLine.Option;

/** The bound ε of a cluster; a picocli mixin. */
public final class EpsilonOption {
  @Option(
      names = "--epsilon",
      converter = EpsilonText.class,
      defaultValue = "10ms",
      paramLabel = "TIME",
      description = "Bound on the difference of the nodes' clocks (default: ${DEFAULT-VALUE}).")
  private Epsilon epsilon = Epsilon.INFINITE;

  public Epsilon value() {
    return epsilon;
  }
}
