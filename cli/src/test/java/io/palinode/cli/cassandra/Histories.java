package io.palinode.cli.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Random histories, each in a partition: inserts, updates, TTLs, equal timestamps, deletes of
 * cells, rows, ranges and partitions, batches, and static columns.
 */
final class Histories {
  static final String TABLE =
      "CREATE TABLE shop.histories (p int, c int, s text STATIC, a text, b int, PRIMARY KEY (p, c))"
          + " WITH memtable = 'palinode'";

  private static final String READ =
      "SELECT p, c, s, a, b, ttl(a), ttl(b), writetime(s), writetime(a), writetime(b)"
          + " FROM shop.histories";

  private static final int AT_ONCE = 64;
  private static final int ROWS = 3;
  private static final int LONG_TTL = 10_000;

  private final CqlSession session;
  private final @Nullable Node coordinator;
  private final int histories;
  private final Random random;

  Histories(CqlSession session, int histories, long seed) {
    this(session, null, histories, seed);
  }

  /**
   * @param coordinator the server that reads and writes pass; null: any
   */
  Histories(CqlSession session, @Nullable Node coordinator, int histories, long seed) {
    this.session = session;
    this.coordinator = coordinator;
    this.histories = histories;
    this.random = new Random(seed);
  }

  /** A read of all partitions: by key, the text of values, TTLs, and the times of the writes. */
  record Read(
      TreeMap<String, String> values,
      TreeMap<String, Integer> ttls,
      TreeMap<String, String> times) {}

  static long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  /** Statements with their own timestamps, so that each can be sent again as a late copy. */
  List<String> statements(int perHistory) {
    List<String> statements = new ArrayList<>();
    for (int i = 0; i < perHistory; i++) {
      long now = nowMicros();
      for (int p = 0; p < histories; p++) {
        if (random.nextInt(4) > 0) {
          // Few timestamps, so that some are equal, and some are before others.
          statements.add(statement(p, now - random.nextInt(3)));
        }
      }
    }
    return statements;
  }

  private String statement(int p, long timestamp) {
    int c = random.nextInt(ROWS);
    String row = " WHERE p = %d AND c = %d".formatted(p, c);
    String using = " USING TIMESTAMP " + timestamp;
    return switch (random.nextInt(11)) {
      case 0, 1 -> insert(p, c, using);
      case 2 -> insert(p, c, using + " AND TTL " + LONG_TTL);
      case 3 -> "UPDATE shop.histories%s SET a = '%s'%s".formatted(using, value(), row);
      case 4 ->
          "UPDATE shop.histories%s AND TTL 1 SET b = %d%s".formatted(using, random.nextInt(9), row);
      case 5 -> "DELETE a FROM shop.histories%s%s".formatted(using, row);
      case 6 -> "DELETE FROM shop.histories%s%s".formatted(using, row);
      case 7 -> "DELETE FROM shop.histories%s WHERE p = %d AND c > %d".formatted(using, p, c - 1);
      case 8 ->
          random.nextBoolean()
              ? "DELETE FROM shop.histories%s WHERE p = %d".formatted(using, p)
              : "DELETE s FROM shop.histories%s WHERE p = %d".formatted(using, p);
      case 9 -> "UPDATE shop.histories%s SET s = '%s' WHERE p = %d".formatted(using, value(), p);
      default ->
          "BEGIN BATCH%s %s; %s; APPLY BATCH"
              .formatted(using, insert(p, c, ""), insert((p + 1) % histories, c, ""));
    };
  }

  private String insert(int p, int c, String using) {
    return "INSERT INTO shop.histories (p, c, a, b) VALUES (%d, %d, '%s', %d)%s"
        .formatted(p, c, value(), random.nextInt(9), using);
  }

  private String value() {
    return "v" + random.nextInt(100);
  }

  /** Returns when all are applied. Statements of one partition may overtake each other. */
  void send(List<String> statements) throws Exception {
    Semaphore room = new Semaphore(AT_ONCE);
    List<CompletionStage<AsyncResultSet>> sent = new ArrayList<>();
    for (String statement : statements) {
      room.acquire();
      sent.add(session.executeAsync(at(statement)).whenComplete((done, failure) -> room.release()));
    }
    for (CompletionStage<AsyncResultSet> each : sent) {
      var unused = each.toCompletableFuture().get();
    }
  }

  Read read() {
    Read read = new Read(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
    for (Row row : session.execute(at(READ)).all()) {
      String key = "%d/%s".formatted(row.getInt(0), row.getObject(1));
      read.values()
          .put(
              key,
              "s=%s a=%s b=%s".formatted(row.getObject(2), row.getObject(3), row.getObject(4)));
      put(read, key + "/a", row.get(5, Integer.class));
      put(read, key + "/b", row.get(6, Integer.class));
      read.times()
          .put(
              key,
              "s=%s a=%s b=%s".formatted(row.getObject(7), row.getObject(8), row.getObject(9)));
    }
    return read;
  }

  /** A coordinator that is a replica reads its own rows. */
  private SimpleStatement at(String statement) {
    return SimpleStatement.newInstance(statement)
        .setConsistencyLevel(ConsistencyLevel.ONE)
        .setNode(coordinator);
  }

  private static void put(Read read, String key, @Nullable Integer ttl) {
    if (ttl != null) {
      read.ttls().put(key, ttl);
    }
  }
}
