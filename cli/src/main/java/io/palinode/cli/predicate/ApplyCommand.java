package io.palinode.cli.predicate;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.orchestrator.rest.predicate.PredicateCheck;
import io.palinode.orchestrator.rest.predicate.PredicateView;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.form.Predicates;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Refusal;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Submits predicates. */
@Command(
    name = "apply",
    mixinStandardHelpOptions = true,
    description =
        "Apply the predicates of files (YAML or XML). If one is refused, none is applied. A"
            + " predicate replaces one of the same name, as its next version. If it is equal to the"
            + " one in force, nothing changes.",
    footer = {
      "",
      "Examples:",
      "  palinode apply -f edge-mutex.yaml",
      "  palinode apply -f predicates/ --dry-run"
    })
public final class ApplyCommand implements Callable<Integer> {
  @Mixin private PredicateFiles files = new PredicateFiles();

  @Option(
      names = "--dry-run",
      description = "Change nothing; print what would change. What apply refuses is refused.")
  private boolean dryRun;

  @Mixin private ApiClient api = new ApiClient();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    List<Predicate> predicates = files.read();
    if (dryRun) {
      check(predicates);
      return 0;
    }
    InForce before = InForce.of(api);
    JsonNode answer = api.put(InForce.PATH, document(predicates));
    for (PredicateView applied : api.view(answer, PredicateView[].class)) {
      boolean isSame = before.version(applied.name()) == applied.version();
      print(applied.name(), applied.version(), isSame ? "unchanged" : "applied");
      warn(applied.name(), applied.warnings());
    }
    return 0;
  }

  private void check(List<Predicate> predicates) throws IOException {
    PredicateCheck all =
        api.post(InForce.PATH + "/check", document(predicates), PredicateCheck.class);
    for (PredicateCheck.Checked one : all.predicates()) {
      Long inForce = one.version();
      long version = (inForce == null ? 0 : inForce) + (one.unchanged() ? 0 : 1);
      print(one.name(), version, one.unchanged() ? "unchanged" : "would be applied");
      warn(one.name(), one.warnings());
    }
  }

  private void warn(String name, List<String> warnings) {
    warnings.forEach(
        warning ->
            spec.commandLine()
                .getErr()
                .println("palinode: warning: predicate '%s': %s".formatted(name, warning)));
  }

  private void print(String name, long version, String outcome) {
    spec.commandLine()
        .getOut()
        .println("predicate %s version %d %s".formatted(name, version, outcome));
  }

  /** One document in canonical YAML, for the file's name may decide the name of its predicate. */
  private String document(List<Predicate> predicates) {
    String text = predicates.stream().map(Predicates::toYaml).collect(Collectors.joining("---\n"));
    if (text.length() > Predicates.DOCUMENT_BYTES_MAX) {
      throw new Refusal(
          "%s: the full form of its predicates must have at most %d characters: it has %d; split the files"
              .formatted(files, Predicates.DOCUMENT_BYTES_MAX, text.length()));
    }
    return text;
  }
}
