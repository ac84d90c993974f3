package io.palinode.cli.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.embedded.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A coordinator that refuses no lightweight transaction. With -Pnightly only. */
@EnabledIfSystemProperty(named = "palinode.cassandra.nodes", matches = "3")
class TransactionClusterIT {
  private static final Duration BOUND = Duration.ofMinutes(2);

  @TempDir static Path folder;

  @Test
  void aReplicaOfARestoredTableAcceptsNoProposalOfAnotherServer() throws Exception {
    List<Integer> ports = Ports.free(2);
    try (ControlPlane plane =
        ControlPlane.start(
            folder.resolve("control"),
            2,
            Epsilon.parse("10ms"),
            ControlPlane.Ports.FREE,
            alert -> {})) {
      CassandraServer.Cluster cluster =
          new CassandraServer.Cluster(
              List.of("127.0.0.1", "127.0.0.2"),
              ports.get(0),
              ports.get(1),
              plane.kafkaAddress(),
              true,
              true);
      try (CassandraServer watched = CassandraServer.start(cluster, 0, folder.resolve("watched"));
          CqlSession session = watched.connect();
          CassandraServer stock =
              CassandraServer.startWithout(cluster, 1, folder.resolve("stock"))) {
        stock.connect().close();
        session.execute(
            "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
        session.execute(
            "CREATE TABLE shop.once (k int PRIMARY KEY, v int) WITH memtable = 'palinode'");
        await()
            .atMost(BOUND)
            .until(
                () ->
                    plane.orchestrator().nodes().stream()
                        .anyMatch(node -> node.joinedMicros() > 0));
        Node other =
            session.getMetadata().getNodes().values().stream()
                .filter(
                    node ->
                        node.getBroadcastRpcAddress()
                            .orElseThrow()
                            .getAddress()
                            .getHostAddress()
                            .equals("127.0.0.2"))
                .findFirst()
                .orElseThrow();
        String insert = "INSERT INTO shop.once (k, v) VALUES (1, 1) IF NOT EXISTS";
        assertThatThrownBy(
                () -> session.execute(SimpleStatement.newInstance(insert).setNode(other)))
            .isInstanceOf(DriverException.class);
        assertThat(Files.readString(watched.log())).contains("shop.once must have no IF");
        SimpleStatement read = SimpleStatement.newInstance("SELECT v FROM shop.once WHERE k = 1");
        assertThatThrownBy(
                () ->
                    session.execute(
                        read.setConsistencyLevel(ConsistencyLevel.SERIAL).setNode(other)))
            .as("it proposes the transaction again")
            .isInstanceOf(DriverException.class);
        assertThat(session.execute(read.setConsistencyLevel(ConsistencyLevel.ALL)).all()).isEmpty();
      }
    }
  }
}
