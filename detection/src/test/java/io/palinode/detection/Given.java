package io.palinode.detection;

import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Small cases by hand. Clocks are written {@code 100/50}: an entry a node, in microseconds. */
public final class Given {
  private Given() {}

  public static DetectionSpec spec(
      int nodes, String epsilon, Uncertainty uncertainty, Integer... terms) {
    return new DetectionSpec(
        nodes,
        Arrays.stream(terms).map(ClauseShape::all).toList(),
        new Causality(Epsilon.parse(epsilon), uncertainty),
        ReplicaRule.ANY);
  }

  public static DetectionSpec conservative(int nodes, String epsilon, Integer... terms) {
    return spec(nodes, epsilon, Uncertainty.CONSERVATIVE, terms);
  }

  public static DetectionSpec causal(int nodes, String epsilon, Integer... terms) {
    return spec(nodes, epsilon, Uncertainty.CAUSAL, terms);
  }

  public static DetectionSpec firstReplicas(DetectionSpec spec) {
    return new DetectionSpec(spec.nodes(), spec.clauses(), spec.causality(), ReplicaRule.FIRST);
  }

  public static Hvc hvc(int node, String entries) {
    return Hvc.of(
        node,
        Arrays.stream(entries.split("/"))
            .mapToLong(entry -> Hlc.ofMicros(Long.parseLong(entry)))
            .toArray());
  }

  /** Of clause 0. */
  public static Candidate candidate(
      int node, int term, long sequence, String start, @Nullable String end) {
    return candidate(node, 0, term, sequence, start, end, "", null);
  }

  public static Candidate version(
      int node,
      int term,
      long sequence,
      String start,
      @Nullable String end,
      String version,
      @Nullable Integer origin) {
    return candidate(node, 0, term, sequence, start, end, version, origin);
  }

  private static Candidate candidate(
      int node,
      int clause,
      int term,
      long sequence,
      String start,
      @Nullable String end,
      String version,
      @Nullable Integer origin) {
    return new Candidate(
        clause,
        term,
        new CandidateId(node, 1, sequence),
        new Interval(hvc(node, start), end == null ? null : hvc(node, end)),
        version,
        origin,
        new byte[] {7});
  }

  public static long at(long micros) {
    return Hlc.ofMicros(micros);
  }

  /** {@code node:sequence} of each candidate, in the order of terms. */
  public static List<String> names(List<Witness> witnesses) {
    return witnesses.stream().map(Given::name).toList();
  }

  public static String name(Witness witness) {
    return String.join(
        " ",
        witness.candidates().stream()
            .map(candidate -> candidate.id().node() + ":" + candidate.id().sequence())
            .toList());
  }
}
