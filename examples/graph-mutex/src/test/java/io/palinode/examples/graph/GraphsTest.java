package io.palinode.examples.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GraphsTest {
  @TempDir Path directory;

  @Test
  void karateIsZacharysClub() {
    Graph karate = Graphs.parse("karate");
    assertThat(karate.vertices()).isEqualTo(34);
    assertThat(karate.edges()).hasSize(78);
    assertThat(degree(karate, "34")).isEqualTo(17);
    assertThat(degree(karate, "1")).isEqualTo(16);
    assertThat(degree(karate, "33")).isEqualTo(12);
    assertThat(degree(karate, "12")).isEqualTo(1);
    assertThat(karate.vertexName(0)).isEqualTo("1");
    assertThat(karate.isConnected()).isTrue();
    assertSymmetric(karate);
  }

  @Test
  void usStatesAreTheContiguousOnesAndDc() {
    Graph states = Graphs.parse("us-states");
    assertThat(states.vertices()).isEqualTo(49);
    assertThat(states.edges()).hasSize(107);
    assertThat(degree(states, "MO")).isEqualTo(8);
    assertThat(degree(states, "TN")).isEqualTo(8);
    assertThat(degree(states, "ME")).isEqualTo(1);
    assertThat(degree(states, "DC")).isEqualTo(2);
    assertThat(states.edges())
        .doesNotContain(edge(states, "AZ", "CO"), edge(states, "NM", "UT"))
        .contains(edge(states, "MI", "WI"), edge(states, "DC", "VA"));
    assertThat(states.isConnected()).isTrue();
    // A planar graph has at most 3n − 6 edges.
    assertThat(states.edges().size()).isLessThanOrEqualTo(3 * states.vertices() - 6);
    assertSymmetric(states);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4, 10, 500})
  void powerLawAddsTwoEdgesAVertexAndIsConnected(int n) {
    Graph graph = Graphs.parse("powerlaw:" + n, 7);
    assertThat(graph.vertices()).isEqualTo(n);
    assertThat(graph.edges()).hasSize(3 + 2 * (n - 3));
    assertThat(graph.isConnected()).isTrue();
    assertSymmetric(graph);
  }

  @Test
  void powerLawHasHubs() {
    Graph graph = Graphs.parse("powerlaw:1000", 7);
    assertThat(graph.maxDegree()).isGreaterThan(30);
  }

  @Test
  void gridJoinsVerticesBesideEachOther() {
    Graph grid = Graphs.parse("grid:4x3");
    assertThat(grid.vertices()).isEqualTo(12);
    assertThat(grid.edges()).hasSize(3 * 3 + 4 * 2);
    assertThat(grid.neighbours(5)).containsExactly(1, 4, 6, 9);
    assertThat(grid.vertexName(5)).isEqualTo("1,1");
    assertThat(grid.isConnected()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"2,1", "8,3", "9,4", "10,9", "50,7", "6,5", "200,4"})
  void randomRegularGivesEachVertexItsDegree(int n, int d) {
    for (long seed = 0; seed < 20; seed++) {
      Graph graph = Graphs.parse("random-regular:" + n + "," + d, seed);
      for (int v = 0; v < n; v++) {
        assertThat(graph.degree(v)).as("seed %d vertex %d", seed, v).isEqualTo(d);
      }
    }
  }

  @Test
  void randomGraphsFollowTheirSeed() {
    for (String spec : new String[] {"powerlaw:60", "random-regular:60,4"}) {
      assertThat(Graphs.parse(spec, 5).edges()).isEqualTo(Graphs.parse(spec, 5).edges());
      assertThat(Graphs.parse(spec, 5).edges()).isNotEqualTo(Graphs.parse(spec, 6).edges());
    }
  }

  @Test
  void fileHoldsTwoNamesALineWithComments() throws IOException {
    Path file = directory.resolve("ring.txt");
    Files.writeString(file, "# a ring\n10 9\n 9\t2 # back\n\n2 10\n10 2\n");
    Graph ring = Graphs.parse("file:" + file);
    assertThat(ring.edges()).containsExactly(new Edge(0, 1), new Edge(0, 2), new Edge(1, 2));
    assertThat(ring.vertexName(0)).isEqualTo("2");
    assertThat(ring.vertexName(2)).isEqualTo("10");
    assertThat(Graphs.parse(file.toString()).edges()).isEqualTo(ring.edges());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a b c | 2: a line must hold two vertex names: it holds 3",
        "a     | 2: a line must hold two vertex names: it holds 1",
        "a a   | 2: an edge must join two different vertices: 'a'",
      })
  void badLineIsNamedWithFileAndReason(String line, String message) throws IOException {
    Path file = directory.resolve("bad.txt");
    Files.writeString(file, "x y\n" + line + "\n");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Graphs.parse(file.toString()))
        .withMessage(file + ":" + message);
  }

  @Test
  void emptyMissingAndBinaryFilesAreRefused() throws IOException {
    Path empty = Files.writeString(directory.resolve("empty.txt"), "# nothing\n");
    Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe});
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Graphs.parse("file:" + empty))
        .withMessageContaining("at least one edge");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Graphs.parse("file:" + directory.resolve("none")))
        .withMessageContaining("no such file");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Graphs.parse(binary.toString()))
        .withMessageContaining("UTF-8");
  }

  @ParameterizedTest
  @ValueSource(strings = {"karat", "grid:4", "powerlaw:x", "random-regular:8", ""})
  void unknownSpecNamesTheValidForms(String spec) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Graphs.parse(spec))
        .withMessageContaining("karate, us-states, powerlaw:N")
        .withMessageContaining("'" + spec + "'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "powerlaw:2 | powerlaw vertices must be in [3, 100000]: powerlaw vertices=2",
        "grid:0x4 | grid width must be in [1, 100000]: grid width=0",
        "grid:1000x1000 | grid vertices must be in [1, 100000]: grid vertices=1000000",
        "random-regular:5,3 | random-regular:N,D needs N or D even: N=5 D=3",
        "random-regular:5,5 | random-regular degree must be in [1, 4]: random-regular degree=5",
        "random-regular:100000,21 | random-regular edges must be in [1, 1000000]:"
            + " random-regular edges=1050000",
      })
  void limitsAreNamed(String spec, String message) {
    assertThatIllegalArgumentException().isThrownBy(() -> Graphs.parse(spec)).withMessage(message);
  }

  private static int degree(Graph graph, String name) {
    return graph.degree(vertex(graph, name));
  }

  private static Edge edge(Graph graph, String v, String w) {
    return Edge.between(vertex(graph, v), vertex(graph, w));
  }

  private static int vertex(Graph graph, String name) {
    return IntStream.range(0, graph.vertices())
        .filter(v -> graph.vertexName(v).equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static void assertSymmetric(Graph graph) {
    for (int v = 0; v < graph.vertices(); v++) {
      for (int w : graph.neighbours(v)) {
        int back = v;
        assertThat(Arrays.stream(graph.neighbours(w)).anyMatch(x -> x == back)).isTrue();
      }
    }
  }
}
