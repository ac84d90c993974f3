package io.palinode.cli.status;

import io.palinode.cli.options.TimeText;
import io.palinode.orchestrator.rest.Views.StatusView;
import io.palinode.orchestrator.rest.WaitView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What {@code status} prints of judgement, from the view of the API. */
public final class WaitLines {
  private static final double MS_PER_SECOND = 1_000.0;

  /** Judgement that is further behind stands still. */
  private static final double BEHIND_MS_MAX = 5_000;

  private WaitLines() {}

  static String safePoint(StatusView status) {
    String unjudged = status.epochJudged() ? "" : unjudged(status);
    if (status.safePoint().equals("0")) {
      return "none" + (unjudged.isEmpty() ? " yet" : ": " + unjudged);
    }
    return "%s, %.0f ms behind%s"
        .formatted(
            TimeText.of(status.safePoint()),
            status.safePointLagMs(),
            unjudged.isEmpty() ? "" : "; this epoch is " + unjudged);
  }

  static String coverage(StatusView status) {
    if (status.coverageLosses() > 0) {
      return status.coverageLosses() == 1
          ? "1 coverage gap is not acknowledged"
          : status.coverageLosses() + " coverage gaps are not acknowledged";
    }
    if (!status.epochJudged()) {
      return "not judged yet";
    }
    return notJudged(status).isEmpty()
        ? "complete"
        : "complete up to %s; nothing later is judged yet".formatted(TimeText.of(status.judged()));
  }

  /** One line if judgement stands still, with the wait: later violations are not known yet. */
  public static List<String> notJudged(StatusView status) {
    if (status.judgedLagMs() <= BEHIND_MS_MAX) {
      return List.of();
    }
    return status.waits().stream()
        .filter(WaitView::standsStill)
        .findFirst()
        .map(
            wait ->
                "not judged%s: later violations are not known yet; %s; %s"
                    .formatted(
                        status.judged().equals("0")
                            ? " yet"
                            : " after " + TimeText.of(status.judged()),
                        wait.what(),
                        wait.wayOut()))
        .stream()
        .toList();
  }

  /** One line for each: what, for how long, what to do. */
  static List<String> waits(StatusView status) {
    return status.waits().stream()
        .map(
            wait ->
                "%s, for %.1f s; %s"
                    .formatted(wait.what(), wait.forMs() / MS_PER_SECOND, wait.wayOut()))
        .toList();
  }

  static boolean standStill(StatusView status) {
    return status.waits().stream().anyMatch(WaitView::standsStill);
  }

  private static String unjudged(StatusView status) {
    long since = status.unjudgedSinceMicros();
    if (status.waits().stream().noneMatch(wait -> wait.reason().equals("job"))) {
      return "not judged yet, since " + TimeText.secondWithAge(since);
    }
    Long published = status.jobPublishedMicros();
    return "not judged yet: the detection job has not published since "
        + TimeText.secondWithAge(published == null ? since : published);
  }

  /** The times of judgement exactly, for programs and inputs. */
  static String hlcs(StatusView status) {
    String heldAt = status.safePointHeldAt();
    return "safe point %s, judged %s%s"
        .formatted(
            status.safePoint(), status.judged(), heldAt == null ? "" : ", held at " + heldAt);
  }

  /** What to do about a halted rollback. */
  public static String waysOut(long epoch, @Nullable String haltReason) {
    return "rollback %d is halted: %s; 'palinode rollback retry %d' tries again, 'palinode rollback abandon %d' continues without it"
        .formatted(epoch, haltReason, epoch, epoch);
  }
}
