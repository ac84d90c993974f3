package io.palinode.detection.file;

import io.palinode.detection.DetectionSpec;
import io.palinode.detection.GradeReason;
import io.palinode.detection.OperationReason;
import io.palinode.detection.Witness;
import io.palinode.detection.search.Budget;
import io.palinode.detection.trace.TraceDetector;
import io.palinode.detection.trace.TraceDetector.Bounds;
import io.palinode.detection.trace.TraceDetector.Extent;
import io.palinode.detection.trace.TraceDetector.Report;
import io.palinode.detection.trace.WithinTrace;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.Clause;
import io.palinode.predicate.ReplicaRule;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Judges a recorded trace of any length, in bounded memory. For one thread. */
public final class TraceJudge {
  private static final Epsilon EPSILON_DEFAULT = Epsilon.ofMicros(10_000);

  private final PredicateFile predicate;
  private final Rules rules;
  private final Limits limits;
  private final Progress progress;

  /**
   * How intervals are compared, and which violations are reported.
   *
   * @param epsilon null: the predicate's, else 10 ms
   * @param uncertainty null: the predicate's
   * @param replicas null: the predicate's
   */
  public record Rules(
      @Nullable Epsilon epsilon,
      @Nullable Uncertainty uncertainty,
      @Nullable ReplicaRule replicas,
      Report report) {
    private ReplicaRule replicasOf(PredicateFile file) {
      return replicas != null ? replicas : file.predicate().replicas();
    }

    private Causality causalityOf(PredicateFile file) {
      Epsilon own = file.predicate().epsilon();
      Epsilon bound = epsilon != null ? epsilon : own != null ? own : EPSILON_DEFAULT;
      return new Causality(
          bound, uncertainty != null ? uncertainty : file.predicate().uncertainty());
    }

    private DetectionSpec of(PredicateFile file, int nodes) {
      return new DetectionSpec(
          nodes,
          file.clauses().stream().map(Clause::shape).toList(),
          causalityOf(file),
          replicasOf(file));
    }
  }

  /** Receives what a run finds. */
  public interface Findings {
    /** The trace had no interval. */
    void empty();

    /**
     * @param meaning a sentence that explains the grade
     */
    void violation(String binding, Witness violation, String meaning);

    /** Not all of an instance was judged; at most {@code kept} of its intervals were kept. */
    void unjudged(String binding, Extent extent, int kept);
  }

  public TraceJudge(PredicateFile predicate, Rules rules, Limits limits, Progress progress) {
    this.predicate = predicate;
    this.rules = rules;
    this.limits = limits;
    this.progress = progress;
  }

  /**
   * Returns whether all was judged; {@code source} names the trace in errors. Throws {@link
   * BadTraceException} for the first line that is refused.
   */
  public boolean judge(String source, InputStream bytes, Findings to) throws IOException {
    TraceReader reader = new TraceReader(source, predicate, rules.causalityOf(predicate));
    try (Scratch scratch = new Scratch(limits.folder())) {
      TraceSort.Joined joined =
          new TraceSort.Joined(
              rules.replicasOf(predicate),
              predicate.clauses().stream().anyMatch(clause -> clause.shape().lasts()));
      TraceSort sort = new TraceSort(reader, joined, limits, scratch, progress);
      reader.read(bytes, sort);
      if (reader.nodes() == 0) {
        to.empty();
        return true;
      }
      return judge(sort, rules.of(predicate, reader.nodes()), reader.last(), to);
    }
  }

  private boolean judge(TraceSort sort, DetectionSpec detection, long until, Findings to)
      throws IOException {
    Instances instances = sort.instances(detection);
    boolean whole = true;
    Earliest earliest = new Earliest();
    int kept = limits.retained(detection.nodes());
    Bounds bounds = new Bounds(kept, Budget.ofTrace(limits.searchStepsMax(), sort::searching));
    for (Instances.Instance next = instances.next(); next != null; next = instances.next()) {
      String binding = next.binding();
      Consumer<Witness> found =
          violation -> {
            if (rules.report() == Report.FIRST) {
              earliest.offer(binding, violation);
            } else {
              to.violation(binding, violation, meaning(detection, violation));
            }
          };
      Extent extent =
          detection.isWithin()
              ? WithinTrace.detect(detection, next.trace(), until, kept, found, sort::judged)
              : TraceDetector.detect(
                  detection, next.trace(), rules.report(), bounds, found, sort::judged);
      if (!extent.isWhole()) {
        whole = false;
        to.unjudged(binding, extent, kept);
      }
    }
    if (earliest.violation != null) {
      to.violation(earliest.binding, earliest.violation, meaning(detection, earliest.violation));
    }
    return whole;
  }

  private String meaning(DetectionSpec detection, Witness violation) {
    Clause clause = predicate.clauses().get(violation.clause());
    OperationReason operation = OperationReason.of(clause.terms().get(0));
    return operation == null
        ? GradeReason.of(detection, violation)
        : operation.ofTrace(violation.candidates().get(0).interval());
  }

  /** Of the first violations of all instances, the first one. */
  private static final class Earliest {
    private String binding = "";
    private @Nullable Witness violation;

    void offer(String ofBinding, Witness offered) {
      if (violation == null || offered.violate() < violation.violate()) {
        binding = ofBinding;
        violation = offered;
      }
    }
  }
}
