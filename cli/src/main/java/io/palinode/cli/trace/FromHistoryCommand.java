package io.palinode.cli.trace;

import io.palinode.cli.options.EpsilonText;
import io.palinode.detection.file.PredicateFile;
import io.palinode.hvc.Epsilon;
import io.palinode.predicate.Clause;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.Term;
import io.palinode.predicate.text.PredicateException;
import io.palinode.terminal.Counted;
import io.palinode.terminal.Refusal;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes a trace of a history. */
@Command(
    name = "from-history",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Make a trace of a history of client operations, such as one of Jepsen.",
      "A history has the start and the end of each operation. An operation took effect at some"
          + " time between them, so the trace has what was surely, or what was possibly true."
    },
    footer = {
      "",
      "Each line of a history in JSON is one operation. Times are microseconds or ISO 8601:",
      "  {\"invoke\":100,\"complete\":180,\"write\":{\"lock_a_ann\":\"held\"}}",
      "  {\"invoke\":900,\"complete\":950,\"write\":{\"lock_a_ann\":null},\"read\":{\"x\":\"1\"}}",
      "'write' has the new values; null deletes a key. 'read' has what the operation found: the"
          + " read of line 2 is the key read/2/x. Without 'complete' it is unknown whether the operation"
          + " took effect. 'node' is the number of the clock of both times (default: 0).",
      "",
      "A history of Jepsen (*.edn) may have :write, :read, :cas, :txn, :acquire and :release.",
      "",
      "Exit status: 0 done; 1 no term of the predicate was true; 2 bad input.",
      "",
      "Example:  palinode trace from-history --predicate mutex.yaml history.edn -o trace.jsonl",
      "          palinode detect --predicate mutex.yaml trace.jsonl"
    })
final class FromHistoryCommand implements Callable<Integer> {
  private static final long PROGRESS_NANOS = Duration.ofSeconds(2).toNanos();
  private static final Epsilon EPSILON_DEFAULT = Epsilon.ofMicros(10_000);

  @Option(
      names = "--predicate",
      required = true,
      paramLabel = "FILE",
      description = "The predicate, as YAML or XML.")
  private Path predicateFile = Path.of("");

  @Parameters(
      index = "0",
      paramLabel = "HISTORY",
      description = "The history: EDN of Jepsen if its name ends with .edn, else JSON lines.")
  private Path historyFile = Path.of("");

  @Option(
      names = {"-o", "--output"},
      required = true,
      paramLabel = "FILE",
      description = "The trace. It replaces an earlier file when it is whole.")
  private Path output = Path.of("");

  @Option(
      names = "--held",
      defaultValue = "surely",
      paramLabel = "WHEN",
      description = {
        "surely: a value counts from the end of its write until the start of the next write of"
            + " another value; possibly: from the start of its write until the end of that one.",
        "Default: ${DEFAULT-VALUE}."
      })
  private Standing.Held held = Standing.Held.SURELY;

  @Option(
      names = "--epsilon",
      converter = EpsilonText.class,
      paramLabel = "TIME",
      description = {
        "Bound on the difference of the clocks, if there are several, such as 10ms, 500us or inf.",
        "Default: the predicate's, else 10ms."
      })
  private @Nullable Epsilon epsilon;

  @Option(
      names = "--operations-max",
      defaultValue = "5000000",
      paramLabel = "N",
      description = {
        "Operations that the history may have, about 500 bytes of memory each (default:"
            + " ${DEFAULT-VALUE})."
      })
  private int operationsMax = 5_000_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  private long shown = System.nanoTime();

  @Override
  public Integer call() {
    try {
      Predicate predicate = PredicateFile.read(predicateFile).predicate();
      requireJudgeable(predicate);
      History history = read();
      long intervals = write(predicate, history);
      history
          .passedOver()
          .forEach((reason, count) -> report("passed over: %s %s", operations(count), reason));
      report(
          "%s, %s in %s",
          operations(history.operations().size()),
          Counted.of(intervals, "interval", "intervals"),
          output);
      if (held == Standing.Held.POSSIBLY) {
        report(
            "the trace has what was possibly true, so each violation of it may not have happened,"
                + " even a definite one");
      }
      return intervals == 0 ? 1 : 0;
    } catch (PredicateException e) {
      throw new Refusal(String.valueOf(e.getMessage()), e);
    } catch (NoSuchFileException e) {
      throw new Refusal("no such file: " + e.getFile(), e);
    } catch (CharacterCodingException e) {
      throw new Refusal("a history must be in UTF-8: " + historyFile, e);
    } catch (IOException e) {
      throw new Refusal("cannot read or write: " + e.getMessage(), e);
    }
  }

  private static String operations(long count) {
    return Counted.of(count, "operation", "operations");
  }

  /** A history has what operations wrote and found, and no more. */
  private void requireJudgeable(Predicate predicate) {
    for (Clause clause : predicate.violation()) {
      // A trigger counts from the end of its write. An answer that ended before may be in time.
      if (clause.isWithin()) {
        throw new Refusal(
            predicateFile
                + ": within cannot be judged, because a history does not state when a write took"
                + " effect; apply the predicate to a cluster");
      }
      if (clause.isOfOperations() || clause.isOfStates()) {
        throw new Refusal(
            ("%s: %s cannot be judged, because a history does not state what %s; leave the clause"
                    + " out, or apply the predicate to a cluster")
                .formatted(
                    predicateFile,
                    clause.isOfStates()
                        ? "replicasDiverged"
                        : clause.terms().get(0).comparison().word(),
                    clause.isOfStates() ? "each replica has" : "a session had seen"));
      }
    }
  }

  private History read() throws IOException {
    History history = new History(operationsMax, this::progress);
    String source = historyFile.toString();
    try (BufferedReader in = Files.newBufferedReader(historyFile)) {
      if (source.endsWith(".edn")) {
        new JepsenHistory(source).read(in, history);
      } else {
        new JsonHistory(source).read(in, history);
      }
    }
    return history;
  }

  private long write(Predicate predicate, History history) throws IOException {
    Epsilon own = predicate.epsilon();
    Epsilon bound = epsilon != null ? epsilon : own != null ? own : EPSILON_DEFAULT;
    HistoryTrace trace = new HistoryTrace(predicate, store(predicate), history.nodes(), bound);
    List<Standing.Value<HistoryTrace.Fact>> values =
        new Standing<>(held, bound, trace::facts).of(history.operations());
    return TraceWriter.write(trace.of(values, history.last()), output);
  }

  /** The keys of a history are of the store that the predicate names. */
  private static String store(Predicate predicate) {
    Set<String> stores = new TreeSet<>();
    for (Clause clause : predicate.violation()) {
      for (Term term : clause.terms()) {
        if (term.store() != null) {
          stores.add(term.store());
        }
      }
    }
    if (stores.size() > 1) {
      throw new Refusal(
          "a history is of one store, and the predicate names several: "
              + String.join(", ", stores));
    }
    return String.join("", stores);
  }

  private void progress(long operations) {
    if (System.nanoTime() - shown > PROGRESS_NANOS) {
      shown = System.nanoTime();
      report("reading: %s", operations(operations));
    }
  }

  private void report(String format, Object... values) {
    spec.commandLine().getErr().println("palinode: " + String.format(Locale.ROOT, format, values));
  }
}
