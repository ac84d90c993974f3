package io.palinode.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Grade;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The coverage of reports. For each grade g and each interval in a witness of at least g, a report
 * of at least g names the interval and begins no later than any of these witnesses.
 */
final class Covering {
  private Covering() {}

  /** For all witnesses; {@code reports} are some of them, with the grades that they have. */
  static void check(Collection<Witness> witnesses, Collection<Witness> reports) {
    for (Grade grade : Grade.values()) {
      assertThat(earliest(reports, grade))
          .as("the earliest violations of grade %s", grade)
          .isEqualTo(earliest(witnesses, grade));
    }
  }

  /**
   * For those of {@code witnesses} that are at least possible and begin at or before {@code hlc}.
   */
  static void checkJudged(long hlc, Collection<Witness> witnesses, Collection<Witness> reports) {
    for (Grade grade : List.of(Grade.UNCERTAIN, Grade.POSSIBLE)) {
      Map<CandidateId, Long> reported = earliest(reports, grade);
      earliest(witnesses, grade)
          .forEach(
              (id, violate) -> {
                if (violate <= hlc) {
                  assertThat(reported)
                      .as("judged(%d), grade %s", hlc, grade)
                      .containsEntry(id, violate);
                }
              });
    }
  }

  /** Of each interval, the least violation that it takes part in. */
  private static Map<CandidateId, Long> earliest(Collection<Witness> witnesses, Grade grade) {
    Map<CandidateId, Long> earliest = new HashMap<>();
    for (Witness witness : witnesses) {
      if (witness.grade().atLeast(grade)) {
        for (Candidate candidate : witness.candidates()) {
          earliest.merge(candidate.id(), witness.violate(), Math::min);
        }
      }
    }
    return earliest;
  }
}
