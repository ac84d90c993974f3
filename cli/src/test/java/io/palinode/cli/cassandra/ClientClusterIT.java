package io.palinode.cli.cassandra;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import io.palinode.cli.cassandra.CandidateLog.Step;
import io.palinode.cql.client.OnRollback;
import io.palinode.cql.client.PalinodeSession;
import io.palinode.cql.client.RolledBack;
import io.palinode.cql.client.RolledBackException;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.embedded.Ports;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.plan.Rollback.State;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.predicate.form.Predicates;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that send their epoch and clock to three stock servers, which hold each row. Only
 * messages order writes at different servers. With -Pnightly only.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfSystemProperty(named = "palinode.cassandra.nodes", matches = "3")
class ClientClusterIT {
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final int NODES = 3;
  private static final int ROLLBACKS = 3;

  /** Coordinators look for hints to deliver each 10 s. */
  private static final Duration HINTS = Duration.ofSeconds(15);

  private static final String INSERT = "INSERT INTO shop.carts (cart, item) VALUES ('%s', '%s')";

  @TempDir static Path folder;
  private final List<CassandraServer> servers = new ArrayList<>();
  private final AtomicInteger plans = new AtomicInteger();
  private ControlPlane plane;
  private CqlSession driver;
  private List<Node> coordinators = List.of();

  @BeforeAll
  void start() throws IOException {
    plane =
        ControlPlane.start(
            folder.resolve("control"),
            NODES,
            Epsilon.parse("inf"),
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
      servers.add(CassandraServer.startCausal(cluster, node, folder.resolve("cassandra-" + node)));
      // One at a time, as Cassandra asks.
      servers.get(node).connect().close();
    }
    driver = servers.get(0).connect();
    driver.execute(
        "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}");
    driver.execute(
        "CREATE TABLE shop.carts (cart text PRIMARY KEY, item text) WITH memtable = 'palinode'");
    coordinators =
        driver.getMetadata().getNodes().values().stream()
            .sorted(Comparator.comparing(node -> node.getEndPoint().toString()))
            .toList();
    await()
        .atMost(BOUND)
        .until(
            () ->
                plane.orchestrator().nodes().stream()
                        .filter(status -> status.joinedMicros() > 0)
                        .count()
                    == NODES);
  }

  @AfterAll
  void stop() {
    // Also if a server has not started.
    servers.forEach(CassandraServer::close);
    if (driver != null) {
      driver.close();
    }
    plane.close();
  }

  private SimpleStatement insert(int coordinator, String cart, String item) {
    return SimpleStatement.newInstance(INSERT.formatted(cart, item))
        .setNode(coordinators.get(coordinator))
        .setConsistencyLevel(ConsistencyLevel.ALL);
  }

  private long rollBack(long target) throws Exception {
    String name = "plan-" + plans.incrementAndGet();
    long epoch = plane.orchestrator().operator().run(RollbackRequest.to(name, target), "").epoch();
    await()
        .atMost(BOUND)
        .until(
            () -> {
              Rollback plan = plane.orchestrator().rollback(epoch);
              return plan != null && plan.state() == State.RESUMED;
            });
    return epoch;
  }

  private static long nowHlc() {
    return Hlc.ofMicros(Histories.nowMicros());
  }

  @Test
  void aRequestAtAnyServerLearnsOfTheRollback() throws Exception {
    for (int coordinator = 0; coordinator < NODES; coordinator++) {
      PalinodeSession client = PalinodeSession.of(driver, OnRollback.THROW);
      client.execute(insert(0, "kept", "x"));
      long target = nowHlc();
      await().until(() -> nowHlc() > target);
      client.execute(insert(1, "gone", "x"));
      rollBack(target);

      SimpleStatement late = insert(coordinator, "late", "x");
      assertThatThrownBy(() -> client.execute(late)).isInstanceOf(RolledBackException.class);
      driver.execute(insert(coordinator, "other", "x"));
      assertThat(carts()).contains("kept", "other").doesNotContain("gone", "late");
      client.execute(insert(coordinator, "late", "x"));
      assertThat(carts()).contains("late");
      driver.execute("DELETE FROM shop.carts WHERE cart = 'late'");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aWriteThatIsOnItsWayForAWholeRollbackIsNotAppliedAfterIt(boolean isReceived)
      throws Exception {
    driver.execute("DROP KEYSPACE IF EXISTS single");
    driver.execute(
        "CREATE KEYSPACE single WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    driver.execute(
        "CREATE TABLE single.carts (cart text PRIMARY KEY, item text) WITH memtable = 'palinode'");
    PalinodeSession client = PalinodeSession.of(driver, OnRollback.THROW);
    client.execute(insert(0, "before", "x"));
    long target = nowHlc();
    await().until(() -> nowHlc() > target + Hlc.ofMicros(100_000));
    List<Path> holds =
        isReceived
            ? List.of(servers.get(1).holdReceived(), servers.get(2).holdReceived())
            : List.of(servers.get(0).holdSent());
    for (Path hold : holds) {
      Files.createFile(hold);
    }
    CompletionStage<AsyncResultSet> write;
    CompletionStage<AsyncResultSet> stock;
    try {
      write = client.executeAsync(insertSingle("late"));
      stock = driver.executeAsync(insertSingle("stock-late"));
      await().atMost(BOUND).until(() -> bytes(holds) == 2);
      rollBack(target);
    } finally {
      for (Path hold : holds) {
        Files.delete(hold);
      }
    }
    assertThatThrownBy(() -> write.toCompletableFuture().join())
        .hasCauseInstanceOf(RolledBackException.class);
    stock.toCompletableFuture().join();
    // Hints would be delivered meanwhile.
    long hinted = System.nanoTime() + HINTS.toNanos();
    await().atMost(BOUND).until(() -> System.nanoTime() > hinted);
    assertThat(driver.execute("SELECT item FROM single.carts").all())
        .extracting(row -> row.getString(0))
        .containsExactly("stock-late");
  }

  private static long bytes(List<Path> files) throws IOException {
    long bytes = 0;
    for (Path file : files) {
      bytes += Files.size(file);
    }
    return bytes;
  }

  /** At the first server, of a row that it does not hold. */
  private SimpleStatement insertSingle(String item) {
    TokenMap ring = driver.getMetadata().getTokenMap().orElseThrow();
    String cart =
        IntStream.range(0, 10_000)
            .mapToObj(i -> item + i)
            .filter(
                key ->
                    !ring.getReplicas("single", ByteBuffer.wrap(key.getBytes(UTF_8)))
                        .contains(coordinators.get(0)))
            .findFirst()
            .orElseThrow();
    return SimpleStatement.newInstance(
            "INSERT INTO single.carts (cart, item) VALUES (?, ?)", cart, item)
        .setNode(coordinators.get(0))
        .setConsistencyLevel(ConsistencyLevel.ALL);
  }

  private Set<String> carts() {
    SimpleStatement read = SimpleStatement.newInstance("SELECT cart FROM shop.carts");
    Set<String> carts = new HashSet<>();
    driver
        .execute(read.setConsistencyLevel(ConsistencyLevel.ALL))
        .forEach(row -> carts.add(row.getString(0)));
    return carts;
  }

  @Test
  void writesOfOneClientAtTwoServersAreOrderedByItsClock() {
    try (CandidateLog candidates = new CandidateLog(plane.kafkaAddress())) {
      watch(candidates);
      PalinodeSession client = PalinodeSession.of(driver);
      client.execute(insert(0, "first", "pear"));
      client.execute(insert(1, "second", "pear"));
      assertThat(ordered(candidates, "first", "second")).as("of the client").isTrue();

      driver.execute(insert(0, "stock-first", "pear"));
      driver.execute(insert(1, "stock-second", "pear"));
      assertThat(ordered(candidates, "stock-first", "stock-second"))
          .as("of a client without a clock")
          .isFalse();
    }
  }

  private void watch(CandidateLog candidates) {
    plane.apply(
        Predicates.parse(
            """
            apiVersion: palinode.io/v1
            kind: Predicate
            metadata: {name: pears}
            spec:
              forEach: {p: "{p}"}
              violation:
                - all:
                  - {var: "shop.carts/{p}/item", equals: pear}
                  - {var: "shop.carts/{p}/item", equals: plum}
            """,
            "pears"));
    AtomicInteger tries = new AtomicInteger();
    await()
        .atMost(BOUND)
        .until(
            () -> {
              driver.execute(insert(0, "watched" + tries.incrementAndGet(), "pear"));
              return candidates.of("shop.carts/watched").stream().map(Step::node).distinct().count()
                  == NODES;
            });
  }

  /** Whether each replica's start of the second write is after each one's of the first. */
  private static boolean ordered(CandidateLog candidates, String first, String second) {
    List<Step> firsts = steps(candidates, first);
    List<Step> seconds = steps(candidates, second);
    return seconds.stream()
        .allMatch(
            later ->
                firsts.stream()
                    .allMatch(
                        earlier ->
                            earlier.start().own() <= later.start().get(earlier.node())
                                && earlier.start().isBefore(later.start())));
  }

  private static List<Step> steps(CandidateLog candidates, String cart) {
    return await()
        .atMost(BOUND)
        .until(() -> candidates.of("shop.carts/" + cart + "/"), found -> found.size() == NODES);
  }

  @Test
  void eachWriteDuringRollbacksStandsOrItsClientLearnsOfThem(TestReporter reporter)
      throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    List<Writer> writers = new ArrayList<>();
    List<CompletableFuture<Void>> running = new ArrayList<>();
    for (int coordinator = 0; coordinator < NODES; coordinator++) {
      Writer writer = new Writer(coordinator);
      writers.add(writer);
      running.add(CompletableFuture.runAsync(() -> writer.write(isOver)));
    }
    NavigableMap<Long, Long> targets = new TreeMap<>();
    try {
      while (targets.size() < ROLLBACKS) {
        long target = nowHlc();
        // The orchestrator's clock may be behind.
        await().until(() -> nowHlc() > target + Hlc.ofMicros(100_000));
        targets.put(rollBack(target), target);
        await()
            .atMost(BOUND)
            .until(() -> writers.stream().allMatch(each -> each.thrown.size() >= targets.size()));
      }
    } finally {
      isOver.set(true);
    }
    for (CompletableFuture<Void> each : running) {
      each.get();
    }
    Set<String> carts = carts();
    for (Writer writer : writers) {
      reporter.publishEntry(writer.toString());
      writer.check(carts, targets);
    }
  }

  /** A write whose answer counted. */
  private record Answered(String cart, long epoch, long at) {
    /** Whether it is on the cut of each later rollback. */
    boolean stands(NavigableMap<Long, Long> targets) {
      return targets.tailMap(epoch, false).values().stream().allMatch(target -> at <= target);
    }
  }

  /** A write that a rollback ended, and when it was sent. */
  private record Refused(String cart, long sent) {}

  private final class Writer {
    private final int coordinator;
    private final List<Answered> answered = new ArrayList<>();
    private final List<Refused> refused = new ArrayList<>();
    private final List<Throwable> thrown = new CopyOnWriteArrayList<>();

    Writer(int coordinator) {
      this.coordinator = coordinator;
    }

    void write(AtomicBoolean isOver) {
      PalinodeSession client = PalinodeSession.of(driver, OnRollback.THROW);
      for (int i = 0; !isOver.get(); i++) {
        String cart = "w" + coordinator + "-" + i;
        long sent = nowHlc();
        Throwable error =
            catchThrowable(
                () -> {
                  ResultSet result =
                      client.execute(
                          insert(coordinator, cart, "x")
                              .setConsistencyLevel(ConsistencyLevel.QUORUM));
                  long at = PalinodeSession.answeredAt(result.getExecutionInfo()).orElseThrow();
                  answered.add(new Answered(cart, client.epoch().orElseThrow(), at));
                });
        if (error != null) {
          refused.add(new Refused(cart, sent));
          thrown.add(error);
        }
      }
    }

    void check(Set<String> carts, NavigableMap<Long, Long> targets) {
      assertThat(thrown).hasSize(ROLLBACKS).hasOnlyElementsOfType(RolledBackException.class);
      for (int i = 0; i < ROLLBACKS; i++) {
        RolledBack rolledBack = ((RolledBackException) thrown.get(i)).rolledBack();
        assertThat(targets).containsEntry(rolledBack.toEpoch(), rolledBack.target());
        Refused write = refused.get(i);
        // One that was sent before the cut may be on it.
        assertThat(carts.contains(write.cart()) && write.sent() > rolledBack.target())
            .as("%s %s", write, rolledBack)
            .isFalse();
      }
      assertThat(answered)
          .filteredOn(write -> write.stands(targets))
          .allMatch(write -> carts.contains(write.cart()));
    }

    @Override
    public String toString() {
      return "coordinator=%d answered=%d refused=%d"
          .formatted(coordinator, answered.size(), refused.size());
    }
  }
}
