package io.palinode.cli.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.palinode.cli.PlaneSteps;
import io.palinode.cli.cassandra.CandidateLog.Step;
import io.palinode.detection.witness.WitnessCheck;
import io.palinode.detection.witness.WitnessJson;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.embedded.Ports;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.text.PredicateException;
import io.palinode.wire.v1.Violation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A stock Cassandra server whose tables are watched, with Kafka, the job and the orchestrator. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WatchCassandraIT {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final int TOMBSTONES = 600;
  private static final int FAILURES_MAX = 100;
  private static final int HEAP_MIB = 512;

  @TempDir static Path folder;
  private ControlPlane plane;
  private PlaneSteps steps;
  private CandidateLog candidates;
  private CassandraServer server;
  private CqlSession session;

  @BeforeAll
  void start() throws IOException {
    plane =
        ControlPlane.start(
            folder.resolve("control"),
            1,
            Epsilon.parse("10ms"),
            ControlPlane.Ports.FREE,
            alert -> {});
    steps = new PlaneSteps(plane);
    candidates = new CandidateLog(plane.kafkaAddress());
    List<Integer> ports = Ports.free(2);
    server =
        CassandraServer.start(
            new CassandraServer.Cluster(
                List.of("127.0.0.1"), ports.get(0), ports.get(1), plane.kafkaAddress()),
            0,
            folder.resolve("cassandra"));
    session = server.connect();
    cql(
        "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    cql("CREATE TABLE shop.stock (item text PRIMARY KEY, left int) WITH memtable = 'palinode'");
    steps.awaitJoined(0, 1);
  }

  @AfterAll
  void stop() {
    session.close();
    server.close();
    candidates.close();
    plane.close();
  }

  private void cql(String statement) {
    session.execute(statement);
  }

  /** Writes with this statement until one is published: the predicate is then in force. */
  private void awaitWatched(String table, String statement) {
    AtomicInteger tries = new AtomicInteger();
    await()
        .atMost(BOUND)
        .until(
            () -> {
              cql(statement.formatted(tries.incrementAndGet()));
              return !candidates.of(table).isEmpty();
            });
  }

  @Test
  void aViolationOverTwoRowsIsFoundWithItsWitness() throws Exception {
    cql(
        "CREATE TABLE shop.locks (lock text, client text, held boolean, PRIMARY KEY (lock, client)) WITH memtable = 'palinode'");
    steps.apply(
        "two-holders",
        "l",
        "{var: \"shop.locks/{l}/ann/held\", equals: \"true\"}",
        "{var: \"shop.locks/{l}/bob/held\", equals: \"true\"}");
    cql("INSERT INTO shop.locks (lock, client, held) VALUES ('door/1', 'ann', true)");
    cql("INSERT INTO shop.locks (lock, client, held) VALUES ('door/1', 'bob', true)");

    Violation found =
        await()
            .atMost(BOUND)
            .until(() -> steps.violations("two-holders"), list -> !list.isEmpty())
            .get(0);
    assertThat(found.getBinding()).isEqualTo("l=door%2F1");
    assertThat(found.getWitnessesList())
        .extracting(witness -> witness.getValues(0).getKey().toStringUtf8())
        .containsExactly("shop.locks/door%2F1/ann/held", "shop.locks/door%2F1/bob/held");
    String file =
        WitnessJson.write(Objects.requireNonNull(plane.orchestrator().witness(found.getId())));
    assertThat(WitnessCheck.check(WitnessJson.read(file, "witness"))).as(file).isEmpty();
  }

  @Test
  void aReplayOfTheCommitLogPublishesNoCandidateTwice() throws Exception {
    cql("CREATE TABLE shop.flags (name text PRIMARY KEY, up boolean) WITH memtable = 'palinode'");
    steps.apply("flag-up", "f", "{var: \"shop.flags/{f}/up\", equals: \"true\"}");
    awaitWatched("shop.flags", "INSERT INTO shop.flags (name, up) VALUES ('watched%d', true)");
    cql("INSERT INTO shop.flags (name, up) VALUES ('lowered', true)");
    cql("INSERT INTO shop.flags (name, up) VALUES ('lowered', false)");
    cql("INSERT INTO shop.flags (name, up) VALUES ('raised', true)");
    await().atMost(BOUND).until(() -> !candidates.of("shop.flags/raised").isEmpty());
    assertThat(candidates.of("shop.flags/lowered"))
        .extracting(Step::opens)
        .containsExactly(true, false);

    session.close();
    server.kill();
    server.start();
    session = server.connect();
    steps.awaitJoined(0, 2);
    assertThat(
            session.execute("SELECT up FROM shop.flags WHERE name = 'raised'").one().getBoolean(0))
        .as("replayed")
        .isTrue();
    await()
        .atMost(BOUND)
        .until(() -> candidates.of("shop.flags/raised"), steps -> steps.size() == 2);
    cql("INSERT INTO shop.flags (name, up) VALUES ('raised', false)");
    await()
        .atMost(BOUND)
        .until(() -> candidates.of("shop.flags/raised"), steps -> steps.size() == 3);
    assertThat(candidates.of("shop.flags/lowered"))
        .as("what the earlier incarnation has published")
        .extracting(Step::incarnation)
        .containsOnly(1L);
  }

  @Test
  void eachKindOfWriteIsPublishedOnceInTheOrderOfItsKey() {
    cql(
        "CREATE TABLE shop.doors (house text, door int, state text, PRIMARY KEY (house, door)) WITH memtable = 'palinode'");
    steps.apply("door-open", "d", "{var: \"shop.doors/{d}/state\", equals: \"open\"}");
    awaitWatched(
        "shop.doors", "INSERT INTO shop.doors (house, door, state) VALUES ('w', %d, 'open')");

    String open = "INSERT INTO shop.doors (house, door, state) VALUES ('h', 1, 'open')";
    String one = " WHERE house = 'h' AND door = 1";
    steps(1, open);
    steps(1, "UPDATE shop.doors USING TIMESTAMP 1 SET state = 'shut'" + one);
    steps(2, "UPDATE shop.doors SET state = 'shut'" + one);
    steps(3, "UPDATE shop.doors SET state = 'open'" + one + " IF state = 'shut'");
    steps(3, "UPDATE shop.doors SET state = 'shut'" + one + " IF state = 'ajar'");
    steps(4, "DELETE state FROM shop.doors" + one);
    steps(5, open);
    steps(6, "DELETE FROM shop.doors" + one);
    steps(7, open);
    steps(8, "DELETE FROM shop.doors WHERE house = 'h' AND door > 0 AND door < 9");
    steps(9, open);
    steps(10, "DELETE FROM shop.doors WHERE house = 'h'");
    String other = open.replace("'h'", "'i'");
    steps(11, "BEGIN BATCH " + open + "; " + other + "; APPLY BATCH");
    steps(13, "UPDATE shop.doors USING TTL 600 SET state = 'open'" + one);
    steps(14, "UPDATE shop.doors SET state = 'shut'" + one);
    cql("UPDATE shop.doors USING TTL 5 SET state = 'open'" + one);
    await().atMost(BOUND).until(() -> candidates.of("shop.doors/h/1/").size() == 16);

    List<Step> all = candidates.of("shop.doors/h/1/");
    for (int i = 0; i < all.size(); i++) {
      assertThat(all.get(i).opens()).as("step %d", i).isEqualTo(i % 2 == 0);
    }
    assertThat(candidates.of("shop.doors/i/1/")).extracting(Step::opens).containsExactly(true);
  }

  /** Writes, and waits until the key of the door has had so many begins and ends. */
  private void steps(int count, String statement) {
    cql(statement);
    await().atMost(BOUND).until(() -> candidates.of("shop.doors/h/1/").size() >= count);
    assertThat(candidates.of("shop.doors/h/1/")).as(statement).hasSize(count);
  }

  /** More tombstones than a read may meet. */
  private void createTombstones(String table) {
    cql(
        "CREATE TABLE %s (p int, c int, state text, PRIMARY KEY (p, c)) WITH memtable = 'palinode'"
            .formatted(table));
    for (int row = 0; row < TOMBSTONES; row += 100) {
      StringBuilder batch = new StringBuilder("BEGIN UNLOGGED BATCH ");
      for (int c = row; c < row + 100; c++) {
        batch.append("DELETE FROM %s WHERE p = 1 AND c = %d; ".formatted(table, c));
      }
      cql(batch + "APPLY BATCH");
    }
    steps.apply(
        table.substring("shop.".length()),
        "r",
        "{var: \"%s/{r}/state\", equals: \"open\"}".formatted(table));
    awaitWatched(table, "INSERT INTO " + table + " (p, c, state) VALUES (%d000, 0, 'open')");
  }

  @Test
  void aDeletedRowOrRangeIsReadAndNotItsPartition() throws Exception {
    createTombstones("shop.sparse");
    long failed = failedReads();
    String open = "INSERT INTO shop.sparse (p, c, state) VALUES (1, 5000, 'open')";
    for (String delete : List.of("c = 5000", "c > 4000 AND c < 6000")) {
      int before = candidates.of("shop.sparse/1/5000/").size();
      cql(open);
      cql("DELETE FROM shop.sparse WHERE p = 1 AND " + delete);
      await().atMost(BOUND).until(() -> candidates.of("shop.sparse/1/5000/").size() == before + 2);
    }
    assertThat(failedReads()).isEqualTo(failed);
  }

  /** As far as the log has them. */
  private long failedReads() throws Exception {
    return Files.readString(server.log())
        .lines()
        .filter(line -> line.contains("TombstoneOverwhelmingException"))
        .count();
  }

  @Test
  void readsThatCassandraRefusesDoNotTurnTheNodeOff() {
    createTombstones("shop.heaps");
    for (int i = 0; i < 2 * FAILURES_MAX; i++) {
      // Older than the tombstones, which stay.
      cql("DELETE FROM shop.heaps USING TIMESTAMP 1 WHERE p = 1");
    }
    cql("INSERT INTO shop.heaps (p, c, state) VALUES (2, 1, 'open')");
    await().atMost(BOUND).until(() -> !candidates.of("shop.heaps/2/1/").isEmpty());
  }

  @Test
  void aTtlKeepsNoFlushedMemtable() throws Exception {
    cql("CREATE TABLE shop.leases (k text PRIMARY KEY, v text) WITH memtable = 'palinode'");
    steps.apply("lease", "l", "{var: \"shop.leases/{l}/v\", equals: \"taken\"}");
    String insert = "INSERT INTO shop.leases (k, v) VALUES ('%s', 'taken') USING TTL 3600";
    awaitWatched("shop.leases", insert.formatted("w%d"));
    server.flush("shop", "leases");
    long before = memtables();
    for (int i = 0; i < 2; i++) {
      cql(insert.formatted("k" + i));
      server.flush("shop", "leases");
    }
    await().atMost(BOUND).until(this::memtables, now -> now <= before);
  }

  private long memtables() throws Exception {
    return server.instances("io.palinode.cassandra.memtable.WatchedMemtable");
  }

  @Test
  void aDeletedPartitionThatNoPredicateWatchesIsNotKeptInMemory() {
    cql(
        "CREATE TABLE shop.videos (k int, c int, v blob, PRIMARY KEY (k, c)) WITH memtable = 'palinode'");
    PreparedStatement insert =
        session.prepare("INSERT INTO shop.videos (k, c, v) VALUES (1, ?, ?)");
    for (int c = 0; c < HEAP_MIB; c++) {
      session.execute(insert.bind(c, ByteBuffer.allocate(1 << 20)));
    }
    cql("DELETE FROM shop.videos WHERE k = 1");
    assertThat(session.execute("SELECT c FROM shop.videos WHERE k = 1").all()).isEmpty();
  }

  @Test
  void aDeleteOfAPartitionThatNoPredicateWatchesReadsNothing() {
    String table =
        "CREATE TABLE shop.%s (p int, c int, state text, PRIMARY KEY (p, c)) WITH memtable = 'palinode'";
    cql(table.formatted("quiet"));
    cql(table.formatted("loud"));
    steps.apply("loud", "r", "{var: \"shop.loud/{r}/state\", equals: \"open\"}");
    awaitWatched("shop.loud", "INSERT INTO shop.loud (p, c, state) VALUES (%d, 0, 'open')");
    long quiet = reads("quiet");
    long loud = reads("loud");
    for (String delete : List.of("p = 0", "p = 0 AND c > 0")) {
      cql("DELETE FROM shop.quiet WHERE " + delete);
      cql("DELETE FROM shop.loud WHERE " + delete);
    }
    assertThat(reads("quiet")).isEqualTo(quiet);
    assertThat(reads("loud")).isEqualTo(loud + 2);
  }

  /** Of this server's own copy of a table. */
  private long reads(String table) {
    return session
        .execute(
            "SELECT count FROM system_views.local_read_latency"
                + " WHERE keyspace_name = 'shop' AND table_name = ?",
            table)
        .one()
        .getLong(0);
  }

  @Test
  void aDeleteThatCoversTooManyBytesIsACoverageGap() throws Exception {
    cql(
        "CREATE TABLE shop.films (k int, c int, v blob, PRIMARY KEY (k, c)) WITH memtable = 'palinode'");
    steps.apply("film", "f", "{var: \"shop.films/{f}/v\", equals: \"on\"}");
    awaitWatched("shop.films", "INSERT INTO shop.films (k, c, v) VALUES (%d00, 1, 0x6f6e)");
    for (int c = 0; c < 3; c++) {
      session.execute(
          "INSERT INTO shop.films (k, c, v) VALUES (1, ?, ?)", c, ByteBuffer.allocate(1 << 19));
    }
    long gaps = plane.orchestrator().status().gapsFound();
    cql("DELETE FROM shop.films WHERE k = 1");
    assertThat(Files.readString(server.log()))
        .contains("more than 1048576 bytes of shop.films must be read at once");
    assertThat(session.execute("SELECT c FROM shop.films WHERE k = 1").all()).isEmpty();
    await().atMost(BOUND).until(() -> plane.orchestrator().status().gapsFound() > gaps);
  }

  @Test
  void valuesAndKeysHaveTheTextOfTheirTypes() {
    cql(
        "CREATE TABLE shop.types (a text, b int, at timestamp, shared text STATIC, t text, i int,"
            + " l bigint, d double, n decimal, y boolean, u uuid, x blob, day date, f frozen<list<int>>,"
            + " many list<int>, PRIMARY KEY ((a, b), at)) WITH CLUSTERING ORDER BY (at DESC)"
            + " AND memtable = 'palinode'");
    steps.apply("any-value", "k", "{var: \"shop.types/{k}\", notEquals: \"-\"}");
    cql(
        "INSERT INTO shop.types (a, b, at, shared, t, i, l, d, n, y, u, x, day, f, many) VALUES"
            + " ('50%', 7, '2026-01-02T03:04:05.678Z', 'all', 'é', -1, 9007199254740993, 1.5, 12.50,"
            + " true, 123e4567-e89b-12d3-a456-426614174000, 0x6869, '2026-01-02', [1, 2], [3])");

    String row = "shop.types/50%25/7/1767323045678/";
    await().atMost(BOUND).until(() -> candidates.of("shop.types/").size() >= 11);
    assertThat(candidates.of("shop.types/"))
        .extracting(step -> step.key() + " = " + step.value())
        .containsExactlyInAnyOrder(
            "shop.types/50%25/7/shared = all",
            row + "t = é",
            row + "i = -1",
            row + "l = 9007199254740993",
            row + "d = 1.5",
            row + "n = 12.50",
            row + "y = true",
            row + "u = 123e4567-e89b-12d3-a456-426614174000",
            row + "x = hi",
            row + "day = 2026-01-02",
            row + "f = [1, 2]");
  }

  @Test
  void itsStatusPortHasItsStateAndItsMetrics() {
    assertThat(server.page("status", Map.of()))
        .contains("\"joined\":true", "\"off\":false", "\"node\":0", "\"reach\":");
    assertThat(server.page("metrics", Map.of())).contains("palinode_detector_");
  }

  @Test
  void aServerThatOnlyWatchesKeepsNoPast() {
    new PastSteps(server, session)
        .assertRefused(
            "shop.stock/pear/left",
            "-1s",
            "node 0 is an Apache Cassandra server without 'rollback: true', so it keeps no past");
  }

  @Test
  void aPredicateThatAsksForARollbackIsRefused() {
    String yaml =
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: overdrawn}
        spec:
          forEach: {t: "{t}"}
          violation:
            - all:
              - {var: "shop.tills/{t}/cash", below: 0}
          onViolation:
            rollback: {scope: all, to: before-violation}
        """;
    assertThatThrownBy(() -> plane.apply(Predicates.parse(yaml, "overdrawn")))
        .isInstanceOf(PredicateException.class)
        .hasMessageContaining("predicate 'overdrawn': rollback must be none: node 0 is an Apache");
  }
}
