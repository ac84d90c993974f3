package io.palinode.detection.stream;

import static io.palinode.detection.Given.candidate;
import static io.palinode.detection.Given.causal;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.search.Finding;
import io.palinode.detection.search.Knowledge;
import io.palinode.detection.search.Retained;
import io.palinode.hvc.Grade;
import java.util.List;
import org.junit.jupiter.api.Test;

class RisingGradesTest {
  @Test
  void aReportThatIsTooManyToFollowIsCountedAndLetsItsIntervalsGo() {
    RisingGrades rising =
        new RisingGrades(new Knowledge(2, causal(2, "10us", 2).causality(), false, false), 1);
    Retained x = new Retained(candidate(0, 0, 1, "100/0", null));
    Retained y = new Retained(candidate(1, 1, 1, "0/100", null));
    Retained later = new Retained(candidate(1, 1, 2, "0/200", null));
    rising.add(new Finding(0, List.of(x, y), Grade.POSSIBLE));
    assertThat(rising.lost()).isZero();
    rising.add(new Finding(0, List.of(x, later), Grade.POSSIBLE));
    assertThat(rising.lost()).isOne();
    assertThat(y.isPinned()).isFalse();
    assertThat(x.isPinned()).isTrue();
    assertThat(later.isPinned()).isTrue();
  }

  @Test
  void aReportOfAFinalGradeIsNotFollowed() {
    RisingGrades rising =
        new RisingGrades(new Knowledge(2, causal(2, "10us", 2).causality(), false, false), 1);
    Retained x = new Retained(candidate(0, 0, 1, "100/0", "105/0"));
    Retained y = new Retained(candidate(1, 1, 1, "0/100", "0/105"));
    rising.add(new Finding(0, List.of(x, y), Grade.POSSIBLE));
    assertThat(rising.findings()).isEmpty();
  }
}
