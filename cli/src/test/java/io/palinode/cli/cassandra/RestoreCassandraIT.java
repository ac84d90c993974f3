package io.palinode.cli.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.WriteFailureException;
import io.palinode.cli.PlaneSteps;
import io.palinode.cli.cassandra.Histories.Read;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.embedded.Ports;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.plan.Rollback.State;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.rest.SnapshotBackend;
import io.palinode.orchestrator.snapshot.Snapshot;
import io.palinode.orchestrator.snapshot.SnapshotRequest;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.text.PredicateException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stock Cassandra server whose tables an operator rolls back. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RestoreCassandraIT {
  private static final Duration BOUND = Duration.ofSeconds(90);
  private static final int HISTORIES = 1_000;
  private static final int WRITES = 6;

  /** Each takes seven requests. */
  private static final int PASTS_READ = 8;

  private static final int PAST_HISTORIES = 40;
  private static final int ROUNDS = 4;

  /** It may remove values of the past. */
  private static final String NO_COMPACTION =
      "ALTER TABLE shop.histories WITH compaction ="
          + " {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}";

  @TempDir static Path folder;
  private final List<String> alerts = new CopyOnWriteArrayList<>();
  private ControlPlane plane;
  private CassandraServer server;
  private CqlSession session;
  private long incarnation;

  @BeforeAll
  void start() throws IOException {
    plane =
        ControlPlane.start(
            folder.resolve("control"),
            1,
            Epsilon.parse("10ms"),
            ControlPlane.Ports.FREE,
            alerts::add);
    List<Integer> ports = Ports.free(2);
    server =
        CassandraServer.start(
            new CassandraServer.Cluster(
                List.of("127.0.0.1"),
                ports.get(0),
                ports.get(1),
                plane.kafkaAddress(),
                true,
                false),
            0,
            folder.resolve("cassandra"));
    session = server.connect();
    session.execute(
        "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    session.execute(Histories.TABLE);
    session.execute(NO_COMPACTION);
    awaitJoined();
  }

  @AfterAll
  void stop() {
    session.close();
    server.close();
    plane.close();
  }

  private void awaitJoined() {
    incarnation++;
    new PlaneSteps(plane).awaitJoined(0, incarnation);
  }

  private long run(RollbackRequest request) throws Exception {
    return plane.orchestrator().operator().run(request, "").epoch();
  }

  private State state(long epoch) {
    Rollback plan = plane.orchestrator().rollback(epoch);
    return plan == null ? State.OPENED : plan.state();
  }

  private void awaitState(long epoch, State state) {
    await().atMost(BOUND).until(() -> state(epoch), now -> now == state);
  }

  /** Cells with a short TTL have ended. */
  private static Read awaitSettled(Histories histories) {
    return await()
        .atMost(BOUND)
        .until(histories::read, read -> read.ttls().values().stream().allMatch(left -> left > 100));
  }

  private static void assertSame(Read now, Read before, String as) {
    assertThat(differences(now.values(), before.values())).as(as).isEmpty();
    assertThat(now.ttls().keySet()).as(as).isEqualTo(before.ttls().keySet());
    now.ttls()
        .forEach(
            (cell, left) -> {
              int was = Objects.requireNonNull(before.ttls().get(cell));
              assertThat(left).as(cell).isBetween(was - 200, was);
            });
  }

  private static List<String> differences(Map<String, String> now, Map<String, String> before) {
    Set<String> keys = new TreeSet<>(now.keySet());
    keys.addAll(before.keySet());
    return keys.stream()
        .filter(key -> !Objects.equals(now.get(key), before.get(key)))
        .map(key -> "%s was %s, is %s".formatted(key, before.get(key), now.get(key)))
        .toList();
  }

  @Test
  void aRollbackAndItsUndoGiveEachHistoryItsRowsAtThatTime() throws Exception {
    long seed = Long.getLong("palinode.seed", 1);
    Histories histories = new Histories(session, HISTORIES, seed);
    histories.send(histories.statements(WRITES));
    Read onTheCut = awaitSettled(histories);
    long target = PastSteps.cut();
    List<String> discarded = histories.statements(WRITES);
    histories.send(discarded);
    Read before = awaitSettled(histories);
    assertThat(before.values()).isNotEqualTo(onTheCut.values());
    long last = PastSteps.cut();

    long epoch = run(RollbackRequest.to("to-the-cut", target));
    awaitState(epoch, State.RESUMED);
    assertSame(histories.read(), onTheCut, "restored, seed=" + seed);
    histories.send(discarded);
    assertSame(awaitSettled(histories), onTheCut, "after late copies, seed=" + seed);

    awaitState(run(RollbackRequest.undoing("undo", epoch)), State.RESUMED);
    assertSame(histories.read(), before, "reinstated, seed=" + seed);
    PastSteps past = new PastSteps(server, session);
    assertThat(past.assertHistories(target, PASTS_READ, onTheCut, "on the cut: ")).isPositive();
    assertThat(past.assertHistories(last, PASTS_READ, before, "discarded: ")).isPositive();
    session.execute("INSERT INTO shop.histories (p, c, a) VALUES (0, 0, 'later')");
    assertThat(histories.read().values().get("0/0")).contains("a=later");
  }

  @Test
  @EnabledIfSystemProperty(named = "palinode.cassandra.nodes", matches = "3")
  void aReadOfThePastEqualsTheReadsAtThatTime() throws Exception {
    long seed = Long.getLong("palinode.seed", 2);
    Histories histories = new Histories(session, PAST_HISTORIES, seed);
    List<Long> times = new ArrayList<>();
    List<Read> reads = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      histories.send(histories.statements(WRITES));
      reads.add(histories.read());
      times.add(PastSteps.cut());
      reads.add(histories.read());
      if (round == ROUNDS / 2) {
        server.flush("shop", "histories");
        Read unused = awaitSettled(histories);
      }
    }
    Read unused = awaitSettled(histories);
    PastSteps past = new PastSteps(server, session);
    for (int i = 0; i < ROUNDS; i++) {
      String as = "seed=%d time=%d: ".formatted(seed, i);
      int compared =
          past.assertHistories(
              times.get(i), PAST_HISTORIES, reads.get(2 * i), reads.get(2 * i + 1), as);
      assertThat(compared)
          .as("cells whose TTL ended between the reads are few")
          .isGreaterThan(PAST_HISTORIES);
    }
  }

  @Test
  void aSnapshotHasTheCellsOfItsTimeWhileClientsWrite() throws Exception {
    Histories histories = new Histories(session, PAST_HISTORIES, Long.getLong("palinode.seed", 3));
    histories.send(histories.statements(WRITES));
    Read before = histories.read();
    long time = PastSteps.cut();
    Read after = histories.read();
    histories.send(histories.statements(WRITES));
    server.flush("shop", "histories");

    deleteSnapshots();
    begin(new SnapshotRequest("earlier", time, null, false, 0));
    histories.send(histories.statements(WRITES));
    assertThat(taken("earlier").phase()).isEqualTo(Snapshot.Phase.COMPLETE);
    histories.send(histories.statements(WRITES));
    begin(new SnapshotRequest("over", PastSteps.cut(), "earlier", false, 0));
    Read later = histories.read();
    assertThat(taken("over").phase()).isEqualTo(Snapshot.Phase.COMPLETE);

    PastSteps past = new PastSteps(server, session);
    assertThat(
            past.assertHistories(
                key -> past.valueIn("earlier", key), PAST_HISTORIES, before, after, "earlier: "))
        .isGreaterThan(PAST_HISTORIES);
    assertThat(
            past.assertHistories(
                key -> past.valueIn("over", key),
                PAST_HISTORIES,
                later,
                histories.read(),
                "over: "))
        .isGreaterThan(PAST_HISTORIES);
    past.assertRefusedIn("none", "shop.histories/0/s", "has no snapshot 'none'");
    past.assertRefusedIn("earlier", "shop.absent/0/s", "no table has this key");
  }

  @Test
  void aSnapshotHasAllCellsOfATableThatIsReadInManySteps() throws Exception {
    int rows = 2_000;
    long keys = keys("without-many");
    session.execute(
        "CREATE TABLE shop.many (k int PRIMARY KEY, v text) WITH memtable = 'palinode'");
    PreparedStatement insert = session.prepare("INSERT INTO shop.many (k, v) VALUES (?, ?)");
    for (int row = 0; row < rows; row++) {
      session.execute(insert.bind(row, "v".repeat(500)));
    }
    assertThat(keys("in-memory"))
        .as("of each row the value, and the marker that it exists")
        .isEqualTo(keys + 2 * rows);
    server.flush("shop", "many");
    assertThat(keys("on-disk")).isEqualTo(keys + 2 * rows);
  }

  /** In a snapshot that starts from no other. */
  private long keys(String id) throws Exception {
    deleteSnapshots();
    begin(new SnapshotRequest(id, null, null, false, 0));
    Snapshot taken = taken(id);
    assertThat(taken.phase()).isEqualTo(Snapshot.Phase.COMPLETE);
    return taken.nodes().get(0).taken().getKeys();
  }

  @Test
  void aSnapshotOfATimeBeforeATableLostItsCellsIsRefused() throws Exception {
    session.execute("CREATE TABLE shop.lost (k int PRIMARY KEY, v int) WITH memtable = 'palinode'");
    session.execute("INSERT INTO shop.lost (k, v) VALUES (1, 2)");
    long time = PastSteps.cut();
    session.execute("TRUNCATE shop.lost");
    begin(new SnapshotRequest("before-truncate", time, null, false, 0));
    assertThat(taken("before-truncate").nodes().get(0).taken().getFailure())
        .contains("table shop.lost was truncated after that time");
    long later = PastSteps.cut();
    session.execute("DROP TABLE shop.lost");
    begin(new SnapshotRequest("before-drop", later, null, false, 0));
    assertThat(taken("before-drop").nodes().get(0).taken().getFailure())
        .contains("a table was dropped after it");
    begin(new SnapshotRequest("after-drop", null, null, false, 0));
    assertThat(taken("after-drop").phase()).isEqualTo(Snapshot.Phase.COMPLETE);
  }

  @Test
  void aCompactionMattersToASnapshotOnlyIfATtlHasEnded() throws Exception {
    session.execute(
        "CREATE TABLE shop.sessions (k int PRIMARY KEY, v int) WITH memtable = 'palinode'");
    session.execute("INSERT INTO shop.sessions (k, v) VALUES (1, 2) USING TTL 86400");
    long time = PastSteps.cut();
    server.flush("shop", "sessions");
    server.compact("shop", "sessions");
    begin(new SnapshotRequest("before-ends", time, null, false, 0));
    assertThat(taken("before-ends").phase()).isEqualTo(Snapshot.Phase.COMPLETE);

    session.execute("INSERT INTO shop.sessions (k, v) VALUES (2, 2) USING TTL 1");
    long later = PastSteps.cut();
    server.flush("shop", "sessions");
    await()
        .atMost(BOUND)
        .until(() -> session.execute("SELECT k FROM shop.sessions").all().size() == 1);
    server.compact("shop", "sessions");
    begin(new SnapshotRequest("after-ends", later, null, false, 0));
    assertThat(taken("after-ends").nodes().get(0).taken().getFailure())
        .contains("a compaction of table shop.sessions after that time");
  }

  /** They would be the start of later ones, which then read no table. */
  private void deleteSnapshots() throws Exception {
    SnapshotBackend snapshots = plane.orchestrator().snapshots();
    List<Snapshot> all = new ArrayList<>(snapshots.all());
    // A base is needed by those over it.
    all.sort(Comparator.comparing(each -> each.base().isEmpty()));
    for (Snapshot each : all) {
      if (each.isStanding()) {
        snapshots.delete(each.id());
      }
    }
  }

  private void begin(SnapshotRequest request) throws Exception {
    Snapshot unused = plane.orchestrator().snapshots().take(request);
  }

  private Snapshot taken(String id) {
    return await()
        .atMost(BOUND)
        .until(
            () -> plane.orchestrator().snapshots().get(id),
            taken -> taken.phase() != Snapshot.Phase.TAKING);
  }

  @Test
  void aReadOfThePastIsTheValueOrARefusal() throws Exception {
    PastSteps past = new PastSteps(server, session);
    past.assertTexts();
    past.assertEndedTtls();
    past.assertRefusals();
  }

  @Test
  void whatCannotBeRestoredIsRefused() throws Exception {
    session.execute(
        "CREATE TABLE shop.sets (k int PRIMARY KEY, v set<int>) WITH memtable = 'palinode'");
    assertThat(Files.readString(server.log())).contains("column 'v' is not frozen");

    long ahead = Histories.nowMicros() + 3_600_000_000L;
    String insert = "INSERT INTO shop.other (k) VALUES (%d)";
    session.execute("CREATE TABLE shop.other (k int PRIMARY KEY) WITH memtable = 'palinode'");
    assertThatThrownBy(() -> session.execute(insert.formatted(1) + " USING TIMESTAMP " + ahead))
        .isInstanceOf(WriteFailureException.class);

    session.execute(insert.formatted(2));
    long target = PastSteps.cut();
    session.execute(insert.formatted(3));
    session.execute("TRUNCATE shop.other");
    long epoch = run(RollbackRequest.to("truncated", target));
    awaitState(epoch, State.HALTED);
    plane.orchestrator().operator().intervene(epoch, Intervention.ABANDON, "");
    awaitState(epoch, State.ABANDONED);

    assertThatThrownBy(() -> session.execute(insert.formatted(6) + " USING TIMESTAMP " + ahead))
        .isInstanceOf(WriteFailureException.class);
    restart();
    assertThat(session.execute("SELECT k FROM shop.other").all()).as("replayed").isEmpty();
    assertThat(Files.readString(server.log()))
        .as("the refused mutation, which the commit log has")
        .contains("table=shop.other state=DROPPED timestamp=" + ahead)
        .contains("table=shop.other dropped=1");
    session.execute(insert.formatted(4));
    long later = PastSteps.cut();
    session.execute(insert.formatted(5));
    awaitState(run(RollbackRequest.to("later", later)), State.RESUMED);
    assertThat(session.execute("SELECT k FROM shop.other").all())
        .extracting(row -> row.getInt(0))
        .containsExactly(4);
  }

  private static Predicate rollingBack(String name, String... terms) {
    StringBuilder yaml =
        new StringBuilder(
            """
            apiVersion: palinode.io/v1
            kind: Predicate
            metadata: {name: %s}
            spec:
              forEach: {k: "{k}"}
              onViolation:
                rollback: {scope: all, to: before-violation}
              violation:
                - all:
            """
                .formatted(name));
    for (String term : terms) {
      yaml.append("      - ").append(term).append('\n');
    }
    return Predicates.parse(yaml.toString(), name);
  }

  private void assertRefusedForRollbacks(String table, String reason) {
    String found = "cannot restore %s/: %s".formatted(table, reason);
    await()
        .atMost(BOUND)
        .until(
            () ->
                plane.orchestrator().doctor().stream()
                    .anyMatch(finding -> finding.what().startsWith(found)));
    String term = "{var: \"%s/{k}/v\", equals: \"1\"}".formatted(table);
    assertThatThrownBy(() -> plane.apply(rollingBack("refused", term)))
        .isInstanceOf(PredicateException.class)
        .hasMessageStartingWith("predicate 'refused': rollback must be none: node 0 " + found);
  }

  @Test
  void aPredicateThatNamesATableThatCannotBeRestoredIsRefused() throws Exception {
    session.execute(
        "CREATE TABLE shop.hits (k text PRIMARY KEY, v counter) WITH memtable = 'palinode'");
    assertRefusedForRollbacks("shop.hits", "a counter");

    session.execute(
        "CREATE TABLE shop.users (k int PRIMARY KEY, v int) WITH memtable = 'palinode'");
    session.execute(
        "CREATE MATERIALIZED VIEW shop.by_v AS SELECT * FROM shop.users"
            + " WHERE v IS NOT NULL AND k IS NOT NULL PRIMARY KEY (v, k)");
    assertRefusedForRollbacks("shop.users", "its materialized view 'by_v'");

    session.execute(
        "CREATE TABLE shop.large (k int, c int, v blob, PRIMARY KEY (k, c)) WITH memtable = 'palinode'");
    for (int c = 0; c < 4; c++) {
      session.execute(
          "INSERT INTO shop.large (k, c, v) VALUES (1, ?, ?)", c, ByteBuffer.allocate(1 << 19));
    }
    // A start flushes what it replays.
    restart();
    assertRefusedForRollbacks("shop.large", "it has a partition of about");
    deleteSnapshots();
    begin(new SnapshotRequest("large", null, null, false, 0));
    assertThat(taken("large").nodes().get(0).taken().getFailure())
        .isEqualTo(
            "more than 1048576 bytes of shop.large must be read at once; see 'partition_max'");
    session.execute("DROP TABLE shop.large");
  }

  @Test
  void aTableThatBecomesUnrestorableUnderAPredicateIsAnAlert() {
    session.execute(
        "CREATE TABLE shop.seats (k text PRIMARY KEY, v int) WITH memtable = 'palinode'");
    plane.apply(rollingBack("seats", "{var: \"shop.seats/{k}/v\", equals: \"2\"}"));
    session.execute(
        "CREATE MATERIALIZED VIEW shop.seats_by_v AS SELECT * FROM shop.seats"
            + " WHERE v IS NOT NULL AND k IS NOT NULL PRIMARY KEY (v, k)");
    String text =
        "predicate 'seats' asks for rollbacks, but node 0 cannot restore shop.seats/: its";
    await()
        .atMost(BOUND)
        .until(
            () ->
                plane.orchestrator().status().unrestorable().stream()
                    .anyMatch(each -> each.text().startsWith(text)));
    await().atMost(BOUND).until(() -> alerts.stream().anyMatch(line -> line.contains(text)));
    session.execute("DROP MATERIALIZED VIEW shop.seats_by_v");
    await().atMost(BOUND).until(() -> plane.orchestrator().status().unrestorable().isEmpty());
    assertThat(plane.orchestrator().delete("seats", present -> {})).isTrue();
  }

  @Test
  void aLightweightTransactionOnATableThatIsRestoredIsRefused() {
    session.execute("CREATE TABLE shop.once (k int PRIMARY KEY, v int) WITH memtable = 'palinode'");
    session.execute("CREATE TABLE shop.free (k int PRIMARY KEY, v int)");
    String insert = "INSERT INTO shop.%s (k, v) VALUES (1, 1) IF NOT EXISTS";
    assertTransactionRefused(insert.formatted("once"));
    assertTransactionRefused("BEGIN BATCH " + insert.formatted("once") + "; APPLY BATCH");
    session.execute("ALTER TABLE shop.once WITH comment = 'a reload removes the check'");
    assertTransactionRefused(insert.formatted("once"));
    assertThat(session.execute(insert.formatted("free")).wasApplied()).isTrue();
    SimpleStatement read = SimpleStatement.newInstance("SELECT k FROM shop.once WHERE k = 1");
    assertThat(session.execute(read.setConsistencyLevel(ConsistencyLevel.SERIAL)).all()).isEmpty();
  }

  @Test
  void aValueThatNodesCannotExchangeIsRefused() {
    session.execute(
        "CREATE TABLE shop.images (k int PRIMARY KEY, v blob) WITH memtable = 'palinode'");
    String insert = "INSERT INTO shop.images (k, v) VALUES (1, ?)";
    session.execute(insert, ByteBuffer.allocate(6 << 20));
    assertThatThrownBy(() -> session.execute(insert, ByteBuffer.allocate((6 << 20) + 1)))
        .isInstanceOf(InvalidQueryException.class)
        .hasMessageContaining("a value of column 'v' must have at most 6291456 bytes");
    session.execute("DROP TABLE shop.images");
  }

  private void assertTransactionRefused(String statement) {
    assertThatThrownBy(() -> session.execute(statement))
        .as(statement)
        .isInstanceOf(InvalidQueryException.class)
        .hasMessageContaining("shop.once must have no IF");
  }

  @Test
  void aViolationIsTakenBackAndAnUndoReinstatesIt() throws Exception {
    session.execute(
        "CREATE TABLE shop.locks (lock text, client text, held boolean, PRIMARY KEY (lock, client))"
            + " WITH memtable = 'palinode'");
    String held = "INSERT INTO shop.locks (lock, client, held) VALUES ('%s', '%s', true)";
    try (CandidateLog candidates = new CandidateLog(plane.kafkaAddress())) {
      plane.apply(
          rollingBack(
              "two-holders",
              "{var: \"shop.locks/{k}/ann/held\", equals: \"true\"}",
              "{var: \"shop.locks/{k}/bob/held\", equals: \"true\"}"));
      AtomicInteger tries = new AtomicInteger();
      await()
          .atMost(BOUND)
          .until(
              () -> {
                session.execute(held.formatted("watched" + tries.incrementAndGet(), "ann"));
                return !candidates.of("shop.locks/watched").isEmpty();
              });
    }
    session.execute(held.formatted("door", "ann"));
    session.execute(held.formatted("door", "bob"));
    long epoch =
        await()
            .atMost(BOUND)
            .until(
                () ->
                    plane.orchestrator().rollbacks(10).stream()
                        .filter(plan -> plan.predicate().equals("two-holders"))
                        .filter(plan -> plan.state() == State.RESUMED)
                        .findFirst()
                        .orElse(null),
                Objects::nonNull)
            .epoch();
    assertThat(holders("door")).as("on the cut before the violation").containsExactly("ann");

    session.execute(held.formatted("gate", "bob"));
    session.execute("DELETE FROM shop.locks WHERE lock = 'door'");
    session.execute(held.formatted("door", "bob"));
    assertThat(holders("door")).as("later writes stand").containsExactly("bob");
    assertThat(holders("gate")).containsExactly("bob");

    // Otherwise its rollback follows at once.
    assertThat(plane.orchestrator().delete("two-holders", present -> {})).isTrue();
    awaitState(run(RollbackRequest.undoing("undo-locks", epoch)), State.RESUMED);
    assertThat(holders("door")).as("reinstated").containsExactly("ann", "bob");
    assertThat(holders("gate")).isEmpty();
  }

  private List<String> holders(String lock) {
    return session
        .execute("SELECT client, held FROM shop.locks WHERE lock = ?", lock)
        .all()
        .stream()
        .filter(row -> row.getBoolean(1))
        .map(row -> row.getString(0))
        .toList();
  }

  private void restart() throws Exception {
    session.close();
    server.kill();
    server.start();
    session = server.connect();
    awaitJoined();
  }

  @ParameterizedTest
  @EnumSource(names = {"RESTORING", "RESUMING"})
  @EnabledIfSystemProperty(named = "palinode.cassandra.nodes", matches = "3")
  void aKillLeavesTheRowsBeforeTheRollbackOrOnItsCut(State at) throws Exception {
    Histories histories = new Histories(session, HISTORIES, at.name().hashCode());
    histories.send(histories.statements(WRITES));
    Read onTheCut = awaitSettled(histories);
    long target = PastSteps.cut();
    histories.send(histories.statements(WRITES));
    Read before = awaitSettled(histories);

    long epoch = run(RollbackRequest.to("killed-" + at, target));
    await()
        .pollInterval(Duration.ofMillis(1))
        .atMost(BOUND)
        .until(() -> state(epoch).compareTo(at) >= 0);
    restart();
    await()
        .atMost(BOUND)
        .until(() -> state(epoch), now -> now == State.HALTED || now == State.RESUMED);
    if (state(epoch) == State.HALTED) {
      plane.orchestrator().operator().intervene(epoch, Intervention.ABANDON, "");
      awaitState(epoch, State.ABANDONED);
    }
    Histories again = new Histories(session, HISTORIES, 0);
    Read now = again.read();
    assertSame(now, state(epoch) == State.RESUMED ? onTheCut : before, at + " " + state(epoch));
    session.execute("INSERT INTO shop.histories (p, c, a) VALUES (0, 0, 'later')");
    assertThat(again.read().values().get("0/0")).contains("a=later");
  }
}
