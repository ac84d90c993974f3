package io.palinode.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.palinode.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What shells complete; the shells are real. */
class CompletionCommandTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "'palinode rollb', rollback",
    "'palinode rollback und', undo",
    "'palinode get viol', violations"
  })
  void bashCompletesACommand(String typed, String completed) throws Exception {
    String words = "(" + typed + ")";
    String script =
        "compopt() { :; }; source '%s'; COMP_WORDS=%s; COMP_CWORD=$((${#COMP_WORDS[@]} - 1));"
            + " _complete_palinode; echo \"${COMPREPLY[@]}\"";
    assertThat(printedBy("bash", "-c", script.formatted(script("bash"), words)).strip())
        .isEqualTo(completed);
  }

  @ParameterizedTest
  @CsvSource({
    "'palinode rollb', rollback",
    "'palinode rollback und', undo",
    "'palinode get violations --gra', --grade",
    "'palinode get viol', violations",
    "'palinode get violations -o wid', wide"
  })
  void fishCompletesACommandAndAnOption(String typed, String completed) throws Exception {
    assumeThat(Path.of("/usr/bin/fish")).exists();
    String script = "source '%s'; complete -C '%s'".formatted(script("fish"), typed);
    assertThat(printedBy("fish", "-c", script)).matches(completed + "(\t.*)?\n");
  }

  @Test
  void fishHasALineForEveryCommand() throws IOException {
    assertThat(Files.readString(script("fish")))
        .contains("'__palinode_is' -a rollback -d ")
        .contains("'__palinode_is rollback' -a undo -d ")
        .contains("'__palinode_in get' -l grade -r");
  }

  private Path script(String shell) throws IOException {
    StringWriter out = new StringWriter();
    CommandLine line = Main.commandLine().setOut(new PrintWriter(out, true));
    assertThat(line.execute("completion", shell)).isZero();
    return Files.writeString(folder.resolve(shell), out.toString());
  }

  private static String printedBy(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    return printed;
  }
}
