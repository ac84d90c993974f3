package io.palinode.examples.graph.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JournalTest {
  private final Journal journal = new Journal();

  @Test
  void tasksAtOrBeforeTheTargetStand() {
    journal.add(10, 3);
    journal.add(20, 4);
    journal.add(30, 5);
    assertThat(journal.undoAfter(20)).isEqualTo(5);
    assertThat(journal.size()).isEqualTo(2);
    assertThat(journal.operations()).isEqualTo(7);
    assertThat(journal.lastAcceptedAt()).isEqualTo(20);
  }

  @Test
  void taskAfterOneThatDoesNotStandDoesNotStandEither() {
    journal.add(20, 3);
    journal.add(10, 4);
    assertThat(journal.undoAfter(15)).isEqualTo(7);
    assertThat(journal.size()).isZero();
    assertThat(journal.lastAcceptedAt()).isZero();
  }

  @Test
  void storeWithoutClocksTakesNothingBack() {
    journal.add(0, 3);
    assertThat(journal.undoAfter(0)).isZero();
    assertThat(journal.size()).isEqualTo(1);
  }
}
