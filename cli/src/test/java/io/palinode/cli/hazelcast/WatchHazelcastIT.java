package io.palinode.cli.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.transaction.TransactionContext;
import io.palinode.cli.PlaneSteps;
import io.palinode.cli.cassandra.CandidateLog;
import io.palinode.cli.cassandra.CandidateLog.Step;
import io.palinode.cli.status.AgentPage;
import io.palinode.detection.witness.WitnessCheck;
import io.palinode.detection.witness.WitnessJson;
import io.palinode.hvc.PointInTime;
import io.palinode.launcher.ControlPlane;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.rest.SnapshotBackend;
import io.palinode.orchestrator.snapshot.Snapshot;
import io.palinode.orchestrator.snapshot.SnapshotRequest;
import io.palinode.predicate.form.Predicates;
import io.palinode.wire.v1.Violation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Two stock Hazelcast members with the agent, with Kafka, the job and the orchestrator. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class WatchHazelcastIT {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final int NODES = 2;

  @TempDir static Path folder;
  private HazelcastCluster cluster;
  private List<HazelcastServer> servers;
  private ControlPlane plane;
  private PlaneSteps steps;
  private CandidateLog candidates;
  private HazelcastInstance client;

  @BeforeAll
  void start() throws IOException {
    cluster = new HazelcastCluster(folder, NODES);
    servers = cluster.servers();
    plane = cluster.plane();
    steps = cluster.steps();
    client = cluster.client();
    candidates = new CandidateLog(plane.kafkaAddress());
    assertThat(new AgentPage(Objects.requireNonNull(servers.get(0).page("status"))).faults())
        .isEmpty();
  }

  @AfterAll
  void stop() {
    candidates.close();
    cluster.close();
  }

  /** Writes entries until one of each member is published: the predicate is then in force. */
  private void awaitWatched(String map, String value) {
    AtomicInteger tries = new AtomicInteger();
    await()
        .atMost(BOUND)
        .until(
            () -> {
              client.getMap(map).set("watched" + tries.incrementAndGet(), value);
              return candidates.of(map + "/watched").stream().map(Step::node).distinct().count()
                  == NODES;
            });
  }

  @Test
  @Order(1)
  void aViolationOverTwoMembersIsFoundWithItsWitness() throws Exception {
    steps.apply(
        "two-holders",
        "l",
        "{var: \"locks/{l}.ann\", equals: \"true\"}",
        "{var: \"locks/{l}.bob\", equals: \"true\"}");
    IMap<String, Boolean> locks = client.getMap("locks");
    String door = null;
    for (int i = 0; door == null; i++) {
      String each = "door" + i;
      if (!owner(each + ".ann").equals(owner(each + ".bob"))) {
        door = each;
      }
    }
    locks.set(door + ".ann", true);
    locks.set(door + ".bob", true);
    Violation found = steps.awaitViolation("two-holders");
    assertThat(found.getBinding()).isEqualTo("l=" + door);
    assertThat(found.getWitnessesList())
        .extracting(witness -> witness.getValues(0).getKey().toStringUtf8())
        .containsExactly("locks/" + door + ".ann", "locks/" + door + ".bob");
    assertThat(found.getWitnessesList())
        .extracting(witness -> witness.getNode())
        .containsExactlyInAnyOrder(0, 1);
    String file =
        WitnessJson.write(Objects.requireNonNull(plane.orchestrator().witness(found.getId())));
    assertThat(WitnessCheck.check(WitnessJson.read(file, "witness"))).as(file).isEmpty();
    assertThat(candidates.gaps(0, 1) + candidates.gaps(1, 1))
        .as("coverage gaps by the first entries of partitions")
        .isZero();
  }

  private Object owner(String key) {
    return client.getPartitionService().getPartition(key).getOwner().getUuid();
  }

  @Test
  @Order(2)
  void eachKindOfMutationIsPublishedOnceByTheOwner() {
    steps.apply("door-open", "d", "{var: \"doors/{d}\", equals: \"open\"}");
    awaitWatched("doors", "open");
    IMap<String, String> doors = client.getMap("doors");
    doors.put("k", "open");
    doors.set("k", "shut");
    doors.replace("k", "open");
    doors.remove("k");
    doors.putAll(Map.of("k", "open"));
    doors.evict("k");
    TransactionContext transaction = client.newTransactionContext();
    transaction.beginTransaction();
    transaction.getMap("doors").put("k", "open");
    transaction.commitTransaction();
    doors.clear();
    doors.set("k", "open");
    doors.destroy();
    doors = client.getMap("doors");
    doors.set("k", "open", 1, TimeUnit.SECONDS);
    await().atMost(BOUND).until(() -> candidates.of("doors/k").size() >= 12);
    List<Step> steps = candidates.of("doors/k");
    for (int i = 0; i < steps.size(); i++) {
      assertThat(steps.get(i).opens()).as("step %d of %s", i, steps).isEqualTo(i % 2 == 0);
    }
    assertThat(steps).extracting(Step::node).containsOnly(steps.get(0).node());
    assertThat(steps).hasSize(12);
  }

  @Test
  @Order(3)
  void thePastOfAKeyIsReadAtItsOwnerAndAtItsBackup() {
    IMap<String, String> map = client.getMap("past");
    map.set("k", "before");
    await().until(() -> servers.get(0).page("past?map=past&key=k") != null);
    JsonNode now = servers.get(0).page("past?map=past&key=k&at=now");
    map.set("k", "after");
    assertThat(now.path("value").asText()).isEqualTo("before");
    for (HazelcastServer server : servers) {
      assertThat(server.page("past?map=past&key=k&at=" + now.path("at").asText()))
          .as(server.toString())
          .isEqualTo(now);
      assertThat(server.page("past?map=past&key=k").path("value").asText()).isEqualTo("after");
      assertThat(
              server.page("past?map=past&key=k&at=" + PointInTime.format(0)).path("error").asText())
          .contains("is out of reach");
    }
  }

  @Test
  @Order(4)
  void aSnapshotHasTheEntriesOfItsTimeAtOwnerAndBackup() throws RefusedException {
    IMap<String, String> map = client.getMap("filed");
    Snapshot before = snapshot("before", null);
    map.set("k1", "v");
    map.set("k2", "v");
    Snapshot after = snapshot("after", null);
    map.clear();
    Snapshot again = snapshot("again", after.opened().getHlc());
    for (int node = 0; node < NODES; node++) {
      assertThat(keys(after, node)).isEqualTo(keys(before, node) + 2);
      assertThat(keys(again, node)).as("in the past").isEqualTo(keys(after, node));
      assertThat(valueIn("again", "k1", node)).as("node %d", node).isEqualTo("v");
      assertThat(valueIn("before", "k1", node)).as("node %d", node).isEqualTo("null");
    }
  }

  private String valueIn(String snapshot, String key, int node) {
    String path = "past?map=filed&key=%s&snapshot=%s".formatted(key, snapshot);
    return Objects.requireNonNull(servers.get(node).page(path)).path("value").asText();
  }

  private Snapshot snapshot(String id, @Nullable Long hlc) throws RefusedException {
    SnapshotBackend snapshots = plane.orchestrator().snapshots();
    Snapshot unused = snapshots.take(new SnapshotRequest(id, hlc, null, false, 0));
    return await()
        .atMost(BOUND)
        .until(() -> snapshots.get(id), taken -> taken.phase() != Snapshot.Phase.TAKING);
  }

  private static long keys(Snapshot snapshot, int node) {
    assertThat(snapshot.phase()).isEqualTo(Snapshot.Phase.COMPLETE);
    return snapshot.nodes().get(node).taken().getKeys();
  }

  @Test
  @Order(5)
  void aViolationIsTakenBackAtOwnerAndBackup() {
    String yaml =
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: one-driver}
        spec:
          forEach: {c: "{c}"}
          replicas: any
          violation:
            - all:
              - {var: "taxis/{c}", equals: "ann"}
              - {var: "vans/{c}", equals: "ann"}
          onViolation:
            rollback: {scope: all, to: before-violation}
        """;
    plane.apply(Predicates.parse(yaml, "one-driver"));
    awaitWatched("taxis", "ann");
    IMap<String, String> taxis = client.getMap("taxis");
    IMap<String, String> vans = client.getMap("vans");
    taxis.set("x", "ann");
    vans.set("x", "bob");
    vans.set("x", "ann");
    await()
        .atMost(BOUND)
        .until(() -> plane.orchestrator().status().epoch() > 0 && "bob".equals(vans.get("x")));
    assertThat(taxis.get("x")).isEqualTo("ann");
    for (HazelcastServer server : servers) {
      assertThat(server.page("past?map=vans&key=x").path("value").asText())
          .as(server.toString())
          .isEqualTo("bob");
    }
    taxis.delete("x");
    vans.set("x", "ann");
    assertThat(vans.get("x")).as("nothing is violated").isEqualTo("ann");
  }

  @Test
  @Order(6)
  void aPromotedBackupPublishesWhatHoldsAgain() throws Exception {
    steps.apply(
        "two-lamps",
        "l",
        "{var: \"lamps/{l}\", equals: \"on\"}",
        "{var: \"lamps2/{l}\", equals: \"on\"}");
    awaitWatched("lamps", "on");
    String key = cluster.keyOf(1, "l");
    client.getMap("lamps").set(key, "on");
    await().atMost(BOUND).until(() -> candidates.of("lamps/" + key).size() == 1);
    assertThat(candidates.of("lamps/" + key).get(0).node()).isEqualTo(1);
    long gaps = candidates.gaps(0, 1);
    servers.get(1).kill();
    List<Step> promoted =
        await()
            .atMost(BOUND)
            .until(() -> candidates.of("lamps/" + key), steps -> steps.size() == 2);
    assertThat(promoted.get(1).node()).isZero();
    assertThat(promoted.get(1).opens()).isTrue();
    await().atMost(BOUND).until(() -> candidates.gaps(0, 1) > gaps);
    client.getMap("lamps2").set(key, "on");
    servers.get(1).start();
    steps.awaitJoined(1, 2);
    assertThat(steps.awaitViolation("two-lamps").getBinding()).isEqualTo("l=" + key);
  }

  @Test
  @Order(7)
  void aMigrationEndsTheIntervalAtItsSourceAndOpensItAtItsReceiverWithAGap() {
    String key =
        await()
            .atMost(BOUND)
            .until(
                () ->
                    candidates.of("lamps/").stream()
                        .filter(step -> step.node() == 1 && step.incarnation() == 2)
                        .map(Step::key)
                        .findFirst()
                        .orElse(""),
                found -> !found.isEmpty());
    await()
        .atMost(BOUND)
        .untilAsserted(
            () -> {
              List<Step> steps =
                  candidates.of(key).stream().filter(step -> step.key().equals(key)).toList();
              assertThat(steps.stream().filter(step -> step.node() == 0).toList())
                  .extracting(Step::opens)
                  .endsWith(true, false);
              assertThat(steps.stream().filter(step -> step.incarnation() == 2).toList())
                  .extracting(Step::opens)
                  .containsExactly(true);
            });
    assertThat(candidates.gaps(1, 2)).isPositive();
  }
}
