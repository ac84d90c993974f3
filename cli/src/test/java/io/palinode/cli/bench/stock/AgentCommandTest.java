package io.palinode.cli.bench.stock;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.cli.bench.BenchCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class AgentCommandTest {
  @TempDir private Path folder;

  @Test
  void aFolderWithoutVoldemortIsRefusedByWhatIsMissing() {
    StringWriter err = new StringWriter();
    int status =
        new CommandLine(new BenchCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setErr(new PrintWriter(err))
            .execute("agent", "--voldemort", folder.toString());
    assertThat(status).isNotZero();
    assertThat(err.toString()).contains("--voldemort: ").contains("voldemort-1.10.26.jar");
  }
}
