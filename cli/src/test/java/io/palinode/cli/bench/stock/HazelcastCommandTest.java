package io.palinode.cli.bench.stock;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.cli.bench.BenchCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class HazelcastCommandTest {
  @TempDir private Path folder;
  private final StringWriter err = new StringWriter();

  private int execute(String... args) {
    String[] all = new String[args.length + 1];
    all[0] = "hazelcast";
    System.arraycopy(args, 0, all, 1, args.length);
    return new CommandLine(new BenchCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setErr(new PrintWriter(err))
        .execute(all);
  }

  @Test
  void anotherFileThanHazelcastsJarIsRefused() throws Exception {
    Path text = Files.writeString(folder.resolve("notes.txt"), "no jar");
    String driver = CommandLine.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    assertThat(execute("--hazelcast", folder.resolve("absent.jar").toString())).isNotZero();
    assertThat(err.toString()).contains("--hazelcast must name a jar: there is no ");
    assertThat(execute("--hazelcast", text.toString())).isNotZero();
    assertThat(err.toString()).contains("notes.txt is none");
    assertThat(execute("--hazelcast", driver)).isNotZero();
    assertThat(err.toString()).contains("HazelcastMemberStarter.class");
  }

  @Test
  void aNumberOfMembersThatIsNoneIsRefused() {
    assertThat(execute("--hazelcast", "hazelcast.jar", "--members", "0")).isNotZero();
    assertThat(err.toString()).contains("--members must be between 1 and 5: 0");
  }

  @Test
  void secondsToGoBackAreForSnapshotsAndPositive() {
    assertThat(execute("--hazelcast", "hazelcast.jar", "--back", "5")).isNotZero();
    assertThat(err.toString()).contains("--back goes with --snapshots only");
    assertThat(execute("--hazelcast", "hazelcast.jar", "--snapshots", "--back", "5,0")).isNotZero();
    assertThat(err.toString()).contains("--back must be at least 1 second: [5, 0]");
  }

  @Test
  void aRateIsForSnapshotsAndNotNegative() {
    assertThat(execute("--hazelcast", "hazelcast.jar", "--rate", "5")).isNotZero();
    assertThat(err.toString()).contains("--rate goes with --snapshots only");
    assertThat(execute("--hazelcast", "hazelcast.jar", "--snapshots", "--rate", "-1")).isNotZero();
    assertThat(err.toString()).contains("--rate must not be negative: -1");
  }

  @Test
  void modesAreNotForSnapshots() {
    assertThat(execute("--hazelcast", "hazelcast.jar", "--snapshots", "--only", "watched"))
        .isNotZero();
    assertThat(err.toString()).contains("--only does not go with --snapshots");
  }
}
