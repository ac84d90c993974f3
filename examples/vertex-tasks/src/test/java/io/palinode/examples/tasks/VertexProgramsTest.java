package io.palinode.examples.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Graph;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The programs without a store: whole tasks, one after the other. */
class VertexProgramsTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 2_000);
  private static final int TASKS_MAX = 100_000;

  @Test
  void tasksInAnyOrderEndInAMaximalMatching() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Graph graph = graph(random);
      SequentialRun run = new SequentialRun(new Matching(), graph);
      List<Task> tasks = new ArrayList<>();
      for (List<Integer> left = left(run, graph); !left.isEmpty(); left = left(run, graph)) {
        tasks.add(run.perform(left.get(random.nextInt(left.size()))));
        if (tasks.size() > TASKS_MAX) {
          throw new AssertionError("no end: seed=" + seed);
        }
      }
      assertThat(isMaximalMatching(graph, run.values())).as("seed %d", seed).isTrue();
      assertThat(Matching.problems(graph, run.values())).as("seed %d", seed).isEmpty();

      Collections.shuffle(tasks, random);
      SequentialRun again = new SequentialRun(new Matching(), graph);
      assertThat(again.differing(tasks)).as("seed %d", seed).isEmpty();
      assertThat(again.values()).as("seed %d", seed).isEqualTo(run.values());
    }
  }

  /** The definition, from the pairs alone. */
  private static boolean isMaximalMatching(Graph graph, Map<Integer, String> values) {
    boolean right = true;
    Set<Integer> matched = new HashSet<>();
    for (Edge edge : graph.edges()) {
      boolean a = ("with " + edge.b()).equals(values.get(edge.a()));
      boolean b = ("with " + edge.a()).equals(values.get(edge.b()));
      right &= a == b;
      if (a) {
        right &= matched.add(edge.a()) && matched.add(edge.b());
      }
    }
    for (Edge edge : graph.edges()) {
      right &= matched.contains(edge.a()) || matched.contains(edge.b());
    }
    return right;
  }

  @Test
  void wrongMatchingsHaveProblems() {
    Graph path = Graph.of("path", List.of("0", "1", "2"), List.of(new Edge(0, 1), new Edge(1, 2)));
    assertThat(Matching.problems(path, Map.of(0, "with 1", 1, "with 0", 2, "alone"))).isEmpty();
    assertThat(Matching.problems(path, Map.of(0, "with 1", 1, "with 2", 2, "with 1")))
        .containsExactly("0 is with 1, and 1 is with 2");
    assertThat(Matching.problems(path, Map.of(0, "with 2", 1, "alone", 2, "with 0")))
        .contains("0 is with 2, and 2 is with 0");
    assertThat(Matching.problems(path, Map.of(0, "alone", 1, "asks 0", 2, "free")))
        .containsExactly("the ends of 0_1 are both alone", "the ends of 1_2 are both alone");
  }

  @Test
  void aLabelIsTheMostFrequentOneNearby() {
    Communities program = new Communities(3);
    assertThat(program.next(9, 1, "9", sorted(Map.of(1, "4", 2, "4", 3, "2")))).isEqualTo("4");
    assertThat(program.next(9, 1, "9", sorted(Map.of(1, "4", 2, "2")))).isEqualTo("9");
    assertThat(program.next(9, 1, "9", sorted(Map.of(1, "4", 2, "2", 3, "4", 5, "2"))))
        .isEqualTo("2");
  }

  @Test
  void aStationStaysBetweenWhatItReadsAndMeasures() {
    Weather program = new Weather();
    for (int round = 1; round < 1_000; round++) {
      int next = Integer.parseInt(program.next(7, round, "100", sorted(Map.of(1, "50", 2, "60"))));
      assertThat(next).isBetween((100 + 50 + 60 - 200) / 4, (100 + 50 + 60 + 400) / 4);
    }
  }

  @Test
  void tasksThatOverlappedDiffer() {
    Graph pair = Graph.of("pair", List.of("0", "1"), List.of(new Edge(0, 1)));
    Task first = new SequentialRun(new Weather(), pair).perform(0);
    Task overlapping = new SequentialRun(new Weather(), pair).perform(1);
    SequentialRun run = new SequentialRun(new Weather(), pair);
    assertThat(run.differing(List.of(first, overlapping))).containsExactly(overlapping);
  }

  @Test
  void aTaskWithAnotherValueDiffers() {
    Graph pair = Graph.of("pair", List.of("0", "1"), List.of(new Edge(0, 1)));
    Task task = new SequentialRun(new Weather(), pair).perform(0);
    Task wrong = new Task(0, task.neighbours(), new VertexState(1, task.state().value() + "0"));
    assertThat(new SequentialRun(new Weather(), pair).differing(List.of(wrong)))
        .containsExactly(wrong);
  }

  @Test
  void recordsSurviveTheirText() {
    Edge edge = new Edge(3, 12);
    EdgeRecord record =
        EdgeRecord.first(edge, new Matching()).leftBy(12, new VertexState(4, "asks 3")).takenBy(3);
    assertThat(record.toString()).isEqualTo("3|0 free|4 asks 3");
    assertThat(EdgeRecord.parse(edge, record.toString())).isEqualTo(record);
  }

  private static SortedMap<Integer, String> sorted(Map<Integer, String> neighbours) {
    return new TreeMap<>(neighbours);
  }

  private static List<Integer> left(SequentialRun run, Graph graph) {
    return IntStream.range(0, graph.vertices()).filter(v -> !run.ends(v)).boxed().toList();
  }

  private static Graph graph(Random random) {
    int vertices = 1 + random.nextInt(12);
    double density = random.nextDouble();
    List<Edge> edges = new ArrayList<>();
    for (int b = 1; b < vertices; b++) {
      for (int a = 0; a < b; a++) {
        if (random.nextDouble() < density) {
          edges.add(new Edge(a, b));
        }
      }
    }
    List<String> names = IntStream.range(0, vertices).mapToObj(Integer::toString).toList();
    return Graph.of("random", names, edges);
  }
}
