package io.palinode.cli.predicate;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.palinode.cli.witness.WitnessFile;
import io.palinode.detection.CandidateId;
import io.palinode.detection.file.TraceLine;
import io.palinode.detection.file.TraceReader;
import io.palinode.detection.shiviz.ShivizLog;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Role;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.orchestrator.rest.Views.NeighbourhoodView;
import io.palinode.orchestrator.rest.Views.ValueView;
import io.palinode.orchestrator.rest.Views.WitnessView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Refusal;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes what other tools draw. */
@Command(
    name = "export",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Write a violation, or a recorded trace, as a log that ShiViz can draw.",
    footer = {
      "",
      "An event is the beginning or the end of an interval at a node. Of a violation, each client"
          + " that is known is a host too, with the requests that began the intervals. With --around,"
          + " the log has other intervals of the same instance near the violation.",
      "",
      "Open the log in ShiViz with 'Choose File'. Its first line is the expression that parses"
          + " it. The second line is empty (one execution). If you paste the events instead, enter this"
          + " expression:",
      "  (?<event>.*)\\n(?<host>\\S+) (?<hlc>\\S+) (?<clock>\\{.*\\})",
      "",
      "A clock has, for each node, the number of events in this log that happened before. The"
          + " order is that of the hybrid clocks, so events more than epsilon apart are ordered too.",
      "Events outside the log do not count. 'hlc' is the node's own time of the event. Nothing"
          + " records what a client knew: its requests follow its earlier requests only.",
      "",
      "Exit status: 0 written; 2 bad input.",
      "",
      "Examples:",
      "  palinode export --violation ID --around > violation.log",
      "  palinode export witness.json > violation.log",
      "  palinode export trace.jsonl > trace.log"
    })
public final class ExportCommand implements Callable<Integer> {
  /** What can be written. */
  enum Format {
    SHIVIZ
  }

  private static final int LOOK_BYTES_MAX = 1 << 16;
  private static final Set<String> OF_A_WITNESS = Set.of("apiVersion", "kind");
  private static final Set<String> OF_A_LINE = Set.of("node", "seq", "start");

  private final InputStream in;

  @Option(
      names = "--format",
      defaultValue = "shiviz",
      paramLabel = "FORMAT",
      description = "The format of the log: shiviz.")
  private Format format = Format.SHIVIZ;

  @Option(
      names = "--violation",
      paramLabel = "ID",
      description = "A violation of the running cluster, as 'palinode get violations' shows it.")
  private @Nullable String violation;

  @Option(
      names = "--around",
      description =
          "With --violation: add the other intervals of its instance from 2 s before to 2 s after"
              + " it, at most 200.")
  private boolean around;

  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      description =
          "A witness file, or a trace as 'palinode detect' reads it; - is standard input.")
  private @Nullable String file;

  @Mixin private ApiClient api = new ApiClient();
  @Spec private CommandSpec spec = CommandSpec.create();

  ExportCommand() {
    this(System.in);
  }

  ExportCommand(InputStream in) {
    this.in = in;
  }

  @Override
  public Integer call() throws IOException {
    ShivizLog log = log();
    PrintWriter out = spec.commandLine().getOut();
    switch (format) {
      case SHIVIZ -> log.write(out);
    }
    out.flush();
    return 0;
  }

  private ShivizLog log() throws IOException {
    String name = file;
    if ((violation == null) == (name == null)) {
      throw new Refusal(
          "export one thing: --violation ID, or a file (see 'palinode export --help')");
    }
    if (around && violation == null) {
      throw new Refusal("--around needs a cluster: name a violation with --violation ID");
    }
    if (name == null) {
      String path = "/api/v1/violations/" + ApiClient.segment(String.valueOf(violation));
      byte[] witness = api.get(path + "/witness").toString().getBytes(StandardCharsets.UTF_8);
      return ShivizLog.of(
          WitnessFile.read("-", new ByteArrayInputStream(witness)),
          around ? around(path + "/neighbourhood") : List.of());
    }
    try (InputStream opened = name.equals("-") ? in : Files.newInputStream(Path.of(name));
        BufferedInputStream bytes = new BufferedInputStream(opened, LOOK_BYTES_MAX)) {
      return isTrace(bytes) ? trace(name, bytes) : ShivizLog.of(WitnessFile.parse(name, bytes));
    }
  }

  private List<HeldInterval> around(String path) {
    NeighbourhoodView found = api.get(path, NeighbourhoodView.class);
    if (!found.complete()) {
      spec.commandLine()
          .getErr()
          .println("palinode: some intervals near it are missing: too many, or no longer in Kafka");
    }
    return found.intervals().stream().map(ExportCommand::interval).toList();
  }

  private static HeldInterval interval(WitnessView view) {
    List<String> end = view.end();
    return new HeldInterval(
        view.term(),
        new CandidateId(view.node(), view.incarnation(), view.sequence()),
        clock(view.node(), view.start()),
        end == null ? null : clock(view.node(), end),
        view.writer(),
        view.values().stream().map(ExportCommand::value).toList(),
        view.member() == null ? "" : view.member());
  }

  private static HeldValue value(ValueView view) {
    String role = view.role();
    Role known = role == null ? Role.HOLDS : Role.valueOf(role.toUpperCase(Locale.ROOT));
    return new HeldValue(view.store(), view.key(), view.value(), view.version(), known);
  }

  private static Hvc clock(int owner, List<String> entries) {
    return Hvc.of(owner, entries.stream().mapToLong(Hlc::parse).toArray());
  }

  /** By the first field of the first object that only one of the two has. */
  private static boolean isTrace(BufferedInputStream bytes) throws IOException {
    bytes.mark(LOOK_BYTES_MAX);
    byte[] head = bytes.readNBytes(LOOK_BYTES_MAX);
    bytes.reset();
    try (JsonParser json = new JsonFactory().createParser(head)) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token == JsonToken.FIELD_NAME && OF_A_WITNESS.contains(json.currentName())) {
          return false;
        }
        if (token == JsonToken.FIELD_NAME && OF_A_LINE.contains(json.currentName())) {
          return true;
        }
      }
    } catch (IOException notJson) {
      return false;
    }
    return false;
  }

  private static ShivizLog trace(String name, InputStream bytes) throws IOException {
    List<TraceLine> lines = new ArrayList<>();
    new TraceReader(name)
        .read(
            bytes,
            (number, line) -> {
              if (2 * lines.size() >= ShivizLog.EVENTS_MAX) {
                throw new Refusal(
                    "a log for ShiViz must have at most "
                        + ShivizLog.EVENTS_MAX
                        + " events: cut a part out of the trace");
              }
              if (line != null) {
                lines.add(line);
              }
            });
    if (lines.isEmpty()) {
      throw new Refusal(name + ": there is no candidate in this trace");
    }
    return ShivizLog.of(lines);
  }
}
