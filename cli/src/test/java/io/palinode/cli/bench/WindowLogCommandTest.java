package io.palinode.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class WindowLogCommandTest {
  private final StringWriter err = new StringWriter();

  @Test
  void moreThanTheHeapCanHoldIsRefusedWithWhatToSet() {
    assertThat(run("--entries", "2000000000")).isNotZero();
    assertThat(err.toString()).contains("PALINODE_HEAP");
  }

  private int run(String... options) {
    String[] quick = {"windowlog", "--entries", "10000", "--rounds", "1"};
    String[] args =
        java.util.stream.Stream.of(quick, options)
            .flatMap(java.util.Arrays::stream)
            .toArray(String[]::new);
    return new CommandLine(new BenchCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOverwrittenOptionsAllowed(true)
        .setErr(new PrintWriter(err))
        .execute(args);
  }
}
