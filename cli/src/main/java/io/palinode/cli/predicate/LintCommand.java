package io.palinode.cli.predicate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.palinode.cli.options.PredicateOptions;
import io.palinode.predicate.lint.Lint;
import io.palinode.terminal.Output;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Checks files of predicates, for continuous integration. */
@Command(
    name = "lint",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Report parts of predicates that are valid but most likely mistakes. Needs no cluster.",
    footer = {
      "",
      "Each line is a finding: its place, name and predicate, the reason, and what to"
          + " write instead. Names:",
      "  only-siblings          two values of one key in a clause, with replicas: first",
      "  repeated-term          a term twice in one clause",
      "  repeated-clause        a clause twice in one predicate",
      "  implied-clause         a clause with all terms of a smaller clause",
      "  epsilon-zero           epsilon 0: clocks would have to agree to the microsecond",
      "  epsilon-large          epsilon is more than 1 s, and not inf",
      "  rollback-on-definite   such a rollback is mostly too late",
      "  rollback-on-uncertain  hand-overs within epsilon cause rollbacks",
      "  rollback-may-flap      a rollback without whenFrequent",
      "  diverged-soon          replicas that disagree for less than a second",
      "  ambiguous-key          a key of another predicate in the file also matches, with a",
      "                         separator inside a capture",
      "  watches-every-key      a variable without literal text",
      "",
      "Exit status: 0 no finding; 1 a finding; 2 a file is not readable or not valid.",
      "",
      "Example:  palinode lint --ignore rollback-may-flap predicates/*.yaml"
    })
public final class LintCommand implements Callable<Integer> {
  private static final int NOTHING_FOUND = 0;
  private static final int FOUND = 1;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "Predicates, as YAML or XML; YAML may hold several.")
  private List<Path> files = List.of();

  @Option(
      names = "--ignore",
      converter = CheckName.class,
      split = ",",
      paramLabel = "NAME",
      description = "Ignore findings with this name.")
  private List<Lint.Check> ignored = List.of();

  @Mixin private Output output = new Output();

  @Mixin private PredicateOptions limits = new PredicateOptions();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException {
    List<Lint.Finding> findings = new ArrayList<>();
    for (Path file : files) {
      findings.addAll(Lint.of(file, Set.copyOf(ignored), limits.limits()));
    }
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      out.println(json(findings).toPrettyString());
    } else {
      findings.forEach(finding -> out.println(line(finding)));
    }
    out.flush();
    return findings.isEmpty() ? NOTHING_FOUND : FOUND;
  }

  private static String line(Lint.Finding finding) {
    return "%s: %s: %s: %s; %s"
        .formatted(
            finding.place(),
            finding.check().word(),
            finding.predicate(),
            finding.sentence(),
            finding.wayOut());
  }

  private static ArrayNode json(List<Lint.Finding> findings) {
    ArrayNode json = JsonNodeFactory.instance.arrayNode();
    for (Lint.Finding finding : findings) {
      json.addObject()
          .put("name", finding.check().word())
          .put("predicate", finding.predicate())
          .put("place", finding.place())
          .put("sentence", finding.sentence())
          .put("wayOut", finding.wayOut());
    }
    return json;
  }

  /** The name of a finding as an option's value. */
  static final class CheckName implements ITypeConverter<Lint.Check> {
    @Override
    public Lint.Check convert(String name) {
      try {
        return Lint.Check.of(name);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
