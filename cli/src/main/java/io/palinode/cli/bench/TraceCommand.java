package io.palinode.cli.bench;

import io.palinode.benchmarks.TraceMaker;
import io.palinode.terminal.Refusal;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a trace for detection offline. */
@Command(
    name = "trace",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Write an artificial trace of any length for 'palinode detect'. A seed determines the"
          + " trace.",
      "",
      "Every 10 ms an interval of the next instance and term begins, at some node. It ends before"
          + " the next one, so only the intervals of --violated and --open are concurrent.",
      ""
    },
    footer = {
      "",
      "Example:",
      "  palinode bench trace --candidates 10000000 --predicate made-up.yaml trace.jsonl",
      "  time palinode detect --predicate made-up.yaml trace.jsonl | wc -l"
    })
final class TraceCommand implements Callable<Integer> {
  private static final int BUFFER_CHARS = 1 << 18;

  @Option(
      names = "--candidates",
      defaultValue = "1000000",
      paramLabel = "N",
      description = "Number of lines (default: ${DEFAULT-VALUE}).")
  private long candidates;

  @Option(names = "--nodes", defaultValue = "3", paramLabel = "N", description = "Default: 3.")
  private int nodes;

  @Option(
      names = "--terms",
      defaultValue = "2",
      paramLabel = "N",
      description = "Terms of the predicate's clause (default: ${DEFAULT-VALUE}).")
  private int terms;

  @Option(names = "--instances", defaultValue = "1", paramLabel = "N", description = "Default: 1.")
  private int instances;

  @Option(
      names = "--violated",
      defaultValue = "0.0001",
      paramLabel = "SHARE",
      description = "Share of lines that begin a violation (default: ${DEFAULT-VALUE}).")
  private double violated;

  @Option(
      names = "--open",
      defaultValue = "0",
      paramLabel = "SHARE",
      description = "Share of lines without an end (default: ${DEFAULT-VALUE}).")
  private double open;

  @Option(names = "--seed", defaultValue = "1", paramLabel = "SEED", description = "Default: 1.")
  private long seed;

  @Option(
      names = "--predicate",
      paramLabel = "FILE",
      description = "Where to write the predicate of the trace.")
  private @Nullable Path predicate;

  @Parameters(
      paramLabel = "TRACE.jsonl",
      description = "Where to write the trace; - is standard output.")
  private String trace = "-";

  @Override
  public Integer call() throws IOException {
    TraceMaker maker = new TraceMaker(shape(), seed);
    if (predicate != null) {
      Files.writeString(predicate, maker.predicate());
    }
    OutputStream to =
        trace.equals("-")
            ? new FileOutputStream(FileDescriptor.out)
            : Files.newOutputStream(Path.of(trace));
    try (Writer out =
        new BufferedWriter(new OutputStreamWriter(to, StandardCharsets.US_ASCII), BUFFER_CHARS)) {
      maker.write(out);
    }
    return 0;
  }

  private TraceMaker.Shape shape() {
    return Refusal.valid(
        () -> new TraceMaker.Shape(candidates, nodes, terms, instances, violated, open));
  }
}
