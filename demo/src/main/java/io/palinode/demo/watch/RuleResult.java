package io.palinode.demo.watch;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was reported by one replica rule, held against the clients' own log.
 *
 * @param grades the greatest first
 * @param phantoms reports by {@code any} of what {@code first} did not report and the log rules
 *     out; null unless both judged the run
 */
@JsonPropertyOrder({"replicas", "grades", "phantoms"})
public record RuleResult(String replicas, List<GradeResult> grades, @Nullable Long phantoms) {
  public RuleResult {
    grades = List.copyOf(grades);
  }

  /**
   * @param reports whose grade in the end is this one
   * @param precision share of these that the log does not rule out; null when there are none
   * @param recall share of the log's sure violations that were reported with this grade or a
   *     greater one, or discarded; null when there was none
   */
  @JsonPropertyOrder({"grade", "reports", "precision", "recall"})
  public record GradeResult(
      String grade, long reports, @Nullable Double precision, @Nullable Double recall) {}
}
