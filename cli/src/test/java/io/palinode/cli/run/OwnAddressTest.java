package io.palinode.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OwnAddressTest {
  private static final Cluster CLUSTER =
      new Cluster(
          "machines",
          List.of(),
          List.of(
              new Node(0, "a.example", 1, 1, 1, 0, List.of(0)),
              new Node(1, "b.example", 1, 1, 1, 0, List.of(1))));

  @Test
  void aNodeWhoseNameIsLoopbackIsNotReachedByOtherMachines() {
    assertThat(OwnAddress.problem(CLUSTER, 1, Set.of("b.example")::contains))
        .isEqualTo(
            "no other machine reaches node 1: b.example is a loopback address here;"
                + " correct it in /etc/hosts, then restart the node");
    assertThat(OwnAddress.problem(CLUSTER, 0, Set.of("b.example")::contains)).isNull();
  }

  @Test
  void aClusterOfOneMachineMayUseLoopback() {
    assertThat(OwnAddress.problem(CLUSTER, 1, host -> true)).isNull();
  }
}
