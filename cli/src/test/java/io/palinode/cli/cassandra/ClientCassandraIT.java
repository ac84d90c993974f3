package io.palinode.cli.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import io.palinode.cql.client.OnRollback;
import io.palinode.cql.client.PalinodeSession;
import io.palinode.cql.client.RolledBack;
import io.palinode.cql.client.RolledBackException;
import io.palinode.cql.protocol.Context;
import io.palinode.cql.protocol.Fence;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.embedded.Ports;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.plan.Rollback.State;
import io.palinode.orchestrator.request.RollbackRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Clients that send their epoch and clock to a stock Cassandra server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClientCassandraIT {
  private static final Duration BOUND = Duration.ofSeconds(90);
  private static final String INSERT = "INSERT INTO shop.carts (cart, item) VALUES ('%s', '%s')";

  @TempDir static Path folder;
  private final AtomicInteger plans = new AtomicInteger();
  private ControlPlane plane;
  private CassandraServer server;
  private CqlSession driver;

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
                List.of("127.0.0.1"),
                ports.get(0),
                ports.get(1),
                plane.kafkaAddress(),
                true,
                false),
            0,
            folder.resolve("cassandra"));
    driver = server.connect();
    driver.execute(
        "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    driver.execute(
        "CREATE TABLE shop.carts (cart text PRIMARY KEY, item text) WITH memtable = 'palinode'");
    driver.execute("CREATE TABLE shop.logs (line text PRIMARY KEY)");
    await()
        .atMost(BOUND)
        .until(
            () -> plane.orchestrator().nodes().stream().anyMatch(node -> node.joinedMicros() > 0));
  }

  @AfterAll
  void stop() {
    driver.close();
    server.close();
    plane.close();
  }

  /** A time after all writes that were answered, and before the next one. */
  private static long cut() {
    long now = Histories.nowMicros();
    await().until(() -> Histories.nowMicros() > now);
    return Hlc.ofMicros(now);
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

  private @Nullable String item(String cart) {
    Row row = driver.execute("SELECT item FROM shop.carts WHERE cart = ?", cart).one();
    return row == null ? null : row.getString(0);
  }

  @Test
  void aClientThatAsksLearnsOfARollbackAndItsWriteIsNotApplied() throws Exception {
    PalinodeSession client = PalinodeSession.of(driver, OnRollback.THROW);
    assertThat(client.epoch()).isEmpty();
    ResultSet kept = client.execute(INSERT.formatted("ask", "kept"));
    long target = cut();
    ResultSet discarded = client.execute(INSERT.formatted("ask", "discarded"));
    assertThat(client.execute("SELECT item FROM shop.carts WHERE cart = 'ask'").one().getString(0))
        .isEqualTo("discarded");
    long before = client.epoch().orElseThrow();
    long epoch = rollBack(target);

    driver.execute(INSERT.formatted("other", "of a client without a context"));
    assertThat(item("other")).isEqualTo("of a client without a context");
    RolledBackException thrown =
        rolledBack(() -> client.execute(INSERT.formatted("ask-too", "from what was discarded")));
    assertThat(thrown.rolledBack()).isEqualTo(new RolledBack(before, epoch, target, false));
    assertThat(item("ask-too")).as("computed from a read before the rollback").isNull();
    assertThat(item("ask")).isEqualTo("kept");
    assertThat(PalinodeSession.answeredAt(kept.getExecutionInfo()).orElseThrow())
        .isLessThanOrEqualTo(target);
    assertThat(PalinodeSession.answeredAt(discarded.getExecutionInfo()).orElseThrow())
        .isGreaterThan(target);

    client.execute(INSERT.formatted("ask", "again"));
    assertThat(item("ask")).isEqualTo("again");
    assertThat(client.epoch()).hasValue(epoch);
  }

  private static RolledBackException rolledBack(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable request) {
    Throwable thrown = catchThrowable(request);
    assertThat(thrown).isInstanceOf(RolledBackException.class);
    return (RolledBackException) thrown;
  }

  @Test
  void aClientThatDoesNotAskSendsTheRequestAgain() throws Exception {
    PalinodeSession client = PalinodeSession.of(driver);
    client.execute(INSERT.formatted("retry", "kept"));
    long target = cut();
    long epoch = rollBack(target);
    client.execute(INSERT.formatted("retry", "sent again"));
    assertThat(item("retry")).isEqualTo("sent again");
    assertThat(client.epoch()).hasValue(epoch);
  }

  @Test
  void asynchronousAndPreparedRequestsAndBatchesCarryTheEpochToo() throws Exception {
    PalinodeSession client = PalinodeSession.of(driver, OnRollback.THROW);
    PreparedStatement insert = client.prepare("INSERT INTO shop.carts (cart, item) VALUES (?, ?)");
    client.execute(insert.bind("prepared", "kept"));
    PalinodeSession second = PalinodeSession.of(driver, OnRollback.THROW);
    AsyncResultSet result =
        second.executeAsync(INSERT.formatted("async", "kept")).toCompletableFuture().get();
    assertThat(PalinodeSession.answeredAt(result.getExecutionInfo())).isPresent();
    rollBack(cut());

    rolledBack(() -> client.execute(insert.bind("prepared", "late")));
    assertThat(item("prepared")).isEqualTo("kept");
    assertThatThrownBy(
            () ->
                second.executeAsync(INSERT.formatted("async", "late")).toCompletableFuture().join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(RolledBackException.class);
    second.executeAsync(INSERT.formatted("async", "again")).toCompletableFuture().join();
    assertThat(item("async")).isEqualTo("again");
    String batch =
        "BEGIN BATCH "
            + INSERT.formatted("one", "x")
            + "; "
            + INSERT.formatted("two", "x")
            + "; APPLY BATCH";
    client.execute(batch);
    rollBack(cut());
    rolledBack(() -> client.execute(batch.replace("'x'", "'late'")));
    assertThat(item("one")).isEqualTo("x");
  }

  @Test
  void callsWaitForTheEndOfAPauseAndEachEndsOneWay() throws Exception {
    PalinodeSession client = PalinodeSession.of(driver, OnRollback.THROW);
    client.execute(INSERT.formatted("wait", "0"));
    long target = cut();
    AtomicBoolean isOver = new AtomicBoolean();
    List<Throwable> thrown = new ArrayList<>();
    CompletableFuture<Void> writing =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 1; !isOver.get(); i++) {
                String statement = INSERT.formatted("wait", Integer.toString(i));
                Throwable error = catchThrowable(() -> client.execute(statement));
                if (error != null) {
                  thrown.add(error);
                }
              }
            });
    rollBack(target);
    isOver.set(true);
    writing.get();
    Throwable last = catchThrowable(() -> client.execute(INSERT.formatted("wait", "last")));
    if (last != null) {
      thrown.add(last);
    }
    assertThat(thrown).singleElement().isInstanceOf(RolledBackException.class);
  }

  @Test
  void statementsOnOtherTablesAreNotRefused() throws Exception {
    PalinodeSession client = PalinodeSession.of(driver, OnRollback.THROW);
    client.execute(INSERT.formatted("logged", "x"));
    rollBack(cut());
    client.execute("INSERT INTO shop.logs (line) VALUES ('a line')");
    rolledBack(() -> client.execute("SELECT item FROM shop.carts WHERE cart = 'logged'"));
  }

  @Test
  void aContextThatNoServerHasSentIsRefused() {
    assertRefused(new byte[] {9}, "a context must have at least");
    assertRefused(Context.of(1_000, null).encode(), Fence.paused(1_000).message());
    long ahead = Hlc.ofMicros(Histories.nowMicros() + 3_600_000_000L);
    assertRefused(Context.of(Context.UNKNOWN, Hvc.of(0, ahead)).encode(), "ahead");
    Hvc larger = Hvc.of(Hvc.NO_OWNER, 1, 1);
    driver.execute(withContext(Context.of(Context.UNKNOWN, larger).encode()));
  }

  private void assertRefused(byte[] context, String reason) {
    assertThatThrownBy(() -> driver.execute(withContext(context)))
        .isInstanceOf(InvalidQueryException.class)
        .hasMessageContaining(reason);
  }

  private static SimpleStatement withContext(byte[] context) {
    return SimpleStatement.newInstance(INSERT.formatted("forged", "x"))
        .setCustomPayload(Map.of(Context.KEY, ByteBuffer.wrap(context)));
  }
}
