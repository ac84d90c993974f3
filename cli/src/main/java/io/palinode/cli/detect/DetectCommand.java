package io.palinode.cli.detect;

import io.palinode.cli.options.EpsilonText;
import io.palinode.detection.Witness;
import io.palinode.detection.file.BadTraceException;
import io.palinode.detection.file.Limits;
import io.palinode.detection.file.PredicateFile;
import io.palinode.detection.file.TraceJudge;
import io.palinode.detection.file.ViolationWriter;
import io.palinode.detection.trace.TraceDetector.Extent;
import io.palinode.detection.trace.TraceDetector.Report;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.Clause;
import io.palinode.predicate.ReplicaRule;
import io.palinode.predicate.text.Abridged;
import io.palinode.predicate.text.PredicateException;
import io.palinode.terminal.Counted;
import io.palinode.terminal.OnSignal;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
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
 * violation is, 2 for bad input: then one sentence on standard error says where and why; 3 when
 * nothing is found and not all could be judged.
 */
@Command(
    name = "detect",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Find violations of a predicate in a recorded trace.",
    footer = {
      "",
      "Each line of the trace is one interval:",
      "  {\"predicate\":\"p\",\"clause\":0,\"term\":0,\"node\":1,\"seq\":5,",
      "   \"start\":[\"1000\",\"1005.3\"],\"end\":[\"1200\",\"1300\"]}",
      "Without 'end' the interval is open. Lines of one node are in its order; lines of"
          + " different nodes are in any order. Optional fields: values; binding, such as \"a=3,b=5\";",
      "for 'replicas: first' also version, origin and endedBy; for a clause with 'for' version and"
          + " endedBy; for 'within' origin. Each binding is judged separately.",
      "",
      "The command judges a trace of any length in bounded memory. It keeps only intervals that"
          + " overlap or are open. If these are too many, it drops the oldest ones. A search that takes too"
          + " many steps is stopped. An interval of 'after' whose time ends after the trace is not judged.",
      "In all these cases standard error has the time from which violations may be missing, and"
          + " exit status 0 becomes 3.",
      "",
      "Each line of a term with 'lostUpdate', 'staleRead' or 'nonMonotonicRead' is a violation, as"
          + " its node judged it. 'palinode verify' checks it by its witness file.",
      "",
      "The field 'meaning' of a violation states in one sentence why it has its grade, and the"
          + " value of a sum.",
      "",
      "Exit status: 0 no violation; 1 violations, one JSON line for each; 2 bad input; 3 unknown:",
      "no violation, but not all intervals could be judged; 130 interrupted.",
      "",
      "Example:  palinode detect --predicate mutex.yaml trace.jsonl"
    })
public final class DetectCommand implements Callable<Integer> {
  private static final int NOTHING_FOUND = 0;
  private static final int FOUND = 1;
  private static final int REFUSED = 2;
  private static final int UNKNOWN = 3;

  /** As shells have it for SIGINT. */
  private static final int INTERRUPTED = 130;

  /** A read of standard input, or a write to a full pipe, may never end. */
  private static final Duration STOP_MAX = Duration.ofMillis(1_500);

  /** Of those that were not judged to their end. */
  private static final int INSTANCES_NAMED_MAX = 10;

  private static final int LOOK_EVERY = 1_000;

  private final InputStream in;
  private final LongSupplier nanos;
  private final long heapBytes;
  private final boolean terminal;

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
        "Bound on the difference of the nodes' clocks, such as 10ms, 500us or inf.",
        "Default: the predicate's, else 10ms."
      })
  private @Nullable Epsilon epsilon;

  @Option(
      names = "--uncertainty",
      paramLabel = "RULE",
      description = {
        "conservative: ordered intervals closer than epsilon count as concurrent; causal: they do"
            + " not.",
        "Default: the predicate's, else conservative."
      })
  private @Nullable Uncertainty uncertainty;

  @Option(
      names = "--replicas",
      paramLabel = "RULE",
      description = {
        "any: each replica's interval counts separately;",
        "first: the intervals of one version are one interval. Default: the predicate's."
      })
  private @Nullable ReplicaRule replicas;

  @Option(
      names = "--report",
      defaultValue = "cover",
      paramLabel = "WHAT",
      description = {
        "first: stop at the first violation; cover: for each interval and grade, the earliest"
            + " violation with this interval; all: every violation. Default: ${DEFAULT-VALUE}."
      })
  private Report report = Report.COVER;

  @Parameters(
      index = "0",
      paramLabel = "CANDIDATES.jsonl",
      description = "The trace; - reads standard input.")
  private String trace = "-";

  @Option(
      names = "--retained-max",
      paramLabel = "N",
      description = {
        "Intervals of an instance that are kept because they overlap or are open. Default: as"
            + " many as fit into a quarter of the heap."
      })
  private @Nullable Integer retainedMax;

  @Option(
      names = "--search-steps-max",
      defaultValue = "1000000",
      paramLabel = "N",
      description = {
        "Steps of one search for a violation (default: ${DEFAULT-VALUE}). After 10 searches that"
            + " needed more, further ones have a thousandth of it."
      })
  private long searchStepsMax = 1_000_000;

  @Option(
      names = "--scratch",
      paramLabel = "FOLDER",
      defaultValue = "${sys:java.io.tmpdir}",
      description = {
        "Folder for data that does not fit into memory, about 200 bytes per line. Default:"
            + " ${DEFAULT-VALUE}."
      })
  private Path scratchFolder = Path.of("");

  public DetectCommand() {
    this(
        System.in,
        System::nanoTime,
        Runtime.getRuntime().maxMemory(),
        System.getenv("PALINODE_TERMINAL") != null);
  }

  DetectCommand(InputStream in, LongSupplier nanos, long heapBytes, boolean terminal) {
    this.in = in;
    this.nanos = nanos;
    this.heapBytes = heapBytes;
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    try {
      return detect();
    } catch (BadTraceException | PredicateException e) {
      return refuse(String.valueOf(e.getMessage()));
    } catch (NoSuchFileException e) {
      return refuse("no such file: " + e.getFile());
    } catch (AccessDeniedException e) {
      return refuse("permission denied: " + e.getFile());
    } catch (UncheckedIOException | IOException e) {
      return refuse("cannot read or write: " + e.getMessage());
    }
  }

  private int refuse(String sentence) {
    spec.commandLine().getErr().println("palinode: " + sentence);
    return REFUSED;
  }

  private int detect() throws IOException {
    requireFile(predicateFile);
    requireFile(Path.of(trace));
    PredicateFile predicate = PredicateFile.read(predicateFile);
    requirePositive("--search-steps-max", searchStepsMax);
    if (retainedMax != null) {
      requirePositive("--retained-max", retainedMax);
    }
    requireJudgeable(predicate);
    reportOverrides(predicate);
    ProgressLine progress = new ProgressLine(nanos, spec.commandLine().getErr(), terminal);
    ViolationWriter out = new ViolationWriter(spec.commandLine().getOut());
    // The JVM stays until all is said, on Ctrl-C too.
    OnSignal onSignal = OnSignal.does(progress::stop, STOP_MAX);
    try (onSignal) {
      return detect(predicate, progress, out);
    } finally {
      progress.end();
    }
  }

  private int detect(PredicateFile predicate, ProgressLine progress, ViolationWriter out)
      throws IOException {
    try {
      boolean whole = judge(predicate, progress, out);
      out.finish();
      return out.count() > 0 ? FOUND : whole ? NOTHING_FOUND : UNKNOWN;
    } catch (StoppedException e) {
      out.finish();
      progress.end();
      spec.commandLine()
          .getErr()
          .println(
              "palinode: unknown: interrupted while "
                  + progress.verb()
                  + "; what was printed is right, the rest was not judged");
      return INTERRUPTED;
    }
  }

  /** Whether all was judged. */
  private boolean judge(PredicateFile predicate, ProgressLine progress, ViolationWriter out)
      throws IOException {
    TraceJudge.Rules rules = new TraceJudge.Rules(epsilon, uncertainty, replicas, report);
    Limits limits =
        new Limits(heapBytes, retainedMax == null ? 0 : retainedMax, searchStepsMax, scratchFolder);
    try (InputStream bytes = open(progress)) {
      Printed printed = new Printed(progress, out);
      boolean all = new TraceJudge(predicate, rules, limits, progress).judge(trace, bytes, printed);
      printed.reportOthers();
      return all;
    }
  }

  private InputStream open(ProgressLine progress) throws IOException {
    if (trace.equals("-")) {
      progress.begin("reading", "lines", 0);
      return in;
    }
    Path file = Path.of(trace);
    InputStream bytes = Files.newInputStream(file);
    progress.begin("reading", "lines", Files.isRegularFile(file) ? Files.size(file) : 0);
    return bytes;
  }

  private void requireFile(Path path) {
    if (Files.isDirectory(path)) {
      throw new ParameterException(spec.commandLine(), "it is a folder, not a file: " + path);
    }
  }

  private void requirePositive(String option, long value) {
    if (value < 1) {
      throw new ParameterException(spec.commandLine(), option + " must be at least 1: " + value);
    }
  }

  private void requireJudgeable(PredicateFile file) {
    if (file.clauses().stream().anyMatch(Clause::isOfStates)) {
      throw new ParameterException(
          spec.commandLine(),
          "replicasDiverged is judged by the job only, for a trace has no digests of what replicas"
              + " have: "
              + predicateFile);
    }
    boolean groups = file.clauses().stream().anyMatch(clause -> clause.shape().hasGroups());
    if (replicas == ReplicaRule.FIRST && groups) {
      throw new ParameterException(
          spec.commandLine(), "terms on the same node need --replicas any: " + predicateFile);
    }
    if (replicas == ReplicaRule.FIRST && file.clauses().stream().anyMatch(Clause::isOfReads)) {
      throw new ParameterException(
          spec.commandLine(), "a clause of reads needs --replicas any: " + predicateFile);
    }
    boolean lasts = file.clauses().stream().anyMatch(clause -> clause.shape().lasts());
    if (replicas == ReplicaRule.FIRST && lasts) {
      throw new ParameterException(
          spec.commandLine(), "a clause with 'for' needs --replicas any: " + predicateFile);
    }
    boolean within = file.clauses().stream().anyMatch(Clause::isWithin);
    if (replicas == ReplicaRule.FIRST && within) {
      throw new ParameterException(
          spec.commandLine(), "within needs --replicas any: " + predicateFile);
    }
    if (epsilon != null && epsilon.isInfinite() && (lasts || within)) {
      throw new ParameterException(
          spec.commandLine(),
          "'%s' compares times of different nodes, so --epsilon must not be inf: %s"
              .formatted(within ? "within" : "for", predicateFile));
    }
  }

  /** The cluster judges by the predicate's rules: others may find other violations. */
  private void reportOverrides(PredicateFile file) {
    reportOverride("replicas", word(replicas), word(file.predicate().replicas()));
    reportOverride("uncertainty", word(uncertainty), word(file.predicate().uncertainty()));
    reportOverride("epsilon", text(epsilon), text(file.predicate().epsilon()));
  }

  private void reportOverride(String option, @Nullable String given, @Nullable String own) {
    if (given != null && own != null && !given.equals(own)) {
      report(
          "palinode: --%1$s %2$s overrides '%1$s: %3$s' of %4$s",
          option, given, own, predicateFile);
    }
  }

  private static @Nullable String text(@Nullable Epsilon bound) {
    return bound == null ? null : bound.toString();
  }

  private static @Nullable String word(@Nullable Enum<?> rule) {
    return rule == null ? null : rule.name().toLowerCase(Locale.ROOT);
  }

  /** Violations on standard output, and on standard error what was not judged. */
  private final class Printed implements TraceJudge.Findings {
    private final ProgressLine progress;
    private final ViolationWriter out;
    private long instancesUnjudged;

    Printed(ProgressLine progress, ViolationWriter out) {
      this.progress = progress;
      this.out = out;
    }

    @Override
    public void empty() {
      progress.end();
      report("palinode: the trace is empty, so no interval was judged: %s", trace);
    }

    @Override
    public void violation(String binding, Witness violation, String meaning) {
      out.write(binding, violation, meaning);
      // Without a reader, as after 'head', further ones are in vain.
      if (out.count() % LOOK_EVERY == 0 && spec.commandLine().getOut().checkError()) {
        progress.stop();
      }
    }

    @Override
    public void unjudged(String binding, Extent extent, int kept) {
      instancesUnjudged++;
      if (instancesUnjudged > INSTANCES_NAMED_MAX) {
        return;
      }
      progress.end();
      String instance = binding.isEmpty() ? "" : "instance " + Abridged.of(binding) + ": ";
      String from = Hlc.format(extent.completeBefore());
      if (extent.dropped() > 0) {
        report(
            "palinode: unknown: %sof the intervals that overlap or are open, %,d at most are kept at"
                + " once; %s dropped, so violations from %s on may be missing (--retained-max, or a"
                + " larger PALINODE_HEAP, keeps more)",
            instance, kept, Counted.of(extent.dropped(), "more was", "more were"), from);
      }
      if (extent.waiting() > 0) {
        report(
            "palinode: unknown: %sthe trace ends before the time of %s of 'after' is over, so"
                + " violations from %s on may be missing",
            instance, Counted.of(extent.waiting(), "interval", "intervals"), from);
      }
      if (extent.searchesCut() > 0) {
        report(
            "palinode: unknown: %s%s stopped after too many steps, so violations from %s on may be"
                + " missing (--search-steps-max allows more than %,d)",
            instance,
            Counted.of(extent.searchesCut(), "search was", "searches were"),
            from,
            searchStepsMax);
      }
    }

    void reportOthers() {
      if (instancesUnjudged > INSTANCES_NAMED_MAX) {
        report(
            "palinode: unknown: %s not judged to the end",
            Counted.of(
                instancesUnjudged - INSTANCES_NAMED_MAX,
                "more instance was",
                "more instances were"));
      }
    }
  }

  private void report(String format, Object... values) {
    spec.commandLine().getErr().println(String.format(Locale.ROOT, format, values));
  }
}
