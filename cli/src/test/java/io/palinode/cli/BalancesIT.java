package io.palinode.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.examples.balances.Balance;
import io.palinode.examples.balances.BalancesRun;
import io.palinode.examples.balances.Books;
import io.palinode.examples.balances.SessionLog;
import io.palinode.examples.balances.SessionLog.Entry;
import io.palinode.examples.balances.SessionLog.Put;
import io.palinode.examples.balances.SessionLog.Read;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.VersionRole;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The example examples/balances on the real parts: what Palinode reports, against the clients' logs
 * alone. Runs with {@code palinode.it.balances=S}, of S seconds without cuts and three times as
 * long with them.
 */
@EnabledIfSystemProperty(named = "palinode.it.balances", matches = "\\d+")
@Timeout(300)
class BalancesIT {
  private static final String PREDICATES = "../examples/balances/reports.yaml";
  private static final Duration TIME =
      Duration.ofSeconds(Integer.getInteger("palinode.it.balances", 1));

  @TempDir private static Path folder;
  private static RealParts parts;

  /** A report by its texts. */
  private record Lost(String put, String lost) {}

  @BeforeAll
  static void start() {
    parts = RealParts.start(folder);
    assertThat(parts.palinode("apply", "-f", PREDICATES)).as(parts.err()).isZero();
  }

  @AfterAll
  static void close() {
    parts.close();
  }

  /** Each account has one node that accepts all of its puts, so their order is known. */
  @Test
  void withWholeLinksTheReportsAreTheLostUpdatesOfTheLogs()
      throws InterruptedException, ExecutionException {
    Books books = new BalancesRun(parts.cluster().addresses(), "whole", TIME, false).run();
    List<Violation> violations = reported("lost-update", "whole");
    Set<Lost> reported =
        violations.stream()
            .map(violation -> new Lost(value(violation), lost(violation)))
            .collect(Collectors.toSet());
    assertThat(reported).isNotEmpty().isEqualTo(lostByLogs(books));
    assertThat(violations).hasSize(reported.size());
    long units =
        reported.stream().mapToLong(each -> amount(each.lost()) + 1 - amount(each.put())).sum();
    assertThat(units).as("in units").isPositive().isEqualTo(books.expected() - books.total());
    assertThat(reported("stale-read", "whole")).isEmpty();
    assertThat(books.logs()).allSatisfy(log -> assertThat(books.wentBack(log)).isEmpty());
    print("whole", books);
  }

  @Test
  void withLinksThatAreCutTheLogsConfirmEachReport()
      throws InterruptedException, ExecutionException {
    Books books =
        new BalancesRun(parts.cluster().addresses(), "cut", TIME.multipliedBy(3), true).run();
    Map<String, SessionLog> logs =
        books.logs().stream().collect(Collectors.toMap(SessionLog::client, log -> log));
    Set<String> twice = perhapsTwice(books);
    List<Violation> lostUpdates = reported("lost-update", "cut");
    assertThat(lostUpdates).anyMatch(violation -> !twice.contains(lost(violation)));
    for (Violation violation : lostUpdates) {
      SessionLog log = logs.get(violation.getWitnesses(0).getWriter());
      assertThat(books.acceptedAt()).containsKey(lost(violation));
      if (twice.contains(lost(violation))) {
        continue;
      }
      assertThat(metBeforePut(log, value(violation)))
          .as("what %s had read or written", log.client())
          .doesNotContain(lost(violation));
    }
    List<Violation> stale = reported("stale-read", "cut");
    assertThat(stale).isNotEmpty();
    for (Violation violation : stale) {
      SessionLog log = logs.get(violation.getWitnesses(0).getWriter());
      assertThat(readsOfOlder(books, log)).contains(value(violation));
    }
    List<Violation> notMonotonic = reported("non-monotonic-read", "cut");
    SessionLog auditor = books.logs().get(BalancesRun.TELLERS);
    Set<String> wentBack =
        books.wentBack(auditor).stream().map(Read::value).collect(Collectors.toSet());
    Set<String> ofAuditor =
        notMonotonic.stream()
            .filter(each -> each.getWitnesses(0).getWriter().equals(auditor.client()))
            .map(BalancesIT::value)
            .collect(Collectors.toSet());
    print("cut", books);
    System.out.printf(
        "stale %d not monotonic %d, of the auditor %d of %d%n",
        stale.size(), notMonotonic.size(), ofAuditor.size(), wentBack.size());
    assertThat(wentBack).containsAll(ofAuditor);
    wentBack.removeAll(ofAuditor);
    assertThat(wentBack).as("not reported").hasSizeLessThanOrEqualTo((int) books.unstated());
  }

  private static void print(String run, Books books) {
    System.out.printf(
        "%s: %d updates, %d lost, %d reported as lost, evidence of %d reads not received%n",
        run,
        books.expected(),
        books.expected() - books.total(),
        reported("lost-update", run).size(),
        books.unstated());
  }

  private static List<Violation> reported(String predicate, String run) {
    List<Violation> reported =
        parts.plane().orchestrator().violations(10_000).stream()
            .map(found -> found.violation())
            .filter(each -> each.getPredicate().equals(predicate))
            .filter(each -> each.getBinding().startsWith("a=" + run + "."))
            .toList();
    assertThat(reported).allMatch(each -> each.getGrade() == ViolationGrade.DEFINITE);
    return reported;
  }

  /** The pairs of puts of which the second one was not on top of the first one. */
  private static Set<Lost> lostByLogs(Books books) {
    Map<String, List<Put>> byKey =
        books.logs().stream()
            .flatMap(log -> log.puts().stream())
            .sorted(Comparator.comparingLong(Put::acceptedAt))
            .collect(Collectors.groupingBy(Put::key));
    Set<Lost> lost = new HashSet<>();
    for (List<Put> puts : byKey.values()) {
      for (int i = 1; i < puts.size(); i++) {
        String before = puts.get(i - 1).value();
        if (!before.equals(puts.get(i).onTopOf())) {
          lost.add(new Lost(puts.get(i).value(), before));
        }
      }
    }
    return lost;
  }

  /** The values of which there may be two versions, because a request of their put failed. */
  private static Set<String> perhapsTwice(Books books) {
    try (StoreClient client = parts.client("ring")) {
      Ring ring = new Ring(client.cluster(), RealParts.NODES);
      return books.logs().stream()
          .flatMap(log -> log.puts().stream())
          .filter(
              put ->
                  put.tries() > 1
                      || put.node() != ring.preferenceList(put.key().getBytes(UTF_8)).get(0))
          .map(Put::value)
          .collect(Collectors.toSet());
    }
  }

  private static List<String> metBeforePut(SessionLog log, String value) {
    List<String> met = new ArrayList<>();
    for (Entry entry : log.entries()) {
      if (entry instanceof Put put && put.value().equals(value)) {
        return met;
      }
      met.add(entry.value());
    }
    throw new AssertionError("no put of " + value + " by " + log.client());
  }

  /** The values that the client read after it had read or written one that was accepted later. */
  private static Set<String> readsOfOlder(Books books, SessionLog log) {
    Map<String, Long> times = books.acceptedAt();
    Map<String, Long> latest = new HashMap<>();
    Set<String> older = new HashSet<>();
    for (Entry entry : log.entries()) {
      if (entry.value() == null) {
        continue;
      }
      long time = times.get(entry.value());
      if (entry instanceof Read && time < latest.getOrDefault(entry.key(), 0L)) {
        older.add(entry.value());
      }
      latest.merge(entry.key(), time, Math::max);
    }
    return older;
  }

  private static long amount(String balance) {
    return Balance.parse(balance).amount();
  }

  private static String value(Violation violation) {
    return of(violation, VersionRole.HOLDS);
  }

  private static String lost(Violation violation) {
    return of(violation, VersionRole.LOST);
  }

  private static String of(Violation violation, VersionRole role) {
    return violation.getWitnesses(0).getValuesList().stream()
        .filter(version -> version.getRole() == role)
        .map(VariableVersion::getValue)
        .map(value -> value.toStringUtf8())
        .findFirst()
        .orElseThrow();
  }
}
