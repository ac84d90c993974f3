package io.palinode.predicate.form;

import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.text.Place;
import java.util.List;

/**
 * A predicate, and where its parts were written.
 *
 * @param clauses as many as the predicate has, with as many terms each
 */
public record Written(Predicate predicate, PredicateForm form, List<PredicateForm.Item> clauses) {
  static Written read(PredicateForm form, String nameDefault, PredicateLimits limits) {
    return new Written(
        FormReader.read(form, nameDefault, limits), form, FormReader.clauseForms(form));
  }

  public Place clause(int clause) {
    return clauses.get(clause).place;
  }

  public Place term(int clause, int term) {
    return clauses.get(clause).variables().get(term).place;
  }

  public Place epsilon() {
    return form.epsilon == null ? form.place : form.epsilon.place();
  }

  public Place rollbackOn() {
    PredicateForm.Action action = form.onViolation;
    return action == null || action.rollbackOn == null ? form.place : action.rollbackOn.place();
  }

  public Place rollback() {
    PredicateForm.Action action = form.onViolation;
    return action == null || action.rollback == null ? form.place : action.rollback.place;
  }
}
