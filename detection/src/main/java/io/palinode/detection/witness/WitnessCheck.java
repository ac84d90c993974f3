package io.palinode.detection.witness;

import io.palinode.detection.CandidateId;
import io.palinode.detection.ViolationId;
import io.palinode.detection.witness.PortableWitness.Finding;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Role;
import io.palinode.detection.witness.PortableWitness.Rules;
import io.palinode.detection.witness.PortableWitness.Subject;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Order;
import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.LocalPredicate;
import io.palinode.predicate.Period;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.ReplicaRule;
import io.palinode.predicate.Term;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Condition;
import io.palinode.predicate.text.PredicateException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Checks a witness from its own contents alone. It evaluates the predicate and the clocks again,
 * and shares no code with the search.
 */
public final class WitnessCheck {
  /** What must hold; in the order in which it is checked. */
  public enum Rule {
    /** Nothing was changed since it was written. */
    DIGEST,
    /** The text is a predicate of that name, with that clause, and with those rules. */
    PREDICATE,
    /**
     * The intervals are of terms that make the clause true, in order; a group's on one node. With
     * {@code distinct}: enough of the one term, each of another member.
     */
    TERMS,
    /**
     * Each interval's values make its term true, under the binding that is named. With {@code
     * lostUpdate}: the version supersedes each lost one, and none that was seen does. With a read:
     * the version that was seen before supersedes the one that was read.
     */
    VALUES,
    /** All clocks are of one cluster, and no interval ends before it starts. */
    CLOCKS,
    /** Each interval lasts for the time of {@code for}. */
    HELD_FOR,
    /**
     * The intervals are pairwise concurrent; with {@code for}, from that time after their starts
     * on.
     */
    CONCURRENT,
    /**
     * With {@code within}, {@code definite} without an answer, {@code possible} with one that may
     * be in time. Else the least of the pairs' grades; at most that, where an end may still change.
     */
    GRADE,
    /** The least own time of a start. */
    FIRST,
    /**
     * The greatest own time of a start; with {@code for}, that time later. With {@code within}, its
     * time and ε after the trigger.
     */
    VIOLATE,
    /** It names these intervals. */
    ID
  }

  /** A rule that does not hold, and why not. */
  public record Breach(Rule rule, String reason) {
    @Override
    public String toString() {
      return rule.name().toLowerCase(Locale.ROOT) + ": " + reason;
    }
  }

  private final PortableWitness witness;
  private final List<Breach> breaches = new ArrayList<>();

  /** Whether the rule checks the times itself: then the intervals need not be concurrent. */
  private boolean isTimed;

  /** For how long the clause must hold. */
  private Duration heldFor = Duration.ZERO;

  private WitnessCheck(PortableWitness witness) {
    this.witness = witness;
  }

  /** What does not hold; empty for a witness that is right. O(terms² · nodes). */
  public static List<Breach> check(PortableWitness witness) {
    WitnessCheck check = new WitnessCheck(witness);
    check.checkDigest();
    check.checkPredicate();
    check.checkIntervals();
    check.checkTimes();
    check.checkId();
    return List.copyOf(check.breaches);
  }

  private void checkDigest() {
    String digest = WitnessDigest.of(witness);
    require(
        Rule.DIGEST,
        digest.equals(witness.digest()),
        () -> "something was changed: digest=" + witness.digest() + ", its content has " + digest);
  }

  private void checkPredicate() {
    Subject subject = witness.subject();
    Predicate predicate;
    try {
      predicate = Predicates.parse(subject.yaml(), subject.predicate(), PredicateLimits.CEILING);
    } catch (PredicateException e) {
      fail(Rule.PREDICATE, "the text is no predicate: " + e.getMessage());
      return;
    }
    require(
        Rule.PREDICATE,
        predicate.name().equals(subject.predicate()),
        () -> "the text is of '" + predicate.name() + "', not '" + subject.predicate() + "'");
    checkRules(predicate);
    int clauses = predicate.violation().size();
    if (subject.clause() < 0 || subject.clause() >= clauses) {
      fail(Rule.PREDICATE, "it has " + clauses + " clauses, from 0: clause=" + subject.clause());
    } else {
      checkTerms(predicate, predicate.violation().get(subject.clause()));
    }
  }

  private void checkRules(Predicate predicate) {
    Rules rules = witness.rules();
    require(
        Rule.PREDICATE,
        predicate.epsilon() == null || predicate.epsilon().equals(rules.epsilon()),
        () -> "it says epsilon " + predicate.epsilon() + ": epsilon=" + rules.epsilon());
    require(
        Rule.PREDICATE,
        predicate.uncertainty() == rules.uncertainty(),
        () -> "it says uncertainty " + predicate.uncertainty() + ", not " + rules.uncertainty());
    require(
        Rule.PREDICATE,
        predicate.replicas() == rules.replicas(),
        () -> "it says replicas " + predicate.replicas() + ", not " + rules.replicas());
  }

  private void checkTerms(Predicate predicate, Clause clause) {
    heldFor = clause.heldFor();
    if (clause.rule() instanceof ClauseRule.ReplicasDiverged diverged) {
      isTimed = true;
      DivergenceCheck.check(witness, predicate, clause.terms().get(0), diverged, this::fail);
      return;
    }
    if (clause.rule() instanceof ClauseRule.Within within) {
      isTimed = true;
      if (WithinCheck.check(witness, within, this::fail)) {
        witness.intervals().forEach(interval -> checkValues(predicate, clause, interval));
      }
      return;
    }
    List<Term> terms = clause.terms();
    List<Integer> named = witness.intervals().stream().map(HeldInterval::term).toList();
    if (clause.shape().isDistinct()) {
      checkMembers(predicate, clause, named);
      return;
    }
    if (!named.equals(termsThatAreNeeded(clause, named))) {
      fail(
          Rule.TERMS,
          "the clause has the terms 0 to "
              + (terms.size() - 1)
              + (clause.rule() instanceof ClauseRule.AtLeast some
                  ? " and needs " + some.count()
                  : "")
              + ", the intervals "
              + named);
      return;
    }
    if (clause.isOfOperations()) {
      OperationCheck.check(witness, predicate, terms.get(0), this::fail);
      return;
    }
    checkGroups(clause);
    for (HeldInterval interval : witness.intervals()) {
      checkValues(predicate, clause, interval);
    }
    if (clause.rule() instanceof ClauseRule.Sum sum) {
      checkSum(sum);
    }
  }

  private void checkMembers(Predicate predicate, Clause clause, List<Integer> named) {
    List<String> members = witness.intervals().stream().map(HeldInterval::member).toList();
    int count = clause.shape().intervalsMax();
    if (!named.equals(Collections.nCopies(count, 0))
        || !members.equals(members.stream().distinct().sorted().toList())) {
      fail(
          Rule.TERMS,
          "it must have %d intervals of term 0, of different members in order: terms=%s members=%s"
              .formatted(count, named, members));
      return;
    }
    witness.intervals().forEach(interval -> checkValues(predicate, clause, interval));
    if (clause.rule() instanceof ClauseRule.Sum sum) {
      checkSum(sum);
    }
  }

  /** Those of the local predicates that some of {@code named} are of, if these are enough. */
  private static List<Integer> termsThatAreNeeded(Clause clause, List<Integer> named) {
    List<Integer> needed = new ArrayList<>();
    int first = 0;
    int chosen = 0;
    for (LocalPredicate local : clause.of()) {
      List<Integer> own = IntStream.range(first, first + local.terms().size()).boxed().toList();
      if (!(clause.rule() instanceof ClauseRule.AtLeast) || !Collections.disjoint(own, named)) {
        needed.addAll(own);
        chosen++;
      }
      first += own.size();
    }
    boolean enough = !(clause.rule() instanceof ClauseRule.AtLeast some) || chosen == some.count();
    return enough ? needed : List.of();
  }

  private void checkGroups(Clause clause) {
    int first = 0;
    for (LocalPredicate local : clause.of()) {
      int from = first;
      int to = first + local.terms().size();
      long nodes =
          witness.intervals().stream()
              .filter(interval -> interval.term() >= from && interval.term() < to)
              .map(interval -> interval.id().node())
              .distinct()
              .count();
      require(
          Rule.TERMS,
          nodes <= 1,
          () -> "the terms %d to %d must hold on one node".formatted(from, to - 1));
      first = to;
    }
  }

  /** Of the values that name the intervals. */
  private void checkSum(ClauseRule.Sum rule) {
    BigDecimal of = witness.sum(rule);
    require(
        Rule.VALUES,
        rule.holds(of),
        () -> "the sum must be %s %s: %s".formatted(rule.relation().word(), rule.limit(), of));
  }

  private void checkValues(Predicate predicate, Clause clause, HeldInterval interval) {
    Term term = clause.terms().get(interval.term());
    require(
        Rule.VALUES,
        !interval.values().isEmpty(),
        () -> "term " + interval.term() + " has no value that makes it true");
    for (HeldValue value : interval.values()) {
      boolean holds = value.role() == Role.HOLDS && term.isOfStore(value.store());
      Binding binding = holds ? term.bind(value.key(), value.value()) : null;
      if (binding == null) {
        fail(
            Rule.VALUES,
            "term %d is not true of %s='%s'"
                .formatted(interval.term(), value.key(), value.value()));
      } else {
        checkBinding(predicate, clause, interval, binding);
      }
    }
  }

  private void checkBinding(
      Predicate predicate, Clause clause, HeldInterval interval, Binding all) {
    Binding binding = clause.instance(all);
    String member = clause.member(all).toString();
    require(
        Rule.VALUES,
        binding.toString().equals(witness.subject().binding()),
        () ->
            "term %d binds '%s', not '%s'"
                .formatted(interval.term(), binding, witness.subject().binding()));
    require(
        Rule.VALUES,
        member.equals(interval.member()),
        () ->
            "term %d is of member '%s', not '%s'"
                .formatted(interval.term(), member, interval.member()));
    for (Condition condition : predicate.where()) {
      require(
          Rule.VALUES,
          condition.holds(binding),
          () -> "the binding '" + binding + "' breaks the condition " + condition);
    }
  }

  private void checkIntervals() {
    List<Interval> intervals = new ArrayList<>();
    for (HeldInterval held : witness.intervals()) {
      Interval interval = interval(held);
      if (interval != null) {
        intervals.add(interval);
      }
    }
    if (intervals.size() == witness.intervals().size() && !isTimed) {
      checkRelation(intervals);
    }
  }

  /** Null, and a breach, when the clocks make none. */
  private @Nullable Interval interval(HeldInterval held) {
    Hvc end = held.end();
    int nodes = witness.intervals().get(0).start().nodes();
    if (held.start().nodes() != nodes || (end != null && end.nodes() != nodes)) {
      fail(Rule.CLOCKS, "term " + held.term() + " has clocks of another size than " + nodes);
      return null;
    }
    if (held.start().owner() != held.id().node()) {
      fail(Rule.CLOCKS, "term " + held.term() + " starts at another node than its own");
      return null;
    }
    if (end != null
        && end.owner() != held.id().node()
        && witness.rules().replicas() == ReplicaRule.ANY) {
      fail(Rule.CLOCKS, "term " + held.term() + " ends at another node, but replicas=any");
      return null;
    }
    if (end != null && end.owner() == held.start().owner() && end.own() < held.start().own()) {
      fail(Rule.CLOCKS, "term " + held.term() + " ends before it starts");
      return null;
    }
    Hvc from = from(held.start());
    if (end != null && end.owner() == from.owner() && end.own() < from.own()) {
      fail(
          Rule.HELD_FOR,
          "term %d must hold for %s: it held from %s to %s"
              .formatted(
                  held.term(),
                  Period.format(heldFor),
                  Hlc.format(held.start().own()),
                  Hlc.format(end.own())));
      return null;
    }
    return new Interval(from, end);
  }

  /** From when on an interval counts that starts then. */
  private Hvc from(Hvc start) {
    return heldFor.isZero() ? start : causality().delayed(start, heldFor.toNanos() / 1_000);
  }

  private Causality causality() {
    return new Causality(witness.rules().epsilon(), witness.rules().uncertainty());
  }

  private void checkRelation(List<Interval> intervals) {
    Causality causality = causality();
    Grade greatest = Grade.DEFINITE;
    for (int i = 0; i < intervals.size(); i++) {
      for (int j = i + 1; j < intervals.size(); j++) {
        Order order = causality.order(intervals.get(i), intervals.get(j));
        if (order != Order.CONCURRENT) {
          fail(
              Rule.CONCURRENT,
              "term %d is %s term %d"
                  .formatted(term(i), order.name().toLowerCase(Locale.ROOT), term(j)));
        }
        greatest = greatest.least(causality.grade(intervals.get(i), intervals.get(j)));
      }
    }
    checkGrade(greatest, intervals);
  }

  private int term(int interval) {
    return witness.intervals().get(interval).term();
  }

  /** An end that is not known, or may still move back, only leaves an upper bound. */
  private void checkGrade(Grade byClocks, List<Interval> intervals) {
    boolean ended = intervals.stream().noneMatch(Interval::isOpen);
    boolean exact = ended && witness.rules().replicas() == ReplicaRule.ANY;
    Grade grade = witness.finding().grade();
    require(
        Rule.GRADE,
        exact ? grade == byClocks : byClocks.atLeast(grade),
        () ->
            "the clocks make it %s%s: grade=%s"
                .formatted(exact ? "" : "at most ", byClocks, grade)
                .toLowerCase(Locale.ROOT));
  }

  private void checkTimes() {
    if (isTimed) {
      return;
    }
    long first = Long.MAX_VALUE;
    long violate = 0;
    for (HeldInterval interval : witness.intervals()) {
      first = Math.min(first, interval.start().own());
      violate = Math.max(violate, from(interval.start()).own());
    }
    Finding finding = witness.finding();
    checkTime(Rule.FIRST, first, finding.first(), "least");
    checkTime(
        Rule.VIOLATE,
        violate,
        finding.violate(),
        heldFor.isZero() ? "greatest" : Period.format(heldFor) + " after the greatest");
  }

  private void checkTime(Rule rule, long byClocks, long reported, String which) {
    require(
        rule,
        byClocks == reported,
        () ->
            "the %s start is at %s, not %s"
                .formatted(which, Hlc.format(byClocks), Hlc.format(reported)));
  }

  private void checkId() {
    Subject subject = witness.subject();
    List<CandidateId> intervals = witness.intervals().stream().map(HeldInterval::id).toList();
    String id =
        ViolationId.of(
            subject.predicate(), subject.version(), subject.binding(), subject.clause(), intervals);
    require(
        Rule.ID,
        Objects.equals(id, witness.finding().id()),
        () -> "these intervals are named " + id + ", not " + witness.finding().id());
  }

  private void require(Rule rule, boolean holds, java.util.function.Supplier<String> reason) {
    if (!holds) {
      fail(rule, reason.get());
    }
  }

  private void fail(Rule rule, String reason) {
    breaches.add(new Breach(rule, reason));
  }
}
