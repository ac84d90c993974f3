package io.palinode.cli.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.PortableWitness.Finding;
import io.palinode.detection.witness.WitnessJson;
import io.palinode.terminal.Refusal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command as a user runs it: a file in, a sentence and an exit status out. */
class VerifyCommandTest {
  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void aWitnessThatIsRightHolds() throws Exception {
    assertThat(verify(golden())).isZero();
    assertThat(out.toString())
        .isEqualToIgnoringNewLines(
            "holds: edge-mutex version 3 with a=1,b=2, clause 0, intervals 2, grade possible,"
                + " violated at 1970-01-01T00:00:00.001100Z"
                + "possible: term 1 on node 2 began at 1970-01-01T00:00:00.001100Z, 0.1 ms before"
                + " term 0 on node 1 ended; clocks differ by at most 10ms and no recorded clock"
                + " orders the two, so both may have held at the same time");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void anotherSentenceThanTheWitnessHasIsShown() throws Exception {
    PortableWitness right = WitnessJson.read(golden(), "golden").explained();
    assertThat(verify(WitnessJson.write(right))).isZero();
    assertThat(out.toString()).hasLineCount(2).contains(right.finding().meaning());
    Finding found = right.finding();
    PortableWitness other =
        PortableWitness.of(
            right.subject(),
            right.rules(),
            new Finding(found.id(), found.grade(), found.first(), found.violate(), "so it was"),
            right.circumstance(),
            right.intervals());
    assertThat(verify(WitnessJson.write(other))).isZero();
    assertThat(out.toString())
        .endsWith("the file's sentence differs, as of another release: 'so it was'\n");
  }

  @Test
  void everyRuleThatDoesNotHoldIsNamed() throws Exception {
    assertThat(verify(golden().replace("\"1200\"", "\"1201\""))).isOne();
    assertThat(err.toString())
        .contains("does not hold: digest: something was changed")
        .hasLineCount(1);
    err.getBuffer().setLength(0);
    assertThat(verify(golden().replace("\"1000.3\", \"980\"", "\"1000.4\", \"980\""))).isOne();
    assertThat(err.toString())
        .contains("does not hold: digest:")
        .contains("does not hold: first: the least start is at 1000.4, not 1000.3");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aWitnessIsReadFromStandardInputToo() throws Exception {
    assertThat(run(golden(), "-")).isZero();
  }

  @Test
  void whatIsNoWitnessIsRefusedWithItsPlace() throws Exception {
    Path file = Files.writeString(folder.resolve("w.json"), "{\n \"kind\": 1}");
    assertThatThrownBy(() -> command("").parseAndCall(file.toString()))
        .isInstanceOf(Refusal.class)
        .hasMessage(file + ":1:1: must have the field 'apiVersion'");
    Files.write(file, new byte[] {(byte) 0xff});
    assertThatThrownBy(() -> command("").parseAndCall(file.toString()))
        .hasMessage(file + ": a witness must be in UTF-8");
    assertThatThrownBy(() -> command("").parseAndCall(folder.toString()))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("cannot read");
    assertThatThrownBy(() -> command("").parseAndCall(folder.resolve("none").toString()))
        .isInstanceOf(NoSuchFileException.class);
  }

  private int verify(String witness) throws Exception {
    return run("", Files.writeString(folder.resolve("w.json"), witness).toString());
  }

  private int run(String input, String file) throws Exception {
    return command(input).parseAndCall(file);
  }

  private Run command(String input) {
    VerifyCommand command =
        new VerifyCommand(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
    CommandLine line = new CommandLine(command);
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return file -> {
      line.parseArgs(file);
      return command.call();
    };
  }

  /** Without picocli's own handling of exceptions: Main's is tested elsewhere. */
  private interface Run {
    int parseAndCall(String file) throws Exception;
  }

  private static String golden() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            VerifyCommandTest.class.getResourceAsStream("/witness/witness-v1.json"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
