package io.palinode.orchestrator.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.wire.v1.SnapshotOpened;
import io.palinode.wire.v1.SnapshotStep;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Snapshots from the request to their removal. */
class SnapshotMachineTest extends SnapshotMachineFixture {
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

  private List<Integer> addressed(String id) {
    long number = snapshot(id).number();
    return log.stream()
        .filter(step -> step.hasTake() && step.getTake().getNumber() == number)
        .map(step -> step.getTake().getNode())
        .toList();
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
}
