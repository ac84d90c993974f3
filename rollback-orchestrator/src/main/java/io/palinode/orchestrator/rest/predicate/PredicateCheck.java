package io.palinode.orchestrator.rest.predicate;

import io.palinode.detection.explain.Explanation;
import io.palinode.orchestrator.policy.AbsentStores;
import io.palinode.orchestrator.policy.AppliedPredicate;
import io.palinode.orchestrator.policy.PredicateNeeds;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.lint.Lint;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a document would apply: the meaning of each predicate, and likely mistakes.
 *
 * @param findings in the order of the predicates
 */
public record PredicateCheck(List<Checked> predicates, List<LintFinding> findings) {
  /**
   * A predicate that may be applied.
   *
   * @param version in force; null: none is
   * @param unchanged whether it is the version in force
   * @param warnings why it would find nothing
   */
  public record Checked(
      String name,
      @Nullable Long version,
      boolean unchanged,
      List<String> warnings,
      List<TopicView> topics) {
    public Checked {
      warnings = List.copyOf(warnings);
    }
  }

  /** One part of the meaning, such as {@code cost}. */
  public record TopicView(String name, List<String> sentences) {}

  /**
   * A part that is valid but most likely a mistake.
   *
   * @param place {@code request:line:column}
   * @param wayOut what to write instead
   */
  public record LintFinding(
      String name, String predicate, String place, String sentence, String wayOut) {}

  /**
   * @param document the text of {@code predicates}, which may be applied
   * @param inForce returns the version of a name in force, or null
   * @param stores those of all nodes; empty: not known
   */
  public static PredicateCheck of(
      String document,
      String source,
      List<Predicate> predicates,
      Function<String, @Nullable AppliedPredicate> inForce,
      Set<String> stores) {
    return new PredicateCheck(
        predicates.stream().map(one -> checked(one, inForce.apply(one.name()), stores)).toList(),
        Lint.of(document, source, Set.of(), PredicateLimits.CEILING).stream()
            .map(
                found ->
                    new LintFinding(
                        found.check().word(),
                        found.predicate(),
                        found.place(),
                        found.sentence(),
                        found.wayOut()))
            .toList());
  }

  private static Checked checked(
      Predicate predicate, @Nullable AppliedPredicate inForce, Set<String> stores) {
    return new Checked(
        predicate.name(),
        inForce == null ? null : inForce.version(),
        inForce != null && inForce.yaml().equals(Predicates.toYaml(predicate)),
        Stream.ofNullable(AbsentStores.of(PredicateNeeds.of(predicate).stores(), stores))
            .map(AbsentStores::warning)
            .toList(),
        Explanation.of(predicate).topics().stream()
            .map(topic -> new TopicView(topic.name(), topic.sentences()))
            .toList());
  }
}
