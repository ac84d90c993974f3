package io.palinode.predicate.form;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.Comparison;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.OnViolation.OnUnreachable;
import io.palinode.predicate.OnViolation.RollbackScope;
import io.palinode.predicate.OnViolation.RollbackTarget;
import io.palinode.predicate.Period;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateClass;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.ReplicaRule;
import io.palinode.predicate.Term;
import io.palinode.predicate.template.Template;
import io.palinode.predicate.text.Vocabulary;
import io.palinode.predicate.text.Word;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The JSON Schema of the YAML form. Which fields stand where is asked of the reader's vocabulary: a
 * word that it knows and this does not is a bug, and throws.
 *
 * <p>The reader takes scalars as the text that was written, whatever their YAML type; so where it
 * wants text, a number or a truth value is as good.
 */
final class JsonSchema {
  private static final List<String> TEXT = List.of("string", "number", "boolean");

  /** Of each field, whatever holds it; of one that means different things, also by its owner. */
  private final Map<String, Map<String, Object>> shapes = new LinkedHashMap<>();

  private JsonSchema() {
    settings();
    comparisons();
    violation();
    action();
    shapes.put("metadata", object(YamlReader.METADATA, "name"));
    shapes.put("spec", object(YamlReader.SPEC, "violation"));
    shapes.put("apiVersion", map("const", YamlReader.API_VERSION));
    shapes.put("kind", map("const", YamlReader.KIND));
  }

  static String document() {
    JsonSchema shapes = new JsonSchema();
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.put("title", "Palinode predicate");
    schema.putAll(shapes.object(YamlReader.DOCUMENT, "apiVersion", "kind", "metadata", "spec"));
    schema.put("$defs", shapes.definitions());
    StringWriter out = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
      // It goes through terminals and redirections, whose encoding is not ours.
      json.enable(JsonWriteFeature.ESCAPE_NON_ASCII.mappedFeature());
      json.useDefaultPrettyPrinter();
      write(json, schema);
    } catch (IOException e) {
      throw new UncheckedIOException("a string takes all that is written", e);
    }
    return out.append('\n').toString();
  }

  private void settings() {
    shapes.put("name", said("The predicate's name.", text(Predicate.NAME.pattern())));
    shapes.put(
        "labels",
        said(
            "For people; they change nothing.",
            entries(Predicate.LABEL.pattern(), Predicate.LABELS_MAX, text())));
    shapes.put("type", said("At least as wide as the violation.", words(PredicateClass.class)));
    shapes.put(
        "epsilon",
        said(
            "How far clocks may be apart: 10ms, 500us, 1s, 0 or inf. Left out: the cluster's.",
            map(
                "anyOf",
                List.of(
                    map("enum", List.of(0, "0", "inf")),
                    map("type", "string", "pattern", "^\\s*\\d{1,19}\\s*(us|µs|ms|s)\\s*$")))));
    shapes.put(
        "uncertainty", said("What is ordered, but closer than epsilon.", words(Uncertainty.class)));
    shapes.put("replicas", said("Which replicas' intervals count.", words(ReplicaRule.class)));
    shapes.put(
        "forEach",
        said(
            "Names for templates that declare the captures.",
            entries(Predicate.FOR_EACH.pattern(), Predicate.FOR_EACH_MAX, template())));
    shapes.put(
        "where",
        said(
            "Conditions between captures, such as {a} != {b}.",
            list(0, Predicate.WHERE_MAX, map("type", "string"))));
  }

  private void violation() {
    Map<String, Object> part = map("$ref", "#/$defs/part");
    shapes.put("on", map("const", ClauseForms.SAME_NODE));
    shapes.put(
        "a group.all",
        said(
            "These on one node.",
            list(2, PredicateLimits.DEFAULT.clauseTermsMax(), map("$ref", "#/$defs/term"))));
    shapes.put(
        "all",
        said(
            "A clause: these terms together.",
            list(1, PredicateLimits.DEFAULT.clauseTermsMax(), part)));
    shapes.put(
        "any",
        said(
            "A clause for each of the terms.",
            list(1, PredicateLimits.DEFAULT.clausesMax(), part)));
    shapes.put("count", said("How many of them.", map("anyOf", List.of(atLeastOne(), text()))));
    Map<String, Object> parts = list(1, PredicateLimits.DEFAULT.clauseTermsMax(), part);
    shapes.put("of", map("anyOf", List.of(parts, part)));
    shapes.put(
        "distinct",
        said("The capture of the one term; intervals that bind it differently count.", text()));
    shapes.put(
        "violation.atLeast",
        said("A clause: some of these together.", object(YamlReader.AT_LEAST, "count", "of")));
    for (String relation : ClauseRule.Relation.WORDS) {
      shapes.put("sum." + relation, map("type", List.of("number", "string")));
    }
    shapes.put(
        "times",
        said(
            "What the value is multiplied by, 1 if left out; -1 subtracts it.",
            map("type", List.of("number", "string"))));
    Map<String, Object> variable = map("anyOf", List.of(template(), map("$ref", "#/$defs/key")));
    shapes.put(
        "sum.of",
        said(
            "The variables; with distinct, the one.",
            map(
                "anyOf",
                List.of(
                    list(1, PredicateLimits.DEFAULT.clauseTermsMax(), variable),
                    map("$ref", "#/$defs/key")))));
    Map<String, Object> sum = object(YamlReader.SUM, "of");
    sum.put("oneOf", requiredOneOf(ClauseRule.Relation.WORDS));
    sum.put("dependentRequired", map("count", List.of("distinct"), "distinct", List.of("count")));
    shapes.put("sum", said("A clause: the sum of variables, each somewhere, together.", sum));
    within();
    shapes.put("longerThan", said("Copies that are on their way take less.", period()));
    shapes.put(
        "replicasDiverged",
        said(
            "The only clause: replicas of a key that disagree for longer than this.",
            object(YamlReader.REPLICAS_DIVERGED, "var", "longerThan")));
    shapes.put(
        YamlReader.FOR, said("How long all of it must hold; not of a sum or replicas.", period()));
    Map<String, Object> clause = object(YamlReader.CLAUSE);
    clause.put("oneOf", requiredOneOf(YamlReader.CLAUSES));
    shapes.put(
        "violation",
        said(
            "What must not happen: one true clause is a violation.",
            list(1, PredicateLimits.DEFAULT.clausesMax(), clause)));
  }

  private void within() {
    shapes.put("time", said("The time from one term to the other.", period()));
    shapes.put("after", said("The term that asks for an answer.", map("$ref", "#/$defs/term")));
    shapes.put("missing", said("The term that is the answer.", map("$ref", "#/$defs/term")));
    shapes.put(
        "within",
        said(
            "The only clause: a term, and not the other within a time after it.",
            object(YamlReader.WITHIN, "time", "after", "missing")));
  }

  /** What is named from several places. */
  private Map<String, Object> definitions() {
    Map<String, Object> group = object(YamlReader.GROUP, "on", "all");
    return map(
        "term",
        term(),
        "part",
        map("anyOf", List.of(map("$ref", "#/$defs/term"), group)),
        "key",
        object(YamlReader.SUMMAND, "var"));
  }

  /** One comparison, whatever it is. */
  private Map<String, Object> term() {
    Map<String, Object> term = object(YamlReader.TERM, "var");
    term.put("oneOf", requiredOneOf(Comparison.Kind.WORDS));
    return term;
  }

  private void comparisons() {
    shapes.put("store", said("The key's store. Left out: any.", text(Term.STORE.pattern())));
    shapes.put("var", said("The key, a template.", template()));
    for (Comparison.Kind kind : Comparison.Kind.values()) {
      shapes.put(kind.word(), said(kind.meaning(), operand(kind.operand())));
    }
  }

  private static Map<String, Object> operand(Comparison.Operand operand) {
    return switch (operand) {
      case TEMPLATE -> template();
      case TEMPLATES -> list(1, Comparison.In.VALUES_MAX, template());
      case DECIMAL -> map("type", List.of("number", "string"));
      case TEXT -> text();
      case TRUE -> map("const", true);
    };
  }

  private void action() {
    shapes.put("scope", said("What of it is undone.", words(RollbackScope.class)));
    shapes.put("to", map("enum", with("none", words(RollbackTarget.values()))));
    shapes.put(
        "rollback",
        said(
            "None, or where to.",
            map("oneOf", List.of(map("const", "none"), object(YamlReader.ROLLBACK)))));
    shapes.put("rollbackOn", said("The least grade that rolls back.", words(Grade.class)));
    shapes.put("alertOn", said("The least grade that alerts.", words(Grade.class)));
    Map<String, Object> alerts =
        list(
            0,
            OnViolation.ALERTS_MAX,
            map(
                "type",
                "string",
                "pattern",
                "^\\s*(console|none|"
                    + OnViolation.ALERT_TOPIC
                    + OnViolation.TOPIC
                    + "|("
                    + String.join("|", OnViolation.ALERT_FORMATS)
                    + "):https?://.+)\\s*$"));
    alerts.put("uniqueItems", true);
    shapes.put(
        "alert",
        said(
            "Where alerts go: console, kafka:TOPIC, or webhook, alertmanager, slack or cloudevents"
                + " with :URL.",
            alerts));
    shapes.put("over", map("anyOf", List.of(atLeastOne(), map("type", "string"))));
    shapes.put("per", period());
    shapes.put("then", map("const", "sequential"));
    shapes.put(
        "guards",
        said(
            "Further keys of an instance, such as those of its lock.",
            list(0, OnViolation.WhenFrequent.GUARDS_MAX, template())));
    shapes.put(
        "whenFrequent",
        said(
            "More than over rollbacks in per: clients use the keys they touched with R + W > N.",
            object(YamlReader.WHEN_FREQUENT, "over", "per", "then")));
    shapes.put("budget.atMost", map("anyOf", List.of(atLeastOne(), map("type", "string"))));
    shapes.put(
        "budget",
        said(
            "At most so many automatic rollbacks in a period; beyond, violations stand.",
            object(YamlReader.BUDGET, "atMost", "per")));
    shapes.put(
        "approval",
        said(
            "What opens a rollback: the violation, or an operator.",
            words(OnViolation.Approval.class)));
    shapes.put(
        "onUnreachable",
        said("What to do when a node cannot go back so far.", words(OnUnreachable.class)));
    shapes.put("onViolation", said("What a violation causes.", object(YamlReader.ACTION)));
  }

  private static Map<String, Object> period() {
    return map("type", "string", "pattern", "^\\s*" + Period.TEXT.pattern() + "\\s*$");
  }

  private static Map<String, Object> atLeastOne() {
    return map("type", "integer", "minimum", 1);
  }

  /** A mapping with the fields of {@code vocabulary}, and no others. */
  private Map<String, Object> object(Vocabulary vocabulary, String... required) {
    Map<String, Object> properties = new LinkedHashMap<>();
    for (String field : vocabulary.known()) {
      Map<String, Object> shape =
          shapes.getOrDefault(vocabulary.owner() + "." + field, shapes.get(field));
      if (shape == null) {
        throw new IllegalStateException("every known field must have a shape: " + field);
      }
      properties.put(field, shape);
    }
    Map<String, Object> object = map("type", "object", "properties", properties);
    object.put("additionalProperties", false);
    if (required.length > 0) {
      object.put("required", List.of(required));
    }
    return object;
  }

  private static List<Object> requiredOneOf(List<String> fields) {
    return new ArrayList<>(fields.stream().map(field -> map("required", List.of(field))).toList());
  }

  private static Map<String, Object> entries(String names, int max, Map<String, Object> values) {
    return map(
        "type",
        "object",
        "propertyNames",
        map("pattern", whole(names)),
        "maxProperties",
        max,
        "additionalProperties",
        values);
  }

  private static Map<String, Object> list(int min, int max, Map<String, Object> items) {
    return map("type", "array", "minItems", min, "maxItems", max, "items", items);
  }

  private static Map<String, Object> template() {
    return map("type", TEXT, "maxLength", Template.LENGTH_MAX);
  }

  private static Map<String, Object> text() {
    return map("type", TEXT);
  }

  private static Map<String, Object> text(String pattern) {
    return map("type", TEXT, "pattern", whole(pattern));
  }

  private static String whole(String pattern) {
    return "^" + pattern + "$";
  }

  private static Map<String, Object> words(Class<? extends Enum<?>> type) {
    return map("enum", words(type.getEnumConstants()));
  }

  private static List<String> words(Enum<?>[] constants) {
    return Arrays.stream(constants).map(Word::of).toList();
  }

  private static List<String> with(String word, List<String> words) {
    return Stream.concat(Stream.of(word), words.stream()).toList();
  }

  private static Map<String, Object> said(String description, Map<String, Object> shape) {
    shape.put("description", description);
    return shape;
  }

  private static Map<String, Object> map(Object... keysAndValues) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      map.put((String) keysAndValues[i], keysAndValues[i + 1]);
    }
    return map;
  }

  private static void write(JsonGenerator json, Object value) throws IOException {
    if (value instanceof Map<?, ?> map) {
      json.writeStartObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        json.writeFieldName((String) entry.getKey());
        write(json, entry.getValue());
      }
      json.writeEndObject();
    } else if (value instanceof List<?> list) {
      json.writeStartArray();
      for (Object item : list) {
        write(json, item);
      }
      json.writeEndArray();
    } else {
      json.writePOJO(value);
    }
  }
}
