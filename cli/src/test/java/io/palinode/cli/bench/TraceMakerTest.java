package io.palinode.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.benchmarks.TraceMaker;
import io.palinode.benchmarks.TraceMaker.Shape;
import io.palinode.cli.detect.DetectCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A made-up trace is one that detection takes, and holds the violations that were asked for. */
class TraceMakerTest {
  @TempDir Path folder;
  private final StringWriter out = new StringWriter();

  @Test
  void theSameSeedMakesTheSameTrace() throws IOException {
    Shape shape = new Shape(500, 3, 2, 4, 0.1, 0.01);
    assertThat(made(shape, 5)).isEqualTo(made(shape, 5)).isNotEqualTo(made(shape, 6));
  }

  @Test
  void nothingIsViolatedButWhatIsMadeSo() throws IOException {
    assertThat(detect(new Shape(3_000, 3, 2, 1, 0, 0))).isZero();
    assertThat(detect(new Shape(3_000, 4, 3, 5, 0, 0))).isZero();
    assertThat(out.toString()).isEmpty();
    assertThat(detect(new Shape(3_000, 3, 2, 1, 0.01, 0))).isOne();
    assertThat(out.toString().lines().count()).isBetween(15L, 90L);
    out.getBuffer().setLength(0);
    assertThat(detect(new Shape(3_000, 4, 3, 5, 0.01, 0))).isOne();
  }

  @Test
  void anImpossibleShapeIsRefused() {
    assertThatThrownBy(() -> new Shape(1, 0, 2, 1, 0, 0)).hasMessageContaining("nodes=0");
    assertThatThrownBy(() -> new Shape(1, 3, 2, 1, 1.5, 0)).hasMessageContaining("violated=1.5");
  }

  private int detect(Shape shape) throws IOException {
    TraceMaker maker = new TraceMaker(shape, 1);
    Path predicate = Files.writeString(folder.resolve("made-up.yaml"), maker.predicate());
    Path trace = Files.writeString(folder.resolve("made-up.jsonl"), made(shape, 1));
    return new CommandLine(new DetectCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(new PrintWriter(out))
        .execute("--predicate", predicate.toString(), trace.toString());
  }

  private static String made(Shape shape, long seed) throws IOException {
    StringBuilder trace = new StringBuilder();
    new TraceMaker(shape, seed).write(trace);
    return trace.toString();
  }
}
