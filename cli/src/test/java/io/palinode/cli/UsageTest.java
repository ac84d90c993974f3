package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** What an incomplete or unknown command prints. */
class UsageTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @ValueSource(strings = {"", "run", "rollback", "snapshot", "alert", "bench"})
  void aGroupWithoutACommandPrintsItsUsageAsAnError(String group) {
    assertThat(run(group)).isEqualTo(2);
    assertThat(err.toString())
        .contains("Usage: palinode " + group)
        .contains("palinode: a command is missing (see 'palinode");
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"stats --help, stats, status", "rollback plam -h, plam, plan"})
  void theHelpOfACommandThatIsNoneIsRefused(String command, String unknown, String near) {
    assertThat(run(command)).isEqualTo(2);
    assertThat(err.toString().strip().lines()).hasSize(1);
    assertThat(err.toString()).contains("'" + unknown + "'").contains(near);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void theHelpOfAGroupIsNoError() {
    assertThat(run("--help")).isZero();
    assertThat(run("rollback --help")).isZero();
    assertThat(err.toString()).isEmpty();
    assertThat(out.toString()).contains("Usage: palinode rollback");
  }

  @Test
  void anErrorIsOneSentenceAndAnExitStatus() {
    CommandLine line = Main.commandLine().addSubcommand(new Failing());
    line.setErr(new PrintWriter(err, true));
    assertThat(Main.execute(line, "failing")).isEqualTo(1);
    assertThat(err.toString().lines())
        .containsExactly(
            "palinode: internal error: java.lang.NoClassDefFoundError: kafka/Absent",
            "This is a defect; --debug shows where.");
  }

  @Command(name = "failing")
  private static final class Failing implements Runnable {
    @Override
    public void run() {
      throw new NoClassDefFoundError("kafka/Absent");
    }
  }

  private int run(String command) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return line.execute(command.isEmpty() ? new String[0] : command.split(" "));
  }
}
