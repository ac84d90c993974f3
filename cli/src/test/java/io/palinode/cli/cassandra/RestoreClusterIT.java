package io.palinode.cli.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.palinode.cli.cassandra.Histories.Read;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.embedded.Ports;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.plan.Rollback.State;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.RollbackRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Three stock servers that hold each row and are rolled back. With -Pnightly only. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfSystemProperty(named = "palinode.cassandra.nodes", matches = "3")
class RestoreClusterIT {
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final int NODES = 3;
  private static final int HISTORIES = 200;
  private static final int WRITES = 6;

  @TempDir static Path folder;
  private final List<CassandraServer> servers = new ArrayList<>();
  private ControlPlane plane;
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
    List<Integer> ports = Ports.free(2);
    CassandraServer.Cluster cluster =
        new CassandraServer.Cluster(
            List.of("127.0.0.1", "127.0.0.2", "127.0.0.3"),
            ports.get(0),
            ports.get(1),
            plane.kafkaAddress(),
            true);
    for (int node = 0; node < NODES; node++) {
      servers.add(CassandraServer.start(cluster, node, folder.resolve("cassandra-" + node)));
      // One at a time, as Cassandra asks.
      servers.get(node).connect().close();
    }
    session = servers.get(0).connect();
    session.execute(
        "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}");
    session.execute(Histories.TABLE);
    await()
        .atMost(BOUND)
        .until(
            () ->
                plane.orchestrator().nodes().stream()
                        .filter(node -> node.joinedMicros() > 0)
                        .count()
                    == NODES);
  }

  @AfterAll
  void stop() {
    session.close();
    servers.forEach(CassandraServer::close);
    plane.close();
  }

  /** One for each server, as its coordinator. */
  private List<Histories> byServer(long seed) {
    List<Histories> all = new ArrayList<>();
    for (Node node : session.getMetadata().getNodes().values()) {
      all.add(new Histories(session, node, HISTORIES, seed));
    }
    assertThat(all).hasSize(NODES);
    return all;
  }

  private static List<Read> read(List<Histories> byServer) {
    return byServer.stream().map(Histories::read).toList();
  }

  /** What all replicas have, once they have it. */
  private static Read awaitSame(List<Histories> byServer) {
    return await()
        .atMost(BOUND)
        .until(
            () -> read(byServer),
            reads ->
                reads.stream().map(Read::values).distinct().count() == 1
                    && reads.get(0).ttls().values().stream().allMatch(left -> left > 100))
        .get(0);
  }

  private static void assertAll(List<Histories> byServer, Read expected, String as) {
    for (Read read : read(byServer)) {
      assertThat(read.values()).as(as).isEqualTo(expected.values());
    }
  }

  private void rollBack(RollbackRequest request) throws Exception {
    long epoch = plane.orchestrator().operator().run(request, "").epoch();
    awaitState(epoch, state -> state == State.RESUMED);
  }

  private State awaitState(long epoch, Predicate<State> wanted) {
    return await()
        .pollInterval(Duration.ofMillis(1))
        .atMost(BOUND)
        .until(
            () -> {
              Rollback plan = plane.orchestrator().rollback(epoch);
              return plan == null ? State.OPENED : plan.state();
            },
            wanted);
  }

  private long lastEpoch() {
    return plane.orchestrator().rollbacks(1).stream().mapToLong(Rollback::epoch).max().orElse(0);
  }

  @Test
  void allReplicasHaveTheRowsOfTheCutAndAnUndoReinstatesTheOthers() throws Exception {
    List<Histories> byServer = byServer(1);
    byServer.get(0).send(byServer.get(0).statements(WRITES));
    Read onTheCut = awaitSame(byServer);
    long target = Hlc.ofMicros(Histories.nowMicros());
    await().until(() -> Hlc.ofMicros(Histories.nowMicros()) > target);
    List<String> discarded = byServer.get(1).statements(WRITES);
    byServer.get(1).send(discarded);
    Read before = awaitSame(byServer);

    rollBack(RollbackRequest.to("to-the-cut", target));
    assertAll(byServer, onTheCut, "restored");
    byServer.get(2).send(discarded);
    assertThat(awaitSame(byServer).values()).as("late copies").isEqualTo(onTheCut.values());
    rollBack(RollbackRequest.undoing("undo", lastEpoch()));
    assertAll(byServer, before, "reinstated");
  }

  @Test
  void aServerThatIsKilledLeavesAllReplicasBeforeTheRollbackOrOnItsCut() throws Exception {
    List<Histories> byServer = byServer(7);
    byServer.get(0).send(byServer.get(0).statements(WRITES));
    Read onTheCut = awaitSame(byServer);
    long target = Hlc.ofMicros(Histories.nowMicros());
    await().until(() -> Hlc.ofMicros(Histories.nowMicros()) > target);
    byServer.get(1).send(byServer.get(1).statements(WRITES));
    Read before = awaitSame(byServer);

    RollbackRequest request = RollbackRequest.to("killed", target);
    long epoch = plane.orchestrator().operator().run(request, "").epoch();
    State unused = awaitState(epoch, state -> state.compareTo(State.RESTORING) >= 0);
    servers.get(2).kill();
    servers.get(2).start();
    servers.get(2).connect().close();
    State end = awaitState(epoch, state -> state == State.RESUMED || state == State.HALTED);
    if (end == State.HALTED) {
      plane.orchestrator().operator().intervene(epoch, Intervention.ABANDON, "");
      end = awaitState(epoch, state -> state == State.ABANDONED);
    }
    Read expected = end == State.RESUMED ? onTheCut : before;
    // The driver connects to the restarted server again.
    await()
        .atMost(BOUND)
        .ignoreExceptions()
        .untilAsserted(() -> assertAll(byServer, expected, "killed"));
  }

  @Test
  void replicasAreEqualAfterARollbackIntoTheMiddleOfWrites() throws Exception {
    for (int round = 0; round < 5; round++) {
      List<Histories> byServer = byServer(100 + round);
      Histories writer = byServer.get(round % NODES);
      List<String> statements = writer.statements(WRITES);
      Thread writing = new Thread(() -> sendQuietly(writer, statements));
      writing.start();
      writer.send(byServer.get(0).statements(1));
      long target = Hlc.ofMicros(Histories.nowMicros());
      writing.join();
      awaitSame(byServer);
      rollBack(RollbackRequest.to("middle-" + round, target));
      Read one = byServer.get(0).read();
      assertAll(byServer, one, "round " + round);
    }
  }

  private static void sendQuietly(Histories writer, List<String> statements) {
    try {
      writer.send(statements);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
