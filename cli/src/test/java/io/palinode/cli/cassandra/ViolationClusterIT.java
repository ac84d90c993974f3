package io.palinode.cli.cassandra;

import static io.palinode.cli.cassandra.CassandraCluster.BOUND;
import static io.palinode.cli.cassandra.CassandraCluster.NODES;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.palinode.cli.cassandra.Histories.Read;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.plan.Rollback.State;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.predicate.form.Predicates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Violations that are rolled back while servers are killed. Clients write with consistency ONE to
 * three stock servers, which hold each row. With -Pnightly only.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfSystemProperty(named = "palinode.cassandra.rollbacks", matches = "[0-9]+")
class ViolationClusterIT {

  /** So few that a server that holds them has threads left. */
  private static final int HISTORIES = 12;

  private static final int WRITES = 2;
  private static final long BEFORE_VIOLATION_MICROS = 100_000;
  private static final int NO_SERVER = NODES;

  /** In seconds; the others are of hours. */
  private static final int TTL_SHORT = 100;

  private static final String TWO_HOLDERS =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: two-holders}
      spec:
        forEach: {l: "{l}"}
        violation:
          - all:
              - {var: "shop.locks/{l}/ann/held", equals: "true"}
              - {var: "shop.locks/{l}/bob/held", equals: "true"}
            for: 5s
        onViolation:
          rollback: {scope: all, to: before-violation}
      """;

  private static final List<State> PHASES =
      List.of(State.OPENED, State.PAUSING, State.RESTORING, State.CONVERGING, State.RESUMING);

  @TempDir static Path folder;
  private final long seed = Long.getLong("palinode.seed", 1);
  private final Random random = new Random(seed);
  private final Map<String, Integer> ends = new TreeMap<>();
  private long lateHints;

  /** The epoch of the last plan that the test expected. */
  private long plan;

  private CassandraCluster cluster;

  /**
   * Two maps of keys to texts.
   *
   * @param values as clients see them
   * @param times those of the writes, as Cassandra compares them
   * @param isEnding whether a value has a short TTL, so that it ends soon
   */
  private record Rows(Map<String, String> values, Map<String, String> times, boolean isEnding) {}

  /**
   * What disturbs a round.
   *
   * @param missing the server that receives no copy of the discarded writes; {@link #NO_SERVER}
   * @param victim the server that is killed; {@link #NO_SERVER}
   * @param at the plan's phase; null: before the violation
   */
  private record Faults(int missing, int victim, @Nullable State at) {}

  @BeforeAll
  void start() throws IOException {
    cluster =
        new CassandraCluster(
            folder,
            "shop",
            List.of(
                Histories.TABLE,
                "CREATE TABLE shop.locks (lock text, client text, held boolean, PRIMARY KEY (lock, client))"
                    + " WITH memtable = 'palinode'"));
    cluster.plane().apply(Predicates.parse(TWO_HOLDERS, "two-holders"));
  }

  @AfterAll
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void eachRollbackOfAViolationLeavesTheRowsBeforeItOnAllReplicas(TestReporter reporter)
      throws Exception {
    int wanted = Integer.getInteger("palinode.cassandra.rollbacks");
    try {
      int rollbacks = 0;
      for (int round = 0; rollbacks < wanted; round++) {
        if (round(round, faults()) == State.RESUMED) {
          rollbacks++;
        }
      }
    } finally {
      reporter.publishEntry("seed=%d ends=%s lateHints=%d".formatted(seed, ends, lateHints));
    }
    assertThat(lateHints).isPositive();
  }

  private Faults faults() {
    boolean isMissing = lateHints == 0 || random.nextInt(3) == 0;
    int missing = isMissing ? random.nextInt(NODES) : NO_SERVER;
    int victim = random.nextBoolean() ? random.nextInt(NODES) : NO_SERVER;
    State at = random.nextInt(3) == 0 ? null : PHASES.get(random.nextInt(PHASES.size()));
    return new Faults(missing, victim, at);
  }

  /** Returns how the plan of a violation ended, once all rows are right. */
  private State round(int round, Faults faults) throws Exception {
    String as = "seed %d, round %d, %s".formatted(seed, round, faults);
    boolean isKilledBefore = faults.victim() != NO_SERVER && faults.at() == null;
    if (isKilledBefore) {
      cluster.kill(faults.victim());
    }
    int first = otherThan(isKilledBefore ? faults.victim() : NO_SERVER);
    write(first, round, hold(round, "ann"));
    if (isKilledBefore) {
      cluster.startAgain(faults.victim());
    }
    Rows onTheCut = awaitSame(IntStream.range(0, NODES).toArray());

    long violation = Histories.nowMicros() + BEFORE_VIOLATION_MICROS;
    await().until(() -> Histories.nowMicros() > violation);
    List<Rollback> done = cluster.plane().orchestrator().rollbacks(3);
    // Another one would refuse the writes below.
    assertThat(lastEpoch()).as("%s: the plan of no violation, of %s", as, done).isEqualTo(plan);
    Path held =
        faults.missing() == NO_SERVER
            ? null
            : cluster.servers().get(faults.missing()).holdReceived();
    if (held != null) {
      deliverHints(false);
      Files.createFile(held);
    }
    execute(otherThan(faults.missing()), hold(round, "bob"));
    writeOnce(otherThan(faults.missing()), round);
    Rows before =
        awaitSame(IntStream.range(0, NODES).filter(each -> each != faults.missing()).toArray());
    assertThat(before.values()).as(as).isNotEqualTo(onTheCut.values());

    State end = endOfPlan(faults, isKilledBefore);
    ends.merge("%s %s".formatted(isKilledBefore ? "-" : faults.at(), end), 1, Integer::sum);
    if (end == State.RESUMED) {
      assertAll(onTheCut, as + ", restored");
    }
    long delivered = deliveredHints();
    if (held != null) {
      awaitHint(faults);
      Files.delete(held);
      deliverHints(true);
    }
    await().atMost(BOUND).until(() -> hintFiles() == 0);
    lateHints += end == State.RESUMED ? deliveredHints() - delivered : 0;
    if (end == State.RESUMED) {
      assertAll(onTheCut, as + ", after late copies");
      return end;
    }
    assertThat(awaitSame(0, 1, 2).values()).as(as + ", abandoned").isEqualTo(before.values());
    execute(0, "DELETE FROM shop.locks WHERE lock = 'door%d'".formatted(round));
    return end;
  }

  private State endOfPlan(Faults faults, boolean isKilledBefore) throws Exception {
    awaitNextPlan();
    if (faults.victim() != NO_SERVER && !isKilledBefore) {
      State unused = awaitState(state -> state.compareTo(faults.at()) >= 0);
      cluster.kill(faults.victim());
      cluster.startAgain(faults.victim());
    }
    State end = awaitState(state -> state == State.RESUMED || state == State.HALTED);
    if (end == State.HALTED) {
      cluster.plane().orchestrator().operator().intervene(plan, Intervention.ABANDON, "");
      end = awaitState(state -> state == State.ABANDONED);
      // The data still violates the predicate: one more plan opens, and then the instance stands.
      awaitNextPlan();
      State unused = awaitState(state -> state == State.RESUMED);
    }
    return end;
  }

  private void awaitNextPlan() {
    long last = plan;
    plan = await().atMost(BOUND).until(this::lastEpoch, newest -> newest > last);
  }

  private long lastEpoch() {
    return cluster.plane().orchestrator().rollbacks(1).stream()
        .mapToLong(Rollback::epoch)
        .max()
        .orElse(0);
  }

  /** Of the last plan. */
  private State awaitState(Predicate<State> wanted) {
    return await()
        .pollInterval(Duration.ofMillis(1))
        .atMost(BOUND)
        .until(
            () -> {
              Rollback now = cluster.plane().orchestrator().rollback(plan);
              return now == null ? State.OPENED : now.state();
            },
            wanted);
  }

  private int otherThan(int server) {
    int other = random.nextInt(NODES);
    return other == server ? (other + 1) % NODES : other;
  }

  private static String hold(int round, String client) {
    return "INSERT INTO shop.locks (lock, client, held) VALUES ('door%d', '%s', true)"
        .formatted(round, client);
  }

  /** Statements have their own timestamps, so they may be sent again. */
  private void write(int server, int round, String statement) {
    Histories histories = histories(server, 2L * round);
    List<String> statements = histories.statements(WRITES);
    statements.add(statement + " USING TIMESTAMP " + Histories.nowMicros());
    await()
        .atMost(BOUND)
        .ignoreExceptions()
        .until(
            () -> {
              histories.send(statements);
              return true;
            });
  }

  private void writeOnce(int server, int round) throws Exception {
    Histories histories = histories(server, 2L * round + 1);
    histories.send(histories.statements(WRITES));
  }

  private Histories histories(int server, long number) {
    return new Histories(
        cluster.session(), cluster.coordinator(server), HISTORIES, 1_000_000 * seed + number);
  }

  private void execute(int server, String statement) {
    cluster
        .session()
        .execute(
            SimpleStatement.newInstance(statement)
                .setConsistencyLevel(ConsistencyLevel.ONE)
                .setNode(cluster.coordinator(server)));
  }

  /** What a server has, once the driver is connected to it again. */
  private Rows rows(int server) {
    return await()
        .atMost(BOUND)
        .ignoreExceptionsInstanceOf(DriverException.class)
        .until(() -> read(server), rows -> true);
  }

  private Rows read(int server) {
    Read read = histories(server, 0).read();
    Rows rows =
        new Rows(
            new TreeMap<>(read.values()),
            new TreeMap<>(read.times()),
            read.ttls().values().stream().anyMatch(left -> left < TTL_SHORT));
    cluster
        .session()
        .execute(
            SimpleStatement.newInstance(
                    "SELECT lock, client, held, writetime(held) FROM shop.locks")
                .setConsistencyLevel(ConsistencyLevel.ONE)
                .setNode(cluster.coordinator(server)))
        .forEach(
            row -> {
              String key = row.getString(0) + "/" + row.getString(1);
              rows.values().put(key, String.valueOf(row.getObject(2)));
              rows.times().put(key, String.valueOf(row.getObject(3)));
            });
    return rows;
  }

  /** What these servers have, once it is the same and short TTLs have ended. */
  private Rows awaitSame(int... ofServers) {
    return await()
        .atMost(BOUND)
        .until(
            () -> {
              List<Rows> all = IntStream.of(ofServers).mapToObj(this::rows).distinct().toList();
              return all.size() == 1 && !all.get(0).isEnding() ? all.get(0) : null;
            },
            rows -> rows != null);
  }

  private void assertAll(Rows expected, String as) {
    Rows first = rows(0);
    assertThat(first.values()).as(as).isEqualTo(expected.values());
    for (int server = 1; server < NODES; server++) {
      Rows rows = rows(server);
      assertThat(rows.values()).as("%s, server %d", as, server).isEqualTo(first.values());
      assertThat(rows.times()).as("%s, times of server %d", as, server).isEqualTo(first.times());
    }
  }

  /** The coordinators of the discarded writes keep hints, unless they were killed. */
  private void awaitHint(Faults faults) {
    if (faults.victim() == NO_SERVER || faults.at() == null) {
      await().atMost(BOUND).until(() -> hintFiles() > 0);
    }
  }

  private void deliverHints(boolean deliver) throws Exception {
    for (CassandraServer server : cluster.servers()) {
      server.deliverHints(deliver);
    }
  }

  private long hintFiles() throws IOException {
    long files = 0;
    for (CassandraServer server : cluster.servers()) {
      files += server.hintFiles();
    }
    return files;
  }

  private long deliveredHints() throws IOException {
    long delivered = 0;
    for (CassandraServer server : cluster.servers()) {
      delivered +=
          Files.readString(server.log(), ISO_8859_1)
              .lines()
              .filter(line -> line.contains("Finished hinted handoff of file"))
              .count();
    }
    return delivered;
  }
}
