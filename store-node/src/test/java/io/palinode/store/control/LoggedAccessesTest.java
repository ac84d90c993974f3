package io.palinode.store.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.store.affected.Access;
import io.palinode.store.affected.Access.Kind;
import io.palinode.store.affected.Affected;
import io.palinode.store.affected.Everything;
import io.palinode.store.affected.Trace;
import io.palinode.wire.v1.Accessed;
import io.palinode.wire.v1.ClientAccesses;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Scope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LoggedAccessesTest {
  private static final Restore ASKED =
      Restore.newBuilder()
          .setTarget(100)
          .setAffected(
              Scope.newBuilder()
                  .addWitnesses(Moment.newBuilder().setNode(1).setHlc(101))
                  .setClientsMax(10)
                  .setPercentMax(100)
                  .setAccessesMax(5))
          .build();

  @Test
  void aTraceIsJoinedFromItsPiecesInAnyOrder() {
    Random random = new Random(9);
    for (int seed = 0; seed < 50; seed++) {
      Trace trace = trace(random, random.nextInt(5_000));
      List<Accessed> pieces = new ArrayList<>();
      for (List<ClientAccesses> piece : Pieces.of(LoggedAccesses.byClient(trace), 4_096)) {
        pieces.add(Accessed.newBuilder().setNode(2).setSince(7).addAllClients(piece).build());
      }
      Collections.shuffle(pieces, random);
      assertThat(LoggedAccesses.traces(pieces)).containsExactly(trace);
    }
  }

  @Test
  void theAccessesOfOneClientAreDividedIntoPiecesOfLimitedSize() {
    Random random = new Random(1);
    List<Access> accesses = new ArrayList<>();
    for (int hlc = 1; hlc <= 10_000; hlc++) {
      accesses.add(new Access(Kind.WRITE, hlc, random.nextLong(), random.nextLong(), "one"));
    }
    List<ClientAccesses> pieces = LoggedAccesses.byClient(new Trace(0, 0, accesses));
    assertThat(pieces).hasSize(10);
    assertThat(pieces).allMatch(some -> some.getSerializedSize() < 30_000);
  }

  private static Trace trace(Random random, int count) {
    List<Access> accesses = new ArrayList<>();
    for (int hlc = 1; hlc <= count; hlc++) {
      Kind kind = List.of(Kind.values()).get(random.nextInt(3));
      String client = random.nextInt(9) == 0 ? "" : "c" + random.nextInt(4);
      accesses.add(new Access(kind, hlc, random.nextLong(), random.nextLong(), client));
    }
    return new Trace(2, 7, accesses);
  }

  @Test
  void theExtentFollowsFromTheAccessesOfAllNodes() {
    assertThat(LoggedAccesses.extent(ASKED, List.of(accessed(0, 100), accessed(1, 100))))
        .isEqualTo(new Affected(Map.of(7L, 100L), Map.of("c", 100L)));
  }

  @Test
  void aNodeThatRestartedAmongItsAnswersKnowsOnlyItsLastAccesses() {
    assertThat(
            LoggedAccesses.extent(
                ASKED, List.of(accessed(0, 100), accessed(1, 100), accessed(1, 500))))
        .isInstanceOf(Everything.class);
  }

  @Test
  void tooManyAccessesMakeTheExtentEverything() {
    Accessed tooMany = Accessed.newBuilder().setNode(2).setTooMany(6).build();
    assertThat(LoggedAccesses.extent(ASKED, List.of(accessed(1, 100), tooMany)))
        .isEqualTo(new Everything("the access log of node 2 has 6 accesses after 0.100, limit 5"));
  }

  @Test
  void withoutAWitnessTheExtentIsEverything() {
    Restore none = ASKED.toBuilder().setAffected(Scope.getDefaultInstance()).build();
    assertThat(LoggedAccesses.extent(none, List.of(accessed(1, 100))))
        .isInstanceOf(Everything.class);
  }

  private static Accessed accessed(int node, long since) {
    Trace trace = new Trace(node, since, List.of(new Access(Kind.WRITE, 101, 7, 8, "c")));
    List<ClientAccesses> clients = node == 1 ? LoggedAccesses.byClient(trace) : List.of();
    return Accessed.newBuilder().setNode(node).setSince(since).addAllClients(clients).build();
  }
}
