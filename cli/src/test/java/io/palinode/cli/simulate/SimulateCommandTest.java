package io.palinode.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class SimulateCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void aSeedIsRunWithATraceThatIsTheSameEachTime() {
    assertThat(run("--seed", "1", "--faults", "none", "--trace")).isZero();
    String first = out.toString();
    assertThat(first).contains("world    begins", "orch     live", "seed 1:");
    out.getBuffer().setLength(0);
    assertThat(run("--seed", "1", "--faults", "none", "--trace")).isZero();
    assertThat(out.toString()).isEqualTo(first);
  }

  @Test
  void manySeedsEndWithWhatCameOfThem() {
    assertThat(run("--seeds", "3", "--first-seed", "5", "--faults", "none")).isZero();
    assertThat(out.toString()).contains("3 seeds", "0 failed");
  }

  @Test
  void whatIsNoFaultIsRefused() {
    assertThat(run("--seed", "1", "--faults", "rain")).isNotZero();
    assertThat(err.toString()).contains("rain");
    assertThat(run("--seed", "1", "--exhaustive")).isNotZero();
  }

  private int run(String... args) {
    return new CommandLine(new SimulateCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args);
  }
}
