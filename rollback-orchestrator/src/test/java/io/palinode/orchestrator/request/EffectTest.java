package io.palinode.orchestrator.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.v1.EffectReported;
import io.palinode.wire.v1.OfReplicas;
import java.util.List;
import org.junit.jupiter.api.Test;

class EffectTest {
  private static final List<Integer> A = List.of(1, 0, 2);
  private static final List<Integer> B = List.of(0, 2, 1);

  @Test
  void aWriteThatItsFirstReplicaMissedCounts() {
    Effect effect =
        effect(
            node(0, of(A, 4, 2), of(B, 3, 2)),
            node(1, of(A, 3, 1), of(B, 3, 2)),
            node(2, of(A, 4, 2), of(B, 2, 1)));
    assertThat(effect.writes()).isEqualTo(7);
    assertThat(effect.keys()).isEqualTo(4);
  }

  @Test
  void aReplicaThatMissedAllReportsNone() {
    Effect effect = effect(node(0, of(A, 1, 1)), node(1), node(2, of(A, 1, 1)));
    assertThat(effect.writes()).isEqualTo(1);
    assertThat(effect.keys()).isEqualTo(1);
  }

  @Test
  void oldWritesThatAReplicaReceivedLateDoNotCount() {
    Effect effect =
        effect(node(0, of(A, 5, 4)), node(1, of(A, 5, 4)), node(2, of(A, 9_000, 8_000)));
    assertThat(effect.writes()).isEqualTo(5);
    assertThat(effect.keys()).isEqualTo(4);
    assertThat(effect(node(0), node(1), node(2, of(A, 9_000, 8_000))).writes()).isZero();
  }

  @Test
  void ofTwoReplicasTheGreaterCounts() {
    List<Integer> two = List.of(0, 1);
    assertThat(effect(node(0, of(two, 3, 1)), node(1, of(two, 4, 2))).writes()).isEqualTo(4);
    assertThat(effect(node(0), node(1, of(two, 4, 2))).keys()).isEqualTo(2);
  }

  @Test
  void ifANodeIsOfAnEarlierReleaseEachWriteCountsAtItsFirstReplica() {
    EffectReported earlier =
        EffectReported.newBuilder().setWrites(9).setFirstWrites(5).setFirstKeys(2).build();
    Effect effect =
        effect(node(0, of(A, 1, 1)).toBuilder().setFirstWrites(2).setFirstKeys(1).build(), earlier);
    assertThat(effect.writes()).isEqualTo(7);
    assertThat(effect.keys()).isEqualTo(3);
  }

  private static Effect effect(EffectReported... reports) {
    return new Effect(0, 0, List.of(reports), List.of(), 0, "");
  }

  private static EffectReported node(int node, OfReplicas... parts) {
    return EffectReported.newBuilder()
        .setNode(node)
        .setWrites(List.of(parts).stream().mapToLong(OfReplicas::getWrites).sum())
        .addAllOfReplicas(List.of(parts))
        .build();
  }

  private static OfReplicas of(List<Integer> nodes, long writes, long keys) {
    return OfReplicas.newBuilder().addAllNodes(nodes).setWrites(writes).setKeys(keys).build();
  }
}
