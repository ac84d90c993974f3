package io.palinode.cli.predicate;

import io.palinode.predicate.form.Schemas;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints what editors need to complete and check predicates. */
@Command(
    name = "schema",
    mixinStandardHelpOptions = true,
    description =
        "Print a schema of predicates for editors: a JSON Schema (draft 2020-12) of the YAML"
            + " form, or with --xsd an XML Schema of the XML form.",
    footer = {
      "",
      "The JSON Schema has every field and word, the XML Schema every element and"
          + " attribute. Only 'palinode lint' and 'palinode apply' check rules about several"
          + " fields, such as captures.",
      "",
      "Example:  palinode schema predicate > predicate.schema.json",
      "A YAML file then begins with:",
      "  # yaml-language-server: $schema=predicate.schema.json"
    })
public final class SchemaCommand implements Callable<Integer> {
  /** What there are schemas of. */
  enum Document {
    PREDICATE
  }

  @Parameters(
      arity = "0..1",
      paramLabel = "WHAT",
      defaultValue = "predicate",
      description = "What to describe: predicate (the default).")
  private Document document = Document.PREDICATE;

  @Option(names = "--xsd", description = "Print the XML Schema.")
  private boolean xsd;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    out.print(
        switch (document) {
          case PREDICATE -> xsd ? Schemas.xsd() : Schemas.json();
        });
    out.flush();
    return 0;
  }
}
