package io.palinode.launcher.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.hvc.Epsilon;
import io.palinode.monitor.flink.job.DetectionJobConfig;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** No other process may cancel the job of an embedded Flink. */
@Timeout(120)
class ClosedRestIT {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int ANSWER_MS = 2_000;
  private static final String LISTEN = "0A";

  @TempDir Path folder;

  @Test
  @EnabledOnOs(value = OS.LINUX, disabledReason = "sockets are read from /proc")
  void noPortOfTheEmbeddedFlinkSpeaksHttp() throws Exception {
    try (EmbeddedKafka broker =
        EmbeddedKafka.start(folder.resolve("kafka"), EmbeddedKafka.ANY_PORT)) {
      KafkaSettings kafka = KafkaSettings.of(broker.bootstrapServers());
      try (TopicsAdmin admin = new TopicsAdmin(kafka, Topics.DEFAULT)) {
        admin.createAbsent(TopicLayout.DEFAULT.withCandidatePartitions(1));
      }
      Set<Integer> before = listening();
      DetectionJobConfig config =
          DetectionJobConfig.of(kafka, Topics.DEFAULT, 3, Epsilon.parse("10ms"));
      try (EmbeddedFlink flink =
          EmbeddedFlink.start(folder.resolve("flink"), config, new SimpleMeterRegistry())) {
        await().atMost(SOON).until(flink::isRunning);
        Set<Integer> ofFlink = listening();
        ofFlink.removeAll(before);
        assertThat(ofFlink).as("the blob server alone").hasSizeLessThanOrEqualTo(1);
        for (int port : ofFlink) {
          assertThat(answer(port)).as("port=%d", port).doesNotContain("HTTP");
        }
      }
    }
  }

  /** What the port answers to a request that lists Flink's jobs; empty: nothing. */
  private static String answer(int port) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ANSWER_MS);
      socket.setSoTimeout(ANSWER_MS);
      socket
          .getOutputStream()
          .write("GET /jobs HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      return new String(in.readNBytes(16), StandardCharsets.US_ASCII);
    } catch (IOException closedOrSilent) {
      return "";
    }
  }

  /** The TCP ports on which this process listens. */
  private static Set<Integer> listening() throws IOException {
    Set<String> inodes = inodes();
    Set<Integer> ports = new TreeSet<>();
    for (String table : new String[] {"/proc/net/tcp", "/proc/net/tcp6"}) {
      Path path = Path.of(table);
      if (Files.exists(path)) {
        Files.readAllLines(path).stream()
            .map(line -> line.trim().split("\\s+", -1))
            .filter(row -> row.length > 9 && row[3].equals(LISTEN) && inodes.contains(row[9]))
            .forEach(row -> ports.add(port(row[1])));
      }
    }
    return ports;
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.indexOf(':') + 1), 16);
  }

  private static Set<String> inodes() throws IOException {
    Set<String> inodes = new HashSet<>();
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      for (Path file : open.toList()) {
        try {
          String target = Files.readSymbolicLink(file).toString();
          if (target.startsWith("socket:[")) {
            inodes.add(target.substring("socket:[".length(), target.length() - 1));
          }
        } catch (IOException closedMeanwhile) {
          // It is no listening socket of interest.
        }
      }
    }
    return inodes;
  }
}
