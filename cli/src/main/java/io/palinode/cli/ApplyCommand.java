package io.palinode.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.cli.terminal.ApiClient;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
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
        "Submit the predicates of a file (YAML or XML); a predicate of the same name is replaced by the next version.",
    footer = {"", "Example:  palinode apply -f edge-mutex.yaml"})
final class ApplyCommand implements Callable<Integer> {
  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "FILE",
      description = "The predicates; the file is checked before anything is sent.")
  private List<Path> files = List.of();

  @Mixin private ApiClient api = new ApiClient();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    for (Path file : files) {
      for (Predicate predicate : Predicates.readAll(file, PredicateLimits.CEILING)) {
        JsonNode applied =
            api.put(
                "/api/v1/predicates/" + ApiClient.segment(predicate.name()),
                Predicates.toYaml(predicate));
        spec.commandLine()
            .getOut()
            .println(
                "predicate "
                    + predicate.name()
                    + " version "
                    + applied.path("version").asText("?")
                    + " applied");
      }
    }
    return 0;
  }
}
