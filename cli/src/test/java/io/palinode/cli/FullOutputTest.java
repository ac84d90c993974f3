package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Output that cannot be written, as on a full disk. */
@EnabledOnOs(OS.LINUX)
class FullOutputTest {
  @TempDir Path folder;

  @Test
  void aCommandWhoseOutputIsLostFailsWithTheReason() throws Exception {
    Path err = folder.resolve("err");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "--version")
            .redirectOutput(new File("/dev/full"))
            .redirectError(err.toFile())
            .start();
    assertThat(process.waitFor()).isEqualTo(1);
    assertThat(Files.readString(err))
        .startsWith("palinode: standard output cannot be written: No space left on device");
  }
}
