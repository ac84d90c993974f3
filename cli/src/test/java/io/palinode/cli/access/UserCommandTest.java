package io.palinode.cli.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.orchestrator.rest.access.UsersException;
import io.palinode.terminal.Refusal;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class UserCommandTest {
  @TempDir Path folder;

  @Test
  void aUserOfTheStoresHasRightsAndACertificate() throws Exception {
    String token = run("alice", "--role", "operator");
    assertThat(token).startsWith("palinode_");
    assertThat(run("alice", "--store", "read,write", "--certificate-subject", "CN=alice,O=Example"))
        .isEmpty();
    assertThat(Files.readAllLines(file()))
        .hasSize(2)
        .contains("store:read,write alice subject:CN=alice,O=Example");
  }

  @Test
  void aLineThatCannotBeUsedIsNotWritten() {
    refuses("a --role, or rights", "alice");
    refuses("a --role, or rights", "alice", "--role", "viewer", "--store", "read");
    refuses("needs --certificate-subject", "alice", "--store", "read");
    refuses("rights in the store", "a", "--store", "fly", "--certificate-subject", "CN=a");
    assertThat(file()).doesNotExist();
    assertThatThrownBy(() -> run("a b", "--role", "viewer")).isInstanceOf(UsersException.class);
  }

  private void refuses(String message, String... arguments) {
    assertThatThrownBy(() -> run(arguments))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining(message);
  }

  private String run(String... arguments) throws Exception {
    StringWriter out = new StringWriter();
    UserCommand.Add add = new UserCommand.Add();
    CommandLine command = new CommandLine(add).setOut(new PrintWriter(out, true));
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--file", file().toString()));
    var unused = command.parseArgs(all.toArray(String[]::new));
    assertThat(add.call()).isZero();
    return out.toString().strip();
  }

  private Path file() {
    return folder.resolve("users");
  }
}
