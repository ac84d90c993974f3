package io.palinode.cli.explain;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.options.PredicateOptions;
import io.palinode.detection.DetectionLimits;
import io.palinode.detection.explain.Explanation;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.form.Predicates;
import io.palinode.terminal.Output;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Says what predicates mean and cost. */
@Command(
    name = "explain",
    mixinStandardHelpOptions = true,
    description = {
      "Explain the predicates of a file: their meaning, class, algorithm, cost, memory, watched"
          + " keys, and the effect of a violation. Needs no cluster."
    },
    footer = {
      "",
      "Sizes are those of one instance: a binding of the captures, such as a=1, b=2.",
      "",
      "Example:  palinode explain edge-mutex.yaml"
    })
public final class ExplainCommand implements Callable<Integer> {
  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "Predicates, as YAML or XML; YAML may hold several.")
  private List<Path> files = List.of();

  @Mixin private Output output = new Output();

  @Mixin private PredicateOptions limits = new PredicateOptions();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException {
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    StringBuilder text = new StringBuilder();
    for (Path file : files) {
      for (Predicate predicate : Predicates.readAll(file, limits.limits())) {
        Explanation explanation = Explanation.of(predicate);
        all.add(json(file, explanation));
        text.append(text.isEmpty() ? "" : "\n")
            .append(Layout.of("predicate " + predicate.name(), explanation.topics()));
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      out.println(all.toPrettyString());
    } else {
      out.print(text);
    }
    out.flush();
    return 0;
  }

  private static ObjectNode json(Path file, Explanation explanation) {
    Predicate predicate = explanation.predicate();
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("file", file.toString());
    json.put("predicate", predicate.name());
    json.put("class", word(explanation.narrowest()));
    json.put("type", word(predicate.type()));
    json.put("clauses", predicate.violation().size());
    json.put("terms", explanation.terms());
    json.put("retainedMax", DetectionLimits.DEFAULT.intervalsMax());
    predicate.captures().forEach(json.putArray("captures")::add);
    ArrayNode keys = json.putArray("keys");
    explanation
        .keys()
        .forEach(
            key -> keys.addObject().put("variable", key.template()).put("example", key.example()));
    ObjectNode topics = json.putObject("topics");
    explanation
        .topics()
        .forEach(topic -> topic.sentences().forEach(topics.putArray(topic.name())::add));
    return json;
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
