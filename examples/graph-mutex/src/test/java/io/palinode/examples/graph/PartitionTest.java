package io.palinode.examples.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionTest {
  @ParameterizedTest
  @CsvSource({"karate,1", "karate,4", "karate,34", "us-states,5", "powerlaw:100,7", "grid:5x5,6"})
  void eachVertexHasOneOwnerAndSizesDifferByOneAtMost(String spec, int clients) {
    Partition partition = Partition.of(Graphs.parse(spec), clients);
    List<List<Integer>> parts =
        IntStream.range(0, clients).mapToObj(partition::verticesOf).toList();
    assertThat(parts.stream().flatMap(List::stream))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, partition.graph().vertices()).boxed().toList());
    int least = partition.graph().vertices() / clients;
    assertThat(parts).allSatisfy(part -> assertThat(part.size()).isBetween(least, least + 1));
  }

  @Test
  void crossEdgesAreThoseBetweenClients() {
    Partition partition = Partition.of(Graphs.parse("karate"), 4);
    for (Edge edge : partition.graph().edges()) {
      boolean crosses = partition.owner(edge.a()) != partition.owner(edge.b());
      assertThat(partition.crossEdges().contains(edge)).isEqualTo(crosses);
      assertThat(partition.crossEdges(edge.a()).contains(edge)).isEqualTo(crosses);
      assertThat(partition.crossEdges(edge.b()).contains(edge)).isEqualTo(crosses);
    }
    assertThat(partition.crossEdges()).isSorted();
    assertThat(partition.crossEdges(33)).isSorted();
  }

  @ParameterizedTest
  @CsvSource({"grid:20x20,4,150", "karate,2,17", "karate,3,25", "us-states,3,18", "us-states,6,30"})
  void regionsKeepMostEdgesInside(String spec, int clients, int crossEdgesMax) {
    Partition partition = Partition.of(Graphs.parse(spec), clients);
    assertThat(partition.crossEdges()).hasSizeLessThanOrEqualTo(crossEdgesMax);
  }

  @Test
  void largeGraphIsCutAtOnce() {
    Partition partition = Partition.of(Graphs.parse("powerlaw:100000"), 50_000);
    assertThat(partition.verticesOf(49_999)).hasSize(2);
  }

  @Test
  void oneClientNeedsNoLocks() {
    assertThat(Partition.of(Graphs.parse("karate"), 1).crossEdges()).isEmpty();
  }

  @Test
  void moreClientsThanVerticesAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Partition.of(Graphs.parse("karate"), 35))
        .withMessage("clients must be in [1, 34]: clients=35");
  }

  @Test
  void hubsAreDealtOutInTurnAndOnlyEdgesBetweenThemCross() {
    for (long seed = 0; seed < 50; seed++) {
      Graph graph = Graphs.parse("powerlaw:60", seed);
      Partition partition = Partition.ofHubs(graph, 3, 12);
      int least = Integer.MAX_VALUE;
      int others = 0;
      for (int client = 0; client < 3; client++) {
        assertThat(partition.verticesOf(client)).as("seed=%d", seed).hasSize(4);
        for (int vertex : partition.verticesOf(client)) {
          least = Math.min(least, graph.degree(vertex));
        }
      }
      for (int vertex = 0; vertex < graph.vertices(); vertex++) {
        if (partition.owner(vertex) < 0) {
          others = Math.max(others, graph.degree(vertex));
          assertThat(partition.crossEdges(vertex)).isEmpty();
        }
      }
      assertThat(least).as("seed=%d", seed).isGreaterThanOrEqualTo(others);
      assertThat(partition.crossEdges())
          .isNotEmpty()
          .allMatch(e -> partition.owner(e.a()) >= 0 && partition.owner(e.b()) >= 0);
    }
  }
}
