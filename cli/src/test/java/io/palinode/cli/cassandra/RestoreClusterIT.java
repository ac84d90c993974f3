package io.palinode.cli.cassandra;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.palinode.cli.PlaneSteps;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;
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
  private static final int ROWS = 60;
  private static final String MINUTES = "palinode.cassandra.minutes";
  private static final int MINUTES_DEFAULT = 10;
  private static final String LEASES = "SELECT k FROM shop.leases";
  private static final String LEASE = "shop.leases/ended/v";
  private static final Map<String, String> COPY = Map.of("key", "single.copies/1/v");
  private static final List<State> PHASES =
      List.of(State.OPENED, State.PAUSING, State.RESTORING, State.CONVERGING, State.RESUMING);

  @TempDir static Path folder;
  private final List<CassandraServer> servers = new ArrayList<>();
  private final long[] incarnations = new long[NODES];
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
            true,
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
    for (int node = 0; node < NODES; node++) {
      incarnations[node] = 1;
      awaitJoined(node);
    }
  }

  private void awaitJoined(int node) {
    new PlaneSteps(plane).awaitJoined(node, incarnations[node]);
  }

  private void restart(int node) throws Exception {
    servers.get(node).kill();
    servers.get(node).start();
    servers.get(node).connect().close();
    incarnations[node]++;
    awaitJoined(node);
  }

  @AfterAll
  void stop() {
    // Also if a server has not started.
    servers.forEach(CassandraServer::close);
    if (session != null) {
      session.close();
    }
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
  void aServerThatIsKilledLeavesAllReplicasBeforeTheRollbackOrOnItsCut(TestReporter reporter)
      throws Exception {
    long until =
        System.nanoTime() + TimeUnit.MINUTES.toNanos(Integer.getInteger(MINUTES, MINUTES_DEFAULT));
    Map<String, Integer> ends = new TreeMap<>();
    for (int round = 0; round < PHASES.size() || System.nanoTime() < until; round++) {
      State at = PHASES.get(round % PHASES.size());
      State end = endOfAKill(round, at, round / PHASES.size() % NODES);
      ends.merge("killed at %s: %s".formatted(at, end), 1, Integer::sum);
    }
    reporter.publishEntry("ends", ends.toString());
  }

  /** Kills a server in a phase of a plan. Returns how the plan ended, once all rows are right. */
  private State endOfAKill(int round, State at, int victim) throws Exception {
    List<Histories> byServer = byServer(1_000 + round);
    send(byServer.get(0), byServer.get(0).statements(WRITES));
    Read onTheCut = awaitSame(byServer);
    long target = Hlc.ofMicros(Histories.nowMicros());
    await().until(() -> Hlc.ofMicros(Histories.nowMicros()) > target);
    send(byServer.get(1), byServer.get(1).statements(WRITES));
    Read before = awaitSame(byServer);

    RollbackRequest request = RollbackRequest.to("killed-" + round, target);
    long epoch = plane.orchestrator().operator().run(request, "").epoch();
    State unused = awaitState(epoch, state -> state.compareTo(at) >= 0);
    restart(victim);
    State end = awaitState(epoch, state -> state == State.RESUMED || state == State.HALTED);
    if (end == State.HALTED) {
      plane.orchestrator().operator().intervene(epoch, Intervention.ABANDON, "");
      end = awaitState(epoch, state -> state == State.ABANDONED);
    }
    Read expected = end == State.RESUMED ? onTheCut : before;
    String as = "round %d, server %d killed at %s, %s".formatted(round, victim, at, end);
    // The driver connects to the restarted server again.
    await().atMost(BOUND).ignoreExceptions().untilAsserted(() -> assertAll(byServer, expected, as));
    return end;
  }

  /** A driver that has just lost a server may fail; the statements have their own timestamps. */
  private static void send(Histories writer, List<String> statements) {
    await()
        .atMost(BOUND)
        .ignoreExceptions()
        .until(
            () -> {
              writer.send(statements);
              return true;
            });
  }

  @Test
  void aHintOfADiscardedWriteThatIsDeliveredLaterChangesNothing() throws Exception {
    createTable("shop.hinted (k int PRIMARY KEY, v int)");
    for (int k = 0; k < ROWS; k++) {
      atServer(
          0, ConsistencyLevel.ALL, "INSERT INTO shop.hinted (k, v) VALUES (%d, 1)".formatted(k));
    }
    Map<Integer, Integer> onTheCut = rows(0);
    long target = Hlc.ofMicros(Histories.nowMicros());
    await().until(() -> Hlc.ofMicros(Histories.nowMicros()) > target);

    // Those of earlier tests.
    await().atMost(BOUND).until(() -> servers.get(0).hintFiles() == 0);
    servers.get(0).deliverHints(false);
    long logged = Files.size(servers.get(0).log());
    servers.get(2).freeze();
    // From then on a coordinator keeps a hint at once, and sends no copy.
    awaitLogged(logged, "127.0.0.3:.* is now DOWN");
    for (int k = 0; k < ROWS; k++) {
      String discarded =
          List.of(
                  "INSERT INTO shop.hinted (k, v) VALUES (%d, 2)",
                  "DELETE FROM shop.hinted WHERE k = %d",
                  "INSERT INTO shop.hinted (k, v) VALUES (1000%d, 2)")
              .get(k % 3);
      atServer(0, ConsistencyLevel.TWO, discarded.formatted(k));
    }
    await().atMost(BOUND).until(() -> servers.get(0).hintFiles() > 0);
    servers.get(2).proceed();
    assertRows(onTheCut, "the third replica has missed all", 2);
    assertThat(rows(0)).isNotEqualTo(onTheCut);

    rollBack(RollbackRequest.to("hinted", target));
    assertRows(onTheCut, "restored", 0, 1, 2);
    logged = Files.size(servers.get(0).log());
    servers.get(0).deliverHints(true);
    awaitLogged(logged, "Finished hinted handoff of file");
    await().atMost(BOUND).until(() -> servers.get(0).hintFiles() == 0);
    assertRows(onTheCut, "after the hints", 0, 1, 2);
  }

  /** A server that has just started may read the schema from the others up to a minute later. */
  private void createTable(String table) {
    session.execute("CREATE TABLE " + table + " WITH memtable = 'palinode'");
    String rows = "SELECT k FROM " + table.substring(0, table.indexOf(' '));
    for (int node = 0; node < NODES; node++) {
      int server = node;
      await()
          .atMost(BOUND)
          .ignoreExceptions()
          .until(() -> atServer(server, ConsistencyLevel.ONE, rows).isEmpty());
    }
  }

  private List<Row> atServer(int server, ConsistencyLevel level, String statement) {
    Node coordinator =
        session.getMetadata().getNodes().values().stream()
            .filter(node -> address(node).equals("127.0.0." + (server + 1)))
            .findFirst()
            .orElseThrow();
    return session
        .execute(
            SimpleStatement.newInstance(statement).setConsistencyLevel(level).setNode(coordinator))
        .all();
  }

  private static String address(Node node) {
    return node.getBroadcastRpcAddress().orElseThrow().getAddress().getHostAddress();
  }

  /** Waits for a line of the first server's log after so many bytes. */
  private void awaitLogged(long after, String pattern) {
    Pattern line = Pattern.compile(pattern);
    await()
        .atMost(BOUND)
        .until(
            () ->
                line.matcher(Files.readString(servers.get(0).log(), ISO_8859_1))
                    .find(Math.toIntExact(after)));
  }

  private Map<Integer, Integer> rows(int server) {
    Map<Integer, Integer> rows = new TreeMap<>();
    atServer(server, ConsistencyLevel.ONE, "SELECT k, v FROM shop.hinted")
        .forEach(row -> rows.put(row.getInt(0), row.getInt(1)));
    return rows;
  }

  private void assertRows(Map<Integer, Integer> expected, String as, int... ofServers) {
    for (int server : ofServers) {
      // The driver connects to a server that was frozen again.
      await()
          .atMost(BOUND)
          .ignoreExceptions()
          .untilAsserted(
              () -> assertThat(rows(server)).as("%s: server %d", as, server).isEqualTo(expected));
    }
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

  /** The others have its value in their window-logs; the restarted one has its tombstone. */
  @Test
  void aTtlThatEndedBeforeTheReachOfOneReplicaIsRestoredAlikeOnAll() throws Exception {
    createTable("shop.leases (k text PRIMARY KEY, v text)");
    String insert = "INSERT INTO shop.leases (k, v) VALUES ('%s', '%s')";
    atServer(0, ConsistencyLevel.ALL, insert.formatted("ended", "taken") + " USING TTL 2");
    long then = PastSteps.cut();
    assertThat(new PastSteps(servers.get(2), session).value(LEASE, then)).isEqualTo("taken");
    await().atMost(BOUND).until(() -> atServer(0, ConsistencyLevel.ALL, LEASES).isEmpty());
    restart(2);
    new PastSteps(servers.get(2), session).assertRefused(LEASE, then, "is out of reach");
    for (int node = 0; node < 2; node++) {
      assertThat(new PastSteps(servers.get(node), session).value(LEASE, then)).isEqualTo("taken");
    }

    long target = PastSteps.cut();
    await()
        .atMost(BOUND)
        .ignoreExceptions()
        .until(
            () -> {
              atServer(0, ConsistencyLevel.ALL, insert.formatted("ended", "later"));
              return true;
            });
    rollBack(RollbackRequest.to("leases", target));
    for (int node = 0; node < NODES; node++) {
      assertThat(atServer(node, ConsistencyLevel.ONE, LEASES)).as("server " + node).isEmpty();
      assertThat(new PastSteps(servers.get(node), session).value(LEASE, target)).isNull();
    }
  }

  @Test
  void aServerWithoutACopyNamesTheServerThatHasIt() {
    session.execute(
        "CREATE KEYSPACE single WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    createTable("single.copies (k int PRIMARY KEY, v int)");
    session.execute("INSERT INTO single.copies (k, v) VALUES (1, 7)");
    long then = PastSteps.cut();
    int holder =
        IntStream.range(0, NODES)
            .filter(node -> servers.get(node).page("past", COPY).contains("\"7\""))
            .findFirst()
            .orElseThrow();
    for (int node = 0; node < NODES; node++) {
      if (node != holder) {
        new PastSteps(servers.get(node), session)
            .assertRefused(
                COPY.get("key"),
                then,
                "node %d has no copy of this key; ask one of [%d]".formatted(node, holder));
      }
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
