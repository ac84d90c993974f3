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
  void theStoreIsPartOfWhatASeedMeans() {
    assertThat(run("--seed", "1", "--faults", "none", "--store", "voldemort")).isZero();
    String voldemort = out.toString();
    out.getBuffer().setLength(0);
    assertThat(run("--seed", "1", "--faults", "none")).isZero();
    assertThat(out.toString()).isEqualTo(voldemort);
    out.getBuffer().setLength(0);
    assertThat(run("--seed", "1", "--faults", "none", "--store", "last-write-wins")).isZero();
    assertThat(out.toString()).contains("seed 1:").isNotEqualTo(voldemort);
  }

  @Test
  void anUnknownStoreIsRefusedWithTheKnownOnes() {
    assertThat(run("--seed", "1", "--store", "paper")).isNotZero();
    assertThat(err.toString()).contains("'paper'", "voldemort", "last-write-wins");
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
