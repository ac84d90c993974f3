package io.palinode.predicate.form;

import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.Comparison;
import io.palinode.predicate.text.Text;
import io.palinode.predicate.text.Vocabulary;
import io.palinode.predicate.text.Word;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** From the YAML form to {@link PredicateForm}: which fields stand where. */
final class YamlReader {
  static final String API_VERSION = "palinode.io/v1";
  static final String KIND = "Predicate";

  static final Vocabulary DOCUMENT =
      fields("the document", "apiVersion", "kind", "metadata", "spec");
  static final Vocabulary METADATA = fields("metadata", "name", "labels");
  static final Vocabulary SPEC =
      fields(
          "spec",
          "type",
          "epsilon",
          "uncertainty",
          "replicas",
          "forEach",
          "where",
          "violation",
          "onViolation");
  static final List<String> CLAUSES =
      List.of("all", "any", "atLeast", "sum", "within", "replicasDiverged");
  static final String FOR = "for";
  static final Vocabulary CLAUSE =
      new Vocabulary(
          "field",
          "violation",
          Stream.concat(CLAUSES.stream(), Stream.of(FOR)).toList(),
          Vocabulary.PLANNED_CLAUSES,
          Vocabulary.OTHER_CLAUSES);
  static final Vocabulary AT_LEAST = fields("atLeast", "count", "of", "distinct");
  static final Vocabulary SUM =
      new Vocabulary(
          "field",
          "sum",
          Stream.concat(Stream.of("of", "count", "distinct"), ClauseRule.Relation.WORDS.stream())
              .toList(),
          Set.of());
  static final Vocabulary SUMMAND = fields("a variable of a sum", "store", "var", "times");
  static final Vocabulary REPLICAS_DIVERGED =
      fields("replicasDiverged", "store", "var", "longerThan");
  static final Vocabulary WITHIN = fields("within", "time", "after", "missing");
  static final Vocabulary GROUP = fields("a group", "on", "all");
  static final Vocabulary TERM =
      new Vocabulary(
          "field",
          "a term",
          Stream.concat(Stream.of("store", "var"), Comparison.Kind.WORDS.stream()).toList(),
          Set.of(),
          Vocabulary.OTHER_COMPARISONS);
  static final Vocabulary ACTION =
      fields(
          "onViolation",
          "rollback",
          "rollbackOn",
          "alertOn",
          "alert",
          "whenFrequent",
          "onUnreachable",
          "budget",
          "approval");
  static final Vocabulary ROLLBACK = fields("rollback", "scope", "to");
  static final Vocabulary WHEN_FREQUENT = fields("whenFrequent", "over", "per", "then", "guards");
  static final Vocabulary BUDGET = fields("budget", "atMost", "per");

  /** Of all mappings with fields of the language. */
  static final List<Vocabulary> VOCABULARIES =
      List.of(
          DOCUMENT,
          METADATA,
          SPEC,
          CLAUSE,
          AT_LEAST,
          SUM,
          SUMMAND,
          REPLICAS_DIVERGED,
          WITHIN,
          GROUP,
          TERM,
          ACTION,
          ROLLBACK,
          WHEN_FREQUENT,
          BUDGET);

  private YamlReader() {}

  /** One form a document. */
  static List<PredicateForm> read(String text, String source) {
    return YamlTree.parse(text, source).stream().map(YamlReader::document).toList();
  }

  private static Vocabulary fields(String owner, String... known) {
    return new Vocabulary("field", owner, List.of(known), Set.of());
  }

  private static PredicateForm document(YamlNode node) {
    YamlNode.Mapping document = node.asMapping("a predicate").with(DOCUMENT);
    requireValue(document, "apiVersion", API_VERSION);
    requireValue(document, "kind", KIND);
    PredicateForm form = new PredicateForm();
    form.place = document.place();
    YamlNode.Mapping metadata =
        required(document, "metadata", document.mapping("metadata")).with(METADATA);
    form.name = required(metadata, "name", metadata.text("name"));
    form.labels = entries(metadata.mapping("labels"));
    fillSpec(form, required(document, "spec", document.mapping("spec")).with(SPEC));
    return form;
  }

  private static void requireValue(YamlNode.Mapping document, String field, String value) {
    Text found = required(document, field, document.text(field));
    Word.requireOneOf(field, found, List.of(value), Set.of());
  }

  private static void fillSpec(PredicateForm form, YamlNode.Mapping spec) {
    form.type = spec.text("type");
    form.epsilon = spec.text("epsilon");
    form.uncertainty = spec.text("uncertainty");
    form.replicas = spec.text("replicas");
    form.forEach = entries(spec.mapping("forEach"));
    List<Text> where = spec.texts("where");
    form.where = where == null ? List.of() : where;
    PredicateForm.Violation violation = new PredicateForm.Violation();
    for (YamlNode item : required(spec, "violation", spec.items("violation"))) {
      violation.items.add(item(item));
    }
    form.violation = violation;
    YamlNode.Mapping onViolation = spec.mapping("onViolation");
    form.onViolation = onViolation == null ? null : action(onViolation.with(ACTION));
  }

  private static List<PredicateForm.Entry> entries(YamlNode.@Nullable Mapping mapping) {
    List<PredicateForm.Entry> entries = new ArrayList<>();
    if (mapping != null) {
      for (YamlNode.Field field : mapping.fields().values()) {
        PredicateForm.Entry entry = new PredicateForm.Entry();
        entry.place = field.name().place();
        entry.name = field.name();
        entry.value = field.value().asText(field.name().value());
        entries.add(entry);
      }
    }
    return entries;
  }

  private static PredicateForm.Item item(YamlNode node) {
    YamlNode.Mapping mapping = node.asMapping("a clause").with(CLAUSE);
    List<String> kinds =
        mapping.fields().keySet().stream().filter(field -> !field.equals(FOR)).toList();
    if (kinds.size() != 1) {
      throw mapping
          .place()
          .refusal(
              "a clause must be one of %s: %s"
                  .formatted(
                      String.join(", ", CLAUSES),
                      kinds.isEmpty() ? "none" : "'" + String.join("', '", kinds) + "'"));
    }
    PredicateForm.Item item =
        switch (kinds.get(0)) {
          case "all" -> filled(new PredicateForm.All(), mapping.items("all"));
          case "any" -> filled(new PredicateForm.AnyOf(), mapping.items("any"));
          case "atLeast" -> atLeast(required(mapping, "atLeast", mapping.mapping("atLeast")));
          case "sum" -> sum(required(mapping, "sum", mapping.mapping("sum")));
          case "within" -> within(required(mapping, "within", mapping.mapping("within")));
          default ->
              replicasDiverged(
                  required(mapping, "replicasDiverged", mapping.mapping("replicasDiverged")));
        };
    item.place = mapping.place();
    item.heldFor = mapping.text(FOR);
    return item;
  }

  private static PredicateForm.Item filled(
      PredicateForm.Parts form, @Nullable List<YamlNode> parts) {
    for (YamlNode part : parts == null ? List.<YamlNode>of() : parts) {
      form.parts.add(part(part.asMapping("a term")));
    }
    return form;
  }

  private static PredicateForm.Item atLeast(YamlNode.Mapping mapping) {
    mapping.with(AT_LEAST);
    PredicateForm.AtLeast form = new PredicateForm.AtLeast();
    form.count = mapping.text("count");
    form.distinct = mapping.text("distinct");
    YamlNode of = required(mapping, "of", mapping.fields().get("of")).value();
    return filled(form, of instanceof YamlNode.Mapping term ? List.of(term) : of.asItems("of"));
  }

  private static PredicateForm.Item sum(YamlNode.Mapping mapping) {
    mapping.with(SUM);
    PredicateForm.Sum form = new PredicateForm.Sum();
    for (ClauseRule.Relation relation : ClauseRule.Relation.values()) {
      Text limit = mapping.text(relation.word());
      if (limit != null) {
        form.relations.put(relation, limit);
      }
    }
    form.count = mapping.text("count");
    form.distinct = mapping.text("distinct");
    YamlNode of = required(mapping, "of", mapping.fields().get("of")).value();
    for (YamlNode variable : of instanceof YamlNode.Mapping one ? List.of(one) : of.asItems("of")) {
      form.summands.add(summand(variable));
    }
    return form;
  }

  private static PredicateForm.Item replicasDiverged(YamlNode.Mapping mapping) {
    mapping.with(REPLICAS_DIVERGED);
    PredicateForm.ReplicasDiverged form = new PredicateForm.ReplicasDiverged();
    form.store = mapping.text("store");
    form.variable = mapping.text("var");
    form.longerThan = mapping.text("longerThan");
    return form;
  }

  private static PredicateForm.Item within(YamlNode.Mapping mapping) {
    mapping.with(WITHIN);
    PredicateForm.Within form = new PredicateForm.Within();
    form.time = mapping.text("time");
    form.after = term(required(mapping, "after", mapping.mapping("after")).with(TERM));
    form.missing = term(required(mapping, "missing", mapping.mapping("missing")).with(TERM));
    return form;
  }

  /** A text, or a mapping that has the store or a factor too. */
  private static PredicateForm.Summand summand(YamlNode node) {
    PredicateForm.Summand form = new PredicateForm.Summand();
    form.place = node.place();
    if (node instanceof YamlNode.Mapping mapping) {
      mapping.with(SUMMAND);
      form.store = mapping.text("store");
      form.times = mapping.text("times");
      form.variable = mapping.text("var");
    } else {
      form.variable = node.asText("a variable of a sum");
    }
    return form;
  }

  private static PredicateForm.Part part(YamlNode.Mapping mapping) {
    if (!mapping.fields().containsKey("on") && !mapping.fields().containsKey("all")) {
      return term(mapping.with(TERM));
    }
    mapping.with(GROUP);
    PredicateForm.Group group = new PredicateForm.Group();
    group.place = mapping.place();
    group.on = mapping.text("on");
    for (YamlNode term : required(mapping, "all", mapping.items("all"))) {
      group.terms.add(term(term.asMapping("a term").with(TERM)));
    }
    return group;
  }

  private static PredicateForm.TermForm term(YamlNode.Mapping mapping) {
    PredicateForm.TermForm term = new PredicateForm.TermForm();
    term.place = mapping.place();
    term.store = mapping.text("store");
    term.variable = mapping.text("var");
    for (Comparison.Kind kind : Comparison.Kind.values()) {
      List<Text> operands = operands(mapping, kind);
      if (operands != null) {
        term.comparisons.put(kind, operands);
      }
    }
    return term;
  }

  private static @Nullable List<Text> operands(YamlNode.Mapping mapping, Comparison.Kind kind) {
    if (kind.operand() == Comparison.Operand.TEMPLATES) {
      return mapping.texts(kind.word());
    }
    Text operand = mapping.text(kind.word());
    return operand == null ? null : List.of(operand);
  }

  private static PredicateForm.Action action(YamlNode.Mapping mapping) {
    PredicateForm.Action action = new PredicateForm.Action();
    action.place = mapping.place();
    action.rollback = rollback(mapping.fields().get("rollback"));
    action.rollbackOn = mapping.text("rollbackOn");
    action.alertOn = mapping.text("alertOn");
    action.alerts = mapping.texts("alert");
    YamlNode.Mapping whenFrequent = mapping.mapping("whenFrequent");
    action.whenFrequent =
        whenFrequent == null ? null : whenFrequent(whenFrequent.with(WHEN_FREQUENT));
    action.onUnreachable = mapping.text("onUnreachable");
    YamlNode.Mapping budget = mapping.mapping("budget");
    action.budget = budget == null ? null : budget(budget.with(BUDGET));
    action.approval = mapping.text("approval");
    return action;
  }

  /** {@code none} or a mapping. */
  private static PredicateForm.@Nullable Rollback rollback(YamlNode.@Nullable Field field) {
    if (field == null) {
      return null;
    }
    if (field.value() instanceof YamlNode.Scalar scalar && "none".equals(scalar.value())) {
      return null;
    }
    YamlNode.Mapping mapping = field.value().asMapping("rollback (or none)").with(ROLLBACK);
    PredicateForm.Rollback rollback = new PredicateForm.Rollback();
    rollback.place = mapping.place();
    rollback.scope = mapping.text("scope");
    rollback.to = mapping.text("to");
    return rollback;
  }

  private static PredicateForm.WhenFrequentForm whenFrequent(YamlNode.Mapping mapping) {
    PredicateForm.WhenFrequentForm form = new PredicateForm.WhenFrequentForm();
    form.place = mapping.place();
    form.over = mapping.text("over");
    form.per = mapping.text("per");
    form.then = mapping.text("then");
    form.guards = mapping.texts("guards");
    return form;
  }

  private static PredicateForm.BudgetForm budget(YamlNode.Mapping mapping) {
    PredicateForm.BudgetForm form = new PredicateForm.BudgetForm();
    form.place = mapping.place();
    form.atMost = mapping.text("atMost");
    form.per = mapping.text("per");
    return form;
  }

  private static <T> T required(YamlNode.Mapping owner, String field, @Nullable T value) {
    if (value == null) {
      throw owner.place().refusal("a required field is missing: '" + field + "'");
    }
    return value;
  }
}
