package io.palinode.cli.snapshot;

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
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Snapshots on the real parts, by the command line, while a client continues to write. */
@Timeout(240)
@Tag("slow")
class SnapshotIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final int NODES = 3;
  private static final List<String> KEYS = IntStream.range(0, 20).mapToObj(i -> "k" + i).toList();

  @TempDir private Path folder;
  private final List<Entry> history = new CopyOnWriteArrayList<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private List<String> addresses = List.of();
  private String api = "";
  private volatile boolean stop;

  /** A write that the first replica of its key accepted then. */
  private record Entry(String key, @Nullable String value, long acceptedAt) {}

  @Test
  void snapshotsOfEveryKindAreWhatTheStoreWasWhileWritesGoOn() throws Exception {
    Epsilon epsilon = Epsilon.parse("10ms");
    try (ControlPlane plane =
            ControlPlane.start(
                folder.resolve("control"), NODES, epsilon, ControlPlane.Ports.FREE, alert -> {});
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
      Thread writer = new Thread(this::write, "writer");
      writer.start();
      try {
        takeEveryKind();
      } finally {
        stop = true;
        writer.join(BOUND.toMillis());
      }
      compareAndDamageAndDelete();
    }
  }

  private void takeEveryKind() throws IOException {
    awaitWrites(200);
    assertThat(run("snapshot", "take", "--name", "one")).isZero();
    assertThat(err.toString()).contains("node 0: taken").contains("node 2: taken");
    awaitWrites(200);
    assertThat(run("snapshot", "take", "--name", "two", "--base", "one", "--incremental")).isZero();
    assertThat(run("snapshot", "take", "--name", "three", "--at", at("one"), "--defer", "1"))
        .isZero();
    assertIsTheReplay("three");
    awaitWrites(100);
    assertThat(run("snapshot", "take", "--base", "three", "--rolling")).isZero();
    for (String id : List.of("one", "two", "three")) {
      assertThat(run("snapshot", "verify", id)).as(err.toString()).isZero();
      assertIsTheReplay(id);
    }
    assertThat(time("three")).isGreaterThan(time("two")).isGreaterThan(time("one"));
    // Long before the nodes were started: none has it.
    assertThat(run("snapshot", "take", "--name", "early", "--at", "7")).isEqualTo(1);
    assertThat(err.toString())
        .contains("palinode: snapshot early is failed; node 0: ")
        .contains("out of reach: the window-log reaches from ");
    assertThat(run("snapshot", "diff", "early", "now")).as("not: nothing differs").isEqualTo(2);
    assertThat(err.toString()).contains("snapshot 'early' is failed");
    assertThat(run("get", "nodes", "-o", "json")).isZero();
    JsonNode nodes = JSON.readTree(out.toString());
    long three = time("three");
    assertThat(nodes)
        .hasSize(NODES)
        .allMatch(node -> Hlc.parse(node.path("reachTo").asText()) > three)
        .allMatch(node -> node.path("memoryBytes").asLong() > 0);
    assertThat(run("get-value", "k0", "--at", at("one"))).isZero();
    assertThat(out.toString().strip()).isEqualTo(replayed(time("one")).get("k0"));
  }

  private void compareAndDamageAndDelete() throws IOException {
    Map<String, String> one = replayed(time("one"));
    Map<String, String> two = replayed(time("two"));
    Map<String, JsonNode> found = new TreeMap<>();
    for (String before : List.of("one", at("one"))) {
      assertThat(run("snapshot", "diff", before, "two", "-o", "json")).isEqualTo(1);
      found.clear();
      JSON.readTree(out.toString()).forEach(item -> found.put(item.path("key").asText(), item));
      for (String key : KEYS) {
        if (!Objects.equals(one.get(key), two.get(key))) {
          assertThat(found).as("%s %s", before, key).containsKey(key);
          JsonNode item = Objects.requireNonNull(found.get(key));
          assertThat(item.path("before").asText(null)).as(key).isEqualTo(one.get(key));
          assertThat(item.path("after").asText(null)).as(key).isEqualTo(two.get(key));
        }
      }
    }
    assertThat(run("snapshot", "diff", "two", "two")).isZero();
    assertThat(run("snapshot", "diff", "one", "two", "--keys", "none*")).isZero();
    assertThat(run("snapshot", "diff", "-1ms", "now")).isZero();

    assertThat(run("snapshot", "delete", "one", "--yes")).isEqualTo(2);
    assertThat(err.toString()).contains("is the base of 'two'");
    damage(folder.resolve("node-1/snapshots/one"));
    assertThat(run("snapshot", "verify", "two")).isEqualTo(1);
    assertThat(out.toString()).contains("node 0: whole").contains("node 2: whole");
    assertThat(err.toString()).contains("palinode: node 1: ").contains("damaged");
    takeByASchedule();
    for (String id : List.of("two", "one", "three", "early")) {
      assertThat(run("snapshot", "delete", id, "--yes")).as(err.toString()).isZero();
    }
    await()
        .atMost(BOUND)
        .until(() -> run("snapshot", "list") == 0 && out.toString().equals("none\n"));
    await()
        .atMost(BOUND)
        .untilAsserted(() -> assertThat(folder.resolve("node-1/snapshots")).isEmptyDirectory());
  }

  private void takeByASchedule() throws IOException {
    assertThat(run("snapshot", "schedule", "--every", "1s", "--keep", "2")).isZero();
    assertThat(out.toString()).isEqualTo("a snapshot every 1s; the last 2 are kept\n");
    await()
        .atMost(BOUND)
        .until(() -> scheduled().stream().anyMatch(id -> Integer.parseInt(id.substring(5)) > 8));
    assertThat(run("snapshot", "schedule", "--off")).isZero();
    await()
        .atMost(BOUND)
        .until(
            () ->
                run("snapshot", "schedule") == 0
                    && out.toString().startsWith("there is no schedule"));
    await()
        .atMost(BOUND)
        .until(() -> scheduled().stream().allMatch(id -> run("snapshot", "verify", id) == 0));
    // Nothing is written any more: to begin with another one costs next to nothing.
    assertThat(run("snapshot", "take", "--name", "near")).isZero();
    assertThat(err.toString()).contains("node 0: taken, 20 keys").contains(", from auto-");
    assertIsTheReplay("near");
    for (String id : scheduled()) {
      assertThat(run("snapshot", "delete", id, "--yes")).as(err.toString()).isZero();
    }
    assertThat(run("snapshot", "verify", "near")).as(err.toString()).isZero();
    assertThat(run("snapshot", "delete", "near", "--yes")).isZero();
  }

  private List<String> scheduled() throws IOException {
    assertThat(run("snapshot", "list", "-o", "json")).isZero();
    List<String> ids = new ArrayList<>();
    for (JsonNode snapshot : JSON.readTree(out.toString())) {
      if (snapshot.path("scheduled").asBoolean()) {
        ids.add(snapshot.path("id").asText());
      }
    }
    return ids;
  }

  private static void damage(Path snapshot) throws IOException {
    try (var files = Files.list(snapshot)) {
      Path run =
          files
              .filter(f -> f.getFileName().toString().startsWith("run-"))
              .findFirst()
              .orElseThrow();
      byte[] bytes = Files.readAllBytes(run);
      bytes[20] ^= 1;
      Files.write(run, bytes);
    }
  }

  private void write() {
    try (StoreClient client = StoreClient.connect(ClientConfig.of(addresses, "writer"))) {
      Store store = client.store("default");
      for (int i = 0; !stop; i++) {
        String key = KEYS.get(i % KEYS.size());
        history.add(new Entry(key, "v" + i, store.put(key, "v" + i).acceptedAt()));
      }
    }
  }

  private void awaitWrites(int count) {
    int before = history.size();
    await().atMost(BOUND).until(() -> history.size() >= before + count);
  }

  /** One writer, and the first replica of a key accepts all its writes and is asked first. */
  private Map<String, String> replayed(long hlc) {
    Map<String, String> state = new TreeMap<>();
    for (Entry entry : history) {
      if (entry.acceptedAt() <= hlc && entry.value() != null) {
        state.put(entry.key(), entry.value());
      }
    }
    return state;
  }

  private void assertIsTheReplay(String id) throws IOException {
    List<String> command = new ArrayList<>(List.of("snapshot", "show", id));
    command.addAll(KEYS);
    command.addAll(List.of("-o", "json"));
    assertThat(run(command.toArray(String[]::new))).isZero();
    Map<String, String> found = new TreeMap<>();
    JSON.readTree(out.toString())
        .properties()
        .forEach(field -> found.put(field.getKey(), field.getValue().asText()));
    long hlc = time(id);
    // The write at the cut may have been accepted and not be in the book yet.
    await().atMost(BOUND).until(() -> stop || history.get(history.size() - 1).acceptedAt() > hlc);
    assertThat(found).as("%s at %s", id, Hlc.format(hlc)).isEqualTo(replayed(hlc));
  }

  private String at(String id) throws IOException {
    assertThat(run("snapshot", "show", id, "-o", "json")).as(err.toString()).isZero();
    return JSON.readTree(out.toString()).path("at").asText();
  }

  private long time(String id) throws IOException {
    return Hlc.parse(at(id));
  }

  private int run(String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine command = Main.commandLine();
    command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    List<String> all = new ArrayList<>(List.of(args));
    boolean readsStores = all.contains("show") || all.contains("verify") || all.contains("diff");
    if (all.get(0).equals("snapshot") || all.get(0).equals("get")) {
      all.addAll(List.of("--server", api));
    }
    if (readsStores || all.get(0).startsWith("get")) {
      all.addAll(List.of("--bootstrap", String.join(",", addresses)));
    }
    return command.execute(all.toArray(String[]::new));
  }
}
