package io.palinode.cli;

import static io.palinode.cli.RealParts.BOUND;
import static io.palinode.cli.RealParts.STORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.examples.graph.Graph;
import io.palinode.examples.graph.Graphs;
import io.palinode.examples.graph.Partition;
import io.palinode.examples.graph.net.HeldLinks;
import io.palinode.examples.tasks.Communities;
import io.palinode.examples.tasks.Matching;
import io.palinode.examples.tasks.SequentialRun;
import io.palinode.examples.tasks.Task;
import io.palinode.examples.tasks.VertexJob;
import io.palinode.examples.tasks.VertexProgram;
import io.palinode.examples.tasks.VertexRun;
import io.palinode.examples.tasks.Weather;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.voldemort.client.StoreClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The programs of examples/vertex-tasks on the real parts. The copies of one client are held until
 * the first rollback, so an edge certainly has two holders; then the run must equal a sequential
 * one. {@code palinode.it.tasks=N} makes the graphs N times as large; Weather takes N² seconds.
 */
@Timeout(600)
class VertexTasksIT {
  private static final String PREDICATE = "../examples/vertex-tasks/one-version.yaml";
  private static final int SIZE = Integer.getInteger("palinode.it.tasks", 1);
  private static final int CLIENTS = RealParts.NODES;

  @TempDir private static Path folder;
  private static RealParts parts;

  @BeforeAll
  static void start() {
    parts = RealParts.start(folder);
    assertThat(parts.run("lint", PREDICATE)).as(parts.out()).isZero();
    assertThat(parts.palinode("apply", "-f", PREDICATE)).as(parts.err()).isZero();
  }

  @AfterAll
  static void close() {
    parts.close();
  }

  @Test
  void matchingIsMaximal() {
    Graph graph = Graphs.parse("random-regular:" + 24 * SIZE + ",4");
    VertexRun.Result result = runWithTwoHolders("matching", new Matching(), graph, null);
    assertThat(Matching.problems(graph, result.values())).isEmpty();
  }

  @Test
  void communitiesOfAPowerLawGraphAreThoseOfASequentialRun() {
    Graph graph = Graphs.parse("powerlaw:" + 24 * SIZE);
    runWithTwoHolders("communities", new Communities(4), graph, null);
  }

  @Test
  void weatherOnAGridIsThatOfASequentialRunUntilItIsStopped() {
    Graph graph = Graphs.parse("grid:6x" + 4 * SIZE);
    runWithTwoHolders("weather", new Weather(), graph, Duration.ofSeconds((long) SIZE * SIZE));
  }

  /**
   * @param time from the first rollback on; null: until its end
   */
  private static VertexRun.Result runWithTwoHolders(
      String name, VertexProgram program, Graph graph, @Nullable Duration time) {
    HeldLinks held = new HeldLinks();
    List<StoreClient> clients = new ArrayList<>();
    try {
      clients.add(parts.client(name + "-0", 0, held));
      for (int i = 1; i < CLIENTS; i++) {
        clients.add(parts.client(name + "-" + i, i, new HeldLinks()));
      }
      held.hold(1);
      held.hold(2);
      VertexJob job = new VertexJob(program, Partition.of(graph, CLIENTS), STORE, name);
      long before = resumed();
      AtomicLong stopNanos = new AtomicLong(System.nanoTime() + Duration.ofDays(1).toNanos());
      CompletableFuture<VertexRun.Result> run =
          CompletableFuture.supplyAsync(() -> run(job, clients, stopNanos));
      await().atMost(BOUND).until(() -> resumed() > before || run.isDone());
      held.release(1);
      held.release(2);
      if (time != null) {
        stopNanos.set(System.nanoTime() + time.toNanos());
      }
      VertexRun.Result result = run.join();
      assertThat(result.rollbacks()).isPositive();
      if (time == null) {
        assertThat(result.tasks().stream().map(Task::vertex).distinct()).hasSize(graph.vertices());
      }
      assertEqualsSequential(job, graph, result);
      return result;
    } finally {
      clients.forEach(StoreClient::close);
    }
  }

  private static VertexRun.Result run(
      VertexJob job, List<StoreClient> clients, AtomicLong stopNanos) {
    try {
      return VertexRun.run(job, clients, () -> System.nanoTime() - stopNanos.get() > 0);
    } catch (InterruptedException | ExecutionException e) {
      throw new CompletionException(e);
    }
  }

  private static long resumed() {
    return parts.plane().orchestrator().rollbacks(10_000).stream()
        .filter(rollback -> rollback.state() == Rollback.State.RESUMED)
        .count();
  }

  private static void assertEqualsSequential(VertexJob job, Graph graph, VertexRun.Result result) {
    System.out.printf(
        "%s: %d tasks, %d rollbacks%n", job.run(), result.tasks().size(), result.rollbacks());
    SequentialRun sequential = new SequentialRun(job.program(), graph);
    assertThat(sequential.differing(result.tasks())).isEmpty();
    assertThat(sequential.values()).isEqualTo(result.values());
    Set<Integer> reached = result.tasks().stream().map(Task::vertex).collect(Collectors.toSet());
    for (int v = 0; v < graph.vertices(); v++) {
      // A run that is stopped early may not have reached each vertex.
      String value = reached.contains(v) ? result.values().get(v) : null;
      assertThat(parts.versions("value_" + job.run() + "_" + v))
          .as("vertex %d on all nodes", v)
          .allMatch(
              state ->
                  value == null ? state == null : state != null && state.endsWith(" " + value));
    }
  }
}
