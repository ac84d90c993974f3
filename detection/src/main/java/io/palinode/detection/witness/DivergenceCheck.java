package io.palinode.detection.witness;

import io.palinode.detection.witness.PortableWitness.Finding;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.WitnessCheck.Rule;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.Term;
import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Condition;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Whether replicas had diverged as a witness says. What each had since it came to it can be
 * checked; that none of the others was like it in between is taken on trust.
 */
final class DivergenceCheck {
  private final PortableWitness witness;
  private final BiConsumer<Rule, String> fail;

  private DivergenceCheck(PortableWitness witness, BiConsumer<Rule, String> fail) {
    this.witness = witness;
    this.fail = fail;
  }

  static void check(
      PortableWitness witness,
      Predicate predicate,
      Term variable,
      ClauseRule.ReplicasDiverged rule,
      BiConsumer<Rule, String> fail) {
    DivergenceCheck check = new DivergenceCheck(witness, fail);
    check.replicas();
    check.values(predicate, variable);
    check.times(rule);
  }

  private void replicas() {
    List<HeldInterval> held = witness.intervals();
    long nodes = held.stream().map(each -> each.id().node()).distinct().count();
    boolean open = held.stream().allMatch(each -> each.term() == 0 && each.end() == null);
    if (held.size() < 2 || nodes < held.size() || !open) {
      fail.accept(Rule.TERMS, "it must have what each of some nodes has, and two of them at least");
    }
    if (held.stream().map(DivergenceCheck::state).distinct().count() < 2) {
      fail.accept(Rule.TERMS, "all nodes have the same");
    }
  }

  /** Of a key that is absent there is no version. */
  private static Set<HeldValue> state(HeldInterval held) {
    Set<HeldValue> state = new HashSet<>(held.values());
    state.removeIf(value -> value.version().isEmpty());
    return state;
  }

  private void values(Predicate predicate, Term variable) {
    Set<String> keys = new HashSet<>();
    for (HeldInterval held : witness.intervals()) {
      for (HeldValue value : held.values()) {
        keys.add(value.store() + "/" + value.key());
        Binding binding =
            variable.isOfStore(value.store()) ? variable.variable().match(value.key()) : null;
        if (binding == null || !isWatched(predicate, binding)) {
          fail.accept(Rule.VALUES, "the key '" + value.key() + "' is not of this instance");
        }
      }
    }
    if (keys.size() != 1) {
      fail.accept(Rule.VALUES, "the replicas must be of one key: " + keys);
    }
  }

  private boolean isWatched(Predicate predicate, Binding binding) {
    return binding.toString().equals(witness.subject().binding())
        && predicate.where().stream().allMatch((Condition each) -> each.holds(binding));
  }

  private void times(ClauseRule.ReplicasDiverged rule) {
    Epsilon epsilon = witness.rules().epsilon();
    Finding finding = witness.finding();
    Grade grade = epsilon.isInfinite() ? Grade.POSSIBLE : Grade.DEFINITE;
    if (finding.grade() != grade) {
      fail.accept(Rule.GRADE, "with epsilon " + epsilon + " it is " + grade);
    }
    long micros =
        rule.longerThan().toMillis() * 1_000 + (epsilon.isInfinite() ? 0 : epsilon.micros());
    if (finding.violate() != finding.first() + Hlc.ofMicros(micros)) {
      fail.accept(Rule.VIOLATE, "it must be " + micros + " us after it began");
    }
    if (witness.intervals().stream().anyMatch(each -> each.start().own() > finding.violate())) {
      fail.accept(Rule.VIOLATE, "a node came to what it has only after that");
    }
    if (witness.intervals().stream().noneMatch(each -> each.start().own() <= finding.first())) {
      fail.accept(Rule.FIRST, "no node has had what it has since then");
    }
  }
}
