package io.palinode.simulation.check;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.CoverageStep;
import io.palinode.wire.v1.GapsAcknowledged;
import io.palinode.wire.v1.GapsFound;
import io.palinode.wire.v1.SafePoint;
import org.junit.jupiter.api.Test;

class CoverageChecksTest {
  private static final CoverageLost GAP =
      CoverageLost.newBuilder().setFromHlc(Hlc.ofMicros(20)).setToHlc(Hlc.ofMicros(25)).build();

  private final CoverageChecks checks = new CoverageChecks();
  private ControlLogState journal = ControlLogState.empty(1);

  @Test
  void aSafePointThatPassesAGapThatIsNotRecordedIsFound() {
    checks.judged(Hlc.ofMicros(10));
    checks.lost(GAP);
    checks.judged(Hlc.ofMicros(30));
    counted(safePoint(10));
    assertThatThrownBy(() -> counted(safePoint(11)))
        .hasMessageContaining("the safe point 11 is published")
        .hasMessageContaining("does not hold the gap to 25");
  }

  @Test
  void aRecordedGapMayBePassed() {
    checks.lost(GAP);
    counted(found());
    counted(safePoint(11));
    checks.requireShown(journal);
  }

  @Test
  void anAcknowledgementWithoutTheOperatorIsFound() {
    counted(found());
    assertThatThrownBy(() -> counted(acknowledged()))
        .hasMessageContaining("gaps up to 1 are acknowledged");
  }

  @Test
  void aGapThatIsShownNoMoreIsFound() {
    counted(found());
    assertThatThrownBy(() -> checks.requireShown(ControlLogState.empty(1)))
        .hasMessageContaining("1 gaps are unknown, and 0 are shown");
    checks.operatorAcknowledges();
    counted(acknowledged());
    checks.requireShown(journal);
  }

  private void counted(CoverageStep.Builder step) {
    counted(ControlRecord.newBuilder().setCoverage(step).build());
  }

  private void counted(ControlRecord record) {
    journal = journal.read(record);
    checks.counted(record);
  }

  private static CoverageStep.Builder found() {
    return CoverageStep.newBuilder().setFound(GapsFound.newBuilder().addGaps(GAP));
  }

  private static CoverageStep.Builder acknowledged() {
    return CoverageStep.newBuilder().setAcknowledged(GapsAcknowledged.newBuilder().setToNumber(1));
  }

  private static ControlRecord safePoint(long micros) {
    return ControlRecord.newBuilder()
        .setSafePoint(SafePoint.newBuilder().setHlc(Hlc.ofMicros(micros)))
        .build();
  }
}
