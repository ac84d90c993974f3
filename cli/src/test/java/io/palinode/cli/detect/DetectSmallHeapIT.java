package io.palinode.cli.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.cli.Main;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command in a JVM of 64 MB. */
@Timeout(120)
@Tag("slow")
class DetectSmallHeapIT {
  @TempDir Path folder;

  @Test
  void aTraceOfManyInstancesIsJudged() throws IOException, InterruptedException {
    assertThat(detect(200_000, line -> "a=" + line)).isEqualTo("");
  }

  @Test
  void instancesWithLongNamesAreJudged() throws IOException, InterruptedException {
    String longName = "n".repeat(4_000);
    assertThat(detect(20_000, line -> "a=" + longName + line)).isEqualTo("");
  }

  /** Of a trace without a violation; the output. */
  private String detect(int lines, IntFunction<String> binding)
      throws IOException, InterruptedException {
    Path predicate = Files.writeString(folder.resolve("p.yaml"), DetectFixture.ONE_CAPTURE);
    Path trace = folder.resolve("trace.jsonl");
    try (BufferedWriter out = Files.newBufferedWriter(trace)) {
      for (int seq = 0; seq < lines; seq++) {
        String line = DetectFixture.line(0, 0, seq, seq + "/0", seq + "/0");
        out.write(DetectFixture.bound(binding.apply(seq), line));
        out.newLine();
      }
    }
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx64m",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Main.class.getName(),
                    "detect",
                    "--predicate",
                    predicate.toString(),
                    trace.toString()))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
      String text = Files.readString(output);
      assertThat(process.exitValue()).as(text).isZero();
      return text.lines()
          .filter(line -> !line.contains("reading") && !line.contains("judging"))
          .findFirst()
          .orElse("");
    } finally {
      process.destroyForcibly();
    }
  }
}
