package io.palinode.cli.hazelcast;

import static io.palinode.cli.hazelcast.HazelcastCluster.BOUND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.hazelcast.map.IMap;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.plan.Rollback.State;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.RollbackRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/** Rollbacks of two stock Hazelcast members, in which one is killed. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RestoreHazelcastIT {
  private static final int NODES = 2;
  private static final int ROUNDS = Integer.getInteger("palinode.hazelcast.kills", 10);
  private static final List<State> PHASES =
      List.of(State.OPENED, State.PAUSING, State.RESTORING, State.CONVERGING, State.RESUMING);
  private static final Set<String> KEYS =
      IntStream.range(0, 200).mapToObj(i -> "k" + i).collect(Collectors.toSet());

  @TempDir static Path folder;
  private final long[] incarnations = {1, 1};
  private HazelcastCluster cluster;
  private IMap<String, String> map;

  @BeforeAll
  void start() throws IOException {
    cluster = new HazelcastCluster(folder, NODES);
    map = cluster.client().getMap("map");
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  private static long now() {
    return Hlc.ofMicros(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
  }

  private void setAll(String value) {
    map.setAll(KEYS.stream().collect(Collectors.toMap(key -> key, key -> value)));
  }

  /** Sets all entries twice. Returns a time in between that all members can restore. */
  private long target(String before, String after) {
    return await()
        .atMost(BOUND)
        .ignoreExceptions()
        .until(
            () -> {
              setAll(before);
              long target = now();
              await().until(() -> now() > target);
              setAll(after);
              return target;
            },
            target -> cluster.servers().stream().allMatch(server -> reach(server) < target));
  }

  private static long reach(HazelcastServer server) {
    JsonNode status = server.page("status");
    return status == null ? Long.MAX_VALUE : Hlc.parse(status.path("reach").asText());
  }

  private State awaitState(long epoch, Predicate<State> wanted) {
    return await()
        .pollInterval(Duration.ofMillis(1))
        .atMost(BOUND)
        .until(
            () -> {
              Rollback plan = cluster.plane().orchestrator().rollback(epoch);
              return plan == null ? State.OPENED : plan.state();
            },
            wanted);
  }

  private long run(RollbackRequest request) throws Exception {
    return cluster.plane().orchestrator().operator().run(request, "").epoch();
  }

  /** At the owner and at the backup of each entry. */
  private void assertAll(String value, String as) {
    assertThat(Set.copyOf(map.getAll(KEYS).values())).as(as).containsExactly(value);
    assertThat(map.keySet()).as(as).isEqualTo(KEYS);
    for (HazelcastServer server : cluster.servers()) {
      for (String key : List.of("k1", "k2", "k3")) {
        assertThat(server.page("past?map=map&key=" + key).path("value").asText())
            .as(as)
            .isEqualTo(value);
      }
    }
  }

  @Test
  void allEntriesAreThoseOfTheCutAndAnUndoReinstatesTheOthers() throws Exception {
    long target = target("before", "after");
    map.set("later", "after");
    long epoch = run(RollbackRequest.to("to-the-cut", target));
    awaitState(epoch, state -> state == State.RESUMED);
    assertAll("before", "restored");
    long undo = run(RollbackRequest.undoing("undo", epoch));
    awaitState(undo, state -> state == State.RESUMED);
    assertThat(map.remove("later")).isEqualTo("after");
    assertAll("after", "reinstated");
  }

  @Test
  void aMemberThatIsKilledLeavesAllEntriesBeforeTheRollbackOrOnItsCut(TestReporter reporter)
      throws Exception {
    Map<String, Integer> ends = new TreeMap<>();
    for (int round = 0; round < ROUNDS; round++) {
      State at = PHASES.get(round % PHASES.size());
      State end = endOfAKill(round, at, round / PHASES.size() % NODES);
      ends.merge("killed at %s: %s".formatted(at, end), 1, Integer::sum);
    }
    reporter.publishEntry("ends", ends.toString());
  }

  private State endOfAKill(int round, State at, int victim) throws Exception {
    String before = "before-" + round;
    String after = "after-" + round;
    long target = target(before, after);
    long epoch = run(RollbackRequest.to("killed-" + round, target));
    State reached = awaitState(epoch, state -> state.compareTo(at) >= 0);
    cluster.servers().get(victim).kill();
    cluster.servers().get(victim).start();
    incarnations[victim]++;
    cluster.steps().awaitJoined(victim, incarnations[victim]);
    State end = awaitState(epoch, state -> state == State.RESUMED || state == State.HALTED);
    if (end == State.HALTED) {
      cluster.plane().orchestrator().operator().intervene(epoch, Intervention.ABANDON, "");
      end = awaitState(epoch, state -> state == State.ABANDONED);
    }
    String expected = end == State.RESUMED ? before : after;
    String as = "round %d, member %d killed at %s, %s".formatted(round, victim, reached, end);
    await().atMost(BOUND).ignoreExceptions().untilAsserted(() -> assertAll(expected, as));
    return end;
  }
}
