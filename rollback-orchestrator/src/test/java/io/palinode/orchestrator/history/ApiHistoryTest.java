package io.palinode.orchestrator.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.Command;
import io.palinode.orchestrator.DetectionLatency;
import io.palinode.orchestrator.LatencySnapshot;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.RecentKeys;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.violations.SeenViolations;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.LetStand;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The violations and latencies that the API remembers. */
class ApiHistoryTest {
  @Test
  void aPhantomStaysOneWhenItsGradeRises() {
    ApiHistory memory = new ApiHistory(1);
    Violation violation = Violation.newBuilder().setId("v").build();
    memory.received(violation, 1, false);
    memory.phantom("v");
    memory.received(violation, 2, false);
    assertThat(memory.violations(1)).singleElement().matches(ReceivedViolation::phantom);
    memory.phantom("another");
    assertThat(memory.phantomsTotal()).isEqualTo(2);
    assertThat(memory.violationsTotal()).isEqualTo(1);
  }

  @Test
  void theStartOfAnIdNamesTheOnlyViolationThatHasIt() {
    ApiHistory memory = new ApiHistory(1);
    for (String id : List.of("0123456789aa", "0123456789ab", "01234567", "abcdefgh90")) {
      memory.received(Violation.newBuilder().setId(id).build(), 1, false);
    }
    assertThat(id(memory.violation("0123456789ab"))).isEqualTo("0123456789ab");
    assertThat(id(memory.violation("abcdefgh"))).isEqualTo("abcdefgh90");
    assertThat(id(memory.violation("01234567"))).as("a whole id").isEqualTo("01234567");
    assertThat(memory.violation("0123456789")).as("two start so").isNull();
    assertThat(memory.violation("abcdefg")).as("too short").isNull();
    assertThat(memory.violation("bcdefgh90")).isNull();
  }

  private static @Nullable String id(@Nullable ReceivedViolation found) {
    return found == null ? null : found.violation().getId();
  }

  @Test
  void aChangeIsRecordedOnceAndTheOldestIsDropped() {
    ApiHistory memory = new ApiHistory(1);
    ChangeLog changes = memory.changes();
    Violation violation = Violation.newBuilder().setId("v").build();
    memory.classified(violation, Command.Outcome.STANDS);
    memory.phantom("v");
    assertThat(changes.last()).as("of an unknown violation").isZero();
    memory.received(violation, 1, false);
    memory.classified(violation, Command.Outcome.STANDS);
    memory.classified(violation, Command.Outcome.STANDS);
    memory.phantom("v");
    assertThat(changes.after(0, 10)).hasSize(3);
    assertThat(changes.after(1, 1))
        .containsExactly(
            new Change.OfViolation(
                ReceivedViolation.first(violation, 1, false).with(Command.Outcome.STANDS, "")));
    assertThat(changes.after(3, 10)).isEmpty();
    assertThat(changes.after(4, 10)).as("not yet").isNull();
    assertThat(changes.after(-1, 10)).isNull();
    for (int i = 0; i < ChangeLog.KEPT_MAX; i++) {
      memory.received(violation, 2, false);
    }
    assertThat(changes.after(2, 10)).as("dropped").isNull();
    assertThat(changes.after(3, 10)).hasSize(10);
  }

  @Test
  void aRejectedViolationNamesTheUserInAnyOrderOfTheLogs() {
    LetStand rejected =
        LetStand.newBuilder().setPredicate("p").setFromHlc(5).setToHlc(7).setRejects(1).build();
    ControlRecord answer =
        ControlRecord.newBuilder()
            .setBy("alice")
            .setGate(GateStep.newBuilder().setLetStand(rejected))
            .build();
    Violation violation = Violation.newBuilder().setId("v").setPredicate("p").setViolate(6).build();
    ApiHistory memory = new ApiHistory(1);
    memory.took(answer);
    memory.received(violation, 1, true);
    memory.classified(violation, Command.Outcome.REJECTED);
    assertThat(outcomeBy(memory, "v")).isEqualTo("alice");
    memory.classified(violation, Command.Outcome.COVERED);
    assertThat(outcomeBy(memory, "v")).isEmpty();
    Violation other = violation.toBuilder().setId("w").setViolate(8).build();
    memory.received(other, 1, true);
    memory.classified(other, Command.Outcome.REJECTED);
    assertThat(outcomeBy(memory, "w")).as("of another request").isEmpty();
  }

  @Test
  void aReplayedViolationKeepsTheOutcomeOfItsOwnRollback() {
    ApiHistory memory = new ApiHistory(1);
    PlanOpened plan = PlanOpened.newBuilder().setPredicate("p").addViolationIds("cause").build();
    memory.took(ControlRecord.newBuilder().setEpoch(1).setPlanOpened(plan).build());
    for (String id : List.of("cause", "other")) {
      Violation violation = Violation.newBuilder().setId(id).setPredicate("p").build();
      memory.received(violation, 1, true);
      memory.classified(violation, Command.Outcome.COVERED);
    }
    assertThat(outcome(memory, "cause")).isEqualTo(Command.Outcome.ROLLBACK);
    assertThat(outcome(memory, "other")).isEqualTo(Command.Outcome.COVERED);
    Violation cause = Violation.newBuilder().setId("cause").setPredicate("p").build();
    memory.classified(cause, Command.Outcome.NO_ROLLBACK);
    assertThat(outcome(memory, "cause"))
        .as("the predicate was replaced since")
        .isEqualTo(Command.Outcome.ROLLBACK);
  }

  private static Command.@Nullable Outcome outcome(ApiHistory memory, String id) {
    return Objects.requireNonNull(memory.violation(id)).outcome();
  }

  private static String outcomeBy(ApiHistory memory, String id) {
    return Objects.requireNonNull(memory.violation(id)).outcomeBy();
  }

  @Test
  void aRollbackIsRecordedWhenItsStateIsAnother() {
    ApiHistory memory = new ApiHistory(1);
    Rollback resumed = rollback(memory, 1);
    memory.shown(resumed.resuming());
    memory.shown(resumed.resuming());
    Rollback next = rollback(memory, 2);
    memory.shown(next);
    assertThat(memory.changes().after(0, 10))
        .as("the first is over when the next one opens")
        .containsExactly(
            new Change.OfRollback(resumed.resuming()),
            new Change.OfRollback(resumed),
            new Change.OfRollback(next));
  }

  private static Rollback rollback(ApiHistory memory, long epoch) {
    ControlRecord.Builder record = ControlRecord.newBuilder().setEpoch(epoch);
    Rollback unused =
        memory.took(record.setPlanOpened(PlanOpened.newBuilder().setPredicate("p")).build());
    return Objects.requireNonNull(memory.took(record.setResume(Resume.newBuilder()).build()));
  }

  @Test
  void aHistoryKeepsTheLatestAndCountsAll() {
    History<Integer, String> history = new History<>(2);
    history.put(1, "a");
    history.put(2, "b");
    history.put(1, "A");
    history.put(3, "c");
    history.update(9, v -> "no such key");
    history.update(3, v -> v + "!");
    assertThat(history.latest(10)).containsExactly("c!", "b");
    assertThat(history.latest(1)).containsExactly("c!");
    assertThat(history.total()).isEqualTo(3);
  }

  @Test
  void aHistoryIsBoundedByBytesToo() {
    History<Integer, String> history = new History<>(100, 10, String::length);
    history.put(1, "aaaa");
    history.put(2, "bbbb");
    history.update(2, v -> "b");
    history.put(3, "ccccc");
    assertThat(history.latest(10)).containsExactly("ccccc", "b", "aaaa");
    history.put(2, "bb");
    assertThat(history.latest(10)).containsExactly("ccccc", "bb");
    history.put(4, "longer than all of it");
    assertThat(history.latest(10)).as("never without the last").hasSize(1);
    history.replaceAll(v -> "d");
    history.put(5, "123456789");
    assertThat(history.latest(10)).containsExactly("123456789", "d");
  }

  @Test
  void longViolationsAndTheirChangesAreBoundedByBytes() {
    ApiHistory memory = new ApiHistory(1);
    ByteString value = ByteString.copyFrom(new byte[1 << 20]);
    int violations = 500;
    for (int i = 0; i < violations; i++) {
      memory.received(
          Violation.newBuilder()
              .setId("v" + i)
              .addWitnesses(
                  Witness.newBuilder().addValues(VariableVersion.newBuilder().setValue(value)))
              .build(),
          1,
          false);
    }
    int kept = memory.violations(violations).size();
    assertThat(kept).isEqualTo((int) (ApiHistory.BYTES_MAX / 2 / value.size()) - 1);
    assertThat(memory.violationsTotal()).isEqualTo(violations);
    assertThat(memory.changes().after(violations - kept, 1)).hasSize(1);
    assertThat(memory.changes().after(violations - kept - 1L, 1)).isNull();
  }

  @Test
  void aRepeatIsKnownUntilItIsTheOldest() {
    SeenViolations seen = new SeenViolations(2);
    assertThat(seen.admit(violation("a", ViolationGrade.POSSIBLE)))
        .isEqualTo(SeenViolations.Novelty.NEW);
    assertThat(seen.admit(violation("b", ViolationGrade.POSSIBLE)))
        .isEqualTo(SeenViolations.Novelty.NEW);
    assertThat(seen.admit(violation("a", ViolationGrade.POSSIBLE)))
        .isEqualTo(SeenViolations.Novelty.REPEAT);
    assertThat(seen.admit(violation("c", ViolationGrade.POSSIBLE)))
        .isEqualTo(SeenViolations.Novelty.NEW);
    assertThat(seen.admit(violation("b", ViolationGrade.POSSIBLE)))
        .as("b is the oldest")
        .isEqualTo(SeenViolations.Novelty.NEW);
  }

  @Test
  void aRepeatWithAHigherGradeIsNews() {
    SeenViolations seen = new SeenViolations(2);
    seen.admit(violation("a", ViolationGrade.UNCERTAIN));
    assertThat(seen.admit(violation("a", ViolationGrade.DEFINITE)))
        .isEqualTo(SeenViolations.Novelty.RISEN);
    assertThat(seen.admit(violation("a", ViolationGrade.POSSIBLE)))
        .isEqualTo(SeenViolations.Novelty.REPEAT);
  }

  @Test
  void aKeyIsARepeatUntilItIsForgotten() {
    RecentKeys<String> keys = new RecentKeys<>(2);
    assertThat(keys.admit("a")).isTrue();
    assertThat(keys.admit("a")).isFalse();
    assertThat(keys.admit("b")).isTrue();
    assertThat(keys.admit("c")).isTrue();
    assertThat(keys.admit("a")).isTrue();
  }

  @Test
  void latencyIsCountedFromTheMomentOfTheViolation() {
    Violation violation = violation("a", ViolationGrade.POSSIBLE);
    assertThat(ReceivedViolation.first(violation, 1_500, false).latencyMicros()).isEqualTo(500);
    assertThat(ReceivedViolation.first(violation, 900, false).latencyMicros())
        .as("clocks that disagree make no negative latency")
        .isZero();
  }

  @Test
  void latencyIsKeptForEachGrade() {
    DetectionLatency latency = new DetectionLatency();
    latency.record(Grade.UNCERTAIN, 2_000);
    latency.record(Grade.POSSIBLE, 9_000);
    assertThat(latency.snapshot(Grade.UNCERTAIN).maxMs()).isBetween(1.9, 2.1);
    assertThat(latency.snapshot(Grade.POSSIBLE).maxMs()).isBetween(8.9, 9.1);
    assertThat(latency.snapshot(Grade.DEFINITE).count()).isZero();
  }

  @Test
  void percentilesOfLatencyRestartAfterAReset() {
    DetectionLatency latency = new DetectionLatency();
    for (int ms = 1; ms <= 1_000; ms++) {
      latency.record(Grade.POSSIBLE, ms * 1_000L);
    }
    LatencySnapshot snapshot = latency.snapshot(Grade.POSSIBLE);
    assertThat(snapshot.count()).isEqualTo(1_000);
    assertThat(snapshot.p50Ms()).isBetween(499.0, 502.0);
    assertThat(snapshot.p999Ms()).isBetween(998.0, 1_002.0);
    assertThat(snapshot.maxMs()).isBetween(999.0, 1_002.0);
    latency.reset();
    assertThat(latency.snapshot(Grade.POSSIBLE)).isEqualTo(new LatencySnapshot(0, 0, 0, 0, 0));
  }

  private static Violation violation(String id, ViolationGrade grade) {
    return Violation.newBuilder().setId(id).setGrade(grade).setViolate(Hlc.ofMicros(1_000)).build();
  }
}
