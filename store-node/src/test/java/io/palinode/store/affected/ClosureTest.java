package io.palinode.store.affected;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.store.affected.Access.Kind;
import io.palinode.store.affected.Question.Moment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClosureTest {
  private static final long TARGET = 100;
  private static final long X = 1;
  private static final long Y = 2;
  private static final long Z = 3;

  private final Map<Integer, List<Access>> byNode = new HashMap<>();
  private final Map<Integer, Long> since = new HashMap<>();
  private int percentMax = 100;
  private int clientsMax = 10;

  @Test
  void aClientThatNeverReadTheWitnessKeepsItsWrites() {
    write(0, 110, X, 11, "alice");
    write(0, 120, Y, 21, "bob");
    read(0, 130, Y, "bob");
    assertThat(closure()).isEqualTo(new Affected(Map.of(X, 109L), Map.of("alice", 109L)));
  }

  @Test
  void aReaderIsAffectedFromItsReadOn() {
    write(0, 110, X, 11, "alice");
    write(1, 115, Y, 21, "bob");
    read(0, 120, X, "bob");
    write(1, 130, Z, 31, "bob");
    assertThat(closure())
        .isEqualTo(new Affected(Map.of(X, 109L, Z, 129L), Map.of("alice", 109L, "bob", 119L)));
  }

  @Test
  void aReplicaWithoutTheWriteAffectsNoReader() {
    write(0, 110, X, 11, "alice");
    read(1, 120, X, "bob");
    copy(1, 130, X, 11, "alice");
    assertThat(closure()).isEqualTo(new Affected(Map.of(X, 109L), Map.of("alice", 109L)));
    read(1, 140, X, "bob");
    assertThat(closure())
        .isEqualTo(new Affected(Map.of(X, 109L), Map.of("alice", 109L, "bob", 139L)));
  }

  /** A reader that repairs a node does not name the writer. */
  @Test
  void aRepairedReplicaAffectsItsReaders() {
    write(0, 110, X, 11, "alice");
    read(0, 115, X, "reader");
    copy(1, 120, X, 11, "");
    read(1, 130, X, "bob");
    assertThat(closure())
        .isEqualTo(
            new Affected(Map.of(X, 109L), Map.of("alice", 109L, "reader", 114L, "bob", 129L)));
    assertThat(Closure.of(question(Set.of(new Moment(1, 120))), traces())).isEqualTo(closure());
  }

  @Test
  void aRepairOfAKeptWriteAffectsNoReader() {
    write(0, 90, Y, 21, "carol");
    write(0, 110, X, 11, "alice");
    copy(1, 120, Y, 21, "");
    read(1, 130, Y, "bob");
    assertThat(closure()).isEqualTo(new Affected(Map.of(X, 109L), Map.of("alice", 109L)));
  }

  @Test
  void earlierWritesOfAnAffectedClientStandEvenIfTheirCopiesAreLate() {
    write(1, 105, Y, 21, "alice");
    write(0, 110, X, 11, "alice");
    copy(0, 120, Y, 21, "alice");
    read(0, 130, Y, "bob");
    assertThat(closure()).isEqualTo(new Affected(Map.of(X, 109L), Map.of("alice", 109L)));
  }

  @Test
  void aKeyIsUndoneAsAWholeSoSiblingsOfTheWitnessAreUndoneToo() {
    write(0, 110, X, 11, "alice");
    write(1, 110, X, 12, "bob");
    write(1, 120, Y, 21, "bob");
    assertThat(closure())
        .isEqualTo(new Affected(Map.of(X, 109L, Y, 119L), Map.of("alice", 109L, "bob", 109L)));
  }

  @Test
  void aSiblingAtTheSameHlcIsUndoneEvenIfItsNodeIsFirst() {
    write(1, 110, X, 11, "alice");
    write(0, 110, X, 12, "bob");
    assertThat(Closure.of(question(Set.of(new Moment(1, 110))), traces()))
        .isEqualTo(new Affected(Map.of(X, 109L), Map.of("alice", 109L, "bob", 109L)));
  }

  @Test
  void aWitnessThatIsACopyLeadsToItsWrite() {
    write(1, 110, X, 11, "alice");
    read(1, 115, X, "bob");
    copy(0, 120, X, 11, "alice");
    assertThat(Closure.of(question(Set.of(new Moment(0, 120))), traces()))
        .isEqualTo(new Affected(Map.of(X, 109L), Map.of("alice", 109L, "bob", 114L)));
  }

  @Test
  void aWitnessWithoutAKnownWriteUndoesEverything() {
    write(1, 90, X, 11, "alice");
    copy(0, 110, X, 11, "alice");
    assertThat(reason()).contains("the witness at node 0");
    assertThat(Closure.of(question(Set.of(new Moment(1, 115))), traces()))
        .isInstanceOf(Everything.class);
  }

  @Test
  void aNodeThatHasDroppedAccessesAfterTheTargetUndoesEverything() {
    write(0, 110, X, 11, "alice");
    since.put(1, 101L);
    assertThat(reason()).contains("node 1");
    since.put(1, 100L);
    assertThat(closure()).isInstanceOf(Affected.class);
  }

  @Test
  void anAffectedClientWithoutANameUndoesEverything() {
    write(0, 110, X, 11, "alice");
    write(0, 120, Y, 21, "");
    assertThat(closure()).isInstanceOf(Affected.class);
    read(0, 130, X, "");
    assertThat(reason()).contains("without a name");
  }

  @Test
  void moreThanTheShareOfTheChangedKeysUndoesEverything() {
    write(0, 110, X, 11, "alice");
    write(0, 120, Y, 21, "bob");
    percentMax = 50;
    assertThat(closure()).isInstanceOf(Affected.class);
    percentMax = 49;
    assertThat(reason()).contains("1 of 2 keys");
  }

  @Test
  void moreClientsThanAFenceCanNameUndoEverything() {
    write(0, 110, X, 11, "alice");
    read(0, 120, X, "bob");
    clientsMax = 1;
    assertThat(reason()).contains("2, limit 1");
  }

  private Extent closure() {
    return Closure.of(question(Set.of(new Moment(0, 110))), traces());
  }

  private String reason() {
    Extent extent = closure();
    assertThat(extent).isInstanceOf(Everything.class);
    return ((Everything) extent).reason();
  }

  private Question question(Set<Moment> witnesses) {
    return new Question(TARGET, witnesses, clientsMax, percentMax);
  }

  private List<Trace> traces() {
    List<Trace> traces = new ArrayList<>();
    for (int node = 0; node < 2; node++) {
      traces.add(
          new Trace(node, since.getOrDefault(node, 50L), byNode.getOrDefault(node, List.of())));
    }
    return traces;
  }

  private void write(int node, long hlc, long key, long write, String client) {
    add(node, new Access(Kind.WRITE, hlc, key, write, client));
  }

  private void copy(int node, long hlc, long key, long write, String client) {
    add(node, new Access(Kind.COPY, hlc, key, write, client));
  }

  private void read(int node, long hlc, long key, String client) {
    add(node, Access.read(hlc, key, client));
  }

  private void add(int node, Access access) {
    byNode.computeIfAbsent(node, n -> new ArrayList<>()).add(access);
  }
}
