package io.palinode.cli.cassandra;

import static io.palinode.cli.cassandra.CassandraCluster.NODES;
import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.palinode.examples.graph.ColouringCheck;
import io.palinode.examples.graph.Graph;
import io.palinode.examples.graph.Graphs;
import io.palinode.examples.graph.Keys;
import io.palinode.examples.graph.Rule;
import io.palinode.examples.graph.run.CassandraCells;
import io.palinode.examples.graph.run.ColouringRun;
import io.palinode.examples.graph.run.RunConfig;
import io.palinode.examples.graph.run.RunResult;
import io.palinode.examples.graph.truth.Truth;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.plan.Rollback.State;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The colouring of examples/graph-mutex over CQL: three stock servers that hold each row, each the
 * near one of a client, consistency ONE. With -Pnightly only.
 */
@EnabledIfSystemProperty(named = "palinode.cassandra.nodes", matches = "3")
class ColouringClusterIT {
  private static final Path PREDICATES =
      Path.of("../examples/graph-mutex/colouring-on-cassandra.yaml");

  /** Of each copy, as between far data centers: without it, clients seldom meet. */
  private static final Duration DELAY = Duration.ofMillis(100);

  private static final int ROUNDS = 10;
  private static final Duration RUN_MAX = Duration.ofMinutes(5);
  private static final int ALL = 1_000;

  @TempDir static Path folder;
  private final long seed = Long.getLong("palinode.seed", 1);

  @Test
  void aColouringWithRollbacksIsProperOnEachServer(TestReporter reporter) throws Exception {
    Graph graph = Graphs.parse("random-regular:12,5", seed);
    try (CassandraCluster cluster =
        new CassandraCluster(folder, "graph", List.of(CassandraCells.TABLE))) {
      cluster.apply(PREDICATES);
      for (CassandraServer server : cluster.servers()) {
        server.delayReceived(DELAY);
      }
      RunResult result = run(cluster, graph);
      long violations = cluster.plane().orchestrator().status().violations();
      List<Rollback> rollbacks = cluster.plane().orchestrator().rollbacks(ALL);
      String report = report(result, violations, rollbacks.size());
      reporter.publishEntry(report);

      assertThat(violations).as(report).isPositive();
      assertThat(result.rollbacks()).as(report).isNotEmpty();
      assertThat(rollbacks).as(report).extracting(Rollback::state).containsOnly(State.RESUMED);
      Map<String, String> cells =
          cluster.awaitSame(
              SimpleStatement.newInstance("SELECT name, value FROM graph.cells"),
              ColouringClusterIT::cells);
      assertThat(ColouringCheck.of(graph, vertex -> cells.get(Keys.color(vertex))))
          .as(report)
          .isEqualTo(new ColouringCheck(List.of(), List.of()));
    }
  }

  private RunResult run(CassandraCluster cluster, Graph graph) throws InterruptedException {
    RunConfig config = RunConfig.of(graph, NODES, ROUNDS, seed).withWorkOperations(0);
    try (ColouringRun run =
        new ColouringRun(
            config,
            client ->
                new CassandraCells(
                    cluster.session(),
                    cluster.coordinator(client),
                    () -> cluster.plane().orchestrator().status().safePoint()))) {
      run.start();
      assertThat(run.awaitEnd(RUN_MAX)).as("%s", run.progress()).isTrue();
      return run.await();
    }
  }

  private String report(RunResult result, long violations, int rollbacks) {
    Truth truth = Truth.of(result.logs());
    return "seed=%d millis=%d operations=%d wasted=%d violations=%d rollbacks=%d overlaps=%d sameColours=%d"
        .formatted(
            seed,
            result.elapsed().toMillis(),
            result.done().operations(),
            result.done().wasted(),
            violations,
            rollbacks,
            truth.possible(Rule.EDGE_MUTEX).size(),
            truth.possible(Rule.PROPER_COLOURING).size());
  }

  private static Map<String, String> cells(ResultSet rows) {
    Map<String, String> cells = new TreeMap<>();
    rows.forEach(row -> cells.put(row.getString(0), row.getString(1)));
    return cells;
  }
}
