package io.palinode.examples.graph.truth;

import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Rule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How well reports match the truth.
 *
 * <p>A report is <b>true</b> when it names two spans that may have met: the store did say so at
 * some time, as far as the clients' clocks show. A violation that surely happened is <b>found</b>
 * when each of its two spans is named by some report; detection promises to name every interval
 * that takes part in a violation, not every pair of them. One that is not found is <b>discarded</b>
 * if a rollback undid it together with the reported violation: its later span began after the
 * target, so it needed no judgement. Else it is <b>missed</b>.
 *
 * @param reported different reports
 * @param falseReports those that are not true
 * @param violations those that surely happened
 * @param missed those neither found nor discarded
 */
public record Accuracy(
    int reported,
    List<Detected> falseReports,
    int violations,
    int found,
    int takenBack,
    List<Violation> missed) {
  public Accuracy {
    falseReports = List.copyOf(falseReports);
    missed = List.copyOf(missed);
  }

  public static Accuracy compare(Rule rule, Collection<Detected> detected, Truth truth) {
    Set<Detected> reports = new HashSet<>(detected);
    Map<Edge, List<Violation>> possible = new HashMap<>();
    for (Violation violation : truth.possible(rule)) {
      possible.computeIfAbsent(violation.edge(), edge -> new ArrayList<>()).add(violation);
    }
    List<Detected> falseReports =
        reports.stream()
            .filter(r -> possible.getOrDefault(r.edge(), List.of()).stream().noneMatch(r::means))
            .toList();
    List<Violation> certain = truth.certain(rule);
    List<Violation> unnamed = certain.stream().filter(v -> !isFound(v, reports)).toList();
    List<Violation> missed = unnamed.stream().filter(v -> !v.isTakenBack()).toList();
    return new Accuracy(
        reports.size(),
        falseReports,
        certain.size(),
        certain.size() - unnamed.size(),
        unnamed.size() - missed.size(),
        missed);
  }

  /** The share of reports that are true; 1 when there are none. */
  public double precision() {
    return reported == 0 ? 1 : (double) (reported - falseReports.size()) / reported;
  }

  /** The share of violations that were found or discarded; 1 when there were none. */
  public double recall() {
    return violations == 0 ? 1 : (double) (violations - missed.size()) / violations;
  }

  private static boolean isFound(Violation violation, Set<Detected> reports) {
    boolean a = false;
    boolean b = false;
    for (Detected report : reports) {
      if (report.edge().equals(violation.edge())) {
        a |= violation.atA().isNamedBy(report.startAtA());
        b |= violation.atB().isNamedBy(report.startAtB());
      }
    }
    return a && b;
  }
}
