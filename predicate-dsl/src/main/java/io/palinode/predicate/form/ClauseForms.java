package io.palinode.predicate.form;

import static io.palinode.predicate.form.FormReader.at;
import static io.palinode.predicate.form.FormReader.required;

import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.LocalPredicate;
import io.palinode.predicate.Period;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.Term;
import io.palinode.predicate.template.Decimal;
import io.palinode.predicate.text.Place;
import io.palinode.predicate.text.Text;
import io.palinode.predicate.text.Word;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Clauses of forms, and forms of clauses. */
final class ClauseForms {
  static final String SAME_NODE = "same-node";

  private ClauseForms() {}

  /** The item, or what it is short for. */
  static Stream<PredicateForm.Item> clausesOf(PredicateForm.Item item) {
    if (!(item instanceof PredicateForm.AnyOf any)) {
      return Stream.of(item);
    }
    if (any.parts.isEmpty()) {
      throw item.place.refusal("any needs at least one term");
    }
    return any.parts.stream().map(part -> alone(part, any.heldFor));
  }

  private static PredicateForm.Item alone(PredicateForm.Part part, @Nullable Text heldFor) {
    PredicateForm.All all = new PredicateForm.All();
    all.heldFor = heldFor;
    all.place = part.place();
    all.parts.add(part);
    return all;
  }

  static Clause read(PredicateForm.Item form, PredicateLimits limits) {
    Clause clause = read(form);
    at(place(form), () -> limits.require(clause));
    return clause;
  }

  private static Clause read(PredicateForm.Item form) {
    Clause clause = ofMoment(form);
    Text heldFor = form.heldFor;
    if (heldFor == null) {
      return clause;
    }
    return at(
        heldFor.place(),
        () -> {
          Clause.requireMayLast(clause.rule());
          Duration time = Period.parse(heldFor.value());
          Clause.requireHeldFor(time);
          return new Clause(clause.rule(), clause.of(), time);
        });
  }

  private static Clause ofMoment(PredicateForm.Item form) {
    if (form instanceof PredicateForm.Sum sum) {
      return sum(sum);
    }
    if (form instanceof PredicateForm.ReplicasDiverged diverged) {
      return diverged(diverged);
    }
    if (form instanceof PredicateForm.Within within) {
      return within(within);
    }
    PredicateForm.Parts parts = (PredicateForm.Parts) form;
    List<LocalPredicate> of = parts.parts.stream().map(ClauseForms::localPredicate).toList();
    ClauseRule rule = parts instanceof PredicateForm.AtLeast some ? atLeast(some) : ClauseRule.ALL;
    return at(place(parts), () -> new Clause(rule, of));
  }

  private static Place place(PredicateForm.Item form) {
    if (form instanceof PredicateForm.AtLeast some) {
      Text named = some.distinct == null ? some.count : some.distinct;
      return named == null ? form.place : named.place();
    }
    return form.place;
  }

  private static LocalPredicate localPredicate(PredicateForm.Part part) {
    if (part instanceof PredicateForm.Group group) {
      Text on = required("group", "on", group.on, group.place);
      Word.requireOneOf("on", on, List.of(SAME_NODE), Set.of());
      requireTerms(group);
    }
    return new LocalPredicate(part.terms().stream().map(TermForms::read).toList());
  }

  private static void requireTerms(PredicateForm.Group group) {
    if (group.terms.size() < 2) {
      throw group.place.refusal(
          "a group must have at least two terms, one alone is on its node: terms="
              + group.terms.size());
    }
  }

  private static ClauseRule atLeast(PredicateForm.AtLeast form) {
    Text count = required("clause with atLeast", "count", form.count, form.place);
    int least = wholeNumber(count);
    Text distinct = form.distinct;
    return distinct == null
        ? new ClauseRule.AtLeast(least)
        : at(count.place(), () -> new ClauseRule.AtLeast(least, distinct.value().strip()));
  }

  private static Clause sum(PredicateForm.Sum form) {
    Map<ClauseRule.Relation, Text> given = form.relations;
    if (given.size() != 1) {
      throw form.place.refusal(
          "a sum must have exactly one of %s: %s"
              .formatted(
                  String.join(", ", ClauseRule.Relation.WORDS),
                  given.isEmpty()
                      ? "none"
                      : given.keySet().stream()
                          .map(relation -> "'" + relation.word() + "'")
                          .collect(Collectors.joining(", "))));
    }
    ClauseRule.Relation relation = given.keySet().iterator().next();
    Text limit = given.values().iterator().next();
    Decimal bound = at(limit.place(), () -> Decimal.parse(limit.value()));
    List<LocalPredicate> of =
        form.summands.stream().map(TermForms::read).map(LocalPredicate::of).toList();
    List<Decimal> times = form.summands.stream().map(ClauseForms::times).toList();
    ClauseRule.Sum.Members members = members(form);
    Place place = form.distinct == null ? form.place : form.distinct.place();
    return at(place, () -> new Clause(new ClauseRule.Sum(relation, bound, times, members), of));
  }

  private static ClauseRule.Sum.@Nullable Members members(PredicateForm.Sum form) {
    if (form.distinct == null && form.count == null) {
      return null;
    }
    Text distinct = required("sum with count", "distinct", form.distinct, form.place);
    Text count = required("sum with distinct", "count", form.count, form.place);
    int members = wholeNumber(count);
    return at(count.place(), () -> new ClauseRule.Sum.Members(members, distinct.value().strip()));
  }

  private static int wholeNumber(Text count) {
    try {
      return Integer.parseInt(count.value().strip());
    } catch (NumberFormatException e) {
      throw count.refusal("count must be a whole number: '" + count.value() + "'");
    }
  }

  private static Decimal times(PredicateForm.Summand form) {
    Text times = form.times;
    return times == null
        ? ClauseRule.Sum.ONCE
        : at(times.place(), () -> ClauseRule.Sum.requireTimes(Decimal.parse(times.value())));
  }

  private static Clause diverged(PredicateForm.ReplicasDiverged form) {
    Text longerThan =
        required("clause with replicasDiverged", "longerThan", form.longerThan, form.place);
    ClauseRule rule =
        at(
            longerThan.place(),
            () -> new ClauseRule.ReplicasDiverged(Period.parse(longerThan.value())));
    LocalPredicate variable = LocalPredicate.of(TermForms.read(form));
    return at(form.place, () -> new Clause(rule, List.of(variable)));
  }

  private static Clause within(PredicateForm.Within form) {
    Text time = required("clause with within", "time", form.time, form.place);
    ClauseRule rule = at(time.place(), () -> new ClauseRule.Within(Period.parse(time.value())));
    if (form.after == null || form.missing == null) {
      throw form.place.refusal("a clause with within needs 'after' and 'missing'");
    }
    List<LocalPredicate> of =
        form.variables().stream().map(TermForms::read).map(LocalPredicate::of).toList();
    return at(form.place, () -> new Clause(rule, of));
  }

  static PredicateForm.Item write(Clause clause) {
    PredicateForm.Item form = ofRule(clause);
    form.heldFor = clause.heldFor().isZero() ? null : new Text(Period.format(clause.heldFor()));
    return form;
  }

  private static PredicateForm.Item ofRule(Clause clause) {
    if (clause.rule() instanceof ClauseRule.Sum sum) {
      return write(sum, clause.terms());
    }
    if (clause.rule() instanceof ClauseRule.ReplicasDiverged diverged) {
      return write(diverged, clause.terms().get(0));
    }
    if (clause.rule() instanceof ClauseRule.Within within) {
      return write(within, clause.terms());
    }
    PredicateForm.Parts form = new PredicateForm.All();
    if (clause.rule() instanceof ClauseRule.AtLeast atLeast) {
      PredicateForm.AtLeast some = new PredicateForm.AtLeast();
      some.count = new Text(Integer.toString(atLeast.count()));
      some.distinct = atLeast.distinct() == null ? null : new Text(atLeast.distinct());
      form = some;
    }
    for (LocalPredicate local : clause.of()) {
      form.parts.add(write(local));
    }
    return form;
  }

  private static PredicateForm.Part write(LocalPredicate local) {
    List<PredicateForm.TermForm> terms = local.terms().stream().map(TermForms::write).toList();
    if (!local.isGroup()) {
      return terms.get(0);
    }
    PredicateForm.Group group = new PredicateForm.Group();
    group.on = new Text(SAME_NODE);
    group.terms = terms;
    return group;
  }

  private static PredicateForm.Sum write(ClauseRule.Sum sum, List<Term> variables) {
    PredicateForm.Sum form = new PredicateForm.Sum();
    form.relations.put(sum.relation(), new Text(sum.limit().toString()));
    if (sum.members() != null) {
      form.count = new Text(Integer.toString(sum.members().count()));
      form.distinct = new Text(sum.members().distinct());
    }
    form.summands = variables.stream().map(TermForms::writeSummand).toList();
    for (int i = 0; i < variables.size(); i++) {
      Decimal times = sum.timesOf(i);
      form.summands.get(i).times =
          times.equals(ClauseRule.Sum.ONCE) ? null : new Text(times.toString());
    }
    return form;
  }

  private static PredicateForm.Within write(ClauseRule.Within within, List<Term> terms) {
    PredicateForm.Within form = new PredicateForm.Within();
    form.time = new Text(Period.format(within.time()));
    form.after = TermForms.write(terms.get(0));
    form.missing = TermForms.write(terms.get(1));
    return form;
  }

  private static PredicateForm.ReplicasDiverged write(
      ClauseRule.ReplicasDiverged diverged, Term variable) {
    PredicateForm.ReplicasDiverged form = new PredicateForm.ReplicasDiverged();
    form.store = variable.store() == null ? null : new Text(variable.store());
    form.variable = new Text(variable.variable().toString());
    form.longerThan = new Text(Period.format(diverged.longerThan()));
    return form;
  }
}
