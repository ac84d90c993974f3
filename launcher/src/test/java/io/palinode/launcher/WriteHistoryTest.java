package io.palinode.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.palinode.hvc.Hlc;
import io.palinode.launcher.WriteHistory.State;
import io.palinode.launcher.WriteHistory.Write;
import io.palinode.orchestrator.rest.past.DiscardedView;
import io.palinode.orchestrator.rest.past.DiscardedView.SpanView;
import io.palinode.orchestrator.rest.past.RollbackSpan;
import io.palinode.voldemort.client.PastStore.Change;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WriteHistoryTest {
  private static final List<Versioned> ABSENT = List.of();
  private static final List<Versioned> OLD = version("old", 1);
  private static final List<Versioned> NEW = version("new", 2);

  /** Opened epoch 4; discarded what came after 15 and up to 25, and had ended at 30. */
  private static final RollbackSpan ROLLBACK =
      new RollbackSpan(
          4,
          false,
          new DiscardedView(
              4, text(15), text(30), List.of(new SpanView(text(15), text(25))), List.of()));

  /** One that opened epoch 3 and ended before. */
  private static final List<RollbackSpan> BEFORE = List.of(new RollbackSpan(3, true, null));

  @Test
  void aWriteIsListedOnceWithItsNodesAndItsFirstTime() {
    List<Write> writes =
        WriteHistory.of(
            Map.of(
                0, List.of(change(12, ABSENT, OLD, ""), change(20, OLD, NEW, "bob")),
                1, List.of(change(10, ABSENT, OLD, "alice"))),
            BEFORE);
    assertThat(writes).hasSize(2);
    Write old = writes.get(0);
    assertThat(old.hlc()).isEqualTo(Hlc.ofMicros(10));
    assertThat(old.epoch()).isEqualTo(3);
    assertThat(old.value()).isEqualTo("old");
    assertThat(old.client()).isEqualTo("alice");
    assertThat(old.nodes()).containsExactly(0, 1);
    assertThat(old.state()).as("node 1 has it still").isEqualTo(State.PRESENT);
    assertThat(writes.get(1).state()).isEqualTo(State.PRESENT);
  }

  @Test
  void aRollbackIsNoWriteAndWhatItDiscardedIsUndone() {
    List<Write> writes =
        WriteHistory.of(
            Map.of(
                0,
                List.of(
                    change(10, ABSENT, OLD, "alice"),
                    change(20, OLD, NEW, "bob"),
                    change(28, NEW, OLD, ""),
                    change(40, OLD, ABSENT, "carol"))),
            List.of(BEFORE.get(0), ROLLBACK));
    assertThat(writes)
        .extracting(Write::value, Write::state, Write::undoneBy, Write::epoch)
        .containsExactly(
            tuple("old", State.REPLACED, null, 3L),
            tuple("new", State.UNDONE, 4L, 3L),
            tuple(null, State.PRESENT, null, 4L));
  }

  @Test
  void aWriteThatARollbackKeptIsNotUndone() {
    List<Write> writes =
        WriteHistory.of(Map.of(0, List.of(change(20, ABSENT, OLD, "alice"))), List.of(ROLLBACK));
    assertThat(writes.get(0).undoneBy()).isNull();
    assertThat(writes.get(0).state()).isEqualTo(State.PRESENT);
  }

  private static Change change(
      long micros, List<Versioned> before, List<Versioned> after, String client) {
    return new Change(new byte[] {'k'}, Hlc.ofMicros(micros), before, after, client);
  }

  private static List<Versioned> version(String value, long number) {
    Pb0.ClockEntry entry = Pb0.ClockEntry.newBuilder().setNodeId(0).setVersion(number).build();
    Pb0.VectorClock clock = Pb0.VectorClock.newBuilder().addEntries(entry).setTimestamp(1).build();
    return List.of(Versioned.ofText(value, VectorClock.fromProto(clock)));
  }

  private static String text(long micros) {
    return Hlc.format(Hlc.ofMicros(micros));
  }
}
