package io.palinode.predicate.form;

import static io.palinode.predicate.form.FormReader.at;
import static io.palinode.predicate.form.FormReader.required;

import io.palinode.predicate.Comparison;
import io.palinode.predicate.Comparison.AnyState;
import io.palinode.predicate.Comparison.IsNumber;
import io.palinode.predicate.Term;
import io.palinode.predicate.form.PredicateForm.TermForm;
import io.palinode.predicate.template.Template;
import io.palinode.predicate.text.Place;
import io.palinode.predicate.text.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Terms of forms, and forms of terms. */
final class TermForms {
  private TermForms() {}

  public static Term read(TermForm form) {
    Text variable = required("term", "var", form.variable, form.place);
    Template key = template(variable);
    at(variable.place(), () -> Term.requireVariable(key));
    Comparison comparison = comparison(form);
    String store = store(form.store);
    return at(place(form), () -> new Term(store, key, comparison));
  }

  static TermForm write(Term term) {
    TermForm form = new TermForm();
    form.store = term.store() == null ? null : new Text(term.store());
    form.variable = new Text(term.variable().toString());
    Comparison comparison = term.comparison();
    form.comparisons.put(
        Comparison.Kind.of(comparison.word()),
        comparison.operands().stream().map(Text::new).toList());
    return form;
  }

  /** A variable of a sum. */
  public static Term read(PredicateForm.Summand form) {
    Text variable = required("sum", "variable", form.variable, form.place);
    Template key = template(variable);
    String store = store(form.store);
    return at(variable.place(), () -> new Term(store, key, new IsNumber()));
  }

  /** The variable whose replicas are compared. */
  public static Term read(PredicateForm.ReplicasDiverged form) {
    Text variable = required("replicasDiverged", "var", form.variable, form.place);
    Template key = template(variable);
    String store = store(form.store);
    return at(variable.place(), () -> new Term(store, key, new AnyState()));
  }

  static PredicateForm.Summand writeSummand(Term term) {
    PredicateForm.Summand form = new PredicateForm.Summand();
    form.store = term.store() == null ? null : new Text(term.store());
    form.variable = new Text(term.variable().toString());
    return form;
  }

  private static @Nullable String store(@Nullable Text store) {
    if (store != null) {
      at(store.place(), () -> Term.requireStore(store.value()));
    }
    return store == null ? null : store.value();
  }

  private static Comparison comparison(TermForm form) {
    List<Comparison.Kind> kinds = List.copyOf(form.comparisons.keySet());
    if (kinds.isEmpty()) {
      throw form.place.refusal("a term needs one of " + String.join(", ", Comparison.Kind.WORDS));
    }
    if (kinds.size() > 1) {
      throw form.place.refusal(
          "a term must have exactly one comparison: '%s', '%s'"
              .formatted(kinds.get(0).word(), kinds.get(1).word()));
    }
    List<Text> operands = form.comparisons.values().iterator().next();
    return at(place(form), () -> kinds.get(0).read(operands));
  }

  /** Of the first operand of the one comparison. */
  private static Place place(TermForm form) {
    List<Text> operands = form.comparisons.values().iterator().next();
    return operands.isEmpty() ? form.place : operands.get(0).place();
  }

  static Template template(Text text) {
    return text.read(Template::parse);
  }
}
