package io.palinode.cli.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.servererrors.WriteFailureException;
import io.palinode.cli.PlaneSteps;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.embedded.Ports;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.wire.ControlKeys;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.PlanOpened;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stock Cassandra server during a rollback, which halts since no node can restore it. */
class PauseCassandraIT {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final long EPOCH = 1;
  private static final String INSERT = "INSERT INTO shop.stock (item, left) VALUES ('%s', 1)";

  @TempDir static Path folder;

  @Test
  void aPausedServerRefusesEachWriteOfAWatchedTableAlsoAfterAKill() throws Exception {
    List<Integer> ports = Ports.free(2);
    try (ControlPlane plane =
            ControlPlane.start(
                folder.resolve("control"),
                1,
                Epsilon.parse("10ms"),
                ControlPlane.Ports.FREE,
                alert -> {});
        CassandraServer server =
            CassandraServer.start(
                new CassandraServer.Cluster(
                    List.of("127.0.0.1"), ports.get(0), ports.get(1), plane.kafkaAddress()),
                0,
                folder.resolve("cassandra"))) {
      List<String> acknowledged = new ArrayList<>();
      try (CqlSession session = server.connect()) {
        createTables(session);
        new PlaneSteps(plane).awaitJoined(0, 1);
        pauseUnderWrites(plane, session, acknowledged);
        session.execute("INSERT INTO shop.notes (id, note) VALUES (1, 'not watched')");
        session.execute("ALTER TABLE shop.stock WITH comment = 'the schema is not paused'");
        // Last: a change of the schema flushes, and what is flushed is not replayed.
        assertRefused(session);
      }
      server.kill();
      server.start();
      try (CqlSession session = server.connect()) {
        assertRefused(session);
        assertThat(items(session)).as("also by the commit log").containsAll(acknowledged);
        assertThat(items(session)).doesNotContain("refused", "batched", "conditional");
        new PlaneSteps(plane).awaitJoined(0, 2);
        assertRefused(session);
        plane.orchestrator().operator().intervene(EPOCH, Intervention.ABANDON, "");
        await().atMost(BOUND).until(() -> isAccepted(session));
      }
    }
  }

  private static void createTables(CqlSession session) {
    session.execute(
        "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    session.execute(
        "CREATE TABLE shop.stock (item text PRIMARY KEY, left int) WITH memtable = 'palinode'");
    session.execute("CREATE TABLE shop.notes (id int PRIMARY KEY, note text)");
  }

  private static void pauseUnderWrites(
      ControlPlane plane, CqlSession session, List<String> acknowledged) throws Exception {
    AtomicBoolean isRefused = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; !isRefused.get(); i++) {
                try {
                  session.execute(INSERT.formatted("w" + i));
                  acknowledged.add("w" + i);
                } catch (WriteFailureException paused) {
                  isRefused.set(true);
                }
              }
            });
    writer.start();
    await().atMost(BOUND).until(() -> acknowledged.size() > 20);
    open(plane);
    await()
        .atMost(BOUND)
        .until(
            () -> plane.orchestrator().rollback(EPOCH),
            plan -> plan != null && plan.state() == Rollback.State.HALTED);
    writer.join(BOUND.toMillis());
    assertThat(isRefused).isTrue();
  }

  /** As a violation does: an operator is refused before that, since the reach is always now. */
  private static void open(ControlPlane plane) throws Exception {
    long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    ControlRecord opened =
        ControlRecord.newBuilder()
            .setEpoch(EPOCH)
            .setAtMicros(now)
            .setPlanOpened(
                PlanOpened.newBuilder().setTarget(Hlc.ofMicros(now)).setRequest("a-violation"))
            .build();
    try (Producer<byte[], byte[]> producer =
        KafkaSettings.of(plane.kafkaAddress()).newProducer("it")) {
      byte[] key = new ControlKeys().unique();
      producer
          .send(new ProducerRecord<>(Topics.DEFAULT.control(), key, opened.toByteArray()))
          .get();
    }
  }

  private static void assertRefused(CqlSession session) {
    for (String statement :
        List.of(
            INSERT.formatted("refused"),
            "BEGIN BATCH INSERT INTO shop.notes (id, note) VALUES (2, 'of a batch');"
                + INSERT.formatted("batched")
                + "; APPLY BATCH",
            INSERT.formatted("conditional") + " IF NOT EXISTS",
            "DELETE FROM shop.stock WHERE item = 'w0'")) {
      assertThatThrownBy(() -> session.execute(statement))
          .as(statement)
          .isInstanceOf(WriteFailureException.class);
    }
  }

  private static List<String> items(CqlSession session) {
    return session.execute("SELECT item FROM shop.stock").all().stream()
        .map(row -> row.getString(0))
        .toList();
  }

  private static boolean isAccepted(CqlSession session) {
    try {
      session.execute(INSERT.formatted("after"));
      return true;
    } catch (WriteFailureException paused) {
      return false;
    }
  }
}
