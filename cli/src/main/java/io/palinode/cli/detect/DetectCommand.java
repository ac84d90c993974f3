package io.palinode.cli.detect;

import io.palinode.cli.terminal.EpsilonText;
import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.TraceDetector;
import io.palinode.detection.TraceDetector.Report;
import io.palinode.detection.Witness;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.Clause;
import io.palinode.predicate.PredicateException;
import io.palinode.predicate.ReplicaRule;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Detection on a recorded trace, without a cluster. Exit status 0 when nothing is found, 1 when a
 * violation is, 2 for bad input: then one sentence on standard error says where and why.
 */
@Command(
    name = "detect",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Find violations of a predicate in a recorded trace.",
    footer = {
      "",
      "A line of the trace is a candidate:",
      "  {\"predicate\":\"p\",\"clause\":0,\"term\":0,\"node\":1,\"seq\":5,",
      "   \"start\":[\"1000\",\"1005.3\"],\"end\":[\"1200\",\"1300\"]}",
      "Without an end it is open, and unbounded. Lines of one node come in its order; those of",
      "different nodes in any order. Optional: values, binding (\"a=3,b=5\": instances are judged",
      "apart), and for --replicas first: version, origin, endedBy.",
      "",
      "Exit status: 0 nothing found; 1 found, one JSON line a violation; 2 bad input.",
      "",
      "Example:  palinode detect --predicate mutex.yaml trace.jsonl"
    })
public final class DetectCommand implements Callable<Integer> {
  private static final int NOTHING_FOUND = 0;
  private static final int FOUND = 1;
  private static final int REFUSED = 2;

  private final InputStream in;
  private final LongSupplier nanos;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--predicate",
      required = true,
      paramLabel = "FILE",
      description = "The predicate, as YAML or XML.")
  private Path predicateFile = Path.of("");

  @Option(
      names = "--epsilon",
      converter = EpsilonText.class,
      paramLabel = "TIME",
      description = {
        "How far clocks may be apart, such as 10ms, 500us or inf.",
        "Default: what the predicate says, else 10ms."
      })
  private @Nullable Epsilon epsilon;

  @Option(
      names = "--uncertainty",
      paramLabel = "RULE",
      description = {
        "conservative: what is ordered, but closer than epsilon, counts as concurrent; causal: not.",
        "Default: what the predicate says, else conservative."
      })
  private @Nullable Uncertainty uncertainty;

  @Option(
      names = "--replicas",
      defaultValue = "any",
      paramLabel = "RULE",
      description = {
        "any: every replica's interval counts by itself;",
        "first: those of one version are one. Default: ${DEFAULT-VALUE}."
      })
  private ReplicaRule replicas = ReplicaRule.ANY;

  @Option(
      names = "--report",
      defaultValue = "cover",
      paramLabel = "WHAT",
      description = {
        "first: stop at the first violation; cover: the earliest violation of every interval",
        "that takes part in one, of each grade; all: every violation. Default: ${DEFAULT-VALUE}."
      })
  private Report report = Report.COVER;

  @Parameters(
      index = "0",
      paramLabel = "CANDIDATES.jsonl",
      description = "The trace; - reads standard input.")
  private String trace = "-";

  public DetectCommand() {
    this(System.in, System::nanoTime);
  }

  DetectCommand(InputStream in, LongSupplier nanos) {
    this.in = in;
    this.nanos = nanos;
  }

  @Override
  public Integer call() {
    try {
      return detect() == 0 ? NOTHING_FOUND : FOUND;
    } catch (BadTraceException | PredicateException e) {
      return refuse(String.valueOf(e.getMessage()));
    } catch (NoSuchFileException e) {
      return refuse("no such file: " + e.getFile());
    } catch (AccessDeniedException e) {
      return refuse("permission denied: " + e.getFile());
    } catch (IOException e) {
      return refuse("cannot read or write: " + e.getMessage());
    }
  }

  private int refuse(String sentence) {
    spec.commandLine().getErr().println("palinode: " + sentence);
    return REFUSED;
  }

  private long detect() throws IOException {
    PredicateFile predicate = PredicateFile.read(predicateFile);
    requireReplicas(predicate);
    Progress progress = new Progress(nanos, spec.commandLine().getErr());
    Trace read;
    try (BufferedReader lines = open()) {
      read = new TraceReader(trace, predicate, progress).read(lines);
    }
    ViolationWriter out = new ViolationWriter(spec.commandLine().getOut());
    if (read.nodes() > 0) {
      judge(read, detection(predicate, read.nodes()), progress, out);
    }
    out.finish();
    return out.count();
  }

  /** As UTF-8; what is not is refused. */
  private BufferedReader open() throws IOException {
    InputStream bytes = trace.equals("-") ? in : Files.newInputStream(Path.of(trace));
    return new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8.newDecoder()));
  }

  private void requireReplicas(PredicateFile file) {
    boolean groups = file.clauses().stream().anyMatch(clause -> clause.shape().hasGroups());
    if (replicas == ReplicaRule.FIRST && groups) {
      throw new ParameterException(
          spec.commandLine(), "terms on the same node need --replicas any: " + predicateFile);
    }
  }

  private DetectionSpec detection(PredicateFile file, int nodes) {
    Epsilon own = file.predicate().epsilon();
    Epsilon bound = epsilon != null ? epsilon : own != null ? own : Epsilon.ofMicros(10_000);
    Causality causality =
        new Causality(bound, uncertainty != null ? uncertainty : file.predicate().uncertainty());
    return new DetectionSpec(
        nodes, file.clauses().stream().map(Clause::shape).toList(), causality, replicas);
  }

  private void judge(Trace read, DetectionSpec detection, Progress progress, ViolationWriter out) {
    long[] judged = {0};
    Earliest earliest = new Earliest();
    for (Map.Entry<String, List<Candidate>> instance : read.instances().entrySet()) {
      String binding = instance.getKey();
      TraceDetector.detect(
          detection,
          instance.getValue(),
          report,
          violation -> {
            if (report == Report.FIRST) {
              earliest.offer(binding, violation);
            } else {
              out.write(binding, violation);
            }
          },
          () -> progress.judged(++judged[0]));
    }
    if (earliest.violation != null) {
      out.write(earliest.binding, earliest.violation);
    }
  }

  /** Of the first violations of all instances, the first one. */
  private static final class Earliest {
    private String binding = "";
    private @Nullable Witness violation;

    void offer(String ofBinding, Witness offered) {
      if (violation == null || offered.violate() < violation.violate()) {
        binding = ofBinding;
        violation = offered;
      }
    }
  }
}
