package io.palinode.predicate.form;

import io.palinode.predicate.OnViolation;
import io.palinode.predicate.OnViolation.Approval;
import io.palinode.predicate.OnViolation.Budget;
import io.palinode.predicate.OnViolation.OnUnreachable;
import io.palinode.predicate.OnViolation.RollbackRules;
import io.palinode.predicate.OnViolation.RollbackTarget;
import io.palinode.predicate.OnViolation.WhenFrequent;
import io.palinode.predicate.Period;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.text.Text;
import io.palinode.predicate.text.Word;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes the form of a predicate, with every field said: the inverse of {@link FormReader}. */
final class FormWriter {
  private FormWriter() {}

  static PredicateForm write(Predicate predicate) {
    PredicateForm form = new PredicateForm();
    form.name = new Text(predicate.name());
    form.labels = entries(predicate.labels());
    form.type = new Text(Word.of(predicate.type()));
    form.epsilon = predicate.epsilon() == null ? null : new Text(predicate.epsilon().toString());
    form.uncertainty = new Text(Word.of(predicate.uncertainty()));
    form.replicas = new Text(Word.of(predicate.replicas()));
    form.forEach = entries(predicate.forEach());
    predicate.where().forEach(condition -> form.where.add(new Text(condition.toString())));
    PredicateForm.Violation violation = new PredicateForm.Violation();
    predicate.violation().forEach(clause -> violation.items.add(ClauseForms.write(clause)));
    form.violation = violation;
    form.onViolation = action(predicate.onViolation());
    return form;
  }

  private static List<PredicateForm.Entry> entries(Map<String, ?> texts) {
    return texts.entrySet().stream()
        .map(
            named -> {
              PredicateForm.Entry entry = new PredicateForm.Entry();
              entry.name = new Text(named.getKey());
              entry.value = new Text(named.getValue().toString());
              return entry;
            })
        .collect(Collectors.toList());
  }

  private static PredicateForm.Action action(OnViolation action) {
    RollbackRules rollbacks = action.rollbacks();
    PredicateForm.Action form = new PredicateForm.Action();
    form.rollback = rollback(action);
    form.rollbackOn = new Text(Word.of(action.rollbackOn()));
    form.alertOn = new Text(Word.of(action.alertOn()));
    form.alerts =
        action.alerts().isEmpty()
            ? List.of(new Text("none"))
            : action.alerts().stream().map(Text::new).toList();
    form.whenFrequent = whenFrequent(rollbacks.whenFrequent());
    form.budget = budget(rollbacks.budget());
    form.approval =
        rollbacks.approval() == Approval.REQUIRED ? new Text(Word.of(rollbacks.approval())) : null;
    form.onUnreachable =
        rollbacks.onUnreachable() == OnUnreachable.HALT
            ? null
            : new Text(Word.of(rollbacks.onUnreachable()));
    return form;
  }

  private static PredicateForm.Rollback rollback(OnViolation action) {
    RollbackTarget target = action.rollbackTo();
    PredicateForm.Rollback form = new PredicateForm.Rollback();
    form.scope = target == null ? null : new Text(Word.of(action.rollbacks().scope()));
    form.to = new Text(target == null ? "none" : Word.of(target));
    return form;
  }

  private static PredicateForm.@Nullable BudgetForm budget(@Nullable Budget budget) {
    if (budget == null) {
      return null;
    }
    PredicateForm.BudgetForm form = new PredicateForm.BudgetForm();
    form.atMost = new Text(Integer.toString(budget.atMost()));
    form.per = new Text(Period.format(budget.per()));
    return form;
  }

  private static PredicateForm.@Nullable WhenFrequentForm whenFrequent(
      @Nullable WhenFrequent frequent) {
    if (frequent == null) {
      return null;
    }
    PredicateForm.WhenFrequentForm form = new PredicateForm.WhenFrequentForm();
    form.over = new Text(Integer.toString(frequent.over()));
    form.per = new Text(Period.format(frequent.per()));
    form.then = new Text("sequential");
    form.guards =
        frequent.guards().isEmpty()
            ? null
            : frequent.guards().stream().map(guard -> new Text(guard.toString())).toList();
    return form;
  }
}
