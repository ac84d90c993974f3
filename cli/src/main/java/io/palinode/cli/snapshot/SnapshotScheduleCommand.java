package io.palinode.cli.snapshot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.terminal.ApiClient;
import io.palinode.cli.terminal.DurationText;
import io.palinode.cli.terminal.Output;
import io.palinode.cli.terminal.Refusal;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows or changes when the orchestrator takes snapshots by itself. */
@Command(
    name = "schedule",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Schedule snapshots: by time, or right before each violation. Older ones are deleted.",
      "A later snapshot starts from the files of an earlier one, so it costs only what has"
          + " changed. Without options: show the schedule.",
      ""
    },
    footer = {
      "",
      "Example:",
      "  palinode snapshot schedule --every 10m --keep 6",
      "  palinode snapshot schedule --every 1h --on-violation --keep 24 --max-age 1d",
      "  palinode snapshot schedule --off"
    })
final class SnapshotScheduleCommand implements Callable<Integer> {
  private static final String PATH = "/api/v1/snapshot-schedule";

  @Option(
      names = "--every",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "The time between two snapshots: " + DurationText.FORMS + ".")
  private @Nullable Duration every;

  @Option(
      names = "--on-violation",
      description =
          "Take a snapshot of the time right before each violation, at most one every 10 s.")
  private boolean onViolation;

  @Option(
      names = "--keep",
      paramLabel = "N",
      description = "Keep the latest N of each kind (default: 6).")
  private @Nullable Integer keep;

  @Option(
      names = "--max-age",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "Delete older ones, even if there are fewer than N.")
  private @Nullable Duration maxAge;

  @Option(names = "--off", description = "End the schedule. Existing snapshots remain.")
  private boolean off;

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();

  @Override
  public Integer call() {
    boolean isOn = every != null || onViolation;
    if (off && (isOn || keep != null || maxAge != null)) {
      throw new Refusal("--off cannot be used with another option: leave it out, or the others");
    }
    if (!isOn && (keep != null || maxAge != null)) {
      throw new Refusal("--keep and --max-age need --every or --on-violation");
    }
    if (off) {
      var unused = api.delete(PATH);
      return show(null);
    }
    return show(isOn ? api.put(PATH, body()) : api.get(PATH));
  }

  private String body() {
    ObjectNode body = ApiClient.JSON.createObjectNode();
    body.put("everySeconds", seconds(every)).put("onViolation", onViolation);
    body.put("keep", keep == null ? 6 : keep).put("maxAgeSeconds", seconds(maxAge));
    return body.toString();
  }

  private static @Nullable Long seconds(@Nullable Duration duration) {
    return duration == null ? null : duration.toSeconds();
  }

  /** Null: it was switched off. */
  private int show(@Nullable JsonNode schedule) {
    JsonNode shown = schedule == null ? ApiClient.JSON.createObjectNode() : schedule;
    output.print(shown, () -> text(shown) + "\n");
    return 0;
  }

  private static String text(JsonNode schedule) {
    JsonNode seconds = schedule.path("everySeconds");
    boolean atViolations = schedule.path("onViolation").asBoolean();
    if (!seconds.isNumber() && !atViolations) {
      return "there is no schedule";
    }
    String when = seconds.isNumber() ? "every " + DurationText.of(seconds.asLong()) : "";
    String also = atViolations ? (when.isEmpty() ? "" : ", and ") + "before each violation" : "";
    JsonNode age = schedule.path("maxAgeSeconds");
    String forSoLong = age.isNumber() ? " for at most " + DurationText.of(age.asLong()) : "";
    return "a snapshot %s%s; the last %d are kept%s"
        .formatted(when, also, schedule.path("keep").asInt(), forSoLong);
  }
}
