package io.palinode.demo.watch;

import io.palinode.demo.watch.RuleResult.GradeResult;
import io.palinode.examples.graph.Rule;
import io.palinode.examples.graph.truth.Accuracy;
import io.palinode.examples.graph.truth.Detected;
import io.palinode.examples.graph.truth.Truth;
import io.palinode.hvc.Grade;
import io.palinode.orchestrator.violations.Grades;
import io.palinode.predicate.ReplicaRule;
import io.palinode.wire.v1.Violation;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What was reported by one replica rule, held against what happened. */
public final class Reports {
  private final ReplicaRule rule;
  private final List<Report> all;
  private final Truth truth;

  private Reports(ReplicaRule rule, List<Report> all, Truth truth) {
    this.rule = rule;
    this.all = List.copyOf(all);
    this.truth = truth;
  }

  public static Reports of(
      ReplicaRule rule,
      Collection<Violation> violations,
      FirstAcceptances acceptances,
      Truth truth) {
    List<Report> all = violations.stream().map(v -> Report.of(v, acceptances)).toList();
    return new Reports(rule, all, truth);
  }

  /** Those of this grade or a greater one. */
  public Reports atLeast(Grade grade) {
    return new Reports(rule, all.stream().filter(r -> r.grade.atLeast(grade)).toList(), truth);
  }

  public ReplicaRule rule() {
    return rule;
  }

  public int count() {
    return all.size();
  }

  /** The share that the truth does not rule out; null when nothing was reported. */
  public @Nullable Double precision() {
    return precision(all);
  }

  /** The share of what surely happened that was reported; null when nothing happened. */
  public @Nullable Double recall() {
    Score score = Score.of(sections(), truth);
    return score.happened == 0 ? null : (double) (score.happened - score.missed) / score.happened;
  }

  /** How many violations surely happened. */
  public static long happened(Truth truth) {
    return Arrays.stream(Rule.values()).mapToLong(rule -> truth.certain(rule).size()).sum();
  }

  /** How many more there may have been. */
  public static long possible(Truth truth) {
    return Arrays.stream(Rule.values()).mapToLong(rule -> truth.possible(rule).size()).sum()
        - happened(truth);
  }

  /** Of sections that {@code first} did not report, and that the truth rules out. */
  public long phantomsBeside(Reports first) {
    Set<Sections> ruledOut = Score.of(sections(), truth).ruledOut;
    Set<Sections> real = first.sections();
    return all.stream()
        .filter(r -> ruledOut.contains(r.sections) && !real.contains(r.sections))
        .count();
  }

  public RuleResult result(@Nullable Long phantoms) {
    List<GradeResult> grades =
        Arrays.stream(Grade.values())
            .sorted(Comparator.comparingInt(Grade::rank).reversed())
            .map(this::result)
            .toList();
    return new RuleResult(rule.name().toLowerCase(Locale.ROOT), grades, phantoms);
  }

  private GradeResult result(Grade grade) {
    List<Report> ofGrade = all.stream().filter(r -> r.grade == grade).toList();
    return new GradeResult(
        grade.name().toLowerCase(Locale.ROOT),
        ofGrade.size(),
        precision(ofGrade),
        atLeast(grade).recall());
  }

  private @Nullable Double precision(List<Report> some) {
    Set<Sections> ruledOut = Score.of(sections(), truth).ruledOut;
    List<Report> comparable = some.stream().filter(r -> r.sections != null).toList();
    long wrong = comparable.stream().filter(r -> ruledOut.contains(r.sections)).count();
    return comparable.isEmpty() ? null : 1 - (double) wrong / comparable.size();
  }

  private Set<Sections> sections() {
    Set<Sections> sections = new HashSet<>();
    for (Report report : all) {
      if (report.sections != null) {
        sections.add(report.sections);
      }
    }
    return sections;
  }

  /** Over both rules of the application. */
  private record Score(int happened, int missed, Set<Sections> ruledOut) {
    static Score of(Set<Sections> reported, Truth truth) {
      int happened = 0;
      int missed = 0;
      Set<Sections> ruledOut = new HashSet<>();
      for (Rule rule : Rule.values()) {
        List<Detected> detected =
            reported.stream().filter(s -> s.broken() == rule).map(Sections::detected).toList();
        Accuracy accuracy = Accuracy.compare(rule, detected, truth);
        happened += accuracy.violations();
        missed += accuracy.missed().size();
        accuracy.falseReports().forEach(d -> ruledOut.add(new Sections(rule, d)));
      }
      return new Score(happened, missed, ruledOut);
    }
  }

  /**
   * @param sections null when the witnesses are not the two ends of an edge: a predicate of the
   *     user's own, that the clients' log says nothing of
   */
  private record Report(Grade grade, @Nullable Sections sections) {
    static Report of(Violation violation, FirstAcceptances acceptances) {
      return new Report(Grades.of(violation.getGrade()), Sections.of(violation, acceptances));
    }
  }
}
