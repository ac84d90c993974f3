package io.palinode.cli.predicate;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.form.Predicates;
import io.palinode.terminal.ApiClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Compares predicates of files with those in force. */
@Command(
    name = "diff",
    mixinStandardHelpOptions = true,
    description =
        "Show what 'apply' would change, as a unified diff of the full YAML form. Exit status 0: no"
            + " change; 1: changes.",
    footer = {"", "Example:  palinode diff -f predicates/"})
public final class DiffCommand implements Callable<Integer> {
  private static final int CONTEXT_LINES = 3;

  @Mixin private PredicateFiles files = new PredicateFiles();
  @Mixin private ApiClient api = new ApiClient();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException {
    List<Predicate> wanted = files.read();
    InForce inForce = InForce.of(api);
    PrintWriter out = spec.commandLine().getOut();
    boolean differs = false;
    for (Predicate predicate : wanted) {
      if (!inForce.isSame(predicate)) {
        differs = true;
        diff(predicate, inForce).forEach(out::println);
      }
    }
    out.flush();
    return differs ? 1 : 0;
  }

  private static List<String> diff(Predicate predicate, InForce inForce) {
    String name = predicate.name();
    long version = inForce.version(name);
    List<String> before = inForce.yaml(name).lines().toList();
    List<String> after = Predicates.toYaml(predicate).lines().toList();
    return UnifiedDiffUtils.generateUnifiedDiff(
        version == 0 ? "/dev/null" : "%s version %d".formatted(name, version),
        "%s version %d".formatted(name, version + 1),
        before,
        DiffUtils.diff(before, after),
        CONTEXT_LINES);
  }
}
