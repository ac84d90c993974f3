package io.palinode.detection;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.predicate.Period;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Collectors;

/** Why replicas that disagree are a violation, in one sentence with its times. Pure. */
public final class DivergenceReason {
  private DivergenceReason() {}

  /**
   * {@code definite: the replicas on nodes 0 and 1 disagreed from … for longer than 5s, by clocks
   * that differ by at most 10ms}.
   *
   * @param nodes two or more
   * @param first the HLC since which they disagree
   * @param violate the HLC at which that was a violation by all clocks within ε
   */
  public static String of(Epsilon epsilon, List<Integer> nodes, long first, long violate) {
    long micros =
        Hlc.micros(violate) - Hlc.micros(first) - (epsilon.isInfinite() ? 0 : epsilon.micros());
    return "%s: the replicas on nodes %s disagreed from %s for longer than %s, %s"
        .formatted(
            epsilon.isInfinite() ? "possible" : "definite",
            words(nodes),
            PointInTime.format(first),
            Period.format(Duration.of(Math.max(0, micros), ChronoUnit.MICROS)),
            epsilon.isInfinite()
                ? "if clocks do not differ, which may be by any time"
                : "by clocks that differ by at most " + epsilon);
  }

  private static String words(List<Integer> nodes) {
    String all =
        nodes.subList(0, nodes.size() - 1).stream()
            .map(String::valueOf)
            .collect(Collectors.joining(", "));
    return all + " and " + nodes.get(nodes.size() - 1);
  }
}
