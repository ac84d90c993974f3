package io.palinode.orchestrator.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.wire.v1.SnapshotKind;
import io.palinode.wire.v1.SnapshotStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Snapshots that a schedule takes and removes. */
class SnapshotScheduleTest extends SnapshotMachineFixture {
  @Test
  void aScheduleTakesOneSnapshotAfterTheOtherAndKeepsTheLastOnes() throws RefusedException {
    live();
    complete(request("mine", null, false, 0));
    follow(new Schedule(Duration.ofMinutes(10), false, 2, null));
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Snapshot taken = machine.all().get(0);
      assertThat(taken.opened().getScheduled()).isTrue();
      assertThat(names).doesNotContain(taken.id());
      names.add(taken.id());
      answerAll(taken.id());
      for (int minute = 1; minute < 10; minute++) {
        tick(60_000_000);
      }
      tick(59_999_999);
      assertThat(machine.all().get(0).id()).isEqualTo(taken.id());
      if (i < 4) {
        tick(1);
      }
    }
    assertThat(machine.all().stream().map(Snapshot::id))
        .containsExactly(names.get(4), names.get(3), "mine");
  }

  @Test
  void aScheduledSnapshotIsRemovedByAgeUnlessAnotherIsLaidOverIt() throws RefusedException {
    live();
    follow(new Schedule(Duration.ofMinutes(10), false, 9, Duration.ofMinutes(25)));
    tick(1);
    String first = machine.all().get(0).id();
    answerAll(first);
    complete(request("over", first, false, 0));
    for (int i = 0; i < 3; i++) {
      tick(600_000_000);
      answerAll(machine.all().get(0).id());
    }
    assertThat(machine.all()).hasSize(5).anyMatch(s -> s.id().equals(first));
    append(List.of(machine.delete("over")));
    tick(5_000_001);
    assertThat(machine.all()).hasSize(3).noneMatch(s -> s.id().equals(first));
  }

  @Test
  void aScheduleContinuesAfterARestartAndRetriesASnapshot() throws RefusedException {
    live();
    follow(new Schedule(Duration.ofMinutes(10), false, 2, null));
    tick(1);
    answerAll(machine.all().get(0).id());
    SnapshotMachine other = new SnapshotMachine(SETTINGS);
    log.forEach(step -> assertThat(other.read(step, now, now)).isEmpty());
    assertThat(other.caughtUp(now)).isEmpty();
    assertThat(other.tick(now + 599_000_000)).isEmpty();
    List<SnapshotStep> due = other.tick(now + 600_000_000);
    assertThat(due).singleElement().matches(step -> step.getOpened().getScheduled());
    other.failed(due.get(0));
    assertThat(other.tick(now + 601_000_000)).isEmpty();
    assertThat(other.tick(now + 605_000_000)).hasSize(1);
  }

  @Test
  void aViolationIsWorthASnapshotOfTheTimeRightBeforeItAndABurstIsWorthOne()
      throws RefusedException {
    live();
    assertThat(machine.violationFound(Hlc.ofMicros(900), now)).isEmpty();
    follow(new Schedule(null, true, 1, null));
    append(machine.violationFound(Hlc.ofMicros(900), now));
    append(machine.violationFound(Hlc.ofMicros(950), now));
    Snapshot taken = machine.all().get(0);
    assertThat(taken.opened().getHlc()).isEqualTo(Hlc.ofMicros(900) - 1);
    assertThat(taken.opened().getKind()).isEqualTo(SnapshotKind.SNAPSHOT_KIND_RETROSPECTIVE);
    answerAll(taken.id());
    now += 10_000_000;
    append(machine.violationFound(Hlc.ofMicros(now), now));
    answerAll(machine.all().get(0).id());
    tick(1);
    assertThat(machine.all()).singleElement().matches(s -> !s.id().equals(taken.id()));
  }

  @Test
  void noScheduledSnapshotIsRemovedWhileAPlanIsOpenThatMayBeGoingThere() throws RefusedException {
    live();
    follow(new Schedule(Duration.ofMinutes(10), false, 9, Duration.ofMinutes(25)));
    tick(1);
    String first = machine.all().get(0).id();
    answerAll(first);
    undo(Hlc.ofMicros(now) - 1);
    tick(3_600_000_000L);
    assertThat(machine.all()).anyMatch(s -> s.id().equals(first));
  }

  private void follow(Schedule schedule) {
    append(List.of(machine.schedule(schedule)));
  }

  private void tick(long micros) {
    now += micros;
    append(machine.tick(now));
  }

  private void answerAll(String id) {
    for (int node = 0; node < NODES; node++) {
      answer(id, node, "");
    }
  }
}
