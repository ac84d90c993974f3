package io.palinode.voldemort.server;

import io.palinode.detector.binding.StoreKey;
import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.retroscope.snapshot.Order;
import io.palinode.retroscope.snapshot.Taken;
import io.palinode.retroscope.snapshot.Watch;
import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.Manifest;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.Reply;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.bdb.BdbConfig;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** A node's folder with records, past, deletes and snapshots, and all that it answers. */
final class FileWorld {
  private static final int WRITES = 320;
  private static final int KEYS = 40;
  private static final int GREAT_BYTES = 24_000;

  /** The pasts that a restore hands to other nodes; each names the time from which it is known. */
  static final String PASTS = "restored pasts";

  /** The incarnation whose loss was repaired before the writes. */
  private static final long REPAIRED = 71;

  private static final BdbConfig BDB = new BdbConfig(4 << 20, 1_000_000, 0, Duration.ofSeconds(2));

  private final AtomicLong micros = TestNodes.clock();
  private final List<Long> times = new ArrayList<>();
  private final List<String> snapshots = List.of("all", "more");

  /**
   * All answers by question; one that begins with "refused: " is none.
   *
   * @param lost how often a window-log was reported as lost
   */
  record Answers(Map<String, String> byQuestion, long lost) {}

  private StoreService open(Path data) {
    StoreNodeConfig config =
        StoreNodeConfig.of(0, TestNodes.cluster(1), TestNodes.stores(1, Persistence.BDB));
    ServerConfig server =
        new ServerConfig(
            "127.0.0.1",
            0,
            new ServerConfig.Limits(
                2, ServerConfig.Connections.DEFAULT, 1 << 20, TestServices.REQUEST_BYTES_MAX),
            Duration.ofSeconds(1),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            null);
    return StoreService.open(
        new StoreServiceConfig(
            config, data, BDB, server, new DiskBound(Duration.ofDays(1), 8 << 20, 0)),
        micros::incrementAndGet);
  }

  /** Fills {@code data}; leaves it in {@code killed} as a kill would, and closes it in order. */
  void fill(Path data, Path killed, Random random) throws IOException, RefusedException {
    try (StoreService service = open(data)) {
      service.had(REPAIRED);
      service.repaired();
    }
    try (StoreService service = open(data)) {
      StoreNode node = service.node();
      for (int i = 1; i <= WRITES; i++) {
        write(node, i, random);
        if (i == WRITES / 3) {
          take(service.snapshots(), new Order(new Ref("all", 1), last(), Kind.INSTANT, Ref.NONE));
        }
        if (i == WRITES / 2) {
          Order more = new Order(new Ref("more", 2), last(), Kind.INCREMENTAL, new Ref("all", 1));
          take(service.snapshots(), more);
        }
      }
      copy(data, killed);
    }
  }

  private long last() {
    return times.get(times.size() - 1);
  }

  private void write(StoreNode node, int i, Random random) throws RefusedException {
    StoreKey key = TestNodes.key("k" + random.nextInt(KEYS));
    String value = "v" + i + "x".repeat(i % 4 == 0 ? GREAT_BYTES : random.nextInt(60));
    Reply<Boolean> done =
        i % 5 == 0
            ? node.writes().delete(key, TestNodes.vector(i), Caller.STOCK)
            : node.writes().put(key, TestNodes.version(value, i), Caller.STOCK);
    if (done.value()) {
      times.add(done.acceptedAt());
    }
  }

  private static void take(LocalSnapshots of, Order order) {
    Taken taken = of.take(order, Watch.NONE);
    Manifest.Member member =
        new Manifest.Member(0, taken.keys(), taken.bytes(), taken.checksum(), "");
    of.file(new Manifest(order.id(), order.hlc(), order.kind(), order.base(), List.of(member)));
  }

  /** Opens {@code data} and asks everything. Throws what opening throws. */
  Answers ask(Path data) {
    // Past what an earlier run promised of its clock.
    micros.addAndGet(1_000_000);
    try (StoreService service = open(data)) {
      StoreNode node = service.node();
      Map<String, String> answers = new TreeMap<>();
      answer(answers, "incarnation", () -> Long.toString(node.incarnation()));
      answer(answers, "serves clients", () -> Boolean.toString(served(service, REPAIRED)));
      for (int i = 0; i < KEYS; i++) {
        StoreKey key = TestNodes.key("k" + i);
        answer(answers, "get k" + i, () -> text(node.reads().get(key, Caller.STOCK).value()));
        for (int t = 0; t < times.size(); t += 29) {
          long hlc = times.get(t);
          answer(
              answers,
              "get k" + i + " at " + t,
              () -> text(node.reads().getAsOf(key, hlc, Caller.STOCK).value()));
        }
      }
      answer(answers, "scan", () -> text(TestNodes.stateOf(node)));
      for (String id : snapshots) {
        answer(answers, "verify " + id, () -> service.snapshots().verify(id).toString());
        answer(answers, "snapshot " + id, () -> stored(service.snapshots(), id));
      }
      List<Restored> restored = new ArrayList<>();
      answer(
          answers,
          "restore",
          () -> {
            restored.addAll(restored(node));
            return text(restored.stream().map(Restored::siblings).toList());
          });
      answers.put(PASTS, text(restored.stream().map(Restored::past).toList()));
      service.had(node.incarnation());
      answers.put("repairs a later loss", Boolean.toString(service.awaitsRepair()));
      return new Answers(answers, node.counters().get(NodeCounter.WINDOW_LOG_LOST));
    }
  }

  /** Throws IllegalStateException if the node first compares all keys. */
  private static boolean served(StoreService service, long incarnation) {
    service.had(incarnation);
    if (service.awaitsRepair()) {
      throw new IllegalStateException("the node awaits its repair");
    }
    return true;
  }

  private interface Question {
    String ask() throws RefusedException;
  }

  private static void answer(Map<String, String> answers, String name, Question question) {
    try {
      answers.put(name, question.ask());
    } catch (RefusedException | RuntimeException e) {
      answers.put(name, "refused: " + e);
    }
  }

  /** A node that was never in a rollback; its deletes are in the pasts of the keys. */
  private List<Restored> restored(StoreNode node) {
    node.pause(1);
    node.restore(1, 1, times.get(times.size() * 3 / 4));
    List<StoreKey> keys = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      keys.add(TestNodes.key("k" + i));
    }
    return node.read(keys).stream()
        .map(
            record ->
                new Restored(Arrays.hashCode(record.siblings()), Arrays.hashCode(record.past())))
        .toList();
  }

  private record Restored(int siblings, int past) {}

  private static String stored(LocalSnapshots of, String id) {
    StringBuilder found = new StringBuilder();
    try (OpenSnapshot opened = of.open(id)) {
      for (String store : opened.stores()) {
        for (Entry entry : opened.page(store, null, 64 << 20)) {
          found.append(Arrays.hashCode(entry.key())).append('=');
          found.append(Arrays.hashCode(entry.record())).append(' ');
        }
      }
    }
    return found.toString();
  }

  private static String text(Object versions) {
    return versions instanceof Map<?, ?> map
        ? new TreeMap<>(
                map.entrySet().stream()
                    .collect(
                        Collectors.toMap(
                            e -> Arrays.hashCode(((StoreKey) e.getKey()).key()),
                            e -> e.getValue().hashCode())))
            .toString()
        : Integer.toString(versions.hashCode());
  }

  static void copy(Path from, Path to) throws IOException {
    try (var files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target);
        }
      }
    }
  }

  static void remove(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
