package io.palinode.cli.trace;

import io.palinode.cli.options.KafkaAddress;
import io.palinode.terminal.OnSignal;
import io.palinode.terminal.Outage;
import io.palinode.terminal.Refusal;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.RefusedRecords;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Writes the candidates of a predicate as a trace. */
@Command(
    name = "record",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Record the intervals of a predicate in a running cluster as a trace for 'palinode detect'.",
      "The trace has all that Kafka keeps of them: 30 minutes, unless the topic has another"
          + " retention. After Ctrl-C it has what was read until then.",
      "A trace has one version of the predicate. If the predicate changed meanwhile, standard error"
          + " has the time and the other versions."
    },
    footer = {
      "",
      "Example:  palinode record --kafka 127.0.0.1:6767 --predicate mutex -o trace.jsonl",
      "          palinode get predicates mutex > mutex.yaml",
      "          palinode detect --predicate mutex.yaml trace.jsonl"
    })
public final class RecordCommand implements Callable<Integer> {
  private static final Duration STOP_MAX = Duration.ofSeconds(30);
  private static final long PROGRESS_NANOS = Duration.ofSeconds(2).toNanos();

  @Mixin private KafkaAddress kafka = new KafkaAddress();

  @Option(
      names = "--predicate",
      required = true,
      paramLabel = "NAME",
      description = "The name of the predicate.")
  private String predicate = "";

  @Option(
      names = "--predicate-version",
      defaultValue = "0",
      paramLabel = "N",
      description = "Record this version of the predicate (default: the newest with intervals).")
  private long version;

  @Option(
      names = {"-o", "--output"},
      required = true,
      paramLabel = "FILE",
      description = "The trace. It replaces an earlier file when it is whole.")
  private Path output = Path.of("");

  @Option(
      names = "--follow",
      description = "Continue with new candidates until Ctrl-C (default: end with the present).")
  private boolean follow;

  @Option(
      names = "--intervals-max",
      defaultValue = "1000000",
      paramLabel = "N",
      description = {
        "Intervals that the trace may have, about 500 bytes of memory each (default:"
            + " ${DEFAULT-VALUE})."
      })
  private int intervalsMax;

  @Spec private CommandSpec spec = CommandSpec.create();

  private final AtomicBoolean stopped = new AtomicBoolean();

  @Override
  @SuppressWarnings("try") // A resource for its close alone.
  public Integer call() {
    KafkaSettings settings = kafka.settings();
    Recording recording = new Recording(predicate, version, intervalsMax);
    try (OnSignal onSignal = OnSignal.does(() -> stopped.set(true), STOP_MAX);
        Consumer<byte[], byte[]> consumer = settings.newConsumer("palinode-record")) {
      try {
        read(consumer, recording);
      } catch (KafkaException | Refusal e) {
        if (recording.size() > 0) {
          write(recording);
        }
        throw e;
      }
      write(recording);
      return recording.size() == 0 ? 1 : 0;
    } catch (KafkaException e) {
      throw new Outage("--kafka=%s: %s".formatted(kafka.bootstrap(), e.getMessage()), e);
    } catch (IOException e) {
      throw new Refusal("cannot write %s: %s".formatted(output, e), e);
    }
  }

  private void read(Consumer<byte[], byte[]> consumer, Recording recording) {
    RecordedTopics topics = new RecordedTopics(consumer, predicate, recording);
    long shown = System.nanoTime();
    try {
      topics.start();
      while (!stopped.get() && (follow || !topics.isAtEnd())) {
        topics.poll();
        if (System.nanoTime() - shown > PROGRESS_NANOS) {
          shown = System.nanoTime();
          report("reading: %,d records, %,d intervals", recording.records(), recording.size());
        }
      }
    } catch (IllegalStateException e) {
      throw new Refusal(e.getMessage() + "; raise --intervals-max, and PALINODE_HEAP", e);
    } finally {
      report(topics.refused());
    }
  }

  private void report(RefusedRecords refused) {
    for (RefusedRecords.Refused last : refused.latest().stream().limit(1).toList()) {
      report(
          "passed over: %,d records; the last: %s, partition %d, offset %d: %s",
          refused.total(), last.topic(), last.partition(), last.offset(), last.why());
    }
  }

  private void write(Recording recording) throws IOException {
    if (TraceWriter.write(recording.intervals(), output) == 0) {
      report("no interval of predicate %s in %,d records", predicate, recording.records());
    } else {
      report(
          "%s, version %d: %,d intervals from %,d records in %s",
          predicate, recording.version(), recording.size(), recording.records(), output);
      String others = recording.otherVersions();
      if (others != null) {
        report("%s", others);
      }
    }
  }

  private void report(String format, Object... values) {
    spec.commandLine().getErr().println("palinode: " + String.format(Locale.ROOT, format, values));
  }
}
