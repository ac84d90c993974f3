package io.palinode.store.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.store.snapshot.SnapshotDuties.Duty;
import io.palinode.wire.v1.SnapshotClosed;
import io.palinode.wire.v1.SnapshotDeleted;
import io.palinode.wire.v1.SnapshotGivenUp;
import io.palinode.wire.v1.SnapshotOpened;
import io.palinode.wire.v1.SnapshotRef;
import io.palinode.wire.v1.SnapshotStep;
import io.palinode.wire.v1.SnapshotTake;
import io.palinode.wire.v1.SnapshotTaken;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SnapshotDutiesTest {
  private static final int NODE = 1;

  private final SnapshotDuties duties = new SnapshotDuties(NODE);

  @Test
  void aNodeTakesItsPartOnlyAfterTheTakeStep() {
    duties.caughtUp();
    assertThat(duties.apply(opened("a", 1))).isEmpty();
    assertThat(duties.apply(take(1, 0))).isEmpty();
    assertThat(duties.apply(take(1, NODE)))
        .containsExactly(new Duty.Take(opened("a", 1).getOpened()));
    assertThat(duties.apply(take(1, NODE))).as("the step is repeated").isEmpty();
    assertThat(duties.apply(taken(1, NODE, ""))).isEmpty();
    assertThat(duties.apply(take(1, NODE))).as("the step is repeated after the answer").isEmpty();
    SnapshotStep closed = closed("a", 1, false, taken(1, NODE, ""));
    assertThat(duties.apply(closed)).containsExactly(new Duty.File(closed.getClosed()));
    assertThat(duties.apply(closed)).as("closed twice").isEmpty();
  }

  @Test
  void aNodeThatIsGivenUpStopsAndKeepsNothing() {
    duties.caughtUp();
    duties.apply(opened("a", 1));
    duties.apply(take(1, NODE));
    assertThat(
            duties.apply(
                SnapshotStep.newBuilder()
                    .setGivenUp(SnapshotGivenUp.newBuilder().setNumber(1).setNode(NODE))
                    .build()))
        .containsExactly(new Duty.Stop(1));
    SnapshotStep closed = closed("a", 1, false, taken(1, NODE, "given up"));
    assertThat(duties.apply(closed))
        .containsExactly(new Duty.Stop(1), new Duty.File(closed.getClosed()));
  }

  @Test
  void aDiscardedSnapshotIsStoppedAndRemoved() {
    duties.caughtUp();
    duties.apply(opened("a", 1));
    duties.apply(take(1, NODE));
    assertThat(duties.apply(closed("a", 1, true, taken(1, NODE, "not taken"))))
        .containsExactly(new Duty.Stop(1), new Duty.Discard("a", 1));
  }

  @Test
  void aRestartedNodeFinishesTheDutiesItLeft() {
    List<Duty> early = new ArrayList<>();
    SnapshotStep kept = closed("kept", 1, false, taken(1, NODE, ""));
    for (SnapshotStep step :
        List.of(
            opened("kept", 1),
            kept,
            opened("gone", 2),
            closed("gone", 2, false, taken(2, NODE, "")),
            SnapshotStep.newBuilder()
                .setDeleted(SnapshotDeleted.newBuilder().setId("gone"))
                .build(),
            opened("answered", 3),
            take(3, NODE),
            taken(3, NODE, ""),
            opened("owed", 4),
            take(4, NODE))) {
      early.addAll(duties.apply(step));
    }
    assertThat(early).as("before it has caught up").isEmpty();
    assertThat(duties.caughtUp())
        .containsExactly(
            new Duty.Sweep(List.of(ref("kept", 1), ref("answered", 3), ref("owed", 4)), 4),
            new Duty.File(kept.getClosed()),
            new Duty.Take(opened("owed", 4).getOpened()));
  }

  @Test
  void aNodeThatMissedADeleteSweepsTheSnapshotAlsoWhenItsNameIsAnothersByThen() {
    for (SnapshotStep step :
        List.of(
            opened("a", 1),
            closed("a", 1, false, taken(1, NODE, "")),
            SnapshotStep.newBuilder().setDeleted(SnapshotDeleted.newBuilder().setId("a")).build(),
            opened("a", 2))) {
      duties.apply(step);
    }
    assertThat(duties.caughtUp()).containsExactly(new Duty.Sweep(List.of(ref("a", 2)), 2));
  }

  @Test
  void aNumberThatDoesNotGrowIsNoSnapshot() {
    duties.caughtUp();
    duties.apply(opened("a", 2));
    duties.apply(opened("b", 2));
    duties.apply(opened("c", 1));
    assertThat(duties.apply(take(1, NODE))).isEmpty();
    assertThat(duties.apply(take(2, NODE)))
        .containsExactly(new Duty.Take(opened("a", 2).getOpened()));
  }

  private static SnapshotStep opened(String id, long number) {
    return SnapshotStep.newBuilder()
        .setOpened(SnapshotOpened.newBuilder().setSnapshot(ref(id, number)))
        .build();
  }

  private static SnapshotStep take(long number, int node) {
    return SnapshotStep.newBuilder()
        .setTake(SnapshotTake.newBuilder().setNumber(number).setNode(node))
        .build();
  }

  private static SnapshotStep taken(long number, int node, String failure) {
    return SnapshotStep.newBuilder()
        .setTaken(SnapshotTaken.newBuilder().setNumber(number).setNode(node).setFailure(failure))
        .build();
  }

  private static SnapshotStep closed(String id, long number, boolean discarded, SnapshotStep part) {
    return SnapshotStep.newBuilder()
        .setClosed(
            SnapshotClosed.newBuilder()
                .setSnapshot(ref(id, number))
                .setDiscarded(discarded)
                .addParts(part.getTaken()))
        .build();
  }

  private static SnapshotRef ref(String id, long number) {
    return SnapshotRef.newBuilder().setId(id).setNumber(number).build();
  }
}
