package io.palinode.cli.rollback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.cli.Main;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.StoreCluster;
import io.palinode.launcher.embedded.Ports;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Rollbacks by hand on the real parts, by the command line. */
@Timeout(240)
class RollbackIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final int NODES = 3;

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final List<String> alerts = new CopyOnWriteArrayList<>();
  private List<String> addresses = List.of();
  private String api = "";

  @Test
  void theStoreIsTakenBackByHandAndForwardAgain() throws Exception {
    Epsilon epsilon = Epsilon.parse("10ms");
    try (ControlPlane plane =
            ControlPlane.start(
                folder.resolve("control"), NODES, epsilon, ControlPlane.Ports.FREE, alerts::add);
        StoreCluster cluster =
            StoreCluster.start(
                Ports.free(NODES),
                List.of(StoreDefinition.of("default", Persistence.BDB, NODES, 1, 1)),
                folder,
                epsilon,
                plane.watch(),
                plane.registry())) {
      addresses = cluster.addresses();
      api = plane.apiUrl();
      Map<String, String> before = Map.of("a", "1", "b", "1");
      Map<String, String> after = Map.of("a", "2", "c", "2");
      long target = write(before, List.of());
      write(after, List.of("b"));
      assertThat(state()).isEqualTo(after);

      plansTellAndRefuse(target);
      assertThat(run("rollback", "run", "--to", Hlc.format(target), "--yes")).as(err()).isZero();
      assertThat(out.toString()).contains("rollback 1 is done: the store is as it was at");
      assertThat(state()).isEqualTo(before);
      assertThat(run("rollback", "status")).isZero();
      assertThat(out.toString()).contains("opened by  hand").contains("converged");

      lostIsListed();
      assertThat(history("a")).containsExactly("0 1 it 0,1,2 present", "0 2 it 0,1,2 undone 1");
      assertThat(history("b")).containsExactly("0 1 it 0,1,2 present", "0 null it 0,1,2 undone 1");
      assertThat(run("rollback", "undo", "1", "--yes")).as(err()).isZero();
      assertThat(state()).isEqualTo(after);
      assertThat(history("a")).containsExactly("0 1 it 0,1,2 replaced", "0 2 it 0,1,2 present 1");
      assertThat(run("describe", "rollback", "1")).as(err()).isZero();
      assertThat(out.toString()).contains("undone by  rollback 2");
      assertThat(run("get", "rollbacks")).as(err()).isZero();
      assertThat(out.toString()).contains("undo of 1");
      assertThat(run("rollback", "undo", "1", "--yes")).isEqualTo(2);
      assertThat(err()).contains("the writes that rollback 1 discarded are already reinstated");
      assertThat(run("rollback", "undo", "2", "--yes")).as(err()).isZero();
      assertThat(state()).isEqualTo(before);

      write(Map.of("d", "3"), List.of());
      assertThat(run("rollback", "undo", "3")).isEqualTo(2);
      assertThat(err()).contains("writes were made since rollback 3").contains("add --yes");
      assertThat(run("rollback", "replay", "1", "--keys", "c", "--yes")).as(err()).isZero();
      assertThat(state()).isEqualTo(Map.of("a", "1", "b", "1", "c", "2", "d", "3"));
      assertThat(run("rollback", "cancel", "3")).isEqualTo(2);
      assertThat(err()).contains("rollback 3 has ended");
      assertThat(run("rollback", "cancel", "9")).isEqualTo(2);
      aViolationThatStandsIsReportedOnce();
    }
  }

  private void aViolationThatStandsIsReportedOnce() throws IOException {
    Path file = folder.resolve("both.yaml");
    Files.writeString(
        file,
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: both}
        spec:
          violation:
            - all:
                - {var: "x", equals: "1"}
                - {var: "y", equals: "1"}
          onViolation: {rollback: none, alertOn: uncertain, alert: [console]}
        """);
    assertThat(run("apply", "-f", file.toString())).as(err()).isZero();
    long target = write(Map.of("x", "1", "y", "1"), List.of());
    awaitJudged(target);
    Set<String> ids = violations().keySet();
    long alerted = alerts.stream().filter(alert -> alert.contains("alert=violation")).count();
    assertThat(ids).isNotEmpty();
    assertThat(alerted).isPositive();
    for (int round = 0; round < 2; round++) {
      write(Map.of("d", "4"), List.of());
      assertThat(run("rollback", "run", "--to", Hlc.format(target), "--yes")).as(err()).isZero();
      long epoch = epoch();
      await().atMost(BOUND).until(() -> violations().containsValue(epoch));
      awaitJudged(write(Map.of("a", "5"), List.of()));
      assertThat(violations().keySet()).isEqualTo(ids);
    }
    assertThat(alerts.stream().filter(alert -> alert.contains("alert=violation")).count())
        .isEqualTo(alerted);
    assertThat(holding()).isEqualTo(ids);
    write(Map.of("y", "2"), List.of());
    await().atMost(BOUND).until(() -> holding().isEmpty());
  }

  private Set<String> holding() throws IOException {
    assertThat(run("get", "violations", "--holding", "-o", "json")).as(err()).isZero();
    Set<String> ids = new TreeSet<>();
    JSON.readTree(out.toString()).forEach(one -> ids.add(one.path("id").asText()));
    return ids;
  }

  private void awaitJudged(long hlc) {
    await()
        .atMost(BOUND)
        .untilAsserted(
            () -> {
              assertThat(run("status", "-o", "json")).as(err()).isZero();
              String safePoint = JSON.readTree(out.toString()).path("safePoint").asText();
              assertThat(Hlc.parse(safePoint)).isGreaterThan(hlc);
            });
  }

  private long epoch() throws IOException {
    assertThat(run("status", "-o", "json")).as(err()).isZero();
    return JSON.readTree(out.toString()).path("epoch").asLong();
  }

  /** By id: the epoch of the newest report. */
  private Map<String, Long> violations() throws IOException {
    assertThat(run("get", "violations", "-o", "json")).as(err()).isZero();
    Map<String, Long> epochs = new TreeMap<>();
    JSON.readTree(out.toString())
        .forEach(one -> epochs.put(one.path("id").asText(), one.path("lastEpoch").asLong()));
    return epochs;
  }

  private void plansTellAndRefuse(long target) throws IOException {
    assertThat(run("rollback", "plan", "--to", Hlc.format(target), "-o", "json"))
        .as(err())
        .isZero();
    JsonNode effect = JSON.readTree(out.toString());
    assertThat(effect.path("writes").asLong()).isEqualTo(3);
    assertThat(effect.path("keys").asLong()).isEqualTo(3);
    assertThat(effect.path("clients").toString()).isEqualTo("[\"it\"]");
    assertThat(effect.path("nodes")).hasSize(NODES);
    assertThat(run("rollback", "plan", "--to", "2035-01-01T00:00:00Z")).isEqualTo(2);
    assertThat(err()).contains("is in the future");
    assertThat(run("rollback", "plan", "--to", "-1h")).isEqualTo(2);
    assertThat(err()).contains("is out of the reach of node 0: it is from ");
    assertThat(run("rollback", "plan", "--violation", "none")).as(err()).isEqualTo(2);
    assertThat(run("rollback", "run", "--to", Hlc.format(target))).isEqualTo(2);
    assertThat(err()).contains("add --yes to roll the store back");
    assertThat(run("rollback", "plan")).isEqualTo(2);
  }

  /** Of each write: epoch, value, client, nodes, state, and the rollback that discarded it. */
  private List<String> history(String key) throws IOException {
    assertThat(run("history", key, "-o", "json")).as(err()).isZero();
    List<String> writes = new ArrayList<>();
    for (JsonNode write : JSON.readTree(out.toString())) {
      List<String> nodes = new ArrayList<>();
      write.path("nodes").forEach(node -> nodes.add(node.asText()));
      writes.add(
          "%s %s %s %s %s %s"
              .formatted(
                  write.path("epoch"),
                  write.path("value").asText(),
                  write.path("client").asText(),
                  String.join(",", nodes),
                  write.path("state").asText(),
                  write.path("undoneBy").isNull() ? "" : write.path("undoneBy"))
              .strip());
    }
    return writes;
  }

  private void lostIsListed() throws IOException {
    assertThat(run("rollback", "lost", "1", "-o", "json")).as(err()).isZero();
    JsonNode lost = JSON.readTree(out.toString());
    Map<String, String> written = new TreeMap<>();
    lost.forEach(one -> written.put(one.path("key").asText(), one.path("written").asText()));
    assertThat(written).isEqualTo(Map.of("a", "2", "b", "null", "c", "2"));
    assertThat(lost)
        .allMatch(one -> one.path("client").asText().equals("it"))
        .allMatch(one -> one.path("nodes").size() == NODES);
    assertThat(run("rollback", "lost", "1", "--keys", "?")).isZero();
    assertThat(out.toString()).contains("(absent)").contains("(deleted)");
    assertThat(run("rollback", "lost", "1", "--keys", "x*")).isZero();
    assertThat(out.toString()).isEqualTo("none\n");
  }

  /** Returns a time after the writes, at which all copies have arrived and that has passed. */
  private long write(Map<String, String> values, List<String> deleted) {
    try (StoreClient client = StoreClient.connect(ClientConfig.of(addresses, "it"))) {
      Store store = client.store("default");
      new TreeMap<>(values).forEach((key, value) -> assertThat(store.put(key, value)).isNotNull());
      deleted.forEach(key -> assertThat(store.delete(key)).isTrue());
      await()
          .atMost(BOUND)
          .until(
              () ->
                  values.entrySet().stream()
                      .allMatch(e -> isEverywhere(store, e.getKey(), e.getValue())));
    }
    long micros = new io.palinode.voldemort.server.SystemMicros().getAsLong();
    await()
        .atMost(BOUND)
        .until(
            () -> new io.palinode.voldemort.server.SystemMicros().getAsLong() > micros + 100_000);
    return Hlc.ofMicros(micros + 1_000);
  }

  private static boolean isEverywhere(Store store, String key, String value) {
    for (int node = 0; node < NODES; node++) {
      var versions = store.versionsAt(node, key);
      if (versions.size() != 1 || !versions.get(0).text().equals(value)) {
        return false;
      }
    }
    return true;
  }

  private Map<String, String> state() {
    try (StoreClient client = StoreClient.connect(ClientConfig.of(addresses, "reader"))) {
      return new TreeMap<>(client.store("default").getAll(List.of("a", "b", "c", "d")));
    }
  }

  private String err() {
    return err.toString();
  }

  private int run(String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine palinode = Main.commandLine();
    palinode.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    List<String> all = new ArrayList<>(List.of(args));
    all.add("--server");
    all.add(api);
    boolean asksTheStore =
        args[0].equals("history") || args[1].equals("lost") || args[1].equals("replay");
    if (asksTheStore) {
      all.add("--bootstrap");
      all.add(addresses.get(0));
    }
    return palinode.execute(all.toArray(String[]::new));
  }
}
