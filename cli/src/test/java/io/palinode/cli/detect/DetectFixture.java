package io.palinode.cli.detect;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs the command on files, and writes the lines of a trace. */
abstract class DetectFixture {
  static final String MUTEX =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        violation:
          - all:
              - {var: x, equals: "1"}
              - {var: y, equals: "1"}
          - all:
              - {var: z, equals: "1"}
      """;

  static final String INSTANCES =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        forEach: {edge: "{a}_{b}"}
        where: ["{a} != {b}"]
        violation:
          - all:
              - {var: "x_{a}_{b}", equals: "1"}
              - {var: "y_{a}_{b}", equals: "1"}
          - sum: {of: ["v_{a}_{b}", "w_{a}_{b}"], equals: 7}
      """;

  static final String ONE_CAPTURE =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        forEach: {edge: "{a}"}
        violation:
          - all:
              - {var: "x_{a}", equals: "1"}
              - {var: "y_{a}", equals: "1"}
      """;

  static final String OPERATIONS =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        violation:
          - all: [{var: x, lostUpdate: true}]
          - all: [{var: x, staleRead: true}]
          - all: [{var: x, nonMonotonicRead: true}]
          - all: [{var: y, equals: "1"}, {var: z, equals: "1"}]
      """;

  static final String PAPER =
      """
      <predicate>
        <type>semilinear</type>
        <conjClause><id>0</id>
          <var><name>x</name><value>1</value></var>
          <var><name>y</name><value>1</value></var>
        </conjClause>
      </predicate>
      """;

  @TempDir Path folder;
  final StringWriter out = new StringWriter();
  final StringWriter err = new StringWriter();
  final AtomicLong nanos = new AtomicLong();
  long nanosPerLook;
  long heapBytes = 1L << 30;
  boolean terminal;
  boolean outFails;
  Path predicate = Path.of("");

  @BeforeEach
  void writePredicate() throws IOException {
    predicate = Files.writeString(folder.resolve("p.yaml"), MUTEX);
  }

  int detect(String... lines) {
    return detectWith(List.of(), lines);
  }

  int detectWith(List<String> options, String... lines) {
    try {
      Path trace = Files.write(folder.resolve("t.jsonl"), List.of(lines));
      List<String> words = new ArrayList<>(options);
      words.add(trace.toString());
      return run("", words);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  int run(String in, List<String> words) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    DetectCommand command =
        new DetectCommand(
            new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)),
            () -> nanos.getAndAdd(nanosPerLook),
            heapBytes,
            terminal);
    List<String> all = new ArrayList<>(List.of("--predicate", predicate.toString()));
    all.addAll(words);
    return new CommandLine(command)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(new PrintWriter(outFails ? new ClosedWriter() : out))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
  }

  /** As of a pipe whose reader has ended. */
  private static final class ClosedWriter extends Writer {
    @Override
    public void write(char[] text, int from, int length) throws IOException {
      throw new IOException("Broken pipe");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /** Clocks as {@code 100/0}: one entry a node. A null end is open. */
  static String line(
      int node, int term, int seq, String start, @org.jspecify.annotations.Nullable String end) {
    return """
    {"predicate":"p","clause":0,"term":%d,"node":%d,"seq":%d,"start":%s,"end":%s,"values":{}}\
    """
        .formatted(term, node, seq, clock(start), end == null ? "null" : clock(end));
  }

  static String replica(
      int node, int term, int seq, String start, String end, String version, int origin) {
    return line(node, term, seq, start, end)
        .replace(
            "{\"predicate",
            "{\"version\":\"" + version + "\",\"origin\":" + origin + ",\"predicate");
  }

  static String bound(String binding, String line) {
    return "{\"binding\":\"" + binding + "\"," + line.substring(1);
  }

  static String valued(String key, String value, String line) {
    return line.replace("\"values\":{}", "\"values\":{\"%s\":\"%s\"}".formatted(key, value));
  }

  static String clock(String entries) {
    return "[\"" + entries.replace("/", "\",\"") + "\"]";
  }

  static String join(long[] entries) {
    return entries[0] + "/" + entries[1] + "/" + entries[2];
  }
}
