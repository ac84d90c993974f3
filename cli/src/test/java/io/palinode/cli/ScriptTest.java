package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When the script {@code palinode} builds, and how it starts Java. Both are stand-ins here. */
class ScriptTest {
  private static final String SOURCE = "hvc/src/main/java/Clock.java";

  @TempDir Path folder;

  @BeforeEach
  void makeACheckout() throws IOException {
    Files.createDirectory(folder.resolve("one"));
    Files.copy(Path.of("../palinode"), folder.resolve("one/palinode"));
    assertThat(folder.resolve("one/palinode").toFile().setExecutable(true)).isTrue();
    write("one/" + SOURCE, "class Clock {}");
    write("one/hvc/src/main/java/Old.java", "class Old {}");
    program(
        "bin/mvn",
        "mkdir -p cli/target/lib; echo built >>'" + folder + "/builds'; ! grep -rq broken hvc");
    program("java/bin/java", "echo \"$@\" | tee -a '" + folder + "/starts'");
    write("java/release", "JAVA_VERSION=\"17.0.1\"");
  }

  @Test
  void aCopyIsNotBuiltAgain() throws Exception {
    assertThat(run("one", Map.of())).contains("Main status");
    assertThat(run("one", Map.of())).contains("Main status");
    Process copy = new ProcessBuilder("cp", "-r", "one", "two").directory(folder.toFile()).start();
    assertThat(copy.waitFor()).isZero();
    run("two", Map.of());
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void aChangedAddedOrRemovedSourceIsBuilt() throws Exception {
    run("one", Map.of());
    write("one/" + SOURCE, "class Clock { int changed; }");
    run("one", Map.of());
    assertThat(builds()).isEqualTo(2);
    write("one/hvc/src/main/java/More.java", "class More {}");
    run("one", Map.of());
    assertThat(builds()).isEqualTo(3);
    Files.delete(folder.resolve("one/hvc/src/main/java/Old.java"));
    run("one", Map.of());
    assertThat(builds()).isEqualTo(4);
    write("one/hvc/src/test/java/ClockTest.java", "class ClockTest {}");
    run("one", Map.of());
    assertThat(builds()).isEqualTo(4);
  }

  @Test
  void afterABuildThatFailedTheOldSourcesAreBuiltToo() throws Exception {
    run("one", Map.of());
    write("one/" + SOURCE, "broken");
    assertThat(run("one", Map.of())).contains("the build failed", "exit 2");
    write("one/" + SOURCE, "class Clock {}");
    assertThat(run("one", Map.of())).contains("Main status");
    assertThat(builds()).isEqualTo(3);
  }

  @Test
  void whatMavenBuiltAloneIsBuiltAgain() throws Exception {
    run("one", Map.of());
    Instant later = Instant.now().plusSeconds(120);
    Files.setLastModifiedTime(folder.resolve("one/cli/target/lib"), FileTime.from(later));
    run("one", Map.of());
    assertThat(builds()).isEqualTo(2);
  }

  @Test
  void aReleaseIsNotBuilt() throws Exception {
    Files.createDirectory(folder.resolve("one/lib"));
    assertThat(run("one", Map.of()))
        .contains("-cp " + folder.toRealPath().resolve("one/lib/*"), "Main status", "exit 0");
    assertThat(folder.resolve("builds")).doesNotExist();
  }

  @Test
  void aJvmIsAskedOnceToArchiveClasses() throws Exception {
    run("one", Map.of());
    run("one", Map.of());
    assertThat(archivingStarts()).isEqualTo(1);
    write("java/release", "JAVA_VERSION=\"17.0.2\"");
    run("one", Map.of());
    assertThat(archivingStarts()).isEqualTo(2);
    write("one/" + SOURCE, "class Clock { int changed; }");
    run("one", Map.of());
    assertThat(archivingStarts()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({
    "128m, PALINODE_HEAP must be at least 256m for this command: '128m'",
    "much, PALINODE_HEAP must be a size such as 512m or 4g: 'much'"
  })
  void aHeapThatIsTooSmallIsRefused(String heap, String reason) throws Exception {
    run("one", Map.of());
    assertThat(run("one", Map.of("PALINODE_HEAP", heap)))
        .isEqualTo("palinode: " + reason + "\nexit 2\n");
  }

  @Test
  void theLeastHeapIsAccepted() throws Exception {
    run("one", Map.of());
    assertThat(run("one", Map.of("PALINODE_HEAP", "256m"))).contains("-Xms256m -Xmx256m");
    assertThat(run("one", Map.of("PALINODE_HEAP", "64m"), "detect")).contains("-Xms64m -Xmx64m");
    assertThat(run("one", Map.of("PALINODE_HEAP", "300m"), "detect")).contains("-Xms256m -Xmx300m");
  }

  @ParameterizedTest
  @ValueSource(strings = {"up", "run"})
  void whatStaysUpHasTheCompilerAndTheCollectorOfAServer(String command) throws Exception {
    run("one", Map.of());
    assertThat(run("one", Map.of(), command))
        .contains("-XX:+TieredCompilation")
        .doesNotContain("TieredStopAtLevel", "UseSerialGC", "  ");
    assertThat(run("one", Map.of(), "demo")).contains("-XX:TieredStopAtLevel=1 ", "UseSerialGC");
  }

  private long archivingStarts() throws IOException {
    return Files.readAllLines(folder.resolve("starts")).stream()
        .filter(line -> line.contains("ArchiveClassesAtExit"))
        .count();
  }

  private int builds() throws IOException {
    return Files.readAllLines(folder.resolve("builds")).size();
  }

  private String run(String checkout, Map<String, String> environment) throws Exception {
    return run(checkout, environment, "status");
  }

  private String run(String checkout, Map<String, String> environment, String command)
      throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", "./palinode " + command + "; echo exit $?")
            .directory(folder.resolve(checkout).toFile())
            .redirectErrorStream(true);
    builder.environment().remove("PALINODE_HEAP");
    builder.environment().putAll(environment);
    builder.environment().put("JAVA_HOME", folder.resolve("java").toString());
    builder
        .environment()
        .merge("PATH", folder.resolve("bin").toString(), (old, bin) -> bin + ":" + old);
    Process process = builder.start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    return printed;
  }

  private void program(String name, String body) throws IOException {
    write(name, "#!/bin/sh\n" + body + "\n");
    assertThat(folder.resolve(name).toFile().setExecutable(true)).isTrue();
  }

  private void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    Files.writeString(file, text);
  }
}
