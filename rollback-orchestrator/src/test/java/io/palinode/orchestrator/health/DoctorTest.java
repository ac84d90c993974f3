package io.palinode.orchestrator.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.palinode.orchestrator.Status;
import io.palinode.orchestrator.health.Finding.Level;
import io.palinode.orchestrator.plan.ServingNodes;
import io.palinode.orchestrator.step.GateStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DoctorTest {
  private static final long NOW = 1_000_000_000;
  private static final String UNANSWERED = "127.0.0.1:9092: no answer";

  private final List<Wait> waits = new ArrayList<>();

  @Test
  void whileKafkaDoesNotAnswerNoNodeIsBlamedForTheLackOfRecords() {
    List<Finding> kafka = List.of(Finding.fault("kafka", UNANSWERED, "start it"));
    waits.add(new Wait(Wait.Reason.KAFKA, null, 1, "Kafka does not answer", "start it"));
    waits.add(new Wait(Wait.Reason.PART, 1, 1, "node 1 has failed", "see its log"));
    List<Finding> found = examine(kafka, "Kafka has not answered for 60 s");
    assertThat(found)
        .filteredOn(finding -> finding.level() == Level.FAULT)
        .extracting(Finding::what)
        .containsExactly(UNANSWERED, "has failed, for 999 s");
    assertThat(found.get(0).what()).isEqualTo(UNANSWERED);
    assertThat(found.get(1).what()).contains("until it answers", "nodes", "is unknown");
    assertThat(found).extracting(Finding::what).doesNotContain("joined, incarnation 1");
  }

  /** It may answer again between two questions. */
  @Test
  void whatIsKnownOfKafkaIsTheFirstFinding() {
    List<Finding> kafka = List.of(Finding.ok("kafka", "3 brokers"));
    waits.add(new Wait(Wait.Reason.KAFKA, null, 1, "Kafka does not answer", "start it"));
    assertThat(examine(kafka, null).get(0).what()).isEqualTo("Kafka does not answer, for 999 s");
  }

  @Test
  void aNodeThatDoesNotReportWhileKafkaAnswersIsAFault() {
    assertThat(examine(List.of(Finding.ok("kafka", "3 brokers")), null))
        .filteredOn(finding -> finding.level() == Level.FAULT)
        .extracting(Finding::what)
        .containsExactly("has never joined", "has not reported for 60 s");
  }

  @Test
  void aNodeThatPublishesNothingIsOneFinding() {
    waits.add(new Wait(Wait.Reason.NODE, 0, 1, "node 0 publishes nothing", "start it"));
    assertThat(examine(List.of(Finding.ok("kafka", "3 brokers")), null))
        .filteredOn(finding -> finding.part().equals("node 0"))
        .extracting(Finding::level, Finding::what)
        .containsExactly(tuple(Level.FAULT, "publishes nothing, for 999 s"));
  }

  @Test
  void anotherFaultOfANodeThatPublishesNothingStays() {
    Finding disk = Finding.fault("node 0", "refuses all writes: full", "free space");
    waits.add(new Wait(Wait.Reason.NODE, 0, 1, "node 0 publishes nothing", "start it"));
    assertThat(examine(List.of(), null, disk, Finding.ok("node 0", "its disk accepts writes")))
        .filteredOn(finding -> finding.part().equals("node 0"))
        .hasSize(2)
        .contains(disk);
  }

  private List<Finding> examine(List<Finding> kafka, @Nullable String trouble) {
    Finding silent = Finding.fault("node 0", "has not reported for 60 s", "see its log");
    return examine(kafka, trouble, silent);
  }

  private List<Finding> examine(
      List<Finding> kafka, @Nullable String trouble, Finding... reported) {
    NodeStatus joined = new NodeStatus(0, 1, 1, 1, "", "", "0.1.0", "node_joined", 1);
    return Doctor.examine(
        new Doctor.Known(
            status(trouble),
            new Judgement(waits, true, 0, NOW, NOW),
            Map.of(),
            List.of(joined),
            kafka,
            List.of(reported),
            List.of()));
  }

  private static Status status(@Nullable String trouble) {
    return new Status(
        1,
        null,
        null,
        null,
        null,
        new ServingNodes(1, Set.of(), Set.of(), 0),
        90,
        10,
        95,
        5,
        null,
        0,
        0,
        1,
        1,
        1,
        1,
        2,
        1,
        List.of(),
        GateStatus.OPEN,
        List.of(),
        List.of(),
        trouble,
        null);
  }
}
