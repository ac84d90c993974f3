package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.launcher.embedded.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** {@code palinode up} with three nodes, in a separate process that a test may kill. */
final class UpProcess {
  private static final Duration START_MAX = Duration.ofSeconds(90);
  private static final String READY = "ready; Ctrl-C stops";
  private static final int PORT_MIN = 20_000;
  private static final int PORT_MAX = 32_000;

  private UpProcess() {}

  /**
   * Starts it on the folder's {@code data} and {@code stores.xml}, and awaits that it is ready.
   *
   * @param nodes the options that describe them
   */
  static Process start(Path folder, int portBase, List<String> nodes) throws IOException {
    Path log = Files.createTempFile(folder, "up", ".log");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx768m",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "up",
                "--data",
                folder.resolve("data").toString(),
                "--port-base",
                Integer.toString(portBase),
                "--stores",
                folder.resolve("stores.xml").toString()));
    command.addAll(nodes);
    Process up =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    boolean isReady = false;
    try {
      await().atMost(START_MAX).until(() -> !up.isAlive() || Files.readString(log).contains(READY));
      assertThat(up.isAlive()).as(() -> read(log)).isTrue();
      isReady = true;
      return up;
    } finally {
      if (!isReady) {
        up.destroyForcibly();
      }
    }
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** A base whose ports are held for {@code up}, and for its next start after a kill. */
  static int freeBase() {
    Random random = new Random();
    for (int attempt = 0; attempt < 100; attempt++) {
      int base = random.nextInt(PORT_MIN, PORT_MAX);
      try {
        Ports.holdAll(
            List.of(
                base,
                base + 1,
                base + 2,
                base + UpCommand.API_OFFSET,
                base + UpCommand.KAFKA_OFFSET));
        return base;
      } catch (IOException taken) {
        // The next one.
      }
    }
    throw new AssertionError("no free ports");
  }
}
