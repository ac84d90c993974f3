package io.palinode.voldemort.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.retroscope.disklog.Compaction;
import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.retroscope.snapshot.DifferencePage;
import io.palinode.retroscope.snapshot.Order;
import io.palinode.retroscope.snapshot.Point;
import io.palinode.retroscope.snapshot.Taken;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.Manifest;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.PastStore;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that compacts its past while it is written, and a client that reads it. */
class PastCompactionTest {
  private static final int WRITES = 900;
  private static final int KEYS = 10;
  private static final String PADDING = "-".repeat(8_000);

  /** The least that there is: files of a mebibyte. */
  private static final DiskBound BOUND =
      new DiskBound(
          Duration.ofDays(1),
          32 << 20,
          0,
          new Compaction(Duration.ofMillis(200), Duration.ofMillis(100)));

  @TempDir Path data;
  private final Map<Long, String> written = new TreeMap<>();
  private final AtomicLong micros = TestNodes.clock();
  private int port;

  @BeforeEach
  void findPort() throws IOException {
    port = TestNodes.freePorts(1).get(0);
  }

  private StoreService open() {
    Cluster cluster =
        new Cluster(
            "test", List.of(), List.of(new Node(0, "127.0.0.1", 0, port, 0, 0, List.of(0))));
    StoreNodeConfig node = StoreNodeConfig.of(0, cluster, TestNodes.stores(1, Persistence.BDB));
    StoreServiceConfig config = StoreServiceConfig.of(node, data).withWindowLogDisk(BOUND);
    // Behind what it has promised of its clock.
    micros.addAndGet(300_000);
    StoreService service = StoreService.open(config, micros::get);
    service.start();
    return service;
  }

  private static StoreClient connect(StoreService service) {
    return StoreClient.connect(ClientConfig.of(List.of("127.0.0.1:" + service.port()), "alice"));
  }

  private void write(Store store) {
    for (int i = 0; i < WRITES; i++) {
      micros.addAndGet(1_000);
      String value = "v" + i;
      written.put(store.put(key(value), value + PADDING).acceptedAt(), value);
    }
  }

  private static String key(String value) {
    return "k" + Integer.parseInt(value.substring(1)) % KEYS;
  }

  private String expected(String key, long hlc) {
    String last = "";
    for (Map.Entry<Long, String> each : written.entrySet()) {
      last = each.getKey() <= hlc && key(each.getValue()).equals(key) ? each.getValue() : last;
    }
    return last;
  }

  private static String read(Store store, String key, long hlc) {
    String value = store.past().getAt(key, hlc);
    return value == null ? "" : value.substring(0, value.indexOf('-'));
  }

  @Test
  void theTimesThatStayAreReadAsTheyWereAndTheOthersAreRefusedByName() {
    try (StoreService service = open()) {
      StoreNode node = service.node();
      try (PastCompaction compaction = PastCompaction.start(node, 5, 1);
          StoreClient client = connect(service)) {
        Store store = client.store(TestNodes.EVERYWHERE);
        write(store);
        await().atMost(Duration.ofSeconds(20)).until(() -> !node.past().granularity().isZero());
        assertThat(compaction).isNotNull();
        // Memory has all of it.
        assertThat(node.reach()).isEqualTo(node.past().reach());
      }
    }
    try (StoreService again = open()) {
      check(again);
    }
  }

  private void check(StoreService service) {
    try (StoreClient client = connect(service)) {
      Store store = client.store(TestNodes.EVERYWHERE);
      PastStore.Reach reach = store.past().reachAt(0);
      assertThat(reach.exact().from())
          .isEqualTo(service.node().reach())
          .isGreaterThan(reach.from());
      assertThat(reach.exact().granularityHlc()).isPositive();
      List<Long> refused = new ArrayList<>();
      List<Long> times = List.copyOf(written.keySet());
      for (int i = 0; i < times.size(); i += 23) {
        long at = times.get(i);
        long floor = store.past().floor(at);
        if (floor >= reach.from()) {
          String key = "k" + at % KEYS;
          assertThat(read(store, key, floor)).as("at " + floor).isEqualTo(expected(key, floor));
        }
        if (floor != at && at > reach.from() && refused.size() < 5) {
          refused.add(at);
        }
      }
      checkSnapshot(service, store, store.past().floor(times.get(times.size() / 2)));
      assertThat(refused).isNotEmpty();
      for (long at : refused) {
        assertThatThrownBy(() -> store.past().getAt("k0", at))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("the window-log was compacted there");
      }
    }
  }

  private void checkSnapshot(StoreService service, Store store, long at) {
    assertThat(at).isLessThan(service.node().reach());
    Ref id = new Ref("old", 1);
    Taken taken =
        service
            .snapshots()
            .take(new Order(id, at, Kind.RETROSPECTIVE, Ref.NONE), (keys, bytes) -> true);
    List<Manifest.Member> members =
        List.of(new Manifest.Member(0, taken.keys(), taken.bytes(), taken.checksum(), ""));
    service.snapshots().file(new Manifest(id, at, Kind.RETROSPECTIVE, Ref.NONE, members));
    for (int i = 0; i < KEYS; i++) {
      String value = store.past().getIn(new PastStore.Snapshot(id.id(), id.number()), "k" + i);
      assertThat(value).isNotNull().startsWith(expected("k" + i, at) + "-");
    }
    DifferencePage page =
        service
            .snapshots()
            .difference(
                TestNodes.EVERYWHERE,
                Point.ofTime(at),
                Point.ofSnapshot(id.id(), id.number()),
                null);
    assertThat(page.keys()).isEmpty();
  }

  @Test
  void aNodeIsClosedInTheMiddleOfACompactionAndLosesNothing() {
    long reach;
    try (StoreService service = open();
        StoreClient client = connect(service)) {
      Store store = client.store(TestNodes.EVERYWHERE);
      write(store);
      reach = service.node().past().reach();
      PastCompaction compaction = PastCompaction.start(service.node(), 0, 0.05);
      compaction.close();
    }
    try (StoreService again = open()) {
      assertThat(again.node().past().reach()).isEqualTo(reach);
      try (StoreClient client = connect(again)) {
        Store store = client.store(TestNodes.EVERYWHERE);
        long last = written.keySet().stream().mapToLong(at -> at).max().orElseThrow();
        for (int i = 0; i < KEYS; i++) {
          assertThat(read(store, "k" + i, last)).isEqualTo(expected("k" + i, last));
        }
      }
    }
  }
}
