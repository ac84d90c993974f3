package io.palinode.simulation.check;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.wire.v1.ApprovalAsked;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.SafePoint;
import org.junit.jupiter.api.Test;

class GateChecksTest {
  private final GateChecks checks = new GateChecks(true, Integer.MAX_VALUE, 1);

  @Test
  void aSafePointThatWasOnItsWayMayPassARequestAndNoOtherMay() {
    checks.counted(asking(1, 100), 5, 5);
    checks.counted(safePoint(99), 6, 6);
    checks.counted(safePoint(100), 7, 5);
    assertThatThrownBy(() -> checks.counted(safePoint(100), 8, 6))
        .isInstanceOf(BrokenInvariant.class)
        .hasMessageContaining("request 1");
  }

  @Test
  void whatJoinsARequestMovesItBackForWhoHasReadIt() {
    checks.counted(asking(1, 100), 5, 5);
    checks.counted(asking(1, 80), 6, 6);
    checks.counted(safePoint(90), 7, 6);
    assertThatThrownBy(() -> checks.counted(safePoint(90), 8, 7))
        .isInstanceOf(BrokenInvariant.class);
  }

  private static ControlRecord asking(long number, long violate) {
    ApprovalAsked asked = ApprovalAsked.newBuilder().setNumber(number).setViolate(violate).build();
    return ControlRecord.newBuilder().setGate(GateStep.newBuilder().setAsked(asked)).build();
  }

  private static ControlRecord safePoint(long hlc) {
    return ControlRecord.newBuilder().setSafePoint(SafePoint.newBuilder().setHlc(hlc)).build();
  }
}
