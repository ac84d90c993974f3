package io.palinode.cli.run;

import io.palinode.cli.options.EpsilonText;
import io.palinode.hvc.Epsilon;
import io.palinode.terminal.Refusal;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.RunningEpsilons;
import io.palinode.wire.Topics;
import java.util.function.Consumer;
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

  /**
   * Throws {@link Refusal} with both values if a node that runs has another ε. Waits until the
   * reports of stopped nodes no longer count. If the control log cannot be read, continues and
   * reports that to {@code say}.
   *
   * @param except the node that asks; -1: no node does
   */
  void requireThatOfNodes(KafkaSettings kafka, int except, String wayOut, Consumer<String> say)
      throws InterruptedException {
    try {
      RunningEpsilons.require(kafka, Topics.DEFAULT, epsilon, except, wayOut, say);
    } catch (IllegalArgumentException e) {
      throw new Refusal(String.valueOf(e.getMessage()), e);
    }
  }
}
