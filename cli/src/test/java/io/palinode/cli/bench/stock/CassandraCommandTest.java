package io.palinode.cli.bench.stock;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.cli.bench.BenchCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class CassandraCommandTest {
  @TempDir private Path folder;
  private final StringWriter err = new StringWriter();

  private int execute(String... args) {
    String[] all = new String[args.length + 1];
    all[0] = "cassandra";
    System.arraycopy(args, 0, all, 1, args.length);
    return new CommandLine(new BenchCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setErr(new PrintWriter(err))
        .execute(all);
  }

  @Test
  void aFolderWithoutCassandraIsRefusedByWhatIsMissing() {
    assertThat(execute("--cassandra", folder.toString())).isNotZero();
    assertThat(err.toString()).contains("--cassandra: ").contains("apache-cassandra-5.0.*.jar");
  }

  @Test
  void aLoadThatCannotBeIsRefused() {
    assertThat(execute("--cassandra", folder.toString(), "--writes", "101")).isNotZero();
    assertThat(err.toString()).contains("writes must be in [0, 100] percent");
  }

  @Test
  void modesAreChosenByNameAndNoneIsNoChoice() {
    assertThat(execute("--cassandra", folder.toString(), "--only", "watched,none")).isNotZero();
    assertThat(err.toString()).contains("--only must be some of unwatched, watched, predicate");
    assertThat(execute("--cassandra", folder.toString(), "--only", "all")).isNotZero();
    assertThat(err.toString()).contains("[NONE, UNWATCHED, WATCHED, PREDICATE]");
  }
}
