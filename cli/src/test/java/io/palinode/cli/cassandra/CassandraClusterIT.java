package io.palinode.cli.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.palinode.cli.PlaneSteps;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.embedded.Ports;
import io.palinode.predicate.form.Predicates;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Three stock servers that hold each row, without hints. Minutes long: with -Pnightly only. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfSystemProperty(named = "palinode.cassandra.nodes", matches = "3")
class CassandraClusterIT {
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final int NODES = 3;

  @TempDir static Path folder;
  private final List<CassandraServer> servers = new ArrayList<>();
  private ControlPlane plane;
  private CandidateLog candidates;
  private CqlSession session;

  @BeforeAll
  void start() throws IOException {
    plane =
        ControlPlane.start(
            folder.resolve("control"),
            NODES,
            Epsilon.parse("10ms"),
            ControlPlane.Ports.FREE,
            alert -> {});
    candidates = new CandidateLog(plane.kafkaAddress());
    List<Integer> ports = Ports.free(2);
    CassandraServer.Cluster cluster =
        new CassandraServer.Cluster(
            List.of("127.0.0.1", "127.0.0.2", "127.0.0.3"),
            ports.get(0),
            ports.get(1),
            plane.kafkaAddress());
    for (int node = 0; node < NODES; node++) {
      servers.add(CassandraServer.start(cluster, node, folder.resolve("cassandra-" + node)));
      // One at a time, as Cassandra asks.
      servers.get(node).connect().close();
    }
    session = servers.get(0).connect();
    cql(
        "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}");
    cql("CREATE TABLE shop.carts (cart text PRIMARY KEY, item text) WITH memtable = 'palinode'");
    for (int node = 0; node < NODES; node++) {
      steps().awaitJoined(node, 1);
    }
  }

  @AfterAll
  void stop() {
    session.close();
    servers.forEach(CassandraServer::close);
    candidates.close();
    plane.close();
  }

  private void cql(String statement) {
    session.execute(statement);
  }

  private List<Violation> violations(String predicate) {
    return steps().violations(predicate);
  }

  private PlaneSteps steps() {
    return new PlaneSteps(plane);
  }

  @Test
  void copiesOfOneWriteAreOneIntervalAndAllReplicasPublishThem() {
    plane.apply(
        Predicates.parse(
            """
            apiVersion: palinode.io/v1
            kind: Predicate
            metadata: {name: pear-and-plum}
            spec:
              forEach: {p: "{p}"}
              replicas: first
              violation:
                - all:
                  - {var: "shop.carts/{p}-a/item", equals: pear}
                  - {var: "shop.carts/{p}-b/item", equals: plum}
            """,
            "pear-and-plum"));
    cql("INSERT INTO shop.carts (cart, item) VALUES ('x-a', 'pear')");
    cql("INSERT INTO shop.carts (cart, item) VALUES ('x-b', 'plum')");
    await().atMost(BOUND).until(() -> !violations("pear-and-plum").isEmpty());
    await()
        .atMost(BOUND)
        .until(
            () ->
                candidates.of("shop.carts/x-b/").stream()
                        .map(CandidateLog.Step::node)
                        .distinct()
                        .count()
                    == NODES);
    assertThat(violations("pear-and-plum")).hasSize(1);
  }

  @Test
  void aReplicaThatMissedAWriteIsReportedUntilAReadRepairsIt() throws Exception {
    plane.apply(
        Predicates.parse(
            """
            apiVersion: palinode.io/v1
            kind: Predicate
            metadata: {name: carts-agree}
            spec:
              forEach: {c: "{c}"}
              violation:
                - replicasDiverged: {var: "shop.carts/{c}/item", longerThan: 5s}
            """,
            "carts-agree"));
    servers.get(2).stop();
    session.execute(
        SimpleStatement.newInstance("INSERT INTO shop.carts (cart, item) VALUES ('missed', 'fig')")
            .setConsistencyLevel(ConsistencyLevel.TWO));
    servers.get(2).start();
    steps().awaitJoined(2, 2);

    Violation found =
        await()
            .atMost(BOUND)
            .until(
                () ->
                    violations("carts-agree").stream()
                        .filter(violation -> violation.getBinding().equals("c=missed"))
                        .toList(),
                list -> !list.isEmpty())
            .get(0);
    assertThat(found.getWitnessesList()).extracting(Witness::getNode).containsExactly(0, 1, 2);
    assertThat(found.getWitnesses(2).getValuesCount()).as("absent at node 2").isZero();

    session.execute(
        SimpleStatement.newInstance("SELECT item FROM shop.carts WHERE cart = 'missed'")
            .setConsistencyLevel(ConsistencyLevel.ALL));
    await()
        .atMost(BOUND)
        .until(
            () -> candidates.of("shop.carts/missed/").stream().anyMatch(step -> step.node() == 2));
  }
}
