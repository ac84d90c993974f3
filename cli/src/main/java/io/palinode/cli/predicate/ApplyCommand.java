package io.palinode.cli.predicate;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.orchestrator.rest.Views.PredicateView;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Refusal;
import java.io.IOException;
import java.nio.file.Path;
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
        "Apply the predicates of a file (YAML or XML). If one is refused, no predicate of the"
            + " file is applied. A predicate replaces one of the same name, as its next version. If it is equal to the one in force, nothing changes.",
    footer = {"", "Example:  palinode apply -f edge-mutex.yaml"})
public final class ApplyCommand implements Callable<Integer> {
  private static final String PREDICATES = "/api/v1/predicates";

  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "FILE",
      description = "The predicates. The command checks the file before it sends it.")
  private List<Path> files = List.of();

  @Mixin private ApiClient api = new ApiClient();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    for (Path file : files) {
      List<Predicate> predicates = Predicates.readAll(file, PredicateLimits.CEILING);
      List<PredicateView> before = List.of(api.get(PREDICATES, PredicateView[].class));
      JsonNode answer = api.put(PREDICATES, document(file, predicates));
      for (PredicateView applied : api.view(answer, PredicateView[].class)) {
        boolean isSame =
            before.stream()
                .anyMatch(p -> p.name().equals(applied.name()) && p.version() == applied.version());
        spec.commandLine()
            .getOut()
            .println(
                "predicate %s version %d %s"
                    .formatted(
                        applied.name(), applied.version(), isSame ? "unchanged" : "applied"));
      }
    }
    return 0;
  }

  /** One document in canonical YAML, for the file's name may decide the name of its predicate. */
  private static String document(Path file, List<Predicate> predicates) {
    String text = predicates.stream().map(Predicates::toYaml).collect(Collectors.joining("---\n"));
    if (text.length() > Predicates.DOCUMENT_BYTES_MAX) {
      throw new Refusal(
          "%s: the full form of its predicates must have at most %d characters: it has %d; split the file"
              .formatted(file, Predicates.DOCUMENT_BYTES_MAX, text.length()));
    }
    return text;
  }
}
