package io.palinode.cli.snapshot;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.orchestrator.rest.ScheduleView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.DurationText;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
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
      output.print(ApiClient.JSON.createObjectNode(), () -> text(null));
      return 0;
    }
    JsonNode answer = isOn ? api.put(PATH, body()) : api.get(PATH);
    ScheduleView schedule = api.view(answer, ScheduleView.class);
    output.print(answer, () -> text(schedule));
    return 0;
  }

  private String body() {
    return ApiClient.JSON
        .valueToTree(
            new ScheduleView(seconds(every), onViolation, keep == null ? 6 : keep, seconds(maxAge)))
        .toString();
  }

  private static @Nullable Long seconds(@Nullable Duration duration) {
    return duration == null ? null : duration.toSeconds();
  }

  /** A line; null: it was switched off. */
  private static String text(@Nullable ScheduleView schedule) {
    if (schedule == null || (schedule.everySeconds() == null && !schedule.onViolation())) {
      return "there is no schedule\n";
    }
    Long every = schedule.everySeconds();
    String when = every == null ? "" : "every " + DurationText.of(every);
    String also =
        schedule.onViolation() ? (when.isEmpty() ? "" : ", and ") + "before each violation" : "";
    Long age = schedule.maxAgeSeconds();
    String forSoLong = age == null ? "" : " for at most " + DurationText.of(age);
    return "a snapshot %s%s; the last %d are kept%s\n"
        .formatted(when, also, schedule.keep(), forSoLong);
  }
}
