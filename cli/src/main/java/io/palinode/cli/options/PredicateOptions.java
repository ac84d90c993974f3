package io.palinode.cli.options;

import io.palinode.predicate.PredicateLimits;
import io.palinode.terminal.Refusal;
import picocli.CommandLine.Option;

/** How large a predicate may be. */
public final class PredicateOptions {
  @Option(
      names = "--clauses-max",
      defaultValue = "10000",
      paramLabel = "N",
      description = "Clauses of a predicate (default: ${DEFAULT-VALUE}).")
  private int clausesMax;

  @Option(
      names = "--terms-max",
      defaultValue = "20000",
      paramLabel = "N",
      description = "Terms of a predicate (default: ${DEFAULT-VALUE}).")
  private int termsMax;

  @Option(
      names = "--clause-terms-max",
      defaultValue = "64",
      paramLabel = "N",
      description = "Terms of a clause (default: ${DEFAULT-VALUE}).")
  private int clauseTermsMax;

  @Option(
      names = "--combinations-max",
      defaultValue = "2016",
      paramLabel = "N",
      description = "Combinations that make an 'atLeast' true (default: ${DEFAULT-VALUE}).")
  private int combinationsMax;

  /** Throws {@link Refusal} for one that the language cannot hold. */
  public PredicateLimits limits() {
    PredicateLimits most = PredicateLimits.CEILING;
    require("--clauses-max", clausesMax, most.clausesMax());
    require("--terms-max", termsMax, most.termsMax());
    require("--clause-terms-max", clauseTermsMax, most.clauseTermsMax());
    require("--combinations-max", combinationsMax, most.combinationsMax());
    return new PredicateLimits(clausesMax, termsMax, clauseTermsMax, combinationsMax);
  }

  private static void require(String option, int value, int max) {
    if (value < 1 || value > max) {
      throw new Refusal("%s must be in [1, %d]: %d".formatted(option, max, value));
    }
  }
}
