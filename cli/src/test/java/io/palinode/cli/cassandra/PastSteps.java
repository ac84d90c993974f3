package io.palinode.cli.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.cli.cassandra.Histories.Read;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Steps of tests that read a server's past. */
final class PastSteps {
  private static final Duration BOUND = Duration.ofSeconds(90);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int ROWS = 3;
  private static final String COMPACTED = "a compaction of table shop.leases after that time";

  private final CassandraServer server;
  private final CqlSession session;

  PastSteps(CassandraServer server, CqlSession session) {
    this.server = server;
    this.session = session;
  }

  /** A time after all writes that were answered, and before the next one. */
  static long cut() {
    long now = Histories.nowMicros();
    await().until(() -> Histories.nowMicros() > now);
    return Hlc.ofMicros(now);
  }

  private JsonNode answer(String key, String at) {
    return answer(Map.of("key", key, "at", at));
  }

  private JsonNode answer(Map<String, String> parameters) {
    try {
      return JSON.readTree(server.page("past", parameters));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The text of a cell at a time; null if it was absent. */
  @Nullable String value(String key, long hlc) {
    return value(key, answer(key, PointInTime.format(hlc)));
  }

  /** The same in a snapshot. */
  @Nullable String valueIn(String snapshot, String key) {
    return value(key, answer(Map.of("key", key, "snapshot", snapshot)));
  }

  private static @Nullable String value(String key, JsonNode answer) {
    assertThat(answer.has("value")).as("%s: %s", key, answer).isTrue();
    return answer.path("value").textValue();
  }

  void assertRefusedIn(String snapshot, String key, String reason) {
    assertThat(answer(Map.of("key", key, "snapshot", snapshot)).path("error").asText())
        .contains(reason);
  }

  void assertRefused(String key, String at, String reason) {
    assertThat(answer(key, at).path("error").asText()).as(key).contains(reason);
  }

  void assertRefused(String key, long hlc, String reason) {
    assertRefused(key, PointInTime.format(hlc), reason);
  }

  /** Returns how many cells were compared. */
  int assertHistories(long hlc, int histories, Read read, String as) {
    return assertHistories(hlc, histories, read, read, as);
  }

  /**
   * The cells at a time equal what two reads around it returned alike. Of cells whose TTL ended in
   * between nothing is asserted.
   */
  int assertHistories(long hlc, int histories, Read before, Read after, String as) {
    return assertHistories(key -> value(key, hlc), histories, before, after, as);
  }

  /** A cell by its key. */
  @FunctionalInterface
  interface Cells {
    @Nullable String value(String key);
  }

  int assertHistories(Cells cells, int histories, Read before, Read after, String as) {
    int compared = 0;
    for (int p = 0; p < histories; p++) {
      String shared = null;
      boolean isSame = true;
      for (int c = 0; c < ROWS; c++) {
        String row = before.values().get(p + "/" + c);
        shared = row == null ? shared : column(row, 0);
        if (!Objects.equals(row, after.values().get(p + "/" + c))) {
          isSame = false;
          continue;
        }
        String key = "shop.histories/%d/%d/".formatted(p, c);
        assertThat(cells.value(key + "a")).as(as + key).isEqualTo(column(row, 1));
        assertThat(cells.value(key + "b")).as(as + key).isEqualTo(column(row, 2));
        compared += 2;
      }
      String alone = before.values().get(p + "/null");
      shared = alone == null ? shared : column(alone, 0);
      if (isSame) {
        String key = "shop.histories/%d/s".formatted(p);
        assertThat(cells.value(key)).as(as + key).isEqualTo(shared);
        compared++;
      }
    }
    return compared;
  }

  /** Of the text {@code s=… a=… b=…}. */
  private static @Nullable String column(@Nullable String row, int column) {
    if (row == null) {
      return null;
    }
    String text = row.split(" ")[column].substring(2);
    return text.equals("null") ? null : text;
  }

  /** Cells whose TTL has ended are read as before, until a compaction removes their values. */
  void assertEndedTtls() throws Exception {
    String table =
        "CREATE TABLE shop.%s (k text PRIMARY KEY, v text) WITH memtable = 'palinode'"
            + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}";
    session.execute(table.formatted("leases"));
    session.execute(table.formatted("plain"));
    String insert = "INSERT INTO shop.%s (k, v) VALUES ('%s', 'taken')";
    for (String key : List.of("ended", "again", "flushed")) {
      session.execute(insert.formatted("leases", key) + " USING TTL 2");
    }
    session.execute(insert.formatted("leases", "kept"));
    session.execute(insert.formatted("plain", "deleted"));
    session.execute("DELETE FROM shop.plain WHERE k = 'deleted'");
    long then = cut();
    assertThat(value("shop.leases/ended/v", then)).isEqualTo("taken");
    await()
        .atMost(BOUND)
        .until(() -> session.execute("SELECT k FROM shop.leases").all().size() == 1);
    assertThat(value("shop.leases/ended/v", cut())).isNull();
    assertThat(value("shop.leases/ended/v", then)).as("it is in memory").isEqualTo("taken");
    session.execute("INSERT INTO shop.leases (k, v) VALUES ('again', 'later')");
    session.execute("DELETE FROM shop.leases WHERE k = 'ended'");
    List<String> keys =
        List.of("shop.leases/ended/v", "shop.leases/again/v", "shop.leases/flushed/v");
    for (String key : keys) {
      assertThat(value(key, then)).as(key).isEqualTo("taken");
    }
    server.flush("shop", "leases", "plain");
    for (String key : keys) {
      assertThat(value(key, then)).as(key).isEqualTo("taken");
    }
    server.compact("shop", "leases", "plain");
    assertRefused("shop.leases/flushed/v", then, COMPACTED);
    assertRefused("shop.leases/never/v", then, COMPACTED);
    assertThat(value("shop.leases/flushed/v", cut())).isNull();
    assertThat(value("shop.leases/again/v", then)).as("the window-log has it").isEqualTo("taken");
    assertThat(value("shop.leases/kept/v", then)).isEqualTo("taken");
    assertThat(value("shop.plain/deleted/v", then)).as("a table without TTLs").isNull();
  }

  /** A value has the text that predicates compare, also after its row or partition is deleted. */
  void assertTexts() {
    session.execute(
        "CREATE TABLE shop.texts (a text, b int, at timestamp, shared text STATIC, t text, i int,"
            + " l bigint, d double, n decimal, y boolean, u uuid, x blob, day date,"
            + " f frozen<list<int>>, PRIMARY KEY ((a, b), at)) WITH memtable = 'palinode'");
    session.execute(
        "INSERT INTO shop.texts (a, b, at, shared, t, i, l, d, n, y, u, x, day, f) VALUES"
            + " ('50%/+& é', 7, '2026-01-02T03:04:05.678Z', 'all', 'é/', -1, 9007199254740993, 1.5,"
            + " 12.50, true, 123e4567-e89b-12d3-a456-426614174000, 0x6869, '2026-01-02', [1, 2])");
    long written = cut();
    String where = " WHERE a = '50%/+& é' AND b = 7";
    session.execute("DELETE FROM shop.texts" + where + " AND at > '2026-01-01'");
    long rowDeleted = cut();
    session.execute("DELETE FROM shop.texts" + where);
    String partition = "shop.texts/50%25%2F+& é/7/";
    String row = partition + "1767323045678/";
    Map<String, String> texts =
        Map.ofEntries(
            Map.entry("t", "é/"),
            Map.entry("i", "-1"),
            Map.entry("l", "9007199254740993"),
            Map.entry("d", "1.5"),
            Map.entry("n", "12.50"),
            Map.entry("y", "true"),
            Map.entry("u", "123e4567-e89b-12d3-a456-426614174000"),
            Map.entry("x", "hi"),
            Map.entry("day", "2026-01-02"),
            Map.entry("f", "[1, 2]"));
    texts.forEach(
        (column, text) -> {
          assertThat(value(row + column, written)).as(column).isEqualTo(text);
          assertThat(value(row + column, rowDeleted)).as(column).isNull();
        });
    assertThat(value(partition + "shared", written)).isEqualTo("all");
    assertThat(value(partition + "shared", rowDeleted)).isEqualTo("all");
    assertThat(value(partition + "shared", cut())).isNull();
  }

  void assertRefusals() {
    long early = cut();
    session.execute("CREATE TABLE shop.pasts (k int PRIMARY KEY, v int, w int)");
    session.execute("INSERT INTO shop.pasts (k, v, w) VALUES (1, 2, 3)");
    assertRefused("shop.pasts/1/v", "now", "table shop.pasts is not watched");
    session.execute("ALTER TABLE shop.pasts WITH memtable = 'palinode'");
    long then = cut();
    assertThat(value("shop.pasts/1/v", then)).isEqualTo("2");
    assertRefused("shop.pasts/1/v", early, "is out of reach: the window-log reaches from ");
    long ahead = Hlc.ofMicros(Histories.nowMicros() + 3_600_000_000L);
    assertRefused("shop.pasts/1/v", ahead, "is out of reach");
    for (String key :
        List.of("shop.absent/1/v", "shop.pasts/1/u", "shop.pasts/1/k", "shop.pasts/1/")) {
      assertRefused(key, "now", "no table has this key");
    }
    session.execute("ALTER TABLE shop.pasts DROP w");
    assertRefused("shop.pasts/1/w", then, "no table has this key");
    session.execute("ALTER TABLE shop.pasts ADD w int");
    assertRefused("shop.pasts/1/w", then, "column 'w' of shop.pasts was dropped after that time");
    assertThat(value("shop.pasts/1/v", then)).isEqualTo("2");
    session.execute("TRUNCATE shop.pasts");
    assertRefused("shop.pasts/1/v", then, "table shop.pasts was truncated after that time");
    assertThat(value("shop.pasts/1/v", cut())).isNull();
    session.execute("DROP TABLE shop.pasts");
    assertRefused("shop.pasts/1/v", then, "no table has this key");
  }
}
