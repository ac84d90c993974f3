package io.palinode.cli.predicate;

import io.palinode.terminal.ApiClient;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Withdraws predicates. */
@Command(
    name = "delete",
    mixinStandardHelpOptions = true,
    description = "Delete predicates: the cluster stops watching them.",
    footer = {"", "Example:  palinode delete edge-mutex"})
public final class DeleteCommand implements Callable<Integer> {
  @Parameters(
      arity = "1..*",
      paramLabel = "NAME",
      description = "Names of predicates, as 'palinode get predicates' shows them.")
  private List<String> names = List.of();

  @Mixin private ApiClient api = new ApiClient();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    for (String name : names) {
      api.delete("/api/v1/predicates/" + ApiClient.segment(name));
      spec.commandLine().getOut().println("predicate " + name + " deleted");
    }
    return 0;
  }
}
