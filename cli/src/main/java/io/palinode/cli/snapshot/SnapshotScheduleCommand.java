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
      "Have snapshots taken by time, or right before each violation, and the older ones removed.",
      "Another snapshot of a time nearby begins with one of them, and costs what has changed since. Without options: show the schedule.",
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
      description = "Take one so often: " + DurationText.FORMS + ".")
  private @Nullable Duration every;

  @Option(
      names = "--on-violation",
      description = "Take one of the time right before a violation that is found.")
  private boolean onViolation;

  @Option(
      names = "--keep",
      paramLabel = "N",
      description = "Keep the last N of either kind (default: 6).")
  private @Nullable Integer keep;

  @Option(
      names = "--max-age",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "Remove older ones, also when there are fewer than N.")
  private @Nullable Duration maxAge;

  @Option(names = "--off", description = "Take no more; those that there are stay.")
  private boolean off;

  @Mixin private Output output = new Output();

  @Mixin private ApiClient api = new ApiClient();

  @Override
  public Integer call() {
    boolean isOn = every != null || onViolation;
    if (off && (isOn || keep != null || maxAge != null)) {
      throw new Refusal("--off goes with no other option");
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
      return "no snapshots are taken by a schedule\n";
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
