package io.palinode.orchestrator.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.Alert.Kind;
import io.palinode.orchestrator.Unrestorable;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.KeysNotRestored;
import io.palinode.wire.v1.NodeReport;
import io.palinode.wire.v1.SafePoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeReportsTest {
  private static final long SECOND = 1_000_000;

  private final NodeReports reports = new NodeReports(3);
  private final List<Alert> alerts = new ArrayList<>();
  private long now = 1_000 * SECOND;

  @Test
  void aClockTenSecondsAheadRaisesOneAlertWithNodeEpsilonAndOffset() {
    round(0, 0, 10 * SECOND);
    round(0, 0, 10 * SECOND);
    assertThat(alerts).extracting(Alert::kind).containsExactly(Kind.CLOCK_OFFSET);
    assertThat(alerts.get(0).labels()).isEqualTo(Map.of("node", "2"));
    assertThat(alerts.get(0).annotations()).containsEntry("severity", "critical");
    assertThat(alerts.get(0).annotations().get("summary"))
        .isEqualTo(
            "the clock of node 2 is 10.0 s ahead of the other clocks, epsilon is 10 ms, and nodes"
                + " refuse messages that are 500 ms ahead: correct that clock");
    assertThat(reports.offsetSeconds(2)).isEqualTo(10.0);
    assertThat(reports.offsetSeconds(0)).isZero();
    alerts.clear();
    for (int i = 0; i < 3; i++) {
      round(0, 0, 0);
    }
    assertThat(alerts).extracting(Alert::kind).containsExactly(Kind.CLOCK_OFFSET);
    assertThat(alerts).allMatch(Alert::isEnded);
    assertThat(reports.wrongClocks()).isNull();
  }

  @Test
  void aClockBeyondEpsilonIsAWarningAndBeyondTheDriftAnotherAlert() {
    round(0, 200_000, 0);
    round(0, 700_000, 0);
    assertThat(alerts)
        .extracting(alert -> alert.annotations().get("severity"))
        .containsExactly("warning", "critical");
  }

  @Test
  void aDiskThatIsNearlyFullIsAFaultBeforeItRefuses() {
    read(report(0).setStorageFreeBytes(1L << 30).build(), 0);
    read(report(1).setStorageFreeBytes(40L << 30).build(), 0);
    read(report(2).build(), 0);
    assertThat(reports.findings(now, 0))
        .contains(
            Finding.fault(
                "node 0",
                "only 1.0 GiB are free on its disk; it refuses writes when the disk is full",
                "free space on its disk"),
            Finding.ok("node 1", "its disk accepts writes, 40.0 GiB are free"),
            Finding.ok("node 2", "its disk accepts writes"));
    assertThat(reports.freeBytes(0)).isEqualTo(1L << 30);
    assertThat(reports.freeBytes(2)).isNaN();
  }

  @Test
  void theStoresOfTheNodesAreKnownOnceEachNodeHasPublishedItsOwn() {
    read(report(0).addStores("a").addStores("b\n").build(), 0);
    read(report(1).addStores("c").build(), 0);
    assertThat(reports.stores()).as("node 2 has not reported").isEmpty();
    read(report(2).build(), 0);
    assertThat(reports.stores()).as("node 2 is of an earlier release").isEmpty();
    read(report(2).addStores("a").build(), 0);
    assertThat(reports.stores()).containsExactlyInAnyOrder("a", "b?", "c");
  }

  @Test
  void keysThatANodeCannotRestoreAreNamedWithTheirReason() {
    KeysNotRestored keys =
        KeysNotRestored.newBuilder().setPrefix("shop.hits/").setReason("a\ncounter").build();
    read(report(1).addNotRestored(keys).build(), 0);
    assertThat(reports.notRestored())
        .isEqualTo(Map.of("shop.hits/", "node 1 cannot restore shop.hits/: a?counter"));
    assertThat(reports.findings(now, 0))
        .extracting(Finding::what)
        .contains("cannot restore shop.hits/: a?counter");
    read(report(1).build(), 0);
    assertThat(reports.notRestored()).isEmpty();
  }

  @Test
  void aPredicateInForceWhoseKeysANodeCanNoLongerRestoreIsAnAlertUntilItCan() {
    reports.follow(
        () ->
            Map.of(
                "two-holders", List.of("shop.locks/"),
                "pears", List.of("shop.carts/", "shop.hits/")));
    KeysNotRestored keys =
        KeysNotRestored.newBuilder().setPrefix("shop.hits/").setReason("a view").build();
    read(report(1).addNotRestored(keys).build(), 0);
    read(report(2).addNotRestored(keys).build(), 0);
    String text =
        "predicate 'pears' asks for rollbacks, but node 1 cannot restore shop.hits/: a view";
    assertThat(reports.unrestorable())
        .extracting(Unrestorable::node)
        .as("by node")
        .containsExactly(1, 2);
    assertThat(alerts).extracting(Alert::kind).containsExactly(Kind.CANNOT_ROLL_BACK);
    assertThat(alerts.get(0).labels()).isEqualTo(Map.of("predicate", "pears"));
    assertThat(alerts.get(0).summary()).isEqualTo(text + "; its rollbacks will halt");
    read(report(1).build(), 0);
    assertThat(alerts).hasSize(1);
    read(report(2).build(), 0);
    assertThat(alerts).extracting(Alert::isEnded).containsExactly(false, true);
    assertThat(reports.unrestorable()).isEmpty();
  }

  @Test
  void findingsNameTheClockAgainstEpsilonTheDiskAndSilence() {
    for (int i = 0; i < 3; i++) {
      round(0, 0, 10 * SECOND);
    }
    assertThat(reports.findings(now, 0))
        .filteredOn(finding -> finding.level() == Finding.Level.FAULT)
        .extracting(Finding::what)
        .containsExactly("its clock is 10.0 s ahead of the other clocks; epsilon is 10.0 ms");
    read(report(1).setStorageRefusedSinceMicros(now).setStorageRefusal("full").build(), 0);
    assertThat(reports.findings(now, 0))
        .extracting(Finding::what)
        .contains("refuses all writes: full");
    assertThat(reports.findings(now + 60 * SECOND, 0))
        .hasSize(3)
        .allMatch(finding -> finding.what().startsWith("has not reported for 6"));
    assertThat(reports.findings(now + 60 * SECOND, now + 50 * SECOND))
        .as("Kafka answers for 10 s")
        .noneMatch(finding -> finding.what().startsWith("has not reported"));
  }

  @Test
  void withinTheErrorThereIsNoAlert() {
    round(0, 100_000, -100_000);
    round(0, 100_000, -100_000);
    round(0, 100_000, -100_000);
    assertThat(alerts).isEmpty();
  }

  @Test
  void aPlanThatAClockHaltsNamesTheNode() {
    String reason =
        "target 5 is before epoch 1 began everywhere (7): check the clocks of all nodes";
    ControlRecord halted =
        ControlRecord.newBuilder().setHalted(Halted.newBuilder().setReason(reason)).build();
    assertThat(reports.naming(halted)).isEqualTo(halted);
    for (int i = 0; i < 3; i++) {
      round(0, -10 * SECOND, 0);
    }
    assertThat(reports.naming(halted).getHalted().getReason())
        .isEqualTo(reason + ": the clock of node 1 is 10.0 s behind the other clocks");
    ControlRecord other =
        ControlRecord.newBuilder().setHalted(Halted.newBuilder().setReason("too large")).build();
    assertThat(reports.naming(other)).isEqualTo(other);
    Alert waits = Alert.toOperator(Kind.PLAN_WAITS, Map.of(), "the rollback waits for x", now);
    assertThat(reports.naming(waits).annotations().get("summary"))
        .isEqualTo(
            "the rollback waits for x; the clock of node 1 is 10.0 s behind the other clocks");
  }

  /** This process was frozen, and reads old records. */
  @Test
  void aLateLogRaisesNoClockAlert() {
    reports.read(
        ControlRecord.newBuilder()
            .setAtMicros(now - 30 * SECOND)
            .setSafePoint(SafePoint.newBuilder().setHlc(1))
            .build(),
        now);
    round(0, 0, -10 * SECOND);
    round(0, 0, -10 * SECOND);
    round(0, 0, -10 * SECOND);
    assertThat(alerts).isEmpty();
    assertThat(reports.offsetSeconds(2)).isNaN();
  }

  @Test
  void aStorageThatRefusesRaisesOneAlertAndOneWhenItWorks() {
    NodeReport full =
        report(1).setStorageRefusedSinceMicros(now).setStorageRefusal("the disk is full").build();
    read(full, 0);
    read(full, 0);
    assertThat(alerts).extracting(Alert::kind).containsExactly(Kind.STORAGE_REFUSES);
    assertThat(alerts.get(0).annotations().get("summary"))
        .isEqualTo("node 1 refuses all writes, and rollbacks wait for it: the disk is full");
    alerts.clear();
    read(report(1).build(), 0);
    assertThat(alerts).extracting(Alert::kind).containsExactly(Kind.STORAGE_REFUSES);
    assertThat(alerts).allMatch(Alert::isEnded);
  }

  @Test
  void aMessageThatIsRefusedForItsClockNamesBothNodesOnce() {
    read(report(0).build(), 0);
    for (int i = 1; i < 4; i++) {
      read(
          report(0)
              .setClocksRefused(i)
              .setRefusedNode(2)
              .setRefusedAheadMicros(10 * SECOND)
              .build(),
          0);
    }
    assertThat(alerts).extracting(Alert::kind).containsExactly(Kind.CLOCK_REFUSED);
    assertThat(alerts.get(0).labels()).isEqualTo(Map.of("node", "0", "other", "2"));
  }

  @Test
  void aReportOfANodeThatIsNotInTheClusterIsIgnored() {
    read(report(3).setStorageRefusedSinceMicros(1).build(), 10 * SECOND);
    read(report(-1).setStorageRefusedSinceMicros(1).build(), 10 * SECOND);
    assertThat(alerts).isEmpty();
  }

  /** All nodes report, with clocks that are so far ahead. */
  private void round(long... ahead) {
    now += 10 * SECOND;
    for (int node = 0; node < ahead.length; node++) {
      read(report(node).build(), ahead[node]);
    }
  }

  private void read(NodeReport report, long ahead) {
    ControlRecord record =
        ControlRecord.newBuilder().setAtMicros(now + ahead).setNodeReport(report).build();
    alerts.addAll(reports.read(record, now));
  }

  @Test
  void whatIsOpenAtANodeIsKnownUntilItsNextReport() {
    open(1, "the stores on 0.0.0.0 have no TLS\u001b[2J" + "x".repeat(1_000));
    open(2, "");
    assertThat(reports.open()).hasSize(1);
    assertThat(reports.open().get(0))
        .startsWith("node 1: the stores on 0.0.0.0 have no TLS?[2Jx")
        .hasSizeLessThan(320);
    open(1, "");
    assertThat(reports.open()).isEmpty();
  }

  @Test
  void anAgentIsOffUntilTheReportOfItsNextStart() {
    read(report(1).setOff("a bug\u001b[2J").build(), 0);
    read(report(2).build(), 0);
    assertThat(reports.of(List.of()).off()).containsExactly(Map.entry(1, "a bug?[2J"));
    assertThat(reports.of(List.of()).epsilons()).containsOnlyKeys(1, 2);
    read(report(1).setIncarnation(2).build(), 0);
    assertThat(reports.of(List.of()).off()).isEmpty();
  }

  @Test
  void aNodeRefusesWritesUntilItReportsOtherwise() {
    read(report(1).setStorageRefusedSinceMicros(7).setStorageRefusal("full").build(), 0);
    assertThat(reports.of(List.of()).refusing())
        .containsExactly(Map.entry(1, new NodeReports.Refusing(7, "full")));
    read(report(1).build(), 0);
    assertThat(reports.of(List.of()).refusing()).isEmpty();
  }

  @Test
  void aNodeAwaitsItsRepairUntilItReportsOtherwise() {
    read(report(1).setAwaitsRepair(true).build(), 0);
    read(report(2).build(), 0);
    assertThat(reports.of(List.of()).awaitRepair()).containsExactly(1);
    read(report(1).build(), 0);
    assertThat(reports.of(List.of()).awaitRepair()).isEmpty();
  }

  private void open(int node, String open) {
    NodeReport.Builder report = report(node).setOpen(open);
    var unused =
        reports.read(
            ControlRecord.newBuilder().setAtMicros(now).setNodeReport(report).build(), now);
  }

  private static NodeReport.Builder report(int node) {
    return NodeReport.newBuilder()
        .setNode(node)
        .setIncarnation(1)
        .setEpsilonMicros(10_000)
        .setMaxDriftMicros(500_000);
  }
}
