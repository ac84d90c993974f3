package io.palinode.monitor.instance;

import static io.palinode.monitor.Records.clock;
import static io.palinode.monitor.Records.interval;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionSpec;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Uncertainty;
import io.palinode.monitor.Records;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import io.palinode.wire.v1.CandidateRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChangeTest {
  private static final DetectionSpec SPEC =
      new DetectionSpec(
          Records.NODES,
          List.of(ClauseShape.all(2)),
          new Causality(Epsilon.ofMicros(10), Uncertainty.CONSERVATIVE),
          ReplicaRule.FIRST);

  @Test
  void anOpeningKeepsItsValuesAndWriterForTheReport() {
    CandidateRecord record = Records.opened(1, 5, interval("", 1), clock(1, 100, 10));
    Change change = Change.of(record, SPEC);
    Candidate candidate = change.candidate();
    assertThat(change.opens()).isTrue();
    assertThat(candidate.id()).isEqualTo(new CandidateId(1, 1, 5));
    assertThat(candidate.term()).isEqualTo(1);
    assertThat(candidate.version()).isEqualTo("s/x1@02");
    assertThat(Change.payload(candidate).getWriter()).isEqualTo("client");
    assertThat(Change.payload(candidate).getValuesList())
        .isEqualTo(record.getOpened().getValuesList());
  }

  @Test
  void aClosingNamesTheOpeningAndTheVersionThatEndedIt() {
    CandidateRecord record =
        Records.closed(1, 6, 5, interval("", 1), clock(1, 100, 10), clock(1, 150, 10));
    Change deletion = Change.of(record, SPEC);
    assertThat(deletion.opens()).isFalse();
    assertThat(deletion.candidate().id()).isEqualTo(new CandidateId(1, 1, 5));
    assertThat(deletion.endedBy()).isEmpty();

    CandidateRecord.Builder overwritten = record.toBuilder();
    overwritten.getClosedBuilder().setEndedBy(Records.version("x1", 9)).setOrigin(2);
    Change overwrite = Change.of(overwritten.build(), SPEC);
    assertThat(overwrite.endedBy()).isEqualTo("s/x1@09");
    assertThat(overwrite.endOrigin()).isEqualTo(2);
  }

  /** The clock of a key restarts with a delete. */
  @Test
  void twoVersionsOfOneClockDifferByTheirTimes() {
    assertThat(Change.version(Records.version("x1", 9, 5))).isEqualTo("s/x1@09.5");
    assertThat(Change.version(Records.version("x1", 9, 0)))
        .as("a time as any other")
        .isEqualTo("s/x1@09.0");
    assertThat(Change.version(Records.version("x1", 9)))
        .as("as an earlier release publishes it")
        .isEqualTo("s/x1@09");
  }

  @Test
  void aTermThatThePredicateDoesNotHaveIsRefused() {
    CandidateRecord record = Records.opened(1, 5, interval("", 2), clock(1, 100, 10));
    assertThatThrownBy(() -> Change.of(record, SPEC)).hasMessageContaining("clause=0 term=2");
  }

  @Test
  void anEndBeforeTheStartIsRefused() {
    CandidateRecord record =
        Records.closed(1, 6, 5, interval("", 1), clock(1, 100, 10), clock(1, 50, 10));
    assertThatThrownBy(() -> Change.of(record, SPEC))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("end before");
  }
}
