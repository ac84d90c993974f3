package io.palinode.cli;

import static io.palinode.cli.RealParts.BOUND;
import static io.palinode.cli.RealParts.NODES;
import static io.palinode.cli.RealParts.STORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The whole way: a node's store is emptied behind its back, found, accepted and repaired. */
@Timeout(400)
class RepairIT {
  private static final int KEYS = 60;
  private static final int DAMAGED = 1;

  @TempDir private Path folder;

  @Test
  void anEmptiedNodeServesOnceItIsFilledFromTheOthers() throws IOException {
    try (RealParts parts = RealParts.start(folder);
        StoreClient client = parts.client("a")) {
      Store store = client.store(STORE);
      for (int i = 0; i < KEYS; i++) {
        store.put("k" + i, "v" + i);
      }
      parts.awaitEverywhere("k" + (KEYS - 1), "v" + (KEYS - 1));
    }
    emptyTheStore();

    StringWriter out = new StringWriter();
    assertThat(recover(out)).isEqualTo(1);
    assertThat(out.toString()).contains("cannot be read");
    assertThat(recover(out, "--rebuild", "--yes")).isZero();

    try (RealParts parts = RealParts.start(folder)) {
      assertThat(isListening(parts)).as("before the repair").isFalse();
      assertThat(parts.palinode("repair", "--yes")).as(parts.err()).isZero();
      assertThat(parts.out()).contains("all replicas are equal on all keys");
      await().atMost(BOUND).until(() -> isListening(parts));
      for (int i = 0; i < KEYS; i++) {
        assertThat(parts.versions("k" + i)).isEqualTo(Collections.nCopies(NODES, "v" + i));
      }
    }
    assertThat(recover(out)).as("it is whole, and serves at the next start").isZero();
    assertThat(folder.resolve("node-1/AWAITS-REPAIR")).doesNotExist();
  }

  /** As when its disk was not mounted. */
  @Test
  @Tag("slow")
  void aNodeWhoseFolderIsGoneServesOnceItIsFilledFromTheOthers() throws IOException {
    try (RealParts parts = RealParts.start(folder);
        StoreClient client = parts.client("a")) {
      client.store(STORE).put("k", "v");
      parts.awaitEverywhere("k", "v");
    }
    Files.move(folder.resolve("node-" + DAMAGED), folder.resolve("away"));
    try (RealParts parts = RealParts.start(folder)) {
      assertThat(isListening(parts)).as("before the repair").isFalse();
      assertThat(parts.palinode("repair", "--yes")).as(parts.err()).isZero();
      await().atMost(BOUND).until(() -> isListening(parts));
      assertThat(parts.versions("k")).isEqualTo(Collections.nCopies(NODES, "v"));
    }
  }

  private void emptyTheStore() throws IOException {
    try (var files = Files.list(folder.resolve("node-" + DAMAGED).resolve("bdb"))) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }

  private int recover(StringWriter out, String... more) {
    CommandLine palinode = Main.commandLine();
    palinode.setOut(new PrintWriter(out, true));
    String[] args = {"recover", "--data", folder.toString(), "--id", Integer.toString(DAMAGED)};
    String[] all = Arrays.copyOf(args, args.length + more.length);
    System.arraycopy(more, 0, all, args.length, more.length);
    return palinode.execute(all);
  }

  private static boolean isListening(RealParts parts) {
    String[] address = parts.cluster().addresses().get(DAMAGED).split(":", -1);
    try (Socket socket = new Socket(address[0], Integer.parseInt(address[1]))) {
      return socket.isConnected();
    } catch (IOException refused) {
      return false;
    }
  }
}
