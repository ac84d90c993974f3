package io.palinode.voldemort.server;

import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.bdb.DiskFullException;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node on a small separate file system, which another program fills. Needs root. */
class FullDiskIT {
  private static final DiskBound BOUND =
      new DiskBound(Duration.ofDays(7), 1L << 30, DiskBound.FREE_BYTES_MIN_DEFAULT);
  private static final int CHUNK_BYTES = 64 << 10;

  @TempDir Path folder;
  private Path volume = Path.of("");
  private boolean mounted;

  @BeforeEach
  void mount() throws Exception {
    volume = Files.createDirectory(folder.resolve("volume"));
    mounted = run("mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", volume.toString());
    assumeTrue(mounted, "a file system can be mounted by root only");
  }

  @AfterEach
  void unmount() throws Exception {
    if (mounted) {
      run("umount", "--lazy", volume.toString());
    }
  }

  @Test
  void aFullDiskHoldsNoProgressAndCostsNoReach() throws Exception {
    StoreService service = open();
    StoreNode node = service.node();
    LocalDetector detector = new LocalDetector(node, new CandidateRing(8_192, 1), i -> 0, 10);
    detector.reset(0);
    for (int i = 1; i < 200; i++) {
      node.writes().put(key("k"), version("v" + i, i), Caller.STOCK);
    }
    long reach = node.reach();
    fill();
    AtomicLong counter = new AtomicLong();
    await().until(() -> refuses(node, counter.incrementAndGet()));
    await().until(() -> detector.reportProgress() && node.storageRefusal() != null);
    long micros = new SystemMicros().getAsLong();
    await().until(() -> new SystemMicros().getAsLong() > micros + 1_000_000);
    assertThat(detector.reportProgress()).isTrue();
    assertThat(node.unpromisedMicros()).isZero();
    assertThat(node.reach()).isEqualTo(reach);
    service.close();

    assertThatThrownBy(this::open)
        .isInstanceOf(DiskFullException.class)
        .hasMessageContaining(volume.toString())
        .hasMessageContaining("at least 64 MiB");

    Files.delete(volume.resolve("filling"));
    try (StoreService again = open()) {
      assertThat(again.node().reach()).isEqualTo(reach);
      again.node().writes().put(key("k"), version("after", 1_000), Caller.STOCK);
      assertThat(again.node().reach()).as("a new file was begun").isEqualTo(reach);
      assertThat(again.node().reads().get(key("k"), Caller.STOCK).value()).hasSize(1);
    }
  }

  private static boolean refuses(StoreNode node, long counter) {
    try {
      node.writes().put(key("other"), version("w", counter), Caller.STOCK);
      return false;
    } catch (RefusedException refused) {
      return String.valueOf(refused.getMessage()).startsWith("node 0: ");
    }
  }

  private StoreService open() {
    StoreNodeConfig node =
        StoreNodeConfig.of(0, TestNodes.cluster(3), TestNodes.stores(3, Persistence.BDB));
    return StoreService.open(
        StoreServiceConfig.of(node, volume).withWindowLogDisk(BOUND), new SystemMicros());
  }

  /** To the last byte. */
  private void fill() throws IOException {
    try (OutputStream out = Files.newOutputStream(volume.resolve("filling"))) {
      while (true) {
        out.write(new byte[CHUNK_BYTES]);
      }
    } catch (IOException full) {
      assertThat(Files.getFileStore(volume).getUsableSpace()).isLessThan(CHUNK_BYTES);
    }
  }

  private static boolean run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
  }
}
