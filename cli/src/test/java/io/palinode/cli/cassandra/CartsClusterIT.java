package io.palinode.cli.cassandra;

import static io.palinode.cli.cassandra.CassandraCluster.BOUND;
import static io.palinode.cli.cassandra.CassandraCluster.NODES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.palinode.cql.client.OnRollback;
import io.palinode.cql.client.PalinodeSession;
import io.palinode.cql.client.RolledBackException;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.plan.Rollback.State;
import io.palinode.wire.v1.Witness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * examples/carts over CQL: three stock servers that hold each row, consistency ONE. With -Pnightly
 * only.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfSystemProperty(named = "palinode.cassandra.nodes", matches = "3")
class CartsClusterIT {
  private static final Path PREDICATES = Path.of("../examples/carts/carts-on-cassandra.yaml");
  private static final int CARTS = 20;
  private static final int ALL = 1_000;

  @TempDir static Path folder;
  private CassandraCluster cluster;

  @BeforeAll
  void start() throws IOException {
    cluster =
        new CassandraCluster(
            folder,
            "shop",
            List.of(
                "CREATE TABLE shop.carts (cart text PRIMARY KEY, items text) WITH memtable ="
                    + " 'palinode'",
                "CREATE TABLE shop.orders (cart text, tab text, state text, PRIMARY KEY (cart,"
                    + " tab)) WITH memtable = 'palinode'"));
    cluster.apply(PREDICATES);
  }

  @AfterAll
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void aCartThatAllTabsOrderAtOnceHasOneOrderOnEachServer(TestReporter reporter) throws Exception {
    long started = System.nanoTime();
    List<Tab> tabs = IntStream.range(0, NODES).mapToObj(Tab::new).toList();
    List<CompletableFuture<Void>> running =
        tabs.stream().map(tab -> CompletableFuture.runAsync(tab::shop)).toList();
    for (CompletableFuture<Void> each : running) {
      each.get();
    }
    List<Rollback> rollbacks = cluster.plane().orchestrator().rollbacks(ALL);
    String report =
        "millis=%d requests=%d violations=%d rollbacks=%d"
            .formatted(
                (System.nanoTime() - started) / 1_000_000,
                tabs.stream().mapToInt(tab -> tab.requests).sum(),
                violations("one-order").size(),
                rollbacks.size());
    reporter.publishEntry(report);

    assertThat(violations("one-order")).as(report).isNotEmpty();
    assertThat(rollbacks)
        .as(report)
        .isNotEmpty()
        .extracting(Rollback::state)
        .containsOnly(State.RESUMED);
    Map<String, List<String>> orders =
        cluster.awaitSame(
            SimpleStatement.newInstance("SELECT cart, tab FROM shop.orders"), CartsClusterIT::tabs);
    assertThat(orders)
        .as(report)
        .hasSize(CARTS)
        .allSatisfy((cart, placed) -> assertThat(placed).hasSize(1));
  }

  @Test
  void aCartWithoutACopyIsReportedUntilAReadOfAllReplicasRepairsIt() throws Exception {
    for (CassandraServer server : cluster.servers()) {
      server.deliverHints(false);
    }
    Path held = cluster.servers().get(2).holdReceived();
    Files.createFile(held);
    try {
      ResultSet unused =
          cluster
              .session()
              .execute(one(0, "INSERT INTO shop.carts (cart, items) VALUES ('ann', 'pears')"));
      ReceivedViolation found =
          await()
              .atMost(BOUND)
              .until(() -> violations("carts-agree"), list -> !list.isEmpty())
              .get(0);
      assertThat(found.violation().getBinding()).isEqualTo("u=ann");
      assertThat(found.violation().getWitnessesList())
          .extracting(Witness::getValuesCount)
          .containsExactly(1, 1, 0);
      String select = "SELECT items FROM shop.carts WHERE cart = 'ann'";
      assertThat(cluster.session().execute(one(2, select)).one()).isNull();

      SimpleStatement repair = one(0, select).setConsistencyLevel(ConsistencyLevel.ALL);
      assertThat(cluster.session().execute(repair).one().getString(0)).isEqualTo("pears");
      assertThat(cluster.session().execute(one(2, select)).one().getString(0)).isEqualTo("pears");
      await().atMost(BOUND).until(() -> violations("carts-agree"), list -> list.get(0).ended() > 0);
    } finally {
      Files.delete(held);
      for (CassandraServer server : cluster.servers()) {
        server.deliverHints(true);
      }
    }
  }

  private List<ReceivedViolation> violations(String predicate) {
    return cluster.plane().orchestrator().violations(ALL).stream()
        .filter(received -> received.violation().getPredicate().equals(predicate))
        .toList();
  }

  /** By cart, those with an order. */
  private static Map<String, List<String>> tabs(ResultSet orders) {
    Map<String, List<String>> tabs = new TreeMap<>();
    orders.forEach(
        row ->
            tabs.computeIfAbsent(row.getString(0), cart -> new ArrayList<>())
                .add(row.getString(1)));
    return tabs;
  }

  private SimpleStatement one(int server, String statement, Object... values) {
    return cluster.atOne(server, SimpleStatement.newInstance(statement, values));
  }

  /** Orders each cart that has no order yet, at its own server. */
  private final class Tab {
    private final int server;
    private final CqlSession session = PalinodeSession.of(cluster.session(), OnRollback.THROW);
    private long lastWrite;
    private int requests;

    Tab(int server) {
      this.server = server;
    }

    /** Returns once no rollback can discard an order. */
    void shop() {
      boolean isDone = false;
      while (!isDone) {
        try {
          IntStream.range(0, CARTS).mapToObj(cart -> "cart" + cart).forEach(this::order);
          await()
              .atMost(BOUND)
              .until(() -> cluster.plane().orchestrator().status().safePoint() >= lastWrite);
          // After a rollback, the safe point passes discarded writes too; a request learns of that.
          order("cart0");
          isDone = true;
        } catch (RolledBackException again) {
          // Each cart is looked at again.
        }
      }
    }

    private void order(String cart) {
      ResultSet placed = send(one(server, "SELECT tab FROM shop.orders WHERE cart = ?", cart));
      if (placed.one() == null) {
        ResultSet order =
            send(
                one(
                    server,
                    "INSERT INTO shop.orders (cart, tab, state) VALUES (?, ?, 'placed')",
                    cart,
                    "tab" + server));
        lastWrite = PalinodeSession.answeredAt(order.getExecutionInfo()).orElseThrow();
      }
    }

    private ResultSet send(SimpleStatement statement) {
      requests++;
      return session.execute(statement);
    }
  }
}
