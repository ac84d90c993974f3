package io.palinode.cli.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.servererrors.WriteFailureException;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
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

  @TempDir static Path folder;
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
            alert -> {});
    List<Integer> ports = Ports.free(2);
    server =
        CassandraServer.start(
            new CassandraServer.Cluster(
                List.of("127.0.0.1"), ports.get(0), ports.get(1), plane.kafkaAddress(), true),
            0,
            folder.resolve("cassandra"));
    session = server.connect();
    session.execute(
        "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    session.execute(Histories.TABLE);
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
    await()
        .atMost(BOUND)
        .until(
            () ->
                plane.orchestrator().nodes().stream()
                    .anyMatch(
                        node -> node.incarnation() == incarnation && node.joinedMicros() > 0));
  }

  /** A time after all writes that were answered, and before the next one. */
  private static long cut() {
    long now = Histories.nowMicros();
    await().until(() -> Histories.nowMicros() > now);
    return Hlc.ofMicros(now);
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
    long target = cut();
    List<String> discarded = histories.statements(WRITES);
    histories.send(discarded);
    Read before = awaitSettled(histories);
    assertThat(before.values()).isNotEqualTo(onTheCut.values());

    long epoch = run(RollbackRequest.to("to-the-cut", target));
    awaitState(epoch, State.RESUMED);
    assertSame(histories.read(), onTheCut, "restored, seed=" + seed);
    histories.send(discarded);
    assertSame(awaitSettled(histories), onTheCut, "after late copies, seed=" + seed);

    awaitState(run(RollbackRequest.undoing("undo", epoch)), State.RESUMED);
    assertSame(histories.read(), before, "reinstated, seed=" + seed);
    session.execute("INSERT INTO shop.histories (p, c, a) VALUES (0, 0, 'later')");
    assertThat(histories.read().values().get("0/0")).contains("a=later");
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
    long target = cut();
    session.execute(insert.formatted(3));
    session.execute("TRUNCATE shop.other");
    long epoch = run(RollbackRequest.to("truncated", target));
    awaitState(epoch, State.HALTED);
    plane.orchestrator().operator().intervene(epoch, Intervention.ABANDON, "");
    awaitState(epoch, State.ABANDONED);

    restart();
    assertThat(session.execute("SELECT k FROM shop.other").all()).as("replayed").isEmpty();
    session.execute(insert.formatted(4));
    long later = cut();
    session.execute(insert.formatted(5));
    awaitState(run(RollbackRequest.to("later", later)), State.RESUMED);
    assertThat(session.execute("SELECT k FROM shop.other").all())
        .extracting(row -> row.getInt(0))
        .containsExactly(4);
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
    long target = cut();
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
