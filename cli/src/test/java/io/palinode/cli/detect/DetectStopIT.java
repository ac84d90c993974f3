package io.palinode.cli.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.cli.Main;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** SIGTERM ends the command, whatever it does. */
@Timeout(60)
class DetectStopIT {
  /** The limit of the command is 2 s; the rest is for a machine that is busy. */
  private static final long STOP_SECONDS_MAX = 5;

  @TempDir Path folder;

  @Test
  void itEndsWhileStandardInputHasNoMoreLines() throws IOException, InterruptedException {
    Path predicate = Files.writeString(folder.resolve("p.yaml"), DetectFixture.MUTEX);
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    Main.class.getName(),
                    "detect",
                    "--predicate",
                    predicate.toString(),
                    "-"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      // More than a pipe holds: once all is written, the command has begun to read.
      StringBuilder lines = new StringBuilder();
      for (int seq = 0; seq < 20_000; seq++) {
        lines.append(DetectFixture.line(0, 0, seq, seq + "/0", seq + "/0")).append('\n');
      }
      process.getOutputStream().write(lines.toString().getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
      process.destroy();
      assertThat(process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
  }
}
