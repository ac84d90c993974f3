package io.palinode.predicate.form;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.CaptureRule;
import io.palinode.predicate.Clause;
import io.palinode.predicate.Comparison;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.OnViolation.Approval;
import io.palinode.predicate.OnViolation.Budget;
import io.palinode.predicate.OnViolation.OnUnreachable;
import io.palinode.predicate.OnViolation.RollbackRules;
import io.palinode.predicate.OnViolation.RollbackScope;
import io.palinode.predicate.OnViolation.RollbackTarget;
import io.palinode.predicate.OnViolation.WhenFrequent;
import io.palinode.predicate.Period;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateClass;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.ReplicaRule;
import io.palinode.predicate.template.Condition;
import io.palinode.predicate.template.Template;
import io.palinode.predicate.text.Place;
import io.palinode.predicate.text.Text;
import io.palinode.predicate.text.Word;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes a predicate of a form: reads its words, applies the defaults, and gives every refusal the
 * place it is about.
 */
final class FormReader {
  private final PredicateForm form;

  private FormReader(PredicateForm form) {
    this.form = form;
  }

  /** {@code nameDefault} is used where the form has no name. */
  static Predicate read(PredicateForm form, String nameDefault, PredicateLimits limits) {
    return new FormReader(form).predicate(nameDefault, limits);
  }

  private Predicate predicate(String nameDefault, PredicateLimits limits) {
    Map<String, Template> forEach = entries("forEach", form.forEach, FormReader::forEach);
    List<Condition> where = form.where.stream().map(FormReader::condition).toList();
    List<PredicateForm.Item> clauseForms = clauseForms(form);
    List<Clause> clauses =
        clauseForms.stream().map(clause -> ClauseForms.read(clause, limits)).toList();
    requireCapturesAgree(forEach, where, clauses, clauseForms);
    requireClausesAndRollback(clauses, clauseForms);
    if (form.epsilon != null) {
      Epsilon epsilon = epsilon(form.epsilon);
      at(form.epsilon.place(), () -> Predicate.requireClocks(epsilon, clauses));
    }
    requireGuardsDeclared(forEach);
    Predicate predicate =
        at(
            form.place,
            () ->
                new Predicate(
                    name(nameDefault),
                    entries("label", form.labels, FormReader::label),
                    type(clauses),
                    form.epsilon == null ? null : epsilon(form.epsilon),
                    optional(
                        form.uncertainty,
                        text -> Word.read("uncertainty", text, Uncertainty.class),
                        Uncertainty.CONSERVATIVE),
                    replicas(clauses),
                    forEach,
                    where,
                    clauses,
                    optional(form.onViolation, FormReader::onViolation, OnViolation.DEFAULT)));
    at(form.place, () -> limits.require(predicate));
    return predicate;
  }

  private String name(String nameDefault) {
    Text name = form.name;
    Text element = form.nameElement;
    if (name != null && element != null) {
      throw element.refusal("a predicate must have one name: '" + name + "', '" + element + "'");
    }
    Text given = name != null ? name : element;
    if (given == null) {
      return nameDefault;
    }
    at(given.place(), () -> Predicate.requireName(given.value().strip()));
    return given.value().strip();
  }

  private PredicateClass type(List<Clause> clauses) {
    Text type = form.type;
    if (type == null) {
      return PredicateClass.narrowest(clauses);
    }
    PredicateClass declared = Word.read("type", type, PredicateClass.class);
    at(type.place(), () -> declared.requireFits(clauses));
    return declared;
  }

  /** The paper's rule where the paper's form is used, or where only that rule has a meaning. */
  private ReplicaRule replicas(List<Clause> clauses) {
    Text replicas = form.replicas;
    if (replicas == null) {
      boolean any =
          !form.conjClauses.isEmpty()
              || clauses.stream()
                  .anyMatch(
                      clause ->
                          clause.hasGroups()
                              || clause.isOfStates()
                              || clause.isWithin()
                              || clause.isOfReads()
                              || clause.shape().lasts());
      return any ? ReplicaRule.ANY : ReplicaRule.FIRST;
    }
    ReplicaRule declared = Word.read("replicas", replicas, ReplicaRule.class);
    at(replicas.place(), () -> Predicate.requireReplicas(declared, clauses));
    return declared;
  }

  private <T> Map<String, T> entries(
      String what, List<PredicateForm.Entry> entries, BiFunction<Text, Text, T> read) {
    Map<String, T> byName = new LinkedHashMap<>();
    for (PredicateForm.Entry entry : entries) {
      Text name = required(what, "name", entry.name, entry.place);
      Text value = required(what, "text", entry.value, entry.place);
      if (byName.put(name.value(), read.apply(name, value)) != null) {
        throw name.refusal("a " + what + " must not appear twice: '" + name + "'");
      }
    }
    return byName;
  }

  /** The clauses, with those of the paper's form and of {@code any} turned into {@code all}. */
  static List<PredicateForm.Item> clauseForms(PredicateForm form) {
    PredicateForm.Violation violation = form.violation;
    if (violation != null && !form.conjClauses.isEmpty()) {
      throw violation.place.refusal("a predicate must have conjClause or violation, not both");
    }
    if (violation != null) {
      return violation.items.stream().flatMap(ClauseForms::clausesOf).toList();
    }
    requireIdsDiffer(form);
    return form.conjClauses.stream().map(FormReader::ofPaper).toList();
  }

  private static void requireIdsDiffer(PredicateForm form) {
    Map<String, Text> ids = new LinkedHashMap<>();
    for (PredicateForm.ConjClause clause : form.conjClauses) {
      Text id = clause.id;
      if (id != null && ids.put(id.value().strip(), id) != null) {
        throw id.refusal("an id must not appear twice: '" + id.value().strip() + "'");
      }
    }
  }

  private static PredicateForm.Item ofPaper(PredicateForm.ConjClause paper) {
    PredicateForm.All all = new PredicateForm.All();
    all.place = paper.place;
    for (PredicateForm.Var var : paper.vars) {
      PredicateForm.TermForm term = new PredicateForm.TermForm();
      term.place = var.place;
      term.variable = required("var", "name", var.name, var.place);
      Text value = required("var", "value", var.value, var.place);
      term.comparisons.put(Comparison.Kind.EQUALS, List.of(value));
      all.parts.add(term);
    }
    return all;
  }

  private static Condition condition(Text text) {
    return at(text.place(), () -> Condition.parse(text.value()));
  }

  private void requireCapturesAgree(
      Map<String, Template> forEach,
      List<Condition> where,
      List<Clause> clauses,
      List<PredicateForm.Item> clauseForms) {
    CaptureRule.Breach breach = CaptureRule.firstBreach(forEach, where, clauses);
    if (breach != null) {
      throw place(breach.site(), forEach, clauseForms).refusal(breach.reason());
    }
  }

  private void requireClausesAndRollback(
      List<Clause> clauses, List<PredicateForm.Item> clauseForms) {
    for (int i = 0; i < clauses.size(); i++) {
      if (clauses.get(i).isOfStates() || clauses.get(i).isWithin()) {
        at(clauseForms.get(i).place, () -> Predicate.requireAlone(clauses));
      }
    }
    PredicateForm.Rollback rollback = form.onViolation == null ? null : form.onViolation.rollback;
    if (rollback != null) {
      at(rollback.place, () -> Predicate.requireRollback(rollback(rollback), clauses));
    }
  }

  private void requireGuardsDeclared(Map<String, Template> forEach) {
    PredicateForm.WhenFrequentForm frequent =
        form.onViolation == null ? null : form.onViolation.whenFrequent;
    if (frequent != null && frequent.guards != null) {
      for (Text text : frequent.guards) {
        at(text.place(), () -> CaptureRule.requireDeclared(List.of(guard(text)), forEach));
      }
    }
  }

  private Place place(
      CaptureRule.Site site, Map<String, Template> forEach, List<PredicateForm.Item> clauseForms) {
    if (site instanceof CaptureRule.InForEach in) {
      return form.forEach.get(List.copyOf(forEach.keySet()).indexOf(in.entry())).place;
    }
    if (site instanceof CaptureRule.InTerm in) {
      return clauseForms.get(in.clause()).variables().get(in.term()).place;
    }
    return form.where.get(((CaptureRule.InWhere) site).condition()).place();
  }

  private static OnViolation onViolation(PredicateForm.Action form) {
    OnViolation defaults = OnViolation.DEFAULT;
    List<Text> alerts = form.alerts;
    return at(
        form.place,
        () ->
            new OnViolation(
                form.rollback == null ? null : rollback(form.rollback),
                optional(
                    form.rollbackOn,
                    text -> Word.read("rollbackOn", text, Grade.class),
                    defaults.rollbackOn()),
                optional(
                    form.alertOn,
                    text -> Word.read("alertOn", text, Grade.class),
                    defaults.alertOn()),
                alerts == null ? defaults.alerts() : alerts(alerts),
                rollbacks(form)));
  }

  private static RollbackRules rollbacks(PredicateForm.Action form) {
    RollbackRules defaults = RollbackRules.DEFAULT;
    return new RollbackRules(
        form.whenFrequent == null ? null : whenFrequent(form.whenFrequent),
        optional(
            form.onUnreachable,
            text -> Word.read("onUnreachable", text, OnUnreachable.class),
            defaults.onUnreachable()),
        form.budget == null ? null : budget(form.budget),
        optional(
            form.approval,
            text -> Word.read("approval", text, Approval.class),
            defaults.approval()),
        scope(form.rollback));
  }

  private static List<String> alerts(List<Text> alerts) {
    if (alerts.size() == 1 && alerts.get(0).value().strip().equals("none")) {
      return List.of();
    }
    return alerts.stream()
        .map(text -> at(text.place(), () -> OnViolation.requireAlert(text.value().strip())))
        .toList();
  }

  private static @Nullable RollbackTarget rollback(PredicateForm.Rollback form) {
    Text to = form.to;
    if (to == null) {
      return RollbackTarget.BEFORE_VIOLATION;
    }
    return to.value().equals("none") ? null : Word.read("to", to, RollbackTarget.class);
  }

  private static RollbackScope scope(PredicateForm.@Nullable Rollback form) {
    Text scope = form == null ? null : form.scope;
    return scope == null ? RollbackScope.ALL : Word.read("scope", scope, RollbackScope.class);
  }

  private static WhenFrequent whenFrequent(PredicateForm.WhenFrequentForm form) {
    Text over = required("whenFrequent", "over", form.over, form.place);
    Text per = required("whenFrequent", "per", form.per, form.place);
    Text then = required("whenFrequent", "then", form.then, form.place);
    Word.requireOneOf("then", then, List.of("sequential"), Set.of());
    int count = at(over.place(), () -> count("over", over.value().strip()));
    List<Template> guards =
        form.guards == null ? List.of() : form.guards.stream().map(FormReader::guard).toList();
    return at(per.place(), () -> new WhenFrequent(count, Period.parse(per.value()), guards));
  }

  private static Template guard(Text text) {
    return at(text.place(), () -> Template.parse(text.value()));
  }

  private static Budget budget(PredicateForm.BudgetForm form) {
    Text atMost = required("budget", "atMost", form.atMost, form.place);
    Text per = required("budget", "per", form.per, form.place);
    int count = at(atMost.place(), () -> count("atMost", atMost.value().strip()));
    return at(form.place, () -> new Budget(count, Period.parse(per.value())));
  }

  private static int count(String what, String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(what + " must be a whole number: '" + text + "'", e);
    }
  }

  private static Template forEach(Text name, Text pattern) {
    at(name.place(), () -> Predicate.requireForEachName(name.value()));
    return at(pattern.place(), () -> Template.parse(pattern.value()));
  }

  private static String label(Text name, Text value) {
    at(name.place(), () -> Predicate.requireLabel(name.value(), value.value()));
    return value.value();
  }

  private static Epsilon epsilon(Text text) {
    Epsilon epsilon = at(text.place(), () -> Epsilon.parse(text.value().strip()));
    at(text.place(), () -> Predicate.requireEpsilon(epsilon));
    return epsilon;
  }

  static Text required(String owner, String field, @Nullable Text text, Place place) {
    if (text == null) {
      throw place.refusal("a " + owner + " needs '" + field + "'");
    }
    return text;
  }

  private static <F, T> T optional(@Nullable F field, Function<F, T> read, T absent) {
    return field == null ? absent : read.apply(field);
  }

  static void at(Place place, Runnable check) {
    at(
        place,
        () -> {
          check.run();
          return place;
        });
  }

  static <T> T at(Place place, Supplier<T> make) {
    return place.require(make);
  }
}
