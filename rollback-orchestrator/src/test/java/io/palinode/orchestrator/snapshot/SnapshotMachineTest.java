package io.palinode.orchestrator.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.SnapshotKind;
import io.palinode.wire.v1.SnapshotOpened;
import io.palinode.wire.v1.SnapshotStep;
import io.palinode.wire.v1.SnapshotTaken;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SnapshotMachineTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 500);
  private static final int NODES = 3;
  private static final SnapshotSettings SETTINGS =
      new SnapshotSettings(NODES, Duration.ofSeconds(30), 2, 5);

  private final List<SnapshotStep> log = new ArrayList<>();
  private final SnapshotMachine machine = new SnapshotMachine(SETTINGS);
  private long now = 1_000_000;

  @Test
  void aSnapshotIsCompleteWhenEveryNodeHasItsPart() throws RefusedException {
    live();
    take(request("a", null, false, 0));
    assertThat(snapshot("a").phase()).isEqualTo(Snapshot.Phase.TAKING);
    assertThat(addressed("a")).containsExactly(0, 1, 2);
    answer("a", 0, "");
    answer("a", 1, "");
    assertThat(snapshot("a").phase()).isEqualTo(Snapshot.Phase.TAKING);
    answer("a", 2, "");
    assertThat(snapshot("a").phase()).isEqualTo(Snapshot.Phase.COMPLETE);
    assertThat(snapshot("a").opened().getHlc()).isEqualTo(Hlc.ofMicros(1_000_000));
  }

  @Test
  void aNodeThatFailsMakesItPartialAndIsNamedWithTheReason() throws RefusedException {
    live();
    take(request("a", null, false, 0));
    answer("a", 0, "");
    answer("a", 1, "out of reach");
    answer("a", 2, "");
    assertThat(snapshot("a").phase()).isEqualTo(Snapshot.Phase.PARTIAL);
    assertThat(snapshot("a").nodes().get(1).taken().getFailure()).isEqualTo("out of reach");
  }

  @Test
  void aSilentNodeIsGivenUpButNotOneThatMakesProgress() throws RefusedException {
    live();
    take(request("a", null, false, 0));
    answer("a", 0, "");
    now += 29_000_000;
    progress("a", 1);
    now += 2_000_000;
    append(machine.tick(now));
    assertThat(snapshot("a").nodes().get(2).state()).isEqualTo(NodePart.State.FAILED);
    assertThat(snapshot("a").nodes().get(1).state()).isEqualTo(NodePart.State.TAKING);
    answer("a", 1, "");
    assertThat(snapshot("a").phase()).isEqualTo(Snapshot.Phase.PARTIAL);
    assertThat(snapshot("a").nodes().get(2).taken().getFailure()).contains("30 s");
  }

  @Test
  void aDeferredSnapshotIsTakenByTheGivenNumberOfNodesAtOnce() throws RefusedException {
    live();
    take(request("a", null, false, 2));
    assertThat(addressed("a")).containsExactly(0, 1);
    answer("a", 1, "");
    assertThat(addressed("a")).containsExactly(0, 1, 2);
  }

  @Test
  void aCancelledSnapshotIsDiscardedAndItsNameIsFree() throws RefusedException {
    live();
    take(request("a", null, false, 0));
    answer("a", 0, "");
    append(List.of(machine.cancel("a")));
    assertThat(snapshot("a").phase()).isEqualTo(Snapshot.Phase.CANCELLED);
    assertThat(log.get(log.size() - 1).getClosed().getDiscarded()).isTrue();
    answer("a", 1, "");
    assertThat(snapshot("a").phase()).isEqualTo(Snapshot.Phase.CANCELLED);
    complete(request("a", null, false, 0));
    assertThat(snapshot("a").phase()).isEqualTo(Snapshot.Phase.COMPLETE);
  }

  @Test
  void aSnapshotThatNoNodeHasIsFailed() throws RefusedException {
    live();
    take(request("a", null, false, 0));
    for (int node = 0; node < NODES; node++) {
      answer("a", node, "out of reach");
    }
    assertThat(snapshot("a").phase()).isEqualTo(Snapshot.Phase.FAILED);
  }

  @Test
  void aRollingSnapshotMovesWhenAllNodesHaveMovedAndElseStays() throws RefusedException {
    live();
    complete(request("a", null, false, 0));
    long first = snapshot("a").opened().getHlc();
    now += 1_000_000;
    take(request(null, "a", true, 0));
    assertThat(machine.all()).hasSize(1);
    answerRoll("a", 0, "");
    answerRoll("a", 1, "out of reach");
    answerRoll("a", 2, "");
    assertThat(snapshot("a").opened().getHlc()).isEqualTo(first);
    assertThat(snapshot("a").phase()).isEqualTo(Snapshot.Phase.COMPLETE);
    assertThat(Objects.requireNonNull(machine.roll("a")).phase()).isEqualTo(Snapshot.Phase.FAILED);
    take(request(null, "a", true, 0));
    for (int node = 0; node < NODES; node++) {
      answerRoll("a", node, "");
    }
    assertThat(snapshot("a").opened().getHlc()).isEqualTo(Hlc.ofMicros(now));
    assertThat(machine.roll("a")).isNull();
  }

  @Test
  void theBaseOfAnotherSnapshotIsNeitherMovedNorDeleted() throws RefusedException {
    live();
    complete(request("a", null, false, 0));
    take(request("b", "a", false, 0));
    assertRefused(request(null, "a", true, 0), "'b'");
    assertThatThrownBy(() -> machine.delete("a"))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("is the base of 'b'");
    for (int node = 0; node < NODES; node++) {
      answer("b", node, "");
    }
    assertThatThrownBy(() -> machine.delete("a")).isInstanceOf(RefusedException.class);
    append(List.of(machine.delete("b")));
    append(List.of(machine.delete("a")));
    assertThat(machine.all()).isEmpty();
  }

  @Test
  void theTargetOfARollbackIsNeitherMovedNorDeleted() throws RefusedException {
    live();
    complete(request("a", null, false, 0));
    Restore restore =
        Restore.newBuilder()
            .setAttempt(1)
            .setSnapshot(snapshot("a").opened().getSnapshot())
            .setTarget(snapshot("a").opened().getHlc())
            .build();
    var unused = undo(1, restore);
    // To before the rollback: no other rule refuses it.
    assertRefused(
        new SnapshotRequest(null, 1L, "a", true, 0), "a rollback is going to snapshot 'a'");
    assertThatThrownBy(() -> machine.delete("a")).hasMessageContaining("a rollback is going to");
  }

  @Test
  void anImpossibleRequestIsRefusedWithTheReason() throws RefusedException {
    live();
    assertRefused(request("b", "a", false, 0), "complete");
    take(request("a", null, false, 0));
    assertRefused(request("a", null, false, 0), "already");
    assertRefused(request("b", "a", false, 0), "complete");
    assertThatThrownBy(() -> machine.delete("a")).hasMessageContaining("cancel it first");
    assertThatThrownBy(() -> machine.cancel("b")).hasMessageContaining("not being taken");
    assertRefused(new SnapshotRequest("c", Hlc.ofMicros(now + 1), null, false, 0), "in the future");
    take(request("b", null, false, 0));
    assertRefused(request("c", null, false, 0), "limit 2");
  }

  @Test
  void aNumberIsNotUsedTwiceEvenIfTheLogSeemedToRefuseIt() throws RefusedException {
    live();
    SnapshotStep late = machine.request(request("a", null, false, 0), now);
    machine.failed(late);
    SnapshotStep next = machine.request(request("b", null, false, 0), now);
    append(List.of(late, next));
    assertThat(snapshot("a").number()).isLessThan(snapshot("b").number());
  }

  @Test
  void moreThanAreKeptAreRefused() throws RefusedException {
    live();
    for (String id : List.of("a", "b", "c", "d", "e")) {
      complete(request(id, null, false, 0));
    }
    assertRefused(request("f", null, false, 0), "delete some");
  }

  @Test
  void theSecondSnapshotOfOneNameFromAnotherOrchestratorDoesNotCount() throws RefusedException {
    live();
    take(request("a", null, false, 0));
    SnapshotOpened second =
        snapshot("a").opened().toBuilder()
            .setSnapshot(snapshot("a").opened().getSnapshot().toBuilder().setNumber(9))
            .build();
    append(List.of(SnapshotStep.newBuilder().setOpened(second).build()));
    for (int node = 0; node < NODES; node++) {
      answer("a", node, "");
    }
    assertThat(snapshot("a").phase()).isEqualTo(Snapshot.Phase.COMPLETE);
    assertThat(snapshot("a").number()).isEqualTo(1);
  }

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

  @Test
  void aTimeWithinARollbackIsRefusedWithTheNearestTimesThatAreNot() throws RefusedException {
    live();
    rollBack(Hlc.ofMicros(400), Hlc.ofMicros(600));
    for (long half : List.of(Hlc.ofMicros(400) + 1, Hlc.ofMicros(600) - 1)) {
      assertRefused(
          new SnapshotRequest("a", half, null, false, 0),
          "up to %s, and from %s on"
              .formatted(Hlc.format(Hlc.ofMicros(400)), Hlc.format(Hlc.ofMicros(600))));
    }
    complete(new SnapshotRequest("a", Hlc.ofMicros(400), null, false, 0));
    complete(new SnapshotRequest("b", Hlc.ofMicros(600), null, false, 0));
  }

  @Test
  void aSnapshotIsRefusedWhileARollbackIsOpen() throws RefusedException {
    live();
    undo(Hlc.ofMicros(now) - 1);
    assertRefused(request("a", null, false, 0), "the rollback to epoch 1 is under way");
    complete(new SnapshotRequest("a", Hlc.ofMicros(now) - 1, null, false, 0));
  }

  @Test
  void aSnapshotThatARollbackOvertakesIsDiscardedWithTheReason() throws RefusedException {
    live();
    take(request("a", null, false, 0));
    answer("a", 0, "");
    answer("a", 1, "disk full");
    undo(snapshot("a").opened().getHlc() - 1);
    answer("a", 2, "");
    assertThat(snapshot("a").phase()).isEqualTo(Snapshot.Phase.FAILED);
    assertThat(log.get(log.size() - 1).getClosed().getDiscarded()).isTrue();
    assertThat(snapshot("a").nodes().get(0).taken().getFailure()).contains("rollback to epoch 1");
    assertThat(snapshot("a").nodes().get(1).taken().getFailure()).isEqualTo("disk full");
    // One that the rollback has not reached stands.
    long before = snapshot("a").opened().getHlc() - 1;
    complete(new SnapshotRequest("b", before, null, false, 0));
  }

  private ControlLogState undo(long quietSince) {
    return undo(quietSince, Restore.newBuilder().setAttempt(1).build());
  }

  private ControlLogState undo(long quietSince, Restore restore) {
    ControlLogState log = ControlLogState.empty(NODES);
    log = log.read(plan().setPlanOpened(PlanOpened.getDefaultInstance()).build());
    log = log.read(plan().setPause(Pause.getDefaultInstance()).build());
    for (int node = 0; node < NODES; node++) {
      Paused paused = Paused.newBuilder().setNode(node).setQuietSince(quietSince + node).build();
      log = log.read(plan().setPaused(paused).build());
    }
    machine.follow(log);
    assertThat(log.plans().halfUndoneAt(quietSince + 1)).isNull();
    log = log.read(plan().setRestore(restore).build());
    machine.follow(log);
    return log;
  }

  private void rollBack(long quietSince, long clock) {
    ControlLogState log = undo(quietSince);
    log = log.read(plan().setConverge(Converge.newBuilder().setAttempt(1)).build());
    machine.follow(
        log.read(plan().setResume(Resume.newBuilder().setAttempt(1).setClock(clock)).build()));
  }

  private static ControlRecord.Builder plan() {
    return ControlRecord.newBuilder().setEpoch(1);
  }

  /** Kills the orchestrator anywhere; a successor replays the log and continues. */
  @Test
  void aSuccessorReplaysTheLogAndContinues() throws RefusedException {
    for (long seed = 0; seed < SEEDS; seed++) {
      Run run = new Run(seed);
      run.go(60);
      run.assertReplayKnowsTheSame();
      run.finish();
    }
  }

  /** Random requests, answers, losses and restarts. */
  private static final class Run {
    private final Random random;
    private final String label;
    private final List<SnapshotStep> log = new ArrayList<>();
    private final Set<String> answered = new HashSet<>();
    private SnapshotMachine machine = new SnapshotMachine(SETTINGS);
    private long now = 1_000_000;

    Run(long seed) {
      random = new Random(seed);
      label = "seed=" + seed;
      append(machine.caughtUp(now));
    }

    void go(int steps) throws RefusedException {
      for (int i = 0; i < steps; i++) {
        now += random.nextInt(3_000_000);
        switch (random.nextInt(8)) {
          case 0, 1 -> request();
          case 2 -> operator();
          case 3 -> restart();
          case 4 -> append(machine.tick(now));
          default -> answerSome();
        }
      }
    }

    private void request() {
      boolean hasBase = random.nextBoolean();
      boolean rolling = hasBase && random.nextBoolean();
      String id = "s" + random.nextInt(4);
      try {
        append(
            List.of(
                machine.request(
                    new SnapshotRequest(
                        rolling ? null : id,
                        null,
                        hasBase ? "s" + random.nextInt(4) : null,
                        rolling,
                        random.nextInt(3)),
                    now)));
      } catch (RefusedException refused) {
        // As it may be.
      }
    }

    private void operator() {
      String id = "s" + random.nextInt(4);
      try {
        append(List.of(random.nextBoolean() ? machine.cancel(id) : machine.delete(id)));
      } catch (RefusedException refused) {
        // As it may be.
      }
    }

    private void answerSome() {
      for (SnapshotStep step : List.copyOf(log)) {
        if (step.hasTake() && random.nextInt(3) == 0) {
          answer(step.getTake().getNumber(), step.getTake().getNode());
        }
      }
    }

    private void answer(long number, int node) {
      if (answered.add(number + "/" + node)) {
        append(List.of(taken(number, node, random.nextInt(8) == 0 ? "failed" : "")));
      }
    }

    private void restart() {
      machine = replayed();
      append(machine.caughtUp(now));
    }

    private SnapshotMachine replayed() {
      SnapshotMachine fresh = new SnapshotMachine(SETTINGS);
      log.forEach(step -> assertThat(fresh.read(step, now, now)).isEmpty());
      return fresh;
    }

    private void append(List<SnapshotStep> steps) {
      Deque<SnapshotStep> due = new ArrayDeque<>(steps);
      while (!due.isEmpty()) {
        SnapshotStep step = due.remove();
        log.add(step);
        due.addAll(machine.read(step, now, now));
      }
    }

    void assertReplayKnowsTheSame() {
      assertThat(ids(replayed())).as(label).isEqualTo(ids(machine));
    }

    private static List<String> ids(SnapshotMachine some) {
      return some.all().stream()
          .map(s -> s.id() + s.number() + s.phase() + s.opened().getHlc())
          .toList();
    }

    /** Once every node answers or is given up, nothing is being taken any more. */
    void finish() {
      for (int i = 0; i < 20; i++) {
        now += 31_000_000;
        append(machine.tick(now));
      }
      assertThat(machine.all()).as(label).noneMatch(s -> s.phase() == Snapshot.Phase.TAKING);
      for (Snapshot snapshot : machine.all()) {
        boolean isWhole =
            snapshot.nodes().stream().allMatch(n -> n.state() == NodePart.State.TAKEN);
        assertThat(snapshot.phase() == Snapshot.Phase.COMPLETE)
            .as(label)
            .isEqualTo(isWhole && snapshot.isStanding());
        if (snapshot.isStanding() && !snapshot.base().isEmpty()) {
          Snapshot base = machine.get(snapshot.base());
          assertThat(base).as("%s %s stands on nothing", label, snapshot.id()).isNotNull();
          assertThat(Objects.requireNonNull(base).number())
              .as("%s %s", label, snapshot.id())
              .isEqualTo(snapshot.opened().getBase().getNumber());
        }
      }
    }
  }

  private void live() {
    append(machine.caughtUp(now));
  }

  private void append(List<SnapshotStep> steps) {
    Deque<SnapshotStep> due = new ArrayDeque<>(steps);
    while (!due.isEmpty()) {
      SnapshotStep step = due.remove();
      log.add(step);
      due.addAll(machine.read(step, now, now));
    }
  }

  private static SnapshotRequest request(
      @Nullable String id, @Nullable String base, boolean rolling, int atOnce) {
    return new SnapshotRequest(id, null, base, rolling, atOnce);
  }

  private void take(SnapshotRequest request) throws RefusedException {
    append(List.of(machine.request(request, now)));
  }

  private void complete(SnapshotRequest request) throws RefusedException {
    take(request);
    for (int node = 0; node < NODES; node++) {
      answer(Objects.requireNonNull(request.id()), node, "");
    }
  }

  private void assertRefused(SnapshotRequest request, String part) {
    assertThatThrownBy(() -> machine.request(request, now))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining(part);
  }

  private Snapshot snapshot(String id) {
    return Objects.requireNonNull(machine.get(id));
  }

  private List<Integer> addressed(String id) {
    long number = snapshot(id).number();
    return log.stream()
        .filter(step -> step.hasTake() && step.getTake().getNumber() == number)
        .map(step -> step.getTake().getNode())
        .toList();
  }

  private void answer(String id, int node, String failure) {
    append(List.of(taken(snapshot(id).number(), node, failure)));
  }

  private void answerRoll(String id, int node, String failure) {
    long number = Objects.requireNonNull(machine.roll(id)).number();
    append(List.of(taken(number, node, failure)));
  }

  private void progress(String id, int node) {
    append(
        List.of(
            SnapshotStep.newBuilder()
                .setProgress(
                    io.palinode.wire.v1.SnapshotProgress.newBuilder()
                        .setNumber(snapshot(id).number())
                        .setNode(node))
                .build()));
  }

  private static SnapshotStep taken(long number, int node, String failure) {
    return SnapshotStep.newBuilder()
        .setTaken(SnapshotTaken.newBuilder().setNumber(number).setNode(node).setFailure(failure))
        .build();
  }
}
