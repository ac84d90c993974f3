package io.palinode.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChaosReportTest {
  @Test
  void theJsonHasAllFiguresOnOneLine() throws JsonProcessingException {
    ChaosReport report =
        new ChaosReport(
            new ChaosReport.Run(120, 7, 3),
            new ChaosReport.Strikes(
                Map.of("kafka", 2), Map.of(), 1, 3, 4, 6, Map.of("restoring", 1)),
            new ChaosReport.Writes(10, 2, 3),
            new ChaosReport.Foreign(20, 9),
            new MadeViolations.Outcome(4, 3, 1, 0, List.of()),
            new ChaosReport.Rollbacks(5, 1),
            List.of("a fault"));
    assertThat(report.json())
        .isEqualTo(
            """
            {"seconds":120,"seed":7,"nodes":3,"kills":{"kafka":2},"freezes":{},"ownEnds":1,\
            "afterAcknowledgement":3,"afterGap":4,"fullDisks":6,"allNodes":{"restoring":1},\
            "writes":{"acknowledged":10,"unanswered":2,"takenBack":3},\
            "foreignWrites":{"acknowledged":20,"inDoubt":9},\
            "violations":{"made":4,"reported":3,"takenBack":1,"inLostCoverage":0,"missed":[]},\
            "rollbacks":5,"halts":1,"faults":["a fault"]}
            """);
  }
}
