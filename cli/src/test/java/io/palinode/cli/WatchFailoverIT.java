package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.launcher.embedded.EmbeddedKafka;
import io.palinode.launcher.embedded.Ports;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code palinode get -w} while an orchestrator is killed and a standby takes over its address.
 * With -Pnightly only.
 */
@Tag("slow")
class WatchFailoverIT {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final String PREDICATE =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: %s}
      spec: {violation: [{all: [{var: x, equals: "1"}]}]}
      """;

  @TempDir private Path folder;
  private final List<RunningCommand> running = new ArrayList<>();
  private EmbeddedKafka kafka;
  private String port;

  @BeforeEach
  void start() throws IOException {
    kafka = EmbeddedKafka.start(folder.resolve("kafka"), Ports.free(1).get(0));
    port = Integer.toString(Ports.free(1).get(0));
  }

  @AfterEach
  void end() throws InterruptedException {
    for (RunningCommand command : running) {
      command.end();
    }
    kafka.close();
  }

  /** Kafka waits six seconds for a killed orchestrator. */
  @Test
  void itPrintsWhatIsNewAndRepeatsNothing() throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(List.of(orchestrator()));
    Path log = folder.resolve("log");
    Process active =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      await().atMost(BOUND).until(() -> Files.readString(log).contains("ready"));
      RunningCommand standby = running(orchestrator());
      await().atMost(BOUND).until(() -> standby.err().contains("standing by"));
      apply("one");
      RunningCommand watch = running("get", "predicates", "-w", "-o", "name", "--server", url());
      await().atMost(BOUND).until(() -> watch.out().equals("one\n"));
      active.destroyForcibly().onExit().join();
      await().atMost(BOUND).until(() -> standby.out().contains("ready"));
      apply("two");
      await().atMost(BOUND).until(() -> watch.out().equals("one\ntwo\n"));
      List<String> reports = watch.err().lines().toList();
      assertThat(reports).as(reports.toString()).hasSize(2);
      assertThat(reports.get(0)).contains("the server does not answer; asking again each second");
      assertThat(reports.get(1)).contains("the server answers again");
    } finally {
      active.destroyForcibly();
    }
  }

  private RunningCommand running(String... command) {
    RunningCommand started = new RunningCommand(command);
    running.add(started);
    return started;
  }

  private String[] orchestrator() {
    return new String[] {
      "run", "orchestrator", "--kafka", kafka.bootstrapServers(), "--nodes", "1", "--port", port
    };
  }

  private String url() {
    return "http://127.0.0.1:" + port;
  }

  private void apply(String name) throws IOException {
    Path file = folder.resolve(name + ".yaml");
    Files.writeString(file, PREDICATE.formatted(name));
    StringWriter err = new StringWriter();
    int exit =
        Main.commandLine()
            .setOut(new PrintWriter(new StringWriter()))
            .setErr(new PrintWriter(err, true))
            .execute("apply", "-f", file.toString(), "--server", url());
    assertThat(exit).as(err.toString()).isZero();
  }
}
