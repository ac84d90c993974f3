package io.palinode.cli.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.cli.Main;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SIGTERM and Ctrl-C end the command, whatever it does. */
@Timeout(60)
class DetectStopIT {
  /** The limit of the command is 2 s; the rest is for a machine that is busy. */
  private static final long STOP_SECONDS_MAX = 5;

  private static final Duration START_MAX = Duration.ofSeconds(40);

  private static final String TERM = "TERM";
  private static final String CTRL_C = "INT";

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {TERM, CTRL_C})
  void itEndsWhileStandardInputHasNoMoreLines(String signal)
      throws IOException, InterruptedException {
    Path predicate = Files.writeString(folder.resolve("p.yaml"), DetectFixture.MUTEX);
    Process process = detect(predicate, "-");
    try {
      // More than a pipe holds: once all is written, the command has begun to read.
      StringBuilder lines = new StringBuilder();
      for (int seq = 0; seq < 20_000; seq++) {
        lines.append(DetectFixture.line(0, 0, seq, seq + "/0", seq + "/0")).append('\n');
      }
      process.getOutputStream().write(lines.toString().getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
      send(signal, process);
      assertThat(process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {TERM, CTRL_C})
  void itEndsInALongSearchAndReportsThatTheRestIsUnknown(String signal)
      throws IOException, InterruptedException {
    Path predicate =
        Files.writeString(
            folder.resolve("p.yaml"), DetectSumTest.sumOf(24, "equals: 700000000000001"));
    Random random = new Random(3);
    String[] hard =
        DetectSumTest.sum(24, 6, (variable, node) -> random.nextLong(100_000_000_000_000L));
    Path trace = Files.write(folder.resolve("trace.jsonl"), List.of(hard));
    Process process = detect(predicate, trace.toString(), "--search-steps-max", "1000000000000");
    try {
      await().atMost(START_MAX).until(() -> err().contains("judging"));
      send(signal, process);
      assertThat(process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
      assertThat(err()).contains("unknown: interrupted while judging; what was printed is right");
    } finally {
      process.destroyForcibly();
    }
  }

  private static void send(String signal, Process process)
      throws IOException, InterruptedException {
    String kill = "kill -" + signal + " " + process.pid();
    assertThat(new ProcessBuilder("sh", "-c", kill).start().waitFor()).isZero();
  }

  private Process detect(Path predicate, String trace, String... more) throws IOException {
    List<String> command = new ArrayList<>();
    if (OS.LINUX.isCurrentOs()) {
      // A build in the background of a shell ignores SIGINT, and so do its processes.
      command.addAll(List.of("env", "--default-signal=INT"));
    }
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "detect",
            "--predicate",
            predicate.toString(),
            trace));
    command.addAll(List.of(more));
    return new ProcessBuilder(command)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(folder.resolve("err").toFile())
        .start();
  }

  private String err() throws IOException {
    return Files.readString(folder.resolve("err"));
  }
}
