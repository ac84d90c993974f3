package io.palinode.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.cli.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class VersionTest {
  @Test
  void theBuiltVersionAndItsCommitAreNamed() {
    assertThat(new Version().getVersion())
        .singleElement()
        .asString()
        .matches(
            "palinode \\d+\\.\\d+\\.\\d+\\S* \\((commit \\S+|built outside Git), Java 1?\\d\\S+\\)");
  }

  @Test
  void theCommandPrintsWhatTheOptionPrints() {
    assertThat(printed("version")).isEqualTo(printed("--version")).startsWith("palinode ");
  }

  private static String printed(String argument) {
    StringWriter out = new StringWriter();
    CommandLine line = Main.commandLine().setOut(new PrintWriter(out));
    assertThat(line.execute(argument)).isZero();
    return out.toString();
  }

  @Test
  void aBuildOutsideGitIsNamedSo() {
    assertThat(Version.line("1.0.0", "", "17.0.1"))
        .isEqualTo("palinode 1.0.0 (built outside Git, Java 17.0.1)");
    assertThat(Version.line("1.0.0", "v1.0.0-3-g5ec0de0", "17.0.1"))
        .isEqualTo("palinode 1.0.0 (commit v1.0.0-3-g5ec0de0, Java 17.0.1)");
  }
}
